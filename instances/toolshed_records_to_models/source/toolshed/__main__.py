"""`python -m toolshed`."""

import sys

from toolshed.cli import main

if __name__ == "__main__":
    sys.exit(main())
