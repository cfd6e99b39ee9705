"""Registries and the package managers that read them."""
