"""How complex and how readable a program is. docs/evolve.md has the tables."""
