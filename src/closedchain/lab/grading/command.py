"""`closedchain lab grade`: grade files and folders, say it, and write what was asked for."""

from __future__ import annotations

import json
import math
import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from closedchain.errors import BadInput
from closedchain.files import atomic_write
from closedchain.lab.grading.files import UNHELD, document, results, save_pages, save_report, save_table
from closedchain.lab.grading.grading import Options, fresh_seed, grade
from closedchain.lab.grading.results import SubmissionGrade
from closedchain.lab.grading.rules import Rules, read_weights
from closedchain.lab.grading.task import read as read_task
from closedchain.lab.grading.words import lines, rows, unprotected

FAILED = 1
MANY = 3  # submissions that are shown as a table


def run(args: Namespace) -> int:
    """Exit code 0 where everything is right, 1 where something is not."""
    for option, name, endings in (
        ("--html", args.html, (".html", ".htm")),
        ("--csv", args.csv, (".csv",)),
        ("--results", args.results, (".json",)),
    ):
        _check(option, name, endings)
    options = Options(
        args.robot,
        fresh_seed() if args.seed is None else args.seed,
        args.timeout,
        args.duration,
        tuple(map(read_task, args.task)),
        Rules(args.tolerance, read_weights(args.weights), args.modes),
    )
    workers = args.workers or os.cpu_count() or 1
    grades = grade(args.files, options, workers=workers, tell=None if args.json else _tell)
    if args.json:
        sys.stdout.write(
            json.dumps(_plain(document(grades, options.seed)), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        )
    elif len(grades) >= MANY:
        sys.stdout.write(_summary(grades))
    if not args.json:
        sys.stdout.write(f"The states are those of --seed {options.seed}, which asks the same again.\n")
    if missing := unprotected(grades):
        sys.stderr.write(f"closedchain: warning: {UNHELD.format(', '.join(missing))}\n")
    if args.csv:
        save_table(grades, args.csv)
    if args.html:
        save_report(grades, args.html)
    if args.pages:
        save_pages(grades, args.pages)
    if args.results:
        atomic_write(args.results, json.dumps(_plain(results(grades)), indent=2, ensure_ascii=False) + "\n")
    return 0 if all(g.ok for g in grades) else FAILED


def _tell(one: SubmissionGrade) -> None:
    sys.stdout.write("\n".join(lines(one)) + "\n\n")
    sys.stdout.flush()


def _summary(grades: list[SubmissionGrade]) -> str:
    cells = [(str(r[0]), str(r[1]), f"{r[3]:>6}  {r[8]:>8}", str(r[4])) for r in rows(grades)]
    widths = [max(len(row[i]) for row in cells) for i in range(3)]
    made = ("  ".join([row[0].ljust(widths[0]), row[1].ljust(widths[1]), row[2], row[3]]) for row in cells)
    return "\n".join(made) + "\n"


def _check(option: str, name: str | None, endings: tuple[str, ...]) -> None:
    """Refuse a file that could not be written before the work."""
    if name is None:
        return
    if Path(name).suffix.lower() not in endings:
        raise BadInput(f"{option} {name[:60]!r}: its name must end in {' or '.join(endings)}")
    if not Path(name).absolute().parent.is_dir():
        raise BadInput(f"{option} {name[:60]!r}: there is no folder {str(Path(name).parent)[:60]!r}; make it first")


def _plain(value: Any) -> Any:
    """Tuples as lists; a number beyond double precision as null."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
