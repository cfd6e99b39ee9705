"""The search for harder programs, and what it leaves on disk."""
