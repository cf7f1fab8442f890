"""`closedchain doctor`: is this installation in order."""

from __future__ import annotations

import json
from dataclasses import asdict

from closedchain.cli.installation import findings
from closedchain.cli.parser import Arguments

CHECK_FAILED = 1


def run(args: Arguments) -> int:
    """Print what is there; exit code 1 if something does not work. It needs nothing but the standard library."""
    found = list(findings())
    ok = all(finding.ok is not False for finding in found)
    if args.json:
        answer = {"schema": "closedchain.doctor/1", "ok": ok, "findings": [asdict(finding) for finding in found]}
        print(json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print(*found, f"{'everything works' if ok else 'something does not work'}", sep="\n")
    return 0 if ok else CHECK_FAILED
