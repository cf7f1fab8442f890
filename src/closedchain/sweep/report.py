"""A study as one HTML page: what was asked, what came out, what matters, what is marked."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from closedchain.errors import ClosedChainError
from closedchain.sweep.measures import measure
from closedchain.sweep.pictures import figure_parallel, figure_sensitivity, figure_study
from closedchain.sweep.results import Results
from closedchain.sweep.sensitivity import Sensitivity, sensitivity
from closedchain.version import VERSION
from closedchain.view.report import Report


def write(done: Results, path: Path) -> Path:
    """The page, whole or not there."""
    report(done).save(path)
    return path


def report(done: Results) -> Report:
    """The page's sections."""
    study = done.study
    name = study.robot.model().name
    page = Report(f"{name}: a study of {len(done):,} points")
    page.text(f"# {name}: {', '.join(study.computes)}\n\n{_asked(done)}")
    rows = [(column, *("" if v is None else v for v in span.values())) for column, span in done.spans().items()]
    page.table(["column", "least", "mean", "most"], rows, "What the points span")
    page.text("## What came out")
    if np.isnan(done.values).all():
        page.text("No point has a value; the last section says why.")
    else:
        page.figure(figure_study(done), "Every measure over what varies.")
        if len(study.factors) > 1 and study.method == "grid":
            page.figure(figure_parallel(done), "One line for each point, coloured by the last measure.")
        _best(page, done)
        _matters(page, done)
    if done.failed:
        page.text(f"## Marked\n\n{len(done.failed):,} of {len(done):,} points lack a number.")
        page.table(["points", "why"], [(count, why) for why, count in done.reasons()], "The most frequent reasons")
    page.text(f"Made by closedchain {VERSION}; study `{study.digest[:16]}`, results `{done.hash[:16]}`.")
    return page


def _asked(done: Results) -> str:
    study = done.study
    lines = [
        f"- {f.name}: {f.kind} {', '.join(f'{v:g}' for v in _few(f.numbers))} {f.unit}".rstrip() for f in study.factors
    ]
    lines += [f"- `{name}`: {measure(name).about}" for name in study.computes]
    return "\n".join([f"Points by {study.method}, seed {study.seed}.", "", *lines])


def _few(numbers: tuple[float, ...]) -> tuple[float, ...]:
    return numbers if len(numbers) <= 6 else (*numbers[:3], *numbers[-3:])


def _best(page: Report, done: Results) -> None:
    rows = []
    for name in done.study.computes:
        if np.isnan(done.column(name)).all():
            continue
        for word, largest in (("most", True), ("least", False)):
            i = done.best(name, largest)
            rows.append((f"{name}: {word}", done.column(name)[i], *done.points[i]))
    page.table(["", "value", *(f.column for f in done.study.factors)], rows, "Where each measure is most and least")


def _matters(page: Report, done: Results) -> None:
    found: list[Sensitivity] = []
    page.text("## What matters")
    for name in done.study.computes:
        try:
            found.append(sensitivity(done, name))
            page.text(f"`{name}`: {found[-1].sentence()}.")
        except ClosedChainError as error:
            page.text(f"{error}.")
    if found:
        page.figure(figure_sensitivity(found), "How much of each measure's variance a factor accounts for.")
