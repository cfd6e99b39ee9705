"""What runs in the sandbox: it knows nothing but Python 3.11's own library, and what it runs."""
