"""First use of a mechanism: deriving and compiling its models, or taking them from the cache, in a fresh process.

Run it with `python -m benchmarks.first_use`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from . import fresh, ours
from .harness import Claim, Table, Unavailable, alternate, report, show

COLD_LIMIT = {"biglide": 2.0, "rrr3": 5.0}  # [s] derive + compile
WARM_LIMIT = 0.05  # [s] from the cache, more than the import
IMPORT = "import closedchain.model.dynamics, closedchain.model.loading"  # what the name `closedchain` brings when used


def main(rounds: int = 5) -> dict[str, Any]:
    """Time first uses cold and warm, with the bare interpreter and the import beside them."""
    measures: dict[str, Callable[[], float]] = {
        "python -c pass": partial(fresh.time_process, "pass"),
        IMPORT: partial(fresh.time_inside, IMPORT),
    }
    skipped = []
    for robot in COLD_LIMIT:
        try:
            ours.first_use(robot, cold=False)  # fills the cache and warms the disk
        except Unavailable as reason:
            skipped.append(f"{robot}: {reason}")
            continue
        measures[f"{robot}, cold"] = partial(ours.first_use, robot, cold=True)
        measures[f"{robot}, from the cache"] = partial(ours.first_use, robot, cold=False)
    table = alternate("first use in a fresh process", measures, rounds=rounds, base="python -c pass")
    return report([table], _claims(table), skipped)


def _claims(table: Table) -> list[Claim]:
    claims = []
    for robot, limit in COLD_LIMIT.items():
        cold, warm = table.median(f"{robot}, cold"), table.median(f"{robot}, from the cache")
        imported = table.median(IMPORT)
        extra = None if warm is None or imported is None else warm - imported
        compiled = None if cold is None or imported is None else cold - imported
        claims.append(Claim(f"{robot}: derive + compile beyond the import [s]", compiled, at_most=limit))
        claims.append(Claim(f"{robot}: from the cache beyond the import [s]", extra, at_most=WARM_LIMIT))
    return claims


if __name__ == "__main__":
    print(show(main()))
