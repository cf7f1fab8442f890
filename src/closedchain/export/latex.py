"""A robot's equations as Markdown with LaTeX, or as a LaTeX document."""

from __future__ import annotations

import sympy as sp
from sympy.printing.latex import LatexPrinter

from closedchain.describe.equations import Equations
from closedchain.export.formulas import Formulas
from closedchain.export.listing import Formula, formulas, in_order, letters
from closedchain.export.notation import GREEK, Fraction, Letter, Part, letter, rule

WIDE = 90  # characters of LaTeX in a matrix's row, over which its entries are listed one by one
LINE = 160  # characters of LaTeX after which a sum goes on in the next line
ACCENTS = ("", r"\dot", r"\ddot")
TRANSPOSE = r"\top"
MARKS = {"∂": r"\partial ", "∂²": r"\partial^2 ", "−": "-", ",": r",\ ", ";": r";\ "}
DOCUMENT = r"""\documentclass[a4paper,9pt,landscape]{extarticle}
\usepackage[margin=15mm]{geometry}
\usepackage{amsmath}
\allowdisplaybreaks
\begin{document}
%s
\end{document}
"""


class Printer(LatexPrinter):  # type: ignore[misc]  # SymPy has no types
    """SymPy's, with our order of terms."""

    def _as_ordered_terms(self, expr: sp.Expr, order: str | None = None) -> list[sp.Expr]:
        return in_order(expr)

    def _print_atan2(self, expr: sp.Expr) -> str:
        y, x = map(self._print, expr.args)
        return rf"\operatorname{{atan2}}\left({y},\ {x}\right)"


def markdown(equations: Equations) -> str:
    """Headings and $$ blocks."""
    parts, printer = [f"# The equations of {equations.name}"], printer_of(equations)
    for formula in formulas(Formulas(equations)):
        parts += [f"## {formula.about}"] if formula.about else []
        parts += [f"$$\n{block}\n$$" for block in blocks(formula, printer)]
    return "\n\n".join(parts) + "\n"


def latex(equations: Equations) -> str:
    """A document that compiles with amsmath alone."""
    title, printer = _escaped(equations.name), printer_of(equations)
    parts = [rf"\section*{{The equations of {title}}}"]
    for formula in formulas(Formulas(equations)):
        parts += [rf"\subsection*{{{_escaped(formula.about)}}}"] if formula.about else []
        parts += [f"\\[\n{block}\n\\]" for block in blocks(formula, printer)]
    return DOCUMENT % "\n".join(parts)


def printer_of(equations: Equations) -> Printer:
    """Prints each of the robot's symbols as people write it."""
    return Printer({"symbol_names": {symbol: letter_tex(sign) for symbol, sign in letters(equations).items()}})


def blocks(formula: Formula, printer: Printer) -> list[str]:
    """The formula as LaTeX; a matrix too wide for the page becomes one block per entry that is not zero."""
    left = _column(formula.labels) if formula.labels else rule_tex(rule(formula.sign or formula.name))
    head = f"{left} = {rule_tex(rule(formula.rule))}" if formula.rule else left
    where = rf",\quad {rule_tex(rule(formula.where))}" if formula.where else ""
    if formula.right is None:
        return [head + where]
    if formula.labels and formula.right.shape == (1, 1):
        return [_entry(formula, 0, 0, printer)]
    entries = [[printer.doprint(e) for e in row] for row in formula.right.tolist()]
    if max(sum(map(len, row)) for row in entries) <= WIDE:
        rows = " \\\\\n".join(" & ".join(row) for row in entries)
        return [f"{head} = \\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}{where}"]
    listed = [_entry(formula, i, j, printer) for i, j in formula.positions]
    return ([head + where] if formula.rule else []) + listed


def _column(labels: tuple[str, ...]) -> str:
    return r"\begin{bmatrix}" + r" \\ ".join(letter_tex(letter(label)) for label in labels) + r"\end{bmatrix}"


def _entry(formula: Formula, i: int, j: int, printer: Printer) -> str:
    """M_{z,12} = …, or the row's own name."""
    assert formula.right is not None
    return f"{letter_tex(formula.entry(i, j))} = {_broken(formula.right[i, j], printer)}"


def _broken(e: sp.Expr, printer: Printer) -> str:
    """A long sum over several lines."""
    lines = [""]
    for term in in_order(e):
        tex = printer.doprint(term)
        if lines[-1] and len(lines[-1]) + len(tex) > LINE:
            lines.append("")
        sign = "" if lines == [""] or tex.startswith("-") else "+ "
        lines[-1] += " " * bool(lines[-1]) + sign + tex
    if len(lines) == 1:
        return lines[0]
    return "\\begin{aligned}[t]\n" + " \\\\\n".join(f"& {line}" for line in lines) + "\n\\end{aligned}"


def rule_tex(parts: tuple[Part, ...]) -> str:
    r"""−A⁻¹B → -\mathbf{A}^{-1}\mathbf{B}."""
    return "".join(map(_part, parts)).strip()


def _part(part: Part) -> str:
    if isinstance(part, str):
        return MARKS.get(part) or f" {part} "
    if isinstance(part, Letter):
        return letter_tex(part)
    if isinstance(part, Fraction):
        return rf"\frac{{{letter_tex(part.above)}}}{{{letter_tex(part.below)}}}"
    gap = r"\ " if part.is_list else ""
    inner = gap.join(map(_part, part.parts)).strip()
    return f"{part.opening}{inner}{part.closing}{_power(part.power)}"


def letter_tex(sign: Letter) -> str:
    """θ_1 with a dot → \\dot{\\theta}_{1}; words are upright."""
    stem = sign.stem
    if stem in GREEK:
        tex = r"\varphi" if stem == "phi" else rf"\{stem}"
    elif stem == "Phi":
        tex = r"\Phi"
    else:
        tex = stem if len(stem) == 1 or sign.is_bold else rf"\mathrm{{{_escaped(stem)}}}"
    if sign.is_bold:
        tex = rf"\boldsymbol{{{tex}}}" if tex.startswith("\\") else rf"\mathbf{{{tex}}}"
    if sign.dots:
        tex = f"{ACCENTS[sign.dots]}{{{tex}}}"
    index = f"_{{{_escaped(sign.index)}}}" if sign.index else ""
    return f"{MARKS.get(sign.partial, '')}{tex}{index}{_power(sign.power)}"


def _power(power: str) -> str:
    return f"^{{{TRANSPOSE if power == 'T' else power}}}" if power else ""


def _escaped(text: str) -> str:
    return text.replace("_", r"\_")
