"""Programs evolved to be harder, without a change of what they do. docs/evolve.md explains it."""
