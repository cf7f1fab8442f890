"""`closedchain schema`: the JSON Schema of mechanism files and of scenario files."""

from __future__ import annotations

from importlib import resources

from closedchain.cli.parser import Arguments

HOMES = {"mechanism": "closedchain.describe", "scenario": "closedchain.scenarios"}


def run(args: Arguments) -> int:
    """Print the schema as it is in the package."""
    file = resources.files(HOMES[args.kind]) / f"{args.kind}.schema.json"
    print(file.read_text(encoding="utf-8"), end="")
    return 0
