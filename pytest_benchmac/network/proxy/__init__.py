"""The proxy process."""
