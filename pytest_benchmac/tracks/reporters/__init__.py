"""What tells the harness the outcomes of a test run, in words of its own."""
