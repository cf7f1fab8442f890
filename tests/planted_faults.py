"""Faults planted in the derivation of right mechanisms, most of them of 0.1 %: each must be noticed.

A fault is planted where expressions are derived, not in the description: a wrong mass in a description is another
lawful robot. `plant(mechanism, fault)` gives the model with the fault compiled into it; no cache learns of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from unittest.mock import patch

import casadi as ca

from closedchain.derive.geometry import Geometry
from closedchain.derive.models import Models
from closedchain.derive.programs import dynamics_programs, further_programs, main_programs
from closedchain.derive.symbolic import Symbols
from closedchain.derive.velocities import Velocities
from closedchain.describe import Mechanism, Recipe
from closedchain.kernels.cache import Library
from closedchain.kernels.entry import Entry
from closedchain.kernels.llvm import compile_object
from closedchain.kernels.signature import signature_of
from closedchain.model.model import Model
from tests.random_mechanisms import Case, cases

SLIGHT = 1e-3


@dataclass(frozen=True)
class Fault:
    """What is replaced in the derivation, and which mechanisms it changes."""

    owner: type
    attribute: str
    change: Callable[[Models | Symbols, ca.SX], ca.SX]  # the derivation and its right value → the wrong one
    applies: Callable[[Mechanism], bool] = lambda _: True

    def planted(self) -> ExitStack:
        """A context in which derivations have the fault."""
        right = vars(self.owner)[self.attribute]
        get = getattr(right, "func", None) or getattr(right, "fget", None) or right
        change = self.change
        if isinstance(right, cached_property | property):
            wrong = property(lambda own: change(own, get(own)))
        else:

            def wrong(own, *args):
                return change(own, get(own, *args))

        stack = ExitStack()
        stack.enter_context(patch.object(self.owner, self.attribute, wrong))
        return stack


def _entry(matrix: ca.SX, k: int) -> ca.SX:
    """The matrix with its k-th nonzero 0.1 % too large."""
    wrong = ca.SX(matrix)
    wrong.nz[k] = (1 + SLIGHT) * matrix.nz[k]
    return wrong


def _row(matrix: ca.SX, i: int) -> ca.SX:
    """The matrix with a row 0.1 % too large."""
    wrong = ca.SX(matrix)
    wrong[i, :] = (1 + SLIGHT) * matrix[i, :]
    return wrong


def _robot(m: Mechanism) -> bool:
    return not m.linkage


def _bends(m: Mechanism) -> bool:
    """A kinetic energy that depends on the configuration: a plate off its centre, a telescope with mass."""
    heavy_legs = any(getattr(d, "base_mass", None) is not None and str(d.base_mass) != "0" for d in m.drives)
    return heavy_legs or any(str(p.mass) != "0" for p in m.plates)


def _powered(m: Mechanism) -> bool:
    return bool(m.drives)


FAULTS: dict[str, Fault] = {
    "M 0.1 % too large": Fault(Symbols, "mass", lambda _, M: (1 + SLIGHT) * M),
    "one mass in M 0.1 % too large": Fault(Symbols, "mass", lambda _, M: _entry(M, 0)),  # the last may be of no turning
    "∂T/∂z of the wrong sign": Fault(Symbols, "bias", lambda s, h: h + 2 * ca.gradient(s.kinetic, s.z), _bends),
    "∂T/∂z 0.1 % too large": Fault(Symbols, "bias", lambda s, h: h - SLIGHT * ca.gradient(s.kinetic, s.z), _bends),
    "weights and springs 0.1 % too large": Fault(
        Symbols, "gravity", lambda _, g: (1 + SLIGHT) * g, lambda m: bool(m.gravity or m.springs)
    ),
    "weights and springs of the wrong sign": Fault(
        Symbols, "gravity", lambda _, g: -g, lambda m: bool(m.gravity or m.springs)
    ),
    "dampers 0.1 % too strong in h": Fault(
        Symbols, "bias", lambda s, h: h + SLIGHT * s.friction, lambda m: bool(m.dampers)
    ),
    "friction 0.1 % too strong everywhere": Fault(
        Symbols, "resisting", lambda _, friction: (1 + SLIGHT) * friction, lambda m: bool(m.frictions)
    ),
    "efforts 0.1 % too large": Fault(Symbols, "selection", lambda _, S: (1 + SLIGHT) * S, _powered),
    "J 0.1 % too large": Fault(Models, "J", lambda _, J: (1 + SLIGHT) * J, _robot),
    "a leg's row of A 0.1 % too large": Fault(Models, "A", lambda m, A: _row(A, m.leg_rows[0]), _robot),
    "an entry of A 0.1 % too large": Fault(Models, "A", lambda _, A: _entry(A, 0), _robot),
    "an entry of B 0.1 % too large": Fault(Models, "B", lambda _, B: _entry(B, 0), _robot),
    "no velocity term": Fault(Models, "drift", lambda _, b: 0 * b, _robot),
    "velocity term 0.1 % too large": Fault(Models, "drift", lambda _, b: (1 + SLIGHT) * b, _robot),
    "lengths of closed forms 0.1 % too large": Fault(
        Geometry, "length", lambda _, l: (1 + SLIGHT) * l, lambda m: _robot(m) and len(m.bodies) == 1
    ),
    "an entry of Φ 0.1 % too large": Fault(Velocities, "Phi", lambda _, Phi: _entry(Phi, 0)),
    "no velocity term in φ̈": Fault(Velocities, "drift", lambda _, b: 0 * b),
    "velocity term of φ̈ 0.1 % too large": Fault(Velocities, "drift", lambda _, b: (1 + SLIGHT) * b),
}


def plant(mechanism: Mechanism, fault: str) -> Model:
    """The model of a mechanism with a fault compiled into it."""
    model = Model(Recipe(mechanism))
    with FAULTS[fault].planted():
        model.__dict__["library"] = _compiled(main_programs(model.equations))
        model.__dict__["dynamics"] = _compiled(dynamics_programs(model.equations, model.massless))
        if not model.linkage:
            model.__dict__["further"] = _compiled(further_programs(model.equations))
    return model


def _compiled(programs) -> Library:
    return Library(Entry("fault", tuple(map(signature_of, programs)), compile_object(programs, None)))


def planted(count: int, first: int = 0) -> Iterator[tuple[Case, str]]:
    """`count` pairs of a case and a fault that changes it, every fault in its turn."""
    names, turn = list(FAULTS), 0
    for made in cases(10 * count, first):
        if count == 0:
            return
        fitting = [names[(turn + i) % len(names)] for i in range(len(names))]
        fault = next(name for name in fitting if FAULTS[name].applies(made.mechanism))
        turn = names.index(fault) + 1
        count -= 1
        yield made, fault
