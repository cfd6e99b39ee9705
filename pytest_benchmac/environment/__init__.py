"""What a base and a project are made of; how engines turn them into images is theirs."""
