"""Grades as files: a JSON document, a CSV table, an HTML report."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from closedchain.errors import BadInput
from closedchain.view import Report
from closedchain_lab.grading import words
from closedchain_lab.grading.results import ControlGrade, FileGrade, SubmissionGrade

SCHEMA = "closedchain.lab-grade/1"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a cell that begins like this is a formula to a spreadsheet
UNHELD = "On this system nothing kept submissions from: {}. Grade untrusted files on Linux; docs/grading.md says more."
ABOUT = """# Summary

Each function is tried on every assembly and working mode, moving and at rest, close to the border of the reach and
beyond it, and compared with the exact model; angles count modulo a turn. Each counts alike, or by its weight.
"""


def document(grades: Sequence[SubmissionGrade], seed: int) -> dict[str, Any]:
    """Everything, for programs; a number beyond double precision is null."""
    text = json.dumps([asdict(g) | {"ok": g.ok, "total": g.total} for g in grades])
    submissions = json.loads(text, parse_constant=lambda word: None)
    return {"schema": SCHEMA, "seed": seed, "ok": all(g.ok for g in grades), "submissions": submissions}


def table(grades: Sequence[SubmissionGrade]) -> str:
    """The summary as CSV; a group's words cannot become a spreadsheet's formulas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(words.HEADER)
    for row in words.rows(grades):
        writer.writerow([f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell for cell in row])
    return text.getvalue()


def report(grades: Sequence[SubmissionGrade]) -> Report:
    """The HTML report: a summary, then each submission; every word of a submission is escaped."""
    made = Report("Lab grades")
    made.text(ABOUT)
    header = ("submission", "file", "robot", "score", "verdict", "known mistakes")
    made.table(header, [row[:6] for row in words.rows(grades)])
    if missing := words.unprotected(grades):
        made.text(UNHELD.format(", ".join(missing)))
    for grade in grades:
        made.text(f"# {_plain(grade.name)}" + ("" if grade.total is None else f": {grade.total:.1f} of 100"))
        for line in filter(None, (grade.problem, *grade.notes)):
            made.code(line)
        for file in grade.files:
            _control(made, file) if isinstance(file, ControlGrade) else _models(made, file)
    return made


def save_pages(grades: Sequence[SubmissionGrade], folder: str | Path) -> None:
    """One page for each group, to hand back: nobody sees another's marks."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    taken: Counter[str] = Counter()
    for grade in grades:
        name = re.sub(r"[^\w.-]+", "_", grade.name).strip(".") or "group"
        taken[name.casefold()] += 1  # where letters large and small are one, so are files
        count = taken[name.casefold()]
        report([grade]).save(Path(folder) / f"{name}{f'_{count}' if count > 1 else ''}.html")


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
            said = "\n".join((words.summary(f), *f.says))
            tests.append({"name": f"{file.file}: {f.name}", "score": 10 * f.score, "max_score": 10.0, "output": said})
    return {"score": grades[0].total or 0.0, "output": grades[0].problem, "tests": tests}


def _models(report: Report, file: FileGrade) -> None:
    report.text(f"## {_plain(file.file)}: {file.score:.1f} of 100")
    if file.verdict:
        report.code(file.verdict)
    else:
        report.text(f"{words.verdict(file)}. {words.mistakes(file)}" if not file.ok else "All right.")
        for note in file.notes:
            report.text(note)
        cells = ((words.MARKS[f.verdict], f.name, words.summary(f), (*f.says, *f.notes)) for f in file.functions)
        report.table(("", "function", "answers", "what is likely wrong"), [(*c[:3], " ".join(c[3])) for c in cells])
        wrong = ((f.name, f.failure) for f in file.functions if f.failure and f.verdict == "wrong")
        first = [text for one in wrong for text in words.failure(*one)]
        if first:
            report.text("The first failing state of each function:").code("\n".join(first))
    _tail(report, file)


def _control(report: Report, file: ControlGrade) -> None:
    score = "" if file.score is None else f": {file.score:.1f} of 100"
    report.text(f"## {_plain(file.file)}{score}").code(file.verdict)
    if file.measured:
        report.code("\n".join((*words.control_facts(file), *file.notes)))
    _tail(report, file)


def _tail(report: Report, file: FileGrade | ControlGrade) -> None:
    """What it tried, what it printed, and what held it."""
    for line in words.attempts(file):
        report.code(line)
    if file.output.strip():
        report.text("It printed:").code(file.output[:4000])
    if file.protections:
        report.text("Held by: " + ", ".join(f"{what} ({how})" for what, how in file.protections.items()) + ".")


def _plain(name: str) -> str:
    """A name without the signs that Markdown reads."""
    return "".join("_" if c in "#*`[]()<>\n\r" else c for c in name)[:120]
