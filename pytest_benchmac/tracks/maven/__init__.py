"""Java migrations with Maven: see README.md."""
