"""Sandboxes: the protocol, its engines, and what they prepare and keep."""
