"""Sandboxes: one protocol, three implementations."""
