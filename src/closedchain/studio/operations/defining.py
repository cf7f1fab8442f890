"""`define`: a mechanism file's text, its mistakes with their lines, its robot and its equations."""

from __future__ import annotations

import importlib
import re
from typing import Any

from closedchain.describe.files import BadFile
from closedchain.errors import ClosedChainError
from closedchain.model.model import Model
from closedchain.studio.operations.describing import describe
from closedchain.studio.operations.loading import model_of

WRITERS = ("listing", "latex", "mathml", "formulas")
COLUMN = re.compile(r"column (\d+)")


def define(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The robot that a text describes, or where it is wrong."""
    nothing: dict[str, Any] = {"valid": False, "errors": [], "robot": None, "equations": []}
    try:
        model = model_of({"source": None, "toml": body["toml"], "values": {}})
        found = describe(model)
    except ClosedChainError as error:
        return nothing | {"errors": [mistake(error, body["toml"])]}
    formulas = equations(model) if body["equations"] else []
    return {"valid": True, "errors": [], "robot": found, "equations": formulas}


def mistake(error: ClosedChainError, text: str) -> dict[str, Any]:
    """One mistake with its place, lines and columns from 1."""
    if not isinstance(error, BadFile):
        return {"line": 1, "column": 1, "message": " ".join(str(error).split())}
    line = error.line or 1
    words = ": ".join(part for part in (error.place, error.problem) if part)
    lines = text.split("\n")
    shown = lines[line - 1] if line <= len(lines) else ""
    told = COLUMN.search(error.problem)
    key = error.place.rpartition(".")[2]
    at = shown.find(key) if key else -1
    column = int(told[1]) if told else 1 + max(at, len(shown) - len(shown.lstrip()) if at < 0 else at)
    return {"line": line, "column": column, "message": " ".join(words.split())}


def equations(model: Model) -> list[dict[str, Any]]:
    """The formulas in LaTeX, in MathML and as text, under their titles; this brings SymPy."""
    listing, latex, mathml, forms = (importlib.import_module(f"closedchain.export.{name}") for name in WRITERS)
    printer, signs = latex.printer_of(model.equations), listing.letters(model.equations)
    rows: list[dict[str, Any]] = []
    for formula in listing.formulas(forms.Formulas(model.equations)):
        if formula.about:
            rows.append({"title": formula.about, "latex": [], "mathml": [], "text": []})
        rows[-1]["latex"] += latex.blocks(formula, printer)
        rows[-1]["mathml"] += mathml.blocks(formula, signs)
        rows[-1]["text"] += listing.formula_text(formula)
    return rows
