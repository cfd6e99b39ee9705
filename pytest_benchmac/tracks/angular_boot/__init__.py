"""Does the migrated application run? A boot in a real browser, compared with the baseline's."""
