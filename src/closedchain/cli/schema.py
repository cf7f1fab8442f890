"""`closedchain schema`: the JSON Schema of mechanism files."""

from __future__ import annotations

from importlib import resources

from closedchain.cli.parser import Arguments


def run(args: Arguments) -> int:
    """Print the schema as it is in the package."""
    print((resources.files("closedchain.describe") / "mechanism.schema.json").read_text(encoding="utf-8"), end="")
    return 0
