"""A leaderboard in its formats: one module for the terminal, one for documents."""
