"""What the program does, told by black-box cases, and what of it runs meanwhile."""
