"""Tasks about single Python programs, before and after they were evolved to be harder."""
