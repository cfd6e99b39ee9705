"""Angular major-version upgrades: see README.md."""
