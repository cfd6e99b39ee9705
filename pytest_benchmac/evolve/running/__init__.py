"""Running programs in a sandbox: their tests, and what they do on inputs of ours."""
