"""The harness compiles the sources itself, and tries what the tests notice."""
