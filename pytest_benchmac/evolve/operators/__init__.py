"""The operators that evolve a program, a module each."""
