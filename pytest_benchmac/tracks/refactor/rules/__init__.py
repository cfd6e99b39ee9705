"""Static rules: what they are, the engine that finds their matches, what follows."""
