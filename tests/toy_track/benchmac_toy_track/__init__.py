"""Books that a shell script binds, migrated from one version of their format to another."""
