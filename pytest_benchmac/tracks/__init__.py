"""Tracks: one protocol, and a folder per family of instances."""
