"""What there is to say about a robot: its formulas, in the order in which they follow from one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from closedchain.derive.passive import passive_loops
from closedchain.describe.equations import Equations
from closedchain.export.formulas import SHORT, Formulas, is_long
from closedchain.export.loops import LoopFormulas
from closedchain.export.notation import Letter, letter, rule
from closedchain.export.sextic import COEFFICIENTS, DIFFERENCES, QUADRATICS, sextics

LARGEST_DETERMINANT = 3  # of A: a larger one fills pages


@dataclass(frozen=True)
class Formula:
    """name = rule = right, where …: what a quantity is called, what it is made of, and its entries."""

    about: str
    name: str  # as typed: M_z
    rule: str = ""  # its definition, as `notation.rule` reads it
    right: sp.Matrix | None = None
    where: str = ""  # what the rule needs or leads to
    symmetric: bool = False
    labels: tuple[str, ...] = ()  # what the rows are called, where they have names of their own
    sign: str = ""  # how it is printed, where that is not its name

    @property
    def positions(self) -> list[tuple[int, int]]:
        """The entries to list: not zero, and of a symmetric matrix one of each pair."""
        if self.right is None:
            return []
        rows, columns = self.right.shape
        every = [(i, j) for i in range(rows) for j in range(columns) if not (self.symmetric and j < i)]
        return [(i, j) for i, j in every if self.right[i, j] != 0]

    def entry(self, i: int, j: int) -> Letter:
        """What the entry in row i and column j is called: M with the index z,12, or the row's own name."""
        if self.labels:
            return letter(self.labels[i])
        assert self.right is not None
        (whole,) = rule(self.sign or self.name)
        assert isinstance(whole, Letter)
        place = f"{i + 1}" if self.right.shape[1] == 1 else f"{i + 1}{j + 1}"
        return Letter(whole.stem, f"{whole.index},{place}" if whole.index else place)


def formulas(f: Formulas) -> Iterator[Formula]:
    """Everything, for a robot of any kind."""
    if f.equations.linkage:
        yield from _linkage(f)
    elif f.equations.x:
        yield from _closed(f)
        yield from _reduced(f)
    else:
        yield from _open(f)
    yield from _motors(f)


def _closed(f: Formulas) -> Iterator[Formula]:
    yield Formula("Coordinates: the drives, then the output", "z", right=f.z)
    yield Formula("Closures, each is zero", "phi", right=f.phi)
    yield Formula("Their Jacobians", "A", "∂φ/∂x", f.A)
    yield Formula("", "B", "∂φ/∂q", f.B)
    if len(f.equations.x) <= LARGEST_DETERMINANT:
        yield Formula("Type 2 singularities, where it is zero", "det_A", right=f.det_A, labels=("det_A",))
    yield Formula("Rates", "J", "−A⁻¹B", f.J if f.is_small else None, "x_dot = J q_dot")
    rule = "−A⁻¹(A_dot x_dot + B_dot q_dot)"
    yield Formula("Accelerations", "b", rule, f.b if f.is_small else None, "x_ddot = J q_ddot + b")
    yield from _direct(f)
    yield from _passive(f)
    yield from _inertia(f)
    yield Formula("Motion", "M_z z_ddot + h_z", "Sᵀ tau + [B A]ᵀ lam")


def _linkage(f: Formulas) -> Iterator[Formula]:
    """Everything in z, whatever moves."""
    yield Formula("Coordinates: drives, then free bodies", "z", right=f.z)
    if f.equations.closures:
        yield Formula("Closures, each is zero", "phi", right=f.phi)
        yield Formula("Their Jacobian", "Phi", "∂φ/∂z", f.Phi)
    yield from _passive(f)
    yield from _inertia(f)
    yield Formula("Motion", "M_z z_ddot + h_z", "Sᵀ tau + Phiᵀ lam")


def _passive(f: Formulas) -> Iterator[Formula]:
    labels = tuple(r.name for r in f.equations.readouts)
    if labels:
        yield Formula("Passive joints", "passive", right=f.readouts, labels=labels)
    loops = None if f.equations.linkage else passive_loops(f.equations.mechanism)
    if loops is not None:
        yield from _loops(LoopFormulas(f, loops))


def _loops(f: LoopFormulas) -> Iterator[Formula]:
    yield Formula("Loops in the passive joints, each is zero", "q_d", right=f.joints)
    yield Formula("", "h_q", right=f.h)
    yield Formula("Their Jacobians and rates", "A_q", "∂h_q/∂q_d", f.A_q)
    yield Formula("", "B_q", "∂h_q/∂q", f.B_q)
    yield Formula("", "J_q", "−A_q⁻¹B_q", f.J_q, "q_d_dot = J_q q_dot")
    yield Formula("", "A_q_dot", right=f.A_q_dot)
    yield Formula("", "B_q_dot", right=f.B_q_dot)
    yield Formula("", "q_d_ddot", "−A_q⁻¹(B_q q_ddot + A_q_dot q_d_dot + B_q_dot q_dot)")
    yield Formula("Along the legs, by their unit vectors", "A_u x_dot", "B_u q_dot")
    yield Formula("", "A_u", right=f.A_u)
    yield Formula("", "B_u", right=f.B_u)
    yield Formula("Across the legs, which turn at the rates w", "A_p x_dot", "B_p q_dot + L_p w")
    yield Formula("", "A_p", right=f.A_p)
    yield Formula("", "B_p", right=f.B_p)
    yield Formula("", "L_p", right=f.L_p)


def _direct(f: Formulas) -> Iterator[Formula]:
    """The polynomial of each plate on three legs."""
    for sextic in sextics(f):
        body, angle = sextic.group.body, sextic.angle
        about = f"Direct geometry of {body.name}, in the tangent of half its angle {angle}"
        parts = f"{about}: quadratics Q2, Q3, G, D, W2, W3 with their coefficients of the powers 2, 1, 0"
        yield Formula(parts, "quadratics", right=sextic.quadratics, labels=QUADRATICS)
        yield Formula("", "differences", right=sextic.differences, labels=DIFFERENCES)
        whole = f"{about}: the polynomial of degree 6, with its coefficients of the powers 6 to 0"
        yield Formula(whole, "sextic", right=sextic.coefficients, labels=COEFFICIENTS)


def _inertia(f: Formulas) -> Iterator[Formula]:
    yield Formula("Mass matrix", "M_z", "∂²T/∂z_dot²", f.M_z, symmetric=True)
    brief = not any(is_long(e, 4 * SHORT) for e in f.M_z)  # whose derivatives would be as long
    h_z = f.h_z if brief and max(e.count_ops() for e in f.h_z) <= SHORT else None
    yield Formula("Velocity terms, friction, weights and springs", "h_z", "C_z z_dot + ∂D/∂z_dot + ∂V/∂z", h_z)


def _reduced(f: Formulas) -> Iterator[Formula]:
    M, c = (f.M, f.c) if f.is_small else (None, None)
    yield Formula("Reduced to the drives", "M", "TᵀM_zT", M, "T = [1; J]", symmetric=True)
    yield Formula("", "c", "Tᵀ(M_z [0; b] + h_z)", c)
    if M is not None and f.is_rational:
        yield Formula("Written out", "M", right=f.written_out(M), symmetric=True)
        yield Formula("", "c", right=f.written_out(c))
    yield Formula("", "tau", "M q_ddot + c")


def _open(f: Formulas) -> Iterator[Formula]:
    yield Formula("Coordinates", "q", right=f.q)
    yield Formula("Mass matrix", "M", "∂²T/∂q_dot²", f.M_z, symmetric=True)
    yield Formula("Velocity terms, by Christoffel's symbols", "C", right=f.C_z)
    yield Formula("Friction", "friction", "∂D/∂q_dot", f.friction, sign="f")
    yield Formula("Gravity and springs", "gravity", "∂V/∂q", f.gravity, sign="g")
    name, sign = "M q_ddot + C q_dot + friction + gravity", "M q_ddot + C q_dot + f + g"
    yield Formula("Motion", name, "Sᵀ tau", sign=sign)


def _motors(f: Formulas) -> Iterator[Formula]:
    if f.equations.motors:
        gain, back = f.motors
        voltages = sp.Matrix(len(gain), 1, lambda i, _: sp.Symbol(f"u[{i + 1}]", real=True))
        names = [m.drive for m in f.equations.motors]
        rates = sp.Matrix([f.symbols[f"{name}_dot"] for name in names])
        efforts = sp.Matrix(len(gain), 1, lambda i, _: gain[i] * voltages[i] - back[i] * rates[i])
        yield Formula("Efforts of the motors at voltages u", "tau", right=efforts)


def text(equations: Equations) -> str:
    """All of it for a terminal: one line per entry that is not zero."""
    lines = [f"The equations of {equations.name}"]
    for formula in formulas(Formulas(equations)):
        lines += ["", formula.about] if formula.about else []
        lines += [f"  {line}" for line in formula_text(formula)]
    return "\n".join(lines) + "\n"


def formula_text(formula: Formula) -> list[str]:
    """`J = −A⁻¹B, x_dot = J q_dot`, then `J[1,2] = …` in the notation of Python."""
    head = [f"{formula.name} = {', '.join(filter(None, (formula.rule, formula.where)))}"] if formula.rule else []
    if formula.right is None:
        return head
    rows, columns = formula.right.shape
    if columns == 1:
        labels = formula.labels or [f"{formula.name}[{i + 1}]" for i in range(rows)]
        return head + [f"{label} = {sp.sstr(e)}" for label, e in zip(labels, formula.right, strict=True)]
    mark = ", symmetric" if formula.symmetric else ""
    if not formula.positions:
        return [*head, f"{formula.name} = 0"]
    found = [f"{formula.name}[{i + 1},{j + 1}] = {sp.sstr(formula.right[i, j])}" for i, j in formula.positions]
    return [*head, *found, f"(entries that are not listed are 0{mark})"]


def in_order(e: sp.Expr) -> list[sp.Expr]:
    """A sum's terms, led by one without a minus: y − q1, not −q1 + y."""
    terms = e.as_ordered_terms()
    first = next((k for k, term in enumerate(terms) if not term.as_coeff_Mul()[0].is_negative), 0)
    return [terms[first], *terms[:first], *terms[first + 1 :]]


def letters(equations: Equations) -> dict[sp.Symbol, Letter]:
    """How each symbol is written; rates get a dot."""
    found = {c.name: letter(c.name) for c in equations.z}
    found |= {c.rate.name: letter(c.name, dots=1) for c in equations.z}
    found |= {p.name: letter(p.name) for p in equations.parameters}
    q, x = (range(1, len(part) + 1) for part in (equations.q, equations.x))
    found |= {f"u[{j}]": Letter("u", f"{j}") for j in q} | {f"b[{i}]": Letter("b", f"{i}") for i in x}
    found |= {f"J[{i},{j}]": Letter("J", f"{i}{j}") for i in x for j in q}
    found |= {f"A[{i},{j}]": Letter("A", f"{i}{j}") for i in x for j in x}
    found |= {name: letter(name) for name in (*QUADRATICS, *DIFFERENCES)}
    found |= {r.name + end: letter(r.name, dots) for r in equations.readouts for dots, end in enumerate(("", "_dot"))}
    return {sp.Symbol(name, real=True): sign for name, sign in found.items()}
