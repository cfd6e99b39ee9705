"""Tools that instances of more than one track run on: packages of a base, variables, checks."""
