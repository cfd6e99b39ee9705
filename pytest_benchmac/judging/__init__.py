"""What becomes of a case: read `evaluate`, then `stages`, `record` and `verdict`."""
