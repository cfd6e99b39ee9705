"""Tracks: one protocol, one module per family of instances."""
