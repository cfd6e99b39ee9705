"""Reading the programs to evolve, with their tests."""
