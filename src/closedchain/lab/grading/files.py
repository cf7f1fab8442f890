"""Grades as files: a JSON document, a CSV table, an HTML report."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from closedchain.errors import BadInput
from closedchain.files import atomic_write
from closedchain.lab.grading.results import ControlGrade, FileGrade, SubmissionGrade
from closedchain.lab.grading.words import (
    HEADER,
    MARKS,
    control_facts,
    failure,
    mistakes,
    points,
    rows,
    summary,
    unprotected,
    verdict,
)
from closedchain.view.report import Report

SCHEMA = "closedchain.lab-grade/1"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a cell that begins like this is a formula to a spreadsheet
UNHELD = (
    "On this system nothing kept the submissions from: {}. Grade untrusted files on Linux; docs/grading.md says more."
)
ABOUT = """# Summary

Each function is tried on every assembly and working mode, moving and at rest, close to the border of the reach and
beyond it, and compared with the exact model; angles count modulo a turn. Each counts a tenth of 100.
"""


def document(grades: Sequence[SubmissionGrade], seed: int) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "schema": SCHEMA,
        "seed": seed,
        "ok": all(g.ok for g in grades),
        "submissions": [asdict(g) | {"ok": g.ok} for g in grades],
    }


def table(grades: Sequence[SubmissionGrade]) -> str:
    """The summary as CSV; a group's words cannot become a spreadsheet's formulas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for row in rows(grades):
        writer.writerow([f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell for cell in row])
    return text.getvalue()


def save_table(grades: Sequence[SubmissionGrade], path: str | Path) -> None:
    """Write the CSV file."""
    atomic_write(path, table(grades))


def save_report(grades: Sequence[SubmissionGrade], path: str | Path) -> None:
    """Write the HTML report: a summary, then each submission; every word of a submission is escaped."""
    report = Report("Lab grades")
    report.text(ABOUT)
    header = ("submission", "file", "robot", "score", "verdict", "known mistakes")
    report.table(header, [row[:6] for row in rows(grades)])
    if missing := unprotected(grades):
        report.text(UNHELD.format(", ".join(missing)))
    for grade in grades:
        report.text(f"# {_plain(grade.name)}")
        if grade.problem:
            report.code(grade.problem)
        for note in grade.notes:
            report.code(note)
        for file in grade.files:
            _control(report, file) if isinstance(file, ControlGrade) else _models(report, file)
    report.save(path)


def save_pages(grades: Sequence[SubmissionGrade], folder: str | Path) -> None:
    """One page for each group, to hand back: nobody sees another's marks."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for grade in grades:
        save_report(
            [grade], Path(folder) / f"{re.sub(r'[^A-Za-z0-9._-]+', '_', grade.name).strip('.') or 'group'}.html"
        )


def results(grades: Sequence[SubmissionGrade]) -> dict[str, Any]:
    """One submission as autograders read it: its tests, each with a score, and what to say."""
    if len(grades) != 1:
        raise BadInput(f"--results is of one submission, and there are {len(grades)}; give one group's files")
    tests: list[dict[str, Any]] = []
    for file in grades[0].files:
        if isinstance(file, ControlGrade):
            tests.append({"name": file.file, "score": file.score or 0.0, "max_score": 100.0, "output": file.verdict})
            continue
        for f in file.functions:
            said = "\n".join((summary(f), *f.says))
            tests.append({"name": f"{file.file}: {f.name}", "score": 10 * f.score, "max_score": 10.0, "output": said})
    return {"score": grades[0].total or 0.0, "output": grades[0].problem, "tests": tests}


def _models(report: Report, file: FileGrade) -> None:
    report.text(f"## {_plain(file.file)}: {file.score:.1f} of 100")
    if file.verdict:
        report.code(file.verdict)
    else:
        report.text(f"{verdict(file)}. {mistakes(file)}" if not file.ok else "All right.")
        for note in file.notes:
            report.text(note)
        cells = [(MARKS[f.verdict], f.name, summary(f), " ".join((*f.says, *f.notes))) for f in file.functions]
        report.table(("", "function", "answers", "what is likely wrong"), cells)
        first = [
            text for f in file.functions if f.failure and f.verdict == "wrong" for text in failure(f.name, f.failure)
        ]
        if first:
            report.text("The first failing state of each function:").code("\n".join(first))
    _tail(report, file)


def _control(report: Report, file: ControlGrade) -> None:
    report.text(f"## {_plain(file.file)}{points(file.score)}").code(file.verdict)
    if file.measured:
        report.code("\n".join((*control_facts(file), *file.notes)))
    _tail(report, file)


def _tail(report: Report, file: FileGrade | ControlGrade) -> None:
    """What it printed, and what held it."""
    if file.output.strip():
        report.text("It printed:").code(file.output[:4000])
    if file.protections:
        report.text("Held by: " + ", ".join(f"{what} ({how})" for what, how in file.protections.items()) + ".")


def _plain(name: str) -> str:
    """A name without the signs that Markdown reads."""
    return "".join("_" if c in "#*`[]()<>\n\r" else c for c in name)[:120]
