"""Black-box cases: what a program is given, what it answered, and what it has to answer."""
