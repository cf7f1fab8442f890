"""Efforts as a linear function of dynamic parameters: τ = W(q, q̇, q̈) χ, through the loops.

    M z̈ + h = W_z χ = Sᵀτ + Φᵀλ,    Tᵀ W_z χ = Tᵀ Sᵀ τ = τ,    T = [1; J],  J = −A⁻¹B

Each drive may also have a rotor, viscous and Coulomb friction and an offset: q̈, q̇, sign q̇ and 1.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.derive.inertial import standard
from closedchain.describe.checks import element_place
from closedchain.describe.expressions import Expr, is_number
from closedchain.errors import BadInput
from closedchain.fitting import kernels
from closedchain.kernels import Library
from closedchain.model.kinematics import direct_rates
from closedchain.model.model import Model

BODIES, PARAMETERS = "bodies", "parameters"
DRIVE = ("rotor", "viscous", "coulomb", "offset")
UNITS = {"m": ("kg", "N s/m", "N", "N"), "rad": ("kg m^2", "N m s/rad", "N m", "N m")}


@dataclass(frozen=True)
class Column:
    """A dynamic parameter: its name, its unit, what the description says of it, whose it is."""

    name: str
    unit: str
    value: float
    body: str
    kind: str


@dataclass(frozen=True, eq=False)
class Regressor:
    """τ = W χ for one robot."""

    model: Model
    by: str = BODIES  # standard parameters of every body, or the description's own
    on_drives: tuple[str, ...] = ("rotor", "viscous", "coulomb")

    def __post_init__(self) -> None:
        if self.model.linkage:
            raise BadInput(f"{self.model.name} is a linkage: its efforts do not follow from its drives' motion alone")
        if self.by not in (BODIES, PARAMETERS):
            raise BadInput(f"by = {self.by!r:.30}: dynamic parameters are those of bodies, or the robot's parameters")
        if self.by == BODIES and self.model.mechanism is None:
            raise BadInput(f"{self.model.name} is stated by its energies and has no bodies; ask by its parameters")
        m = self.model.mechanism
        acting = [*m.frictions, *m.stops, *(s for s in m.springs if not is_number(s.preload, 0.0))] if m else []
        if acting:
            raise BadInput(
                f"{self.model.name}: {element_place(acting[0])} is not linear in what is sought; leave friction, stops "
                "and preloads out of the description, on_drives adds friction"
            )
        unknown = [name for name in self.on_drives if name not in DRIVE]
        if unknown:
            raise BadInput(f"a drive has no {unknown[0]!r:.30}; there are {', '.join(DRIVE)}")

    @cached_property
    def own(self) -> tuple[Column, ...]:
        """The columns of the mechanism itself."""
        if self.by == PARAMETERS:
            module = importlib.import_module("closedchain.derive.by_parameters")
            names: list[str] = self.model.equations.noted(
                ("linear",), lambda: module.linear_parameters(self.model.equations)
            )
            units = {p.name: p.unit for p in self.model.equations.parameters}
            return tuple(Column(n, units[n], self.model.values[n], n, "parameter") for n in names)
        assert self.model.mechanism is not None
        _, found = standard(self.model.mechanism)
        return tuple(Column(s.name, s.unit, self._number(s.value), s.body, s.kind) for s in found)

    def _number(self, e: Expr) -> float:
        return self.model.number(e)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Every column: the bodies', then each drive's own."""
        found = list(self.own)
        motors = {m.drive: m for m in self.model.equations.motors}
        for i in self.model.driven:
            c = self.model.equations.q[i]
            for kind, unit in zip(DRIVE, UNITS[c.unit], strict=True):
                if kind in self.on_drives:
                    motor = (
                        motors.get(c.name) if kind == "rotor" and self.by == BODIES else None
                    )  # else in the energies
                    value = self._number(motor.inertia * motor.ratio**2) if motor else 0.0
                    found.append(Column(f"{c.name}.{kind}", unit, value, c.name, kind))
        return tuple(found)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)

    @property
    def values(self) -> Doubles:
        """What the description says, (columns,)."""
        return np.array([c.value for c in self.columns])

    @cached_property
    def library(self) -> Library:
        return kernels(self.model, "regressor_program", self.by)

    def __call__(self, q: Doubles, x: Doubles, q_dot: Doubles, q_ddot: Doubles) -> Doubles:
        """W of a batch of states, (n, nq, columns); a row that nothing drives has efforts of zero."""
        model, nq, n = self.model, self.model.nq, len(q)
        x_dot, x_ddot = direct_rates(model, q, x, q_dot, q_ddot) if model.nx else (x, x)
        z_ddot = np.concatenate([q_ddot, x_ddot], axis=-1)
        given = {"q": q, "x": x, "q_dot": q_dot, "x_dot": x_dot, "z_ddot": z_ddot, "p": model.p}
        W_z = self.library.run("regressor", given)["W"]
        W = W_z[:, :nq]
        if model.nx:
            made = model.call("closures", q=q, x=x)
            lam = np.linalg.solve(made["A"].transpose(0, 2, 1), W_z[:, nq:])
            W = W - made["B"].transpose(0, 2, 1) @ lam
        drives = np.zeros((n, nq, len(self.columns) - len(self.own)))
        column = 0
        for i in model.driven:
            for kind in (k for k in DRIVE if k in self.on_drives):
                drives[:, i, column] = _of_drive(kind, q_dot[:, i], q_ddot[:, i])
                column += 1
        return np.concatenate([W, drives], axis=-1)


def _of_drive(kind: str, rate: Doubles, acceleration: Doubles) -> Doubles:
    return {"rotor": acceleration, "viscous": rate, "coulomb": np.sign(rate), "offset": np.ones_like(rate)}[kind]


def stacked(W: Doubles) -> Doubles:
    """(n, nq, columns) as rows by drive: every row of the first drive, then of the second."""
    return W.transpose(1, 0, 2).reshape(-1, W.shape[-1])
