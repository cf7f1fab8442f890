"""`closedchain check`: does a robot obey the laws of physics."""

from __future__ import annotations

from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments
from closedchain.cli.values import robot
from closedchain.verify.laws import Report, check

CHECK_FAILED = 1


def run(args: Arguments) -> int:
    """Try every law on random states; exit code 1 if one is broken."""
    model = robot(args)
    report = check(model, states=args.states, seed=args.seed)
    if args.json:
        print_json(document("check", model, states=args.states, seed=args.seed, ok=report.ok, laws=laws(report)))
    else:
        print(report)
    return 0 if report.ok else CHECK_FAILED


def laws(report: Report) -> list[dict[str, object]]:
    """The rows of a report; a misfit that is not finite is null."""
    rows = []
    for row in report.rows:
        worst = row.worst if row.worst < float("inf") else None
        rows.append({"law": row.law, "ok": row.ok, "worst": worst, "limit": row.limit, "where": row.where})
    return rows
