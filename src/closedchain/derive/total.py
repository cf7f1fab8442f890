"""Total derivatives of a robot's models, through the chosen mode, by state and by parameters.

A model y(q, x, q̇, q̈, p) is a function of what is given alone, since the closures find the rest of z = (q, x). With s
the coordinates that are given (the drives, or the output) and u the others, φ(s, u, p) = 0 makes

    du = −Φ_u⁻¹ (Φ_s ds + φ_p dp)        dy/ds = ∂y/∂s − ∂y/∂u Φ_u⁻¹ Φ_s        dy/dp = ∂y/∂p − ∂y/∂u Φ_u⁻¹ φ_p

and for a gradient, with weights g on y, one transposed solve and no matrix but Φ_u:

    μ = Φ_u⁻ᵀ (∂y/∂u)ᵀ g                 (dy/ds)ᵀ g = (∂y/∂s)ᵀ g − Φ_sᵀ μ           (dy/dp)ᵀ g = (∂y/∂p)ᵀ g − φ_pᵀ μ

Rates that are not given are expressions of those that are: u̇ = −Φ_u⁻¹ Φ_s ṡ, ü = −Φ_u⁻¹ (Φ_s s̈ + Φ̇ ż).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import casadi as ca

from closedchain.derive.linear import Square, regularity
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe.equations import Equations
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.kernels.tune import quicken


class Total:
    """What a robot's models are by what is given: coordinates of the drives or of the output, and what moves them."""

    def __init__(self, equations: Equations, given: str, moved_by: str, augmented: bool) -> None:
        self.m = Models(Symbols(equations))
        self.given, self.moved_by, self.augmented = given, moved_by, augmented
        nq, n = self.m.nq, self.m.nq + self.m.nx
        own = range(nq) if given == "q" else range(nq, nq + equations.outputs)
        self.own, self.others = list(own), [i for i in range(n) if i not in own]
        self.rate, self.second = ca.SX.sym("rate", len(self.own)), ca.SX.sym("second", len(self.own))
        self.tau = self.m.tau
        self._weights: dict[str, ca.SX] = {}

    # What is given --------------------------------------------------------------------------------

    @cached_property
    def inputs(self) -> dict[str, ca.SX]:
        """What a program takes before p: all of z, and what moves it by the name of its kind."""
        moved = {"tau": self.tau} if self.moved_by == "tau" else {f"{self.given}_ddot": self.second}
        return {"q": self.m.s.q, "x": self.m.s.x, f"{self.given}_dot": self.rate, **moved}

    @property
    def by(self) -> dict[str, ca.SX]:
        """What derivatives are taken by."""
        rest = {name: e for name, e in self.inputs.items() if name not in ("q", "x")}
        return {self.given: self.m.s.z[self.own], **rest, "p": self.m.s.p}

    # Closures -------------------------------------------------------------------------------------

    @cached_property
    def closing(self) -> Square:
        """Φ_u, factored."""
        return Square(self.m.Phi[:, self.others])

    def follow(self, right: ca.SX) -> ca.SX:
        """−Φ_u⁻¹ of the closures' slopes, or of their rates."""
        return ca.densify(-self.closing.solve(right))

    @cached_property
    def z_dot(self) -> ca.SX:
        """ż of the rates that are given."""
        return self._whole(self.rate, self.follow(ca.mtimes(self.m.Phi[:, self.own], self.rate)))

    @cached_property
    def z_ddot(self) -> ca.SX:
        """z̈ of the accelerations that are given."""
        drift = ca.substitute(ca.densify(self.m.drift), self.m.s.z_dot, self.z_dot)
        return self._whole(self.second, self.follow(ca.mtimes(self.m.Phi[:, self.own], self.second) + drift))

    def _whole(self, own: ca.SX, others: ca.SX) -> ca.SX:
        z = ca.SX.zeros(len(self.own) + len(self.others))
        z[self.own] = own
        if self.others:
            z[self.others] = others
        return z

    @property
    def regular(self) -> ca.SX:
        """How far Φ_u is from singular: 1 for perpendicular closures, 0 where the rest does not follow."""
        levers = [self.m.s.levers[i] for i in self.others]
        return regularity(self.m.Phi[:, self.others], levers) if self.others else ca.SX(1)

    # Models ---------------------------------------------------------------------------------------

    @cached_property
    def models(self) -> dict[str, ca.SX]:
        """Every model by name, of z, the given rates, and accelerations or efforts."""
        m, s = self.m, self.m.s
        still = {"q": s.q, "x": s.x, "q_dot": s.q_dot} | m.everything
        moving = m.accelerations(m.tau, self.augmented) if self.moved_by == "tau" else {"q_ddot": m.q_ddot}
        if self.moved_by == "tau":
            moving = {name: moving[name] for name in ("q_ddot", "x_ddot", "lam") if name in moving}
            x_dot = still.get("x_dot", ca.SX(0, 1))
            moving = {name: ca.substitute(e, s.x_dot, ca.densify(x_dot)) for name, e in moving.items()}
            still = {name: e for name, e in still.items() if not ca.depends_on(_column(e), m.q_ddot)}
        rows = [s.column(v).T for _, v in s.equations.points]
        still |= {"points": ca.vertcat(*rows)} if rows else {}
        still |= {"room": s.room} if s.equations.limits else {}
        found = {name: e for name, e in (still | moving).items() if e.numel()}
        return {name: self._as_given(e) for name, e in found.items()}

    def _as_given(self, e: ca.SX) -> ca.SX:
        """With the drives' rates as expressions of what is given."""
        m, nq = self.m, self.m.nq
        if self.given == "q":
            swapped = [(m.s.q_dot, self.rate), (m.q_ddot, self.second)]
        else:
            swapped = [(m.q_ddot, self.z_ddot[:nq]), (m.s.q_dot, self.z_dot[:nq])]
        for old, new in swapped:
            e = ca.substitute(ca.densify(e), old, new)
        return e

    # Programs -------------------------------------------------------------------------------------

    def jacobians(self, names: Sequence[str], by: Sequence[str]) -> Program:
        """`NAME:BY`: a row for each element of a model, a column for each of what is given."""
        s, outputs = self.m.s, dict[str, ca.SX]()
        chained = {self.given: self.m.Phi[:, self.own], "p": ca.jacobian(s.phi, s.p)} if self.others else {}
        turns = {key: self.follow(slopes) for key, slopes in chained.items() if key in by}  # du by each
        for name in names:
            y = _column(self.models[name])
            through = ca.jacobian(y, s.z[self.others])
            for key in by:
                slopes = ca.jacobian(y, self.by[key])
                if key in turns:
                    slopes = slopes + ca.mtimes(through, turns[key])
                outputs[f"{name}:{key}"] = slopes
        return self._program("jacobians", {}, outputs)

    def gradient(self, names: Sequence[str]) -> Program:
        """The gradient of Σ g·y by everything that is given, from weights g_NAME on the models' elements."""
        return quicken(self._program("gradient", self.weights(names), self.pulled(names)))

    def weights(self, names: Sequence[str]) -> dict[str, ca.SX]:
        """Symbols for the weights of models, row after row."""
        for name in names:
            self._weights.setdefault(f"g_{name}", ca.SX.sym(f"g_{name}", self.models[name].numel()))
        return {f"g_{name}": self._weights[f"g_{name}"] for name in names}

    def pulled(self, names: Sequence[str]) -> dict[str, ca.SX]:
        """(dy/d·)ᵀ g by each of what is given, with one reverse sweep and one transposed solve."""
        s, weights = self.m.s, self.weights(names)
        y = ca.vertcat(*[_column(self.models[name]) for name in names])
        g = ca.vertcat(*weights.values())
        parts = {key: e for key, e in {**self.by, "u": s.z[self.others]}.items() if e.numel()}
        whole = ca.gradient(ca.dot(g, y), ca.vertcat(*parts.values()))
        found = dict(zip(parts, _split(whole, [e.numel() for e in parts.values()]), strict=True))
        if self.others:
            mu = self.closing.solve_transposed(found.pop("u"))
            found[self.given] = found[self.given] - ca.mtimes(self.m.Phi[:, self.own].T, mu)
            if "p" in found:
                found["p"] = found["p"] - ca.jtimes(s.phi, s.p, mu, True)
        return {key: ca.densify(e) for key, e in found.items()}

    def values(self, names: Sequence[str]) -> Program:
        """The models themselves, for what a derivative is compared with."""
        return self._program("values", {}, {name: _column(self.models[name]) for name in names})

    def _program(self, name: str, further: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> Program:
        inputs = {**self.inputs, "p": self.m.s.p, **further}
        given = {key: (e, (e.numel(),)) for key, e in inputs.items() if e.numel()}
        wanted = {key: (ca.densify(e), e.shape if ":" in key else e.shape[:1]) for key, e in outputs.items()}
        return trace(name, given, wanted | {"regular": (self.regular, ())})


def _column(e: ca.SX) -> ca.SX:
    """The elements, row after row."""
    return ca.vec(ca.densify(e).T)


def _split(e: ca.SX, sizes: Iterable[int]) -> list[ca.SX]:
    places = [0]
    for size in sizes:
        places.append(places[-1] + size)
    return list(ca.vertsplit(e, places))


def jacobian_programs(
    equations: Equations, given: str, moved_by: str, augmented: bool, names: Sequence[str], by: Sequence[str]
) -> list[Program]:
    """The derivatives of models by what is given."""
    return [Total(equations, given, moved_by, augmented).jacobians(names, by)]


def gradient_programs(
    equations: Equations, given: str, moved_by: str, augmented: bool, names: Sequence[str]
) -> list[Program]:
    """The gradient of a weighted sum of models."""
    return [Total(equations, given, moved_by, augmented).gradient(names)]


def value_programs(
    equations: Equations, given: str, moved_by: str, augmented: bool, names: Sequence[str]
) -> list[Program]:
    """The models themselves."""
    return [Total(equations, given, moved_by, augmented).values(names)]
