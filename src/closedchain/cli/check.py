"""`closedchain check`: does a robot obey the laws of physics."""

from __future__ import annotations

from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments
from closedchain.cli.values import robot
from closedchain.model.mobility import Mobility, analyse
from closedchain.model.state import state
from closedchain.verify.laws import Report, check

CHECK_FAILED = 1


def run(args: Arguments) -> int:
    """Try every law on random states; exit code 1 if one is broken."""
    model = robot(args)
    report = check(model, states=args.states, seed=args.seed)
    found = analyse(model, state(model)) if model.linkage else None
    if args.json:
        extra = {"mobility": mobility(found)} if found else {}
        print_json(
            document("check", model, states=args.states, seed=args.seed, ok=report.ok, laws=laws(report), **extra)
        )
    else:
        print(report)
        if found:
            print(found)
    return 0 if report.ok else CHECK_FAILED


def mobility(found: Mobility) -> dict[str, object]:
    """What a linkage can do where it is near."""
    redundant = [{"closure": r.closure, "implied_by": r.implied_by} for r in found.redundant]
    numbers = {name: getattr(found, name) for name in ("mobility", "usual", "grubler", "passive", "rank", "closures")}
    return numbers | {"coordinates": found.coordinates, "drives": found.drives, "redundant": redundant}


def laws(report: Report) -> list[dict[str, object]]:
    """The rows of a report; a misfit that is not finite is null."""
    rows = []
    for row in report.rows:
        worst = row.worst if row.worst < float("inf") else None
        rows.append({"law": row.law, "ok": row.ok, "worst": worst, "limit": row.limit, "where": row.where})
    return rows
