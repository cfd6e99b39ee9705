"""Booting a build in a browser: see README.md."""
