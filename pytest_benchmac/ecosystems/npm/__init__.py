"""npm: packages of JavaScript."""
