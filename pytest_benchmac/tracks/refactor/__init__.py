"""Refactorings judged by tests, static rules and behaviour: see README.md."""
