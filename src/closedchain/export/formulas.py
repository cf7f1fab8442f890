"""A robot's equations in SymPy, for people to read: φ, A, B, J, M_z, h_z, and the reduced M and c."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice

import sympy as sp

from closedchain.describe.equations import Equations
from closedchain.describe.expressions import (
    FUNCTIONS,
    Arithmetic,
    Expr,
    Named,
    Number,
    Operation,
    Symbol,
    evaluate_all,
    multiply,
    total,
)

SYMPY: Arithmetic = {name: sp.Abs if name == "abs" else getattr(sp, name) for name in FUNCTIONS}
SHORT = 400  # operations in an entry: a longer one is not simplified, SymPy may take minutes over it
SHORT_TRIGONOMETRIC = 30  # the same where there are sines
RESIDUES = {0.0, math.cos(math.pi / 2), math.sin(math.pi), -math.cos(3 * math.pi / 2), -math.sin(2 * math.pi)}
SMALL = 2  # J and what follows from it is written out for so many closures


@dataclass(frozen=True)
class Formulas:
    """The equations of one robot as SymPy matrices; symbols are real."""

    equations: Equations

    # Symbols ------------------------------------------------------------------------------------

    @cached_property
    def symbols(self) -> dict[str, sp.Symbol]:
        """Every coordinate, rate and parameter by name."""
        names = [c.name for c in self.equations.z] + [c.rate.name for c in self.equations.z]
        names += [p.name for p in self.equations.parameters]
        return {name: sp.Symbol(name, real=True) for name in names}

    @cached_property
    def q(self) -> sp.Matrix:
        return sp.Matrix([self.symbols[c.name] for c in self.equations.q])

    @cached_property
    def x(self) -> sp.Matrix:
        return sp.Matrix(len(self.equations.x), 1, [self.symbols[c.name] for c in self.equations.x])

    @cached_property
    def q_dot(self) -> sp.Matrix:
        return sp.Matrix([self.symbols[c.rate.name] for c in self.equations.q])

    @cached_property
    def x_dot(self) -> sp.Matrix:
        return sp.Matrix(len(self.equations.x), 1, [self.symbols[c.rate.name] for c in self.equations.x])

    @cached_property
    def z(self) -> sp.Matrix:
        return self.q.col_join(self.x)

    @cached_property
    def z_dot(self) -> sp.Matrix:
        return self.q_dot.col_join(self.x_dot)

    def column(self, exprs: Iterable[Expr], more: Mapping[str, sp.Symbol] | None = None) -> sp.Matrix:
        """Expressions as a column, their numbers exact; `more` are symbols besides the coordinates and parameters."""
        given, forms = exact(exprs)
        values = evaluate_all(given, {**self.symbols, **(more or {}), **forms}, SYMPY)
        return sp.Matrix(len(values), 1, values)

    def scalar(self, e: Expr) -> sp.Expr:
        return self.column([e])[0]

    def rate(self, matrix: sp.Matrix) -> sp.Matrix:
        """d/dt along the motion of z."""
        moving = list(zip(self.z, self.z_dot, strict=True))
        return matrix.applyfunc(lambda e: sum((e.diff(z) * z_dot for z, z_dot in moving), sp.Integer(0)))

    # Geometry and kinematics --------------------------------------------------------------------

    @cached_property
    def phi(self) -> sp.Matrix:
        """φ(q, x) = 0."""
        return self.column(c.residual for c in self.equations.closures)

    @cached_property
    def A(self) -> sp.Matrix:
        """∂φ/∂x."""
        return short(self.phi.jacobian(self.x))

    @cached_property
    def B(self) -> sp.Matrix:
        """∂φ/∂q."""
        return short(self.phi.jacobian(self.q))

    @cached_property
    def Phi(self) -> sp.Matrix:
        """∂φ/∂z."""
        return short(self.phi.jacobian(self.z))

    @property
    def is_small(self) -> bool:
        """Whether A⁻¹ is short enough to write out."""
        return 0 < len(self.equations.x) <= SMALL

    @cached_property
    def J(self) -> sp.Matrix:
        """−A⁻¹B, by Cramer's rule."""
        return short(-self.A.adjugate() * self.B / self.A.det())

    @cached_property
    def b(self) -> sp.Matrix:
        """ẍ − J q̈ = −A⁻¹(Ȧ ẋ + Ḃ q̇)."""
        turning = self.rate(self.A) * self.x_dot + self.rate(self.B) * self.q_dot
        return short(-self.A.adjugate() * turning / self.A.det())

    @cached_property
    def det_A(self) -> sp.Matrix:
        """det A, as a matrix of one entry; of a large A in its entries A[i,j] that are not zero."""
        if self.is_small:
            return short(sp.Matrix([self.A.det()]))
        entries = sp.Matrix(*self.A.shape, lambda i, j: self.A[i, j] and sp.Symbol(f"A[{i + 1},{j + 1}]", real=True))
        return sp.Matrix([entries.det()])

    @cached_property
    def readouts(self) -> sp.Matrix:
        return self.column(r.value for r in self.equations.readouts)

    # Dynamics -----------------------------------------------------------------------------------

    @cached_property
    def kinetic(self) -> sp.Expr:
        """T with the motors' rotors."""
        rates = {c.name: c.rate for c in self.equations.q}
        rotors = (multiply(m.inertia, (m.ratio * rates[m.drive]) ** 2) / 2 for m in self.equations.motors)
        return self.scalar(total([self.equations.kinetic, *rotors]))

    @cached_property
    def M_z(self) -> sp.Matrix:
        """∂²T/∂ż²."""
        return short(sp.hessian(self.kinetic, list(self.z_dot)))

    @cached_property
    def C_z(self) -> sp.Matrix:
        """Christoffel's matrix: C_ij = ½ Σ_k (∂M_ij/∂z_k + ∂M_ik/∂z_j − ∂M_kj/∂z_i) ż_k."""
        M, n = self.M_z, len(self.z)
        slopes = {(i, j): [M[i, j].diff(v) for v in self.z] for j in range(n) for i in range(j + 1)}  # M is symmetric

        def slope(i: int, j: int, k: int) -> sp.Expr:
            return slopes[min(i, j), max(i, j)][k]

        def entry(i: int, j: int) -> sp.Expr:
            terms = ((slope(i, j, k) + slope(i, k, j) - slope(k, j, i)) * self.z_dot[k] for k in range(n))
            return sum(terms, sp.Integer(0)) / 2

        return short(sp.Matrix(n, n, entry))

    @cached_property
    def friction(self) -> sp.Matrix:
        """∂D/∂ż and dry friction, force ∂rate/∂ż."""
        dry = [(self.scalar(r.rate), self.scalar(r.force)) for r in self.equations.resistances]
        D = self.scalar(self.equations.dissipation)
        return short(sp.Matrix([D.diff(v) + sum(force * rate.diff(v) for rate, force in dry) for v in self.z_dot]))

    @cached_property
    def gravity(self) -> sp.Matrix:
        """∂V/∂z: weights and springs."""
        return short(sp.Matrix([self.scalar(self.equations.potential).diff(v) for v in self.z]))

    @cached_property
    def h_z(self) -> sp.Matrix:
        """C_z ż + ∂D/∂ż + ∂V/∂z."""
        return short(self.C_z * self.z_dot + self.friction + self.gravity)

    @cached_property
    def J_entries(self) -> sp.Matrix:
        """J[i,j] as symbols, named as no parameter can be: what is reduced with J is short in these."""
        shape = (len(self.x), len(self.q))
        return sp.Matrix(*shape, lambda i, j: sp.Symbol(f"J[{i + 1},{j + 1}]", real=True))

    @cached_property
    def b_entries(self) -> sp.Matrix:
        return sp.Matrix(len(self.x), 1, lambda i, _: sp.Symbol(f"b[{i + 1}]", real=True))

    @cached_property
    def M(self) -> sp.Matrix:
        """TᵀM_zT with T = [I; J], in the entries of J."""
        return short(self.tangent.T * self.M_z * self.tangent)

    @cached_property
    def c(self) -> sp.Matrix:
        """Tᵀ(M_z [0; b] + h_z), in the entries of J and b, with ẋ = J q̇."""
        bent = sp.zeros(len(self.q), 1).col_join(self.b_entries)
        return short(self.tangent.T * (self.M_z * bent + self.h_z))

    @property
    def tangent(self) -> sp.Matrix:
        """T: ż = T q̇."""
        return sp.eye(len(self.q)).col_join(self.J_entries)

    def written_out(self, matrix: sp.Matrix) -> sp.Matrix:
        """The same with J and b in full."""
        entries = zip([*self.J_entries, *self.b_entries], [*self.J, *self.b], strict=True)
        return short(matrix.xreplace(dict(entries)))

    @property
    def is_rational(self) -> bool:
        """Whether the closures are free of sines and roots, so that what is written out stays short."""
        return bool(all(e.is_polynomial(*self.z) for e in self.phi))

    @cached_property
    def motors(self) -> tuple[sp.Matrix, sp.Matrix]:
        """gain and back of effort = gain u − back q̇, one row per driven coordinate."""
        motors = {m.drive: m for m in self.equations.motors}
        found = [motors[name] for name in self.equations.driven if name in motors]
        gain = [m.ratio * m.kt * m.efficiency / m.resistance for m in found]
        back = [g * m.kv * m.ratio for g, m in zip(gain, found, strict=True)]
        return self.column(gain), self.column(back)


def short(matrix: sp.Matrix) -> sp.Matrix:
    """Entries in their shortest form, found among a few whose cost is bounded by the entry's length."""
    return matrix.applyfunc(_shortest)


def is_long(e: sp.Expr, operations: int = SHORT) -> bool:
    """Whether it has surely more operations: a node that is no leaf is at least half a one. SymPy counts them all."""
    inner = (node for node in sp.preorder_traversal(e) if node.args)
    return next(islice(inner, 2 * operations, None), None) is not None


def _shortest(e: sp.Expr) -> sp.Expr:
    if e.is_Atom or is_long(e) or (operations := e.count_ops()) > SHORT:
        return e
    forms = [e, sp.factor_terms(e)]
    if not e.has(sp.sin, sp.cos):
        forms.append(sp.factor(e))
    elif operations <= SHORT_TRIGONOMETRIC:
        forms += [sp.trigsimp(forms[1]), sp.trigsimp(sp.expand(e))]
    return min(forms, key=sp.count_ops)


def exact(exprs: Iterable[Expr]) -> tuple[list[Expr], dict[str, sp.Expr]]:
    """The expressions with a symbol for each constant, and these symbols' closed forms: SymPy then rounds nothing."""
    forms: dict[str, sp.Expr] = {}
    done: dict[int, Expr] = {}

    def swap(e: Expr) -> Expr:
        if id(e) not in done:
            done[id(e)] = e
            if isinstance(e, Number):
                done[id(e)] = Symbol(f"#{e.value!r}")
                forms[f"#{e.value!r}"] = closed_form(e.value)
            elif isinstance(e, Named):
                done[id(e)] = swap(e.value)
            elif isinstance(e, Operation):
                done[id(e)] = Operation(e.op, tuple(map(swap, e.args)))
        return done[id(e)]

    return [swap(e) for e in exprs], forms


def closed_form(value: float) -> sp.Expr:
    """0.5 → 1/2, 0.8660254037844386 → √3/2, the residue of cos(π/2) → 0; any other number stays as it is."""
    if abs(value) in RESIDUES:
        return sp.Integer(0)
    for power in (1, 2):
        fraction = Fraction(abs(value) ** power).limit_denominator(1000)
        if math.isclose(float(fraction) ** (1 / power), abs(value), rel_tol=4e-16):
            return int(math.copysign(1, value)) * sp.root(sp.Rational(fraction.numerator, fraction.denominator), power)
    return sp.Float(value)
