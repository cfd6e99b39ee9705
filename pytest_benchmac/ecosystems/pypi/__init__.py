"""PyPI: distributions of Python."""
