"""The books of a community tool library."""

__version__ = "1.6.0"
