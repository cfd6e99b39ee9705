"""Subcommands of `benchmac` that are this track's own."""
