"""Points without a rewrite: what submissions are searched for."""
