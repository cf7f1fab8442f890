"""A comparison as one self-contained HTML page: the verdict, the tables, the figures, the diagnosis."""

from __future__ import annotations

from pathlib import Path

from closedchain.verify.comparison import WAYS, Comparison, Row
from closedchain.verify.diagnosis import diagnose
from closedchain.verify.figures import MOTIONS, NAMES, figures
from closedchain.view.report import Report

HEADERS = ("", "quantity", "engine", "largest", "rms", "limit", "unit", "limit from")


def write_page(comparison: Comparison, path: str | Path) -> Path:
    """Write the page, whole or not at all."""
    page = Report(f"{comparison.robot}: the model against other engines")
    page.text(f"{comparison.headline}.")
    if not comparison.ok and comparison.answers:
        page.text("# What explains it").code(str(diagnose(comparison)))
    page.text("# Differences")
    for way, words in WAYS.items():
        rows = [row for row in comparison.rows if row.way == way]
        if rows:
            page.table(HEADERS, [_cells(row) for row in rows], f"{words[:1].upper()}{words[1:]}")
    for note in (*comparison.notes, *comparison.absent):
        page.text(f"- {note}")
    page.text("# Over time")
    page.text("Left: the engine's curve, wide, and ours, dashed. Right: ours less the engine's.")
    for engine, motion, figure in figures(comparison):
        page.figure(figure, f"{MOTIONS.get(motion, f'the {motion}').capitalize()}, against {NAMES.get(engine, engine)}")
    return page.save(path)


def _cells(row: Row) -> tuple[object, ...]:
    numbers = (f"{value:.1e}" for value in (row.max, row.rms, row.limit))
    return ("ok" if row.ok else "broken", row.quantity, NAMES.get(row.engine, row.engine), *numbers, row.unit, row.why)
