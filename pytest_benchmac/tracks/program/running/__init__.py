"""Running programs on inputs, in a sandbox that holds inputs and no expectation."""
