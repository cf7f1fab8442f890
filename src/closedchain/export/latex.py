"""A robot's equations as Markdown with LaTeX, as a LaTeX document, or as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from closedchain.describe.equations import Equations
from closedchain.export.formulas import SHORT, Formulas

WIDE = 90  # characters of LaTeX in a matrix's row, over which its entries are listed one by one
LINE = 160  # characters of LaTeX after which a sum goes on in the next line
GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
DOCUMENT = r"""\documentclass[a4paper,9pt,landscape]{extarticle}
\usepackage[margin=15mm]{geometry}
\usepackage{amsmath}
\allowdisplaybreaks
\begin{document}
%s
\end{document}
"""


@dataclass(frozen=True)
class Formula:
    """left = rule = right: what a quantity is called, what it is made of, and its entries."""

    about: str
    name: str  # as typed: M_z
    tex: str  # as printed: M_z in bold
    rule: str = ""  # its definition, in LaTeX
    rule_text: str = ""  # the same as text
    right: sp.Matrix | None = None
    symmetric: bool = False
    labels: tuple[str, ...] = ()  # what the rows are called, where they have names of their own


def formulas(f: Formulas) -> Iterator[Formula]:
    """What there is to say about a robot, in the order in which it follows."""
    if f.equations.x:
        yield from _closed(f)
        yield from _reduced(f)
    else:
        yield from _open(f)
    yield from _motors(f)


def _closed(f: Formulas) -> Iterator[Formula]:
    yield Formula("Coordinates: the drives, then the output", "z", r"\mathbf{z}", right=f.z)
    yield Formula("Closures, each is zero", "phi", r"\boldsymbol{\varphi}", right=f.phi)
    yield Formula(
        "Their Jacobians", "A", r"\mathbf{A}", r"\partial\boldsymbol{\varphi}/\partial\mathbf{x}", "∂φ/∂x", f.A
    )
    yield Formula("", "B", r"\mathbf{B}", r"\partial\boldsymbol{\varphi}/\partial\mathbf{q}", "∂φ/∂q", f.B)
    rule = r"-\mathbf{A}^{-1}\mathbf{B}"
    yield Formula("Rates", "J", r"\mathbf{J}", rule, "−A⁻¹B, x_dot = J q_dot", f.J if f.is_small else None)
    rule = r"-\mathbf{A}^{-1}(\dot{\mathbf{A}}\dot{\mathbf{x}} + \dot{\mathbf{B}}\dot{\mathbf{q}})"
    text = "−A⁻¹(A_dot x_dot + B_dot q_dot), x_ddot = J q_ddot + b"
    yield Formula("Accelerations", "b", r"\mathbf{b}", rule, text, f.b if f.is_small else None)
    labels = tuple(r.name for r in f.equations.readouts)
    if labels:
        tex = r"\begin{bmatrix}" + r" \\ ".join(map(tex_name, labels)) + r"\end{bmatrix}"
        yield Formula("Passive joints", "passive", tex, right=f.readouts, labels=labels)
    mass = r"\partial^2 T/\partial\dot{\mathbf{z}}^2"
    yield Formula("Mass matrix", "M_z", r"\mathbf{M}_z", mass, "∂²T/∂z_dot²", f.M_z, symmetric=True)
    rule = r"\mathbf{C}_z\dot{\mathbf{z}} + \partial D/\partial\dot{\mathbf{z}} + \partial V/\partial\mathbf{z}"
    text = "C_z z_dot + ∂D/∂z_dot + ∂V/∂z"
    h_z = f.h_z if max(e.count_ops() for e in f.h_z) <= SHORT else None
    yield Formula("Velocity terms, friction, weights and springs", "h_z", r"\mathbf{h}_z", rule, text, h_z)
    left = r"\mathbf{M}_z\ddot{\mathbf{z}} + \mathbf{h}_z"
    rule = r"\mathbf{S}^{\top}\boldsymbol{\tau} + [\mathbf{B}\ \mathbf{A}]^{\top}\boldsymbol{\lambda}"
    yield Formula("Motion", "M_z z_ddot + h_z", left, rule, "Sᵀ tau + [B A]ᵀ lam")


def _reduced(f: Formulas) -> Iterator[Formula]:
    mass, rest = (
        r"\mathbf{T}^{\top}\mathbf{M}_z\mathbf{T},\ \mathbf{T} = [\mathbf{1};\ \mathbf{J}]",
        "TᵀM_zT, T = [1; J]",
    )
    bias, bias_text = r"\mathbf{T}^{\top}(\mathbf{M}_z[\mathbf{0};\ \mathbf{b}] + \mathbf{h}_z)", "Tᵀ(M_z [0; b] + h_z)"
    M, c = (f.M, f.c) if f.is_small else (None, None)
    yield Formula("Reduced to the drives", "M", r"\mathbf{M}", mass, rest, M, symmetric=True)
    yield Formula("", "c", r"\mathbf{c}", bias, bias_text, c)
    if M is not None and f.is_rational:
        yield Formula("Written out", "M", r"\mathbf{M}", right=f.written_out(M), symmetric=True)
        yield Formula("", "c", r"\mathbf{c}", right=f.written_out(c))
    yield Formula("", "tau", r"\boldsymbol{\tau}", r"\mathbf{M}\ddot{\mathbf{q}} + \mathbf{c}", "M q_ddot + c")


def _open(f: Formulas) -> Iterator[Formula]:
    yield Formula("Coordinates", "q", r"\mathbf{q}", right=f.q)
    yield Formula(
        "Mass matrix",
        "M",
        r"\mathbf{M}",
        r"\partial^2 T/\partial\dot{\mathbf{q}}^2",
        "∂²T/∂q_dot²",
        f.M_z,
        symmetric=True,
    )
    yield Formula("Velocity terms, by Christoffel's symbols", "C", r"\mathbf{C}", right=f.C_z)
    yield Formula(
        "Friction", "friction", r"\mathbf{f}", r"\partial D/\partial\dot{\mathbf{q}}", "∂D/∂q_dot", f.friction
    )
    yield Formula("Gravity and springs", "gravity", r"\mathbf{g}", r"\partial V/\partial\mathbf{q}", "∂V/∂q", f.gravity)
    left = r"\mathbf{M}\ddot{\mathbf{q}} + \mathbf{C}\dot{\mathbf{q}} + \mathbf{f} + \mathbf{g}"
    yield Formula(
        "Motion", "M q_ddot + C q_dot + friction + gravity", left, r"\mathbf{S}^{\top}\boldsymbol{\tau}", "Sᵀ tau"
    )


def _motors(f: Formulas) -> Iterator[Formula]:
    if f.equations.motors:
        gain, back = f.motors
        voltages = sp.Matrix(len(gain), 1, lambda i, _: sp.Symbol(f"u[{i + 1}]", real=True))
        names = [m.drive for m in f.equations.motors]
        rates = sp.Matrix([f.symbols[f"{name}_dot"] for name in names])
        efforts = sp.Matrix(len(gain), 1, lambda i, _: gain[i] * voltages[i] - back[i] * rates[i])
        yield Formula("Efforts of the motors at voltages u", "tau", r"\boldsymbol{\tau}", right=efforts)


# Markdown and LaTeX --------------------------------------------------------------------------------


def markdown(equations: Equations) -> str:
    """Headings and $$ blocks."""
    f = Formulas(equations)
    parts = [f"# The equations of {equations.name}"]
    for formula in formulas(f):
        parts += [f"## {formula.about}"] if formula.about else []
        parts += [f"$$\n{block}\n$$" for block in blocks(formula, names(equations))]
    return "\n\n".join(parts) + "\n"


def latex(equations: Equations) -> str:
    """A document that compiles with amsmath alone."""
    f = Formulas(equations)
    title = equations.name.replace("_", r"\_")
    parts = [rf"\section*{{The equations of {title}}}"]
    for formula in formulas(f):
        parts += [rf"\subsection*{{{formula.about}}}"] if formula.about else []
        parts += [f"\\[\n{block}\n\\]" for block in blocks(formula, names(equations))]
    return DOCUMENT % "\n".join(parts)


def blocks(formula: Formula, symbols: dict[sp.Symbol, str]) -> list[str]:
    """The formula as LaTeX; a matrix too wide for the page becomes one block per entry that is not zero."""
    head = f"{formula.tex} = {formula.rule}" if formula.rule else formula.tex
    if formula.right is None:
        return [head]
    entries = [[sp.latex(e, symbol_names=symbols) for e in row] for row in formula.right.tolist()]
    if max(sum(map(len, row)) for row in entries) <= WIDE:
        rows = " \\\\\n".join(" & ".join(row) for row in entries)
        return [f"{head} = \\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}"]
    listed = [_entry(formula, i, j, symbols) for i, j in _positions(formula)]
    return ([head] if formula.rule else []) + listed


def _entry(formula: Formula, i: int, j: int, symbols: dict[sp.Symbol, str]) -> str:
    """M_{z,12} = …, or the row's own name."""
    assert formula.right is not None
    if formula.labels:
        left = tex_name(formula.labels[i])
    else:
        index = f"{i + 1}" if formula.right.shape[1] == 1 else f"{i + 1}{j + 1}"
        letter, _, mark = re.sub(r"\\(?:mathbf|boldsymbol)\{(.+?)\}", r"\1", formula.tex).partition("_")
        left = f"{letter}_{{{mark},{index}}}" if mark else f"{letter}_{{{index}}}"
    return f"{left} = {_broken(formula.right[i, j], symbols)}"


def _positions(formula: Formula) -> list[tuple[int, int]]:
    """The entries to list: not zero, and of a symmetric matrix one of each pair."""
    assert formula.right is not None
    rows, columns = formula.right.shape
    every = [(i, j) for i in range(rows) for j in range(columns) if not (formula.symmetric and j < i)]
    return [(i, j) for i, j in every if formula.right[i, j] != 0]


def _broken(e: sp.Expr, symbols: dict[sp.Symbol, str]) -> str:
    """A long sum over several lines."""
    lines = [""]
    for term in e.as_ordered_terms():
        tex = sp.latex(term, symbol_names=symbols)
        if lines[-1] and len(lines[-1]) + len(tex) > LINE:
            lines.append("")
        sign = "" if lines == [""] or tex.startswith("-") else "+ "
        lines[-1] += " " * bool(lines[-1]) + sign + tex
    if len(lines) == 1:
        return lines[0]
    return "\\begin{aligned}[t]\n" + " \\\\\n".join(f"& {line}" for line in lines) + "\n\\end{aligned}"


def names(equations: Equations) -> dict[sp.Symbol, str]:
    """How each symbol is printed; rates get a dot."""
    found = {c.name: tex_name(c.name) for c in equations.z}
    found |= {c.rate.name: tex_name(c.name, r"\dot") for c in equations.z}
    found |= {p.name: tex_name(p.name) for p in equations.parameters}
    q, x = (range(1, len(part) + 1) for part in (equations.q, equations.x))
    found |= {f"u[{j}]": f"u_{{{j}}}" for j in q} | {f"b[{i}]": f"b_{{{i}}}" for i in x}
    found |= {f"J[{i},{j}]": f"J_{{{i}{j}}}" for i in x for j in q}
    return {sp.Symbol(name, real=True): tex for name, tex in found.items()}


def tex_name(name: str, accent: str = "") -> str:
    """m_p → m_{p}, theta1 → θ with a subscript, zz_1 → upright zz with a subscript."""
    parts = re.fullmatch(r"([A-Za-z]+?)_?(\d\w*|(?<=_)\w+)?", name)
    stem, index = (parts[1], parts[2]) if parts else (name, None)
    if stem in GREEK.split():
        tex = r"\varphi" if stem == "phi" else rf"\{stem}"
    else:
        tex = stem if len(stem) == 1 else rf"\mathrm{{{_escaped(stem)}}}"
    return (f"{accent}{{{tex}}}" if accent else tex) + (f"_{{{_escaped(index)}}}" if index else "")


def _escaped(text: str) -> str:
    return text.replace("_", r"\_")


# Text ----------------------------------------------------------------------------------------------


def text(equations: Equations) -> str:
    """The same for a terminal: one line per entry that is not zero."""
    lines = [f"The equations of {equations.name}"]
    for formula in formulas(Formulas(equations)):
        lines += ["", formula.about] if formula.about else []
        lines += [f"  {formula.name} = {formula.rule_text}"] if formula.rule_text else []
        lines += [f"  {line}" for line in entries_text(formula)]
    return "\n".join(lines) + "\n"


def entries_text(formula: Formula) -> list[str]:
    """`A[1,2] = …`, in the notation of Python."""
    if formula.right is None:
        return []
    rows, columns = formula.right.shape
    if columns == 1:
        labels = formula.labels or [f"{formula.name}[{i + 1}]" for i in range(rows)]
        return [f"{label} = {sp.sstr(e)}" for label, e in zip(labels, formula.right, strict=True)]
    mark = ", symmetric" if formula.symmetric else ""
    found = [f"{formula.name}[{i + 1},{j + 1}] = {sp.sstr(formula.right[i, j])}" for i, j in _positions(formula)]
    return [*found, f"(entries that are not listed are 0{mark})"]
