"""What the Maven track reads from a migrated tree, and the rules it judges it by."""
