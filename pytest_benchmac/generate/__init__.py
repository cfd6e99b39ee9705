"""Patch generation: runs a system under test in an instance's sandbox and keeps what it changed."""
