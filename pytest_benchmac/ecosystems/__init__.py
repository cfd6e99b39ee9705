"""Package registries and their managers, each behind one protocol."""
