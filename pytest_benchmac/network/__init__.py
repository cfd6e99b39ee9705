"""What a sandbox may reach."""
