"""Sandboxes by bubblewrap: namespaces without a daemon."""
