"""Is it the application, built from its sources and published packages? See README.md."""
