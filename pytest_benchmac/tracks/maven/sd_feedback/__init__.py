"""SD-Feedback, the system of MigrationBench (section 5, appendix D): errors, one after another."""
