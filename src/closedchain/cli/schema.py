"""`closedchain schema`: the JSON Schema of mechanism, scenario, study and design files."""

from __future__ import annotations

import importlib
import json
from importlib import resources

from closedchain.cli.parser import Arguments

HOMES = {"mechanism": "closedchain.describe", "scenario": "closedchain.scenarios"}  # which have it as a file
FORMS = {"study": "closedchain.sweep.reading", "design": "closedchain.design.reading"}  # whose readers make it


def run(args: Arguments) -> int:
    """Print the schema as it is in the package, or as its reader makes it."""
    if args.kind in FORMS:
        form = getattr(importlib.import_module(FORMS[args.kind]), args.kind.upper())
        print(json.dumps(form.json_schema(), indent=2, ensure_ascii=False))
    else:
        file = resources.files(HOMES[args.kind]) / f"{args.kind}.schema.json"
        print(file.read_text(encoding="utf-8"), end="")
    return 0
