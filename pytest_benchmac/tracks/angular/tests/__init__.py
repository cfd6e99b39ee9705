"""The instance's own tests, held against recorded runs: see README.md."""
