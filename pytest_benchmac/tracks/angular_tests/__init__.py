"""The instance's own tests: run in a browser by the harness's configuration, see docs/tests.md."""
