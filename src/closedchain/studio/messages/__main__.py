"""`python -m closedchain.studio.messages`: every message as TypeScript."""

from __future__ import annotations

import sys

from closedchain.studio.messages import LOOSE, OPERATIONS
from closedchain.studio.typescript import typescript


def main() -> None:
    """Print them."""
    sys.stdout.write(typescript(OPERATIONS, LOOSE))


if __name__ == "__main__":
    main()
