"""A robot ready to compute: its description, its parameters' values, its compiled kernels."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.derive import mechanics
from closedchain.derive.passive import PassiveLoops, passive_loops
from closedchain.derive.structure import Group, Leg, groups, legs
from closedchain.describe.elements import Crank, Slider, Telescope
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import Expr, evaluate
from closedchain.describe.mechanism import Mechanism
from closedchain.describe.parameters import values_of
from closedchain.describe.recipe import Recipe
from closedchain.errors import ClosedChainError
from closedchain.kernels import Library, Program
from closedchain.kernels import load as load_kernels
from closedchain.model.dynamics import Motion, bind_forward, bind_inverse

Announce = Callable[[str], None]
Places = NDArray[np.intp]


class NoClosedForm(ClosedChainError):
    """This structure has no complete closed-form solution here."""


@dataclass(frozen=True, eq=False)
class Model:
    """A robot's equations with numbers for their parameters. Make one with `closedchain.load`."""

    recipe: Recipe
    given: Mapping[str, float] = field(default_factory=dict)  # numbers that differ from the description's
    preset: str | None = None
    announce: Announce | None = None

    def __post_init__(self) -> None:
        self.recipe.description.check_values(self.values)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:g}" for name, value in self.values.items())
        return f"<{self.name}: {shown}>"

    def with_values(self, **changed: float) -> Model:
        """The same robot with other numbers: nothing is derived or compiled again."""
        other = replace(self, given={**self.given, **changed})
        keep = (
            ("equations", "library", "pattern")
            if self.linkage
            else ("equations", "library", "further", "passive_loops")
        )
        shared = {n: v for n, v in self.__dict__.items() if n in keep}
        other.__dict__.update(shared)
        return other

    @cached_property
    def values(self) -> dict[str, float]:
        """Every parameter's number."""
        preset = self.recipe.presets[self.preset] if self.preset else {}
        return values_of(self.recipe.description.parameters, {**preset, **self.given})

    # What it is ---------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self.recipe.name + (f":{self.preset}" if self.preset else "")

    @cached_property
    def equations(self) -> Equations:
        return mechanics.equations(self.recipe.description)

    @cached_property
    def passive_loops(self) -> PassiveLoops | None:
        """The loops in the passive joints; None without bars whose angles are read out."""
        return None if self.linkage else passive_loops(self.mechanism)

    @property
    def mechanism(self) -> Mechanism | None:
        return self.equations.mechanism

    @property
    def linkage(self) -> bool:
        """Whether closures may be fewer or more than the coordinates x: everything is then done in z."""
        return self.equations.linkage

    @cached_property
    def p(self) -> Doubles:
        """The parameters' values as the kernels take them."""
        p = np.array(list(self.values.values()), dtype=np.float64)
        p.setflags(write=False)
        return p

    @property
    def nq(self) -> int:
        return len(self.equations.q)

    @property
    def nx(self) -> int:
        return len(self.equations.x)

    @cached_property
    def driven(self) -> Sequence[int]:
        """The indices in q that efforts act on."""
        return tuple(i for i, c in enumerate(self.equations.q) if c.name in self.equations.driven)

    def number(self, e: Expr) -> float:
        """The value of an expression of the parameters."""
        return float(evaluate(e, self.values))

    # Structure ----------------------------------------------------------------------------------

    @cached_property
    def legs(self) -> tuple[Leg, ...]:
        """The leg of each drive."""
        self._refuse_linkage("working mode")
        found = legs(self.mechanism) if self.mechanism else None
        if found is None:
            raise NoClosedForm(
                f"{self.name}: a drive does not follow from one leg alone; `follow` a path from a known configuration"
            )
        return found

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The bodies in the order in which they are found from the drives."""
        self._refuse_linkage("assembly mode")
        found = groups(self.mechanism) if self.mechanism else None
        if found is None:
            raise NoClosedForm(
                f"{self.name}: its bodies cannot be found one after another; `follow` a path from a known configuration"
            )
        return found

    def _refuse_linkage(self, what: str) -> None:
        if self.linkage:
            raise NoClosedForm(
                f"{self.name} is a linkage, which its drives need not determine: there is no {what}; "
                f"`assemble` it, and use forward_dynamics and simulate"
            )

    @cached_property
    def leg_signs(self) -> Doubles:
        """Per leg: +1 where σ = sign ∂φ/∂q (crank), −1 where σ = −sign ∂φ/∂q (slider), 0 without a choice."""
        kinds: dict[type, float] = {Slider: -1.0, Crank: 1.0, Telescope: 0.0}
        return np.array([kinds[type(leg.drive)] if leg.branches == 2 else 0.0 for leg in self.legs])

    @cached_property
    def scale(self) -> float:
        """A length of the robot's own size [m], for tolerances."""
        if self.mechanism is None:
            return 1.0
        lengths = [
            abs(self.number(e))
            for e, place in self.mechanism.expressions()
            if place.endswith((".length", ".radius", ".at", ".about"))
        ]
        return max(lengths, default=1.0) or 1.0

    # Kernels ------------------------------------------------------------------------------------

    @cached_property
    def library(self) -> Library:
        """Geometry, kinematics and dynamics, compiled."""
        return self.load("main_programs")

    @cached_property
    def further(self) -> Library:
        """The terms of h_z, linearisation, massless bodies; of a linkage its dynamics."""
        return self.load("linkage_dynamics", self.massless) if self.linkage else self.load("further_programs")

    def load(self, part: str, *options: Sequence[str] | bool) -> Library:
        """The compiled programs that a function of derive.programs makes; CasADi is imported only to make them anew."""
        announce = self.announce
        tell = (lambda text: announce(f"{self.recipe.name}: {text}")) if announce else None
        key = f"{part} {options} {self.equations.key}"
        return load_kernels(key, lambda: _derive(part, self.equations, *options), announce=tell)

    def call(self, kernel: str, **arrays: Doubles) -> dict[str, Doubles]:
        """Run a kernel on named arrays; its outputs by name. p is the robot's own unless given, (*batch, np)."""
        library = self.library if kernel in self.library else self.further
        if kernel not in library:
            self._refuse_linkage(f"model {kernel!r}")
        signature = library.signatures[kernel]
        given = {"p": self.p} | arrays
        made: Any = library[kernel](*(given[a.name] for a in signature.inputs))
        return dict(zip((a.name for a in signature.outputs), made if isinstance(made, tuple) else (made,), strict=True))

    @cached_property
    def forward(self) -> Callable[..., Motion]:
        """forward(q, x, q_dot, x_dot, tau): forward dynamics of plain arrays, the fastest way to call it."""
        return bind_forward(self)

    @cached_property
    def inverse(self) -> Callable[..., Doubles]:
        """inverse(q, x, q_dot, q_ddot): the efforts for plain arrays, the fastest way to call it."""
        return bind_inverse(self)

    @cached_property
    def massless(self) -> bool:
        """Whether M_z is singular, as with massless bodies that only closures move."""
        if not self.nx:
            return False
        z = np.linspace(0.3, 0.7, self.nq + self.nx) * self.scale
        made = self.call("mass", q=z[: self.nq], x=z[self.nq :])
        M = self.dense("M", made["M"]) if self.linkage else made["M_z"]
        diagonal = np.sqrt(np.maximum(np.diag(M), 0.0))
        if (diagonal == 0.0).any():
            return True
        return bool(np.linalg.eigvalsh(M / np.outer(diagonal, diagonal))[0] < 1e-12)

    @property
    def forward_kernel(self) -> str:
        return "forward_dynamics_augmented" if self.massless and not self.linkage else "forward_dynamics"

    # A linkage's matrices, by their nonzeros ------------------------------------------------------

    @cached_property
    def pattern(self) -> dict[str, tuple[Places, Places]]:
        """Rows and columns of the nonzeros of Φ and of M_z."""
        made = {name: np.asarray(value, dtype=np.intp) for name, value in self.call("pattern").items()}
        empty = np.zeros(0, dtype=np.intp)
        return {n: (made.get(f"{n}_rows", empty), made.get(f"{n}_columns", empty)) for n in ("Phi", "M")}

    def dense(self, name: str, values: Doubles) -> Doubles:
        """Φ (*batch, closures, nz) or M_z (*batch, nz, nz) of its nonzeros."""
        nz = self.nq + self.nx
        matrix = np.zeros((*values.shape[:-1], len(self.equations.closures) if name == "Phi" else nz, nz))
        matrix[(..., *self.pattern[name])] = values
        return matrix


def _derive(part: str, equations: Equations, *options: Sequence[str] | bool) -> list[Program]:
    programs: list[Program] = getattr(importlib.import_module("closedchain.derive.programs"), part)(equations, *options)
    return programs
