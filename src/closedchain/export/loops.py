"""The loops in the passive joints and the legs' unit vectors, in SymPy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from closedchain.derive.passive import PassiveLoops
from closedchain.describe.expressions import Expr
from closedchain.export.formulas import SMALL, Formulas, short


@dataclass(frozen=True)
class LoopFormulas:
    """h(q_d, q) = 0 with its Jacobians, and A_u, B_u, A_p, B_p, as matrices; the joints are symbols of their own."""

    of: Formulas
    loops: PassiveLoops

    @cached_property
    def joints(self) -> sp.Matrix:
        """q_d."""
        return sp.Matrix([sp.Symbol(c.name, real=True) for c in self.loops.joints])

    @cached_property
    def joints_dot(self) -> sp.Matrix:
        return sp.Matrix([sp.Symbol(c.rate.name, real=True) for c in self.loops.joints])

    @cached_property
    def h(self) -> sp.Matrix:
        return short(self._matrix([[c.residual] for c in self.loops.closures]))

    @cached_property
    def A_q(self) -> sp.Matrix:
        """∂h/∂q_d."""
        return short(self.h.jacobian(self.joints))

    @cached_property
    def B_q(self) -> sp.Matrix:
        """∂h/∂q."""
        return short(self.h.jacobian(self.of.q))

    @cached_property
    def J_q(self) -> sp.Matrix | None:
        """−A_q⁻¹B_q, where it is short enough to write out."""
        if len(self.joints) > SMALL:
            return None
        return short(-self.A_q.adjugate() * self.B_q / sp.trigsimp(self.A_q.det()))

    @cached_property
    def A_q_dot(self) -> sp.Matrix:
        return short(self._rate(self.A_q))

    @cached_property
    def B_q_dot(self) -> sp.Matrix:
        return short(self._rate(self.B_q))

    @cached_property
    def A_u(self) -> sp.Matrix:
        """Rows uᵀ ∂(P − T)/∂x."""
        return short(self._matrix(self.loops.projected("u", self._names(self.of.x))))

    @cached_property
    def B_u(self) -> sp.Matrix:
        """Rows −uᵀ ∂(P − T)/∂q + ∂l/∂q."""
        names = self._names(self.of.q)
        return short(self._matrix(self.loops.lengthening(names)) - self._matrix(self.loops.projected("u", names)))

    @cached_property
    def A_p(self) -> sp.Matrix:
        """Rows vᵀ ∂(P − T)/∂x."""
        return short(self._matrix(self.loops.projected("v", self._names(self.of.x))))

    @cached_property
    def B_p(self) -> sp.Matrix:
        """Rows −vᵀ ∂(P − T)/∂q."""
        return short(-self._matrix(self.loops.projected("v", self._names(self.of.q))))

    @cached_property
    def L_p(self) -> sp.Matrix:
        """The legs' lengths."""
        return sp.diag(*self._matrix([[leg.length] for leg in self.loops.legs]))

    def _names(self, symbols: sp.Matrix) -> tuple[str, ...]:
        return tuple(symbol.name for symbol in symbols)

    def _rate(self, matrix: sp.Matrix) -> sp.Matrix:
        """d/dt, the joints and the drives moving."""
        symbols, rates = [*self.joints, *self.of.q], [*self.joints_dot, *self.of.q_dot]
        moving = list(zip(symbols, rates, strict=True))
        return matrix.applyfunc(lambda e: sum((e.diff(s) * rate for s, rate in moving), sp.Integer(0)))

    def _matrix(self, rows: list[list[Expr]]) -> sp.Matrix:
        joints = {symbol.name: symbol for symbol in self.joints}
        flat = self.of.column([e for row in rows for e in row], joints)
        return sp.Matrix(len(rows), len(rows[0]), list(flat))
