"""`closedchain check`: does a robot obey the laws of physics."""

from __future__ import annotations

from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments
from closedchain.cli.values import robot
from closedchain.model.mobility import Mobility, analyse
from closedchain.model.sampling import assemble
from closedchain.verify import Report, check

CHECK_FAILED, SINGULAR = 1, 4


def run(args: Arguments) -> int:
    """Try every law on random states; exit code 1 if one is broken, 4 if no state tried could tell."""
    model = robot(args)
    report = check(model, states=args.states, seed=args.seed)
    found = analyse(model, assemble(model)) if model.linkage else None
    if args.json:
        extra = {"mobility": mobility(found)} if found else {}
        answer = {"ok": report.ok, "verdict": report.verdict, "laws": laws(report)}
        print_json(document("check", model, states=args.states, seed=args.seed, **answer, **extra))
    else:
        print(report)
        if found:
            print(found)
    return {"holds": 0, "broken": CHECK_FAILED, "untold": SINGULAR}[report.verdict]


def mobility(found: Mobility) -> dict[str, object]:
    """What a linkage can do where it is near."""
    redundant = [{"closure": r.closure, "implied_by": r.implied_by} for r in found.redundant]
    numbers = {name: getattr(found, name) for name in ("mobility", "usual", "grubler", "passive", "rank", "closures")}
    return numbers | {"coordinates": found.coordinates, "drives": found.drives, "redundant": redundant}


def laws(report: Report) -> list[dict[str, object]]:
    """The rows of a report; a misfit that is not finite is null."""
    rows: list[dict[str, object]] = []
    for row in report.rows:
        worst = row.worst if row.worst < float("inf") else None
        told = row.states if row.told is None else row.told
        counts = {"states": row.states, "told": told}
        rows.append({"law": row.law, "ok": row.ok, "worst": worst, "limit": row.limit, "where": row.where, **counts})
    return rows
