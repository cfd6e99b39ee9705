"""The `benchmac` command."""
