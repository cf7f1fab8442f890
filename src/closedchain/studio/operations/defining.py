"""`define`: a mechanism file's text, its mistakes with their lines, its robot and its equations."""

from __future__ import annotations

import importlib
from typing import Any

from closedchain.errors import ClosedChainError
from closedchain.model.model import Model
from closedchain.studio.operations.describing import describe
from closedchain.studio.operations.loading import model_of
from closedchain.studio.operations.mistakes import mistakes
from closedchain.studio.operations.sketching import sketch

WRITERS = ("listing", "latex", "mathml", "formulas")


def define(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The robot that a text describes, or where it is wrong."""
    nothing: dict[str, Any] = {"valid": False, "errors": [], "robot": None, "equations": []}
    nothing["sketch"] = sketch(body["toml"])
    try:
        model = model_of({"source": None, "toml": body["toml"], "values": {}})
        found = describe(model, body["kernels"])
    except ClosedChainError as error:
        return nothing | {"errors": mistakes(error, body["toml"])}
    formulas = equations(model) if body["equations"] else []
    return nothing | {"valid": True, "robot": found, "equations": formulas}


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
