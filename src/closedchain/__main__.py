"""`python -m closedchain`: the command line."""

import sys

from closedchain.cli import main

if __name__ == "__main__":
    sys.exit(main())
