"""What a notebook shows: a robot drawn, solutions in a table with small pictures, runs as plots, checks, formulas."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from functools import singledispatch
from html import escape
from typing import Any

import numpy as np

from closedchain.describe.equations import Equations
from closedchain.errors import BadInput, MissingPackage
from closedchain.extras import Late, bring
from closedchain.model.evaluation import Evaluation
from closedchain.model.model import Model
from closedchain.model.solutions import Solutions, marks
from closedchain.model.state import State
from closedchain.simulation.run import Run
from closedchain.singularity.beginning import begin
from closedchain.verify import Comparison, Report

PICTURES = 12  # solutions that are drawn
ROWS = 50  # of a table
SMALL = 130  # [px] wide

pictures, figures, style = (Late(f"closedchain.view.{name}") for name in ("pictures", "figures", "style"))


@singledispatch
def html(value: object) -> str | None:
    """The value as a piece of HTML; None for what is shown as text."""
    return None


@html.register
def _robot(model: Model) -> str:
    e = model.equations
    drawn = _picture(lambda: pictures.figure_drawing(model, _standing(model, *begin(model))), model.name, 360)
    rows = [(p.name, f"{model.values[p.name]:g}", p.unit, p.about) for p in e.parameters]
    moves = f"drives {_names(e.q)}" + (f"; output {_names(e.x[: e.outputs])}" if e.x else "")
    return (
        f"<p><b>{escape(model.name)}</b>: {escape(e.about)}<br>{moves}</p>"
        f"{drawn}{_table(('parameter', 'value', 'unit', 'what it is'), rows)}"
    )


@html.register
def _solutions(found: Solutions) -> str:
    values, model = (found.q if found.kind == "inverse" else found.x), found.model
    coordinates = model.equations.q if found.kind == "inverse" else model.equations.x
    drawn = len(found) <= PICTURES
    head = ("mode", *(f"{c.name} [{c.unit}]" for c in coordinates), "condition", "", *([""] if drawn else []))
    rows = []
    for i, one in enumerate(found):
        if i == ROWS:
            break
        picture = _small(model, one.q, one.x, f"mode {one.mode}") if drawn else None
        cells = [f"<b>{escape(_minus(one.mode))}</b>", *(_number(v) for v in values[i]), f"{one.condition:.3g}"]
        rows.append([*cells, escape(marks(one)), *([picture] if picture is not None else [])])
    batch = f" of a batch {found.shape}" if found.shape else ""
    plural = "" if len(found) == 1 else "s"
    more = f"<p>… and {len(found) - ROWS} more</p>" if len(found) > ROWS else ""
    why = "".join(f"<p>{escape(found.why(i))}</p>" for i in sorted({*found.reasons, *found.beyond})[:3])
    title = f"<p><b>{escape(found.robot)}</b>: {len(found)} {found.kind} solution{plural}{batch}</p>"
    return title + (_table(head, rows, raw=True) if rows else "") + more + why


@html.register
def _run(run: Run) -> str:
    lines = str(run).splitlines()
    draw = figures.figure_tracking if run.ref is not None else figures.figure_efforts
    drawn = _picture(lambda: draw(run.model, run), run.title, 640)
    return f"<p><b>{escape(lines[0])}</b></p>{drawn}<ul>{_items(line.strip() for line in lines[1:])}</ul>"


@html.register
def _laws(report: Report) -> str:
    rows = [
        ("✓" if row.ok else "✗" if row.broken else "?", row.law, f"{row.worst:.1e}", f"{row.limit:.0e}", row.states)
        for row in report.rows
    ]
    title = f"<p><b>{escape(str(report).splitlines()[0])}</b></p>"
    return title + _table(("", "law", "worst misfit", "limit", "states"), rows)


@html.register
def _compared(found: Comparison) -> str:
    rows = [
        ("✓" if r.ok else "✗", r.quantity, r.engine, f"{r.max:.1e}", f"{r.limit:.1e}", r.unit, r.why)
        for r in found.rows
    ]
    head = ("", "quantity", "engine", "largest difference", "limit", "unit", "limit from")
    notes = f"<ul>{_items((*found.notes, *found.absent))}</ul>"
    return f"<p><b>{escape(found.headline)}</b></p>{_table(head, rows)}{notes}"


@html.register
def _evaluated(found: Evaluation) -> str:
    rows = [(name, _array(value)) for name, value in found.items().items()]
    return _table(("quantity", "value, SI"), rows)


def markdown(equations: Equations) -> str:
    """The formulas under headings."""
    written: str = bring("closedchain.export.latex").markdown(equations)
    return written


def latex(equations: Equations) -> str:
    """The formulas, for a display that knows no headings."""
    parts = [part for part in markdown(equations).split("\n\n") if part.startswith("$$")]
    return "\n\n".join(parts)


# Pieces ------------------------------------------------------------------------------------------------------------


def _standing(model: Model, q: Any, x: Any) -> State:
    return State(q, x, np.zeros_like(q), np.zeros_like(x))


def _small(model: Model, q: Any, x: Any, words: str) -> str:
    return _picture(lambda: pictures.figure_drawing(model, _standing(model, q, x)), words, SMALL)


def _picture(draw: Callable[[], Any], words: str, width: int) -> str:
    """A figure as an image; nothing where there is nothing to draw, a word where Matplotlib is not here."""
    try:
        data = style.picture(draw(), ".svg", transparent=False)
    except MissingPackage as missing:
        return f"<p><i>{escape(str(missing))}</i></p>"
    except BadInput:  # a robot without points
        return ""
    source = base64.b64encode(data).decode("ascii")
    return f'<img alt="{escape(words)}" width="{width}" src="data:image/svg+xml;base64,{source}">'


def _table(head: Sequence[str], rows: Iterable[Sequence[object]], *, raw: bool = False) -> str:
    """A table; cells are text unless they are `raw` HTML."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{c if raw else escape(str(c))}</td>' for c in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _items(lines: Iterable[str]) -> str:
    return "".join(f"<li>{escape(line)}</li>" for line in lines)


def _names(coordinates: Sequence[Any]) -> str:
    return ", ".join(f"{escape(c.name)} [{escape(c.unit)}]" for c in coordinates)


def _number(value: float) -> str:
    return _minus(f"{value:.9g}")


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _array(value: Any) -> str:
    if isinstance(value, str):
        return value
    array = np.asarray(value)
    if array.size > 16:
        return f"{array.dtype} {array.shape}"
    return np.array2string(array, precision=6, separator=", ") if array.dtype.kind in "fiu" else str(value)
