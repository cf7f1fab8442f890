"""A robot ready to compute: its description, its parameters' values, its compiled kernels."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.arrays import Doubles
from closedchain.derive import mechanics
from closedchain.derive.blocks import Block, blocks
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
from closedchain.model.forces import Forces, Loads, loads_of
from closedchain.shown import Shown

if TYPE_CHECKING:
    from closedchain.model.tracking import Tracker

Announce = Callable[[str], None]
NONZEROS = "_nonzeros"
DYNAMICS = ("forward_dynamics", "power")  # compiled for the robot's masses: whether M is singular


GEOMETRIC = ("closures", "readings")  # kernels that the library of shapes has, too
KNOWN = (
    "Give a known configuration, q and x together (--q and --x) or state=, to evaluate, singularities, linearise and "
    "simulate, or follow a path from it; `assemble` finds one near a guess"
)


class NoClosedForm(ClosedChainError):
    """This structure has no complete closed-form solution here."""


@dataclass(frozen=True, eq=False)
class Model(Shown):
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

    def __reduce__(self) -> tuple[type[Model], tuple[Recipe, Mapping[str, float], str | None]]:
        """Pickled and copied as its description and numbers; the kernels are looked up again in the cache."""
        return Model, (self.recipe, self.given, self.preset)

    def with_values(self, **changed: float) -> Model:
        """The same robot with other numbers: nothing is derived or compiled again."""
        other = replace(self, given={**self.given, **changed})
        keep = (
            "equations",
            "library",
            "shapes",
            "further",
            "passive_loops",
            "pattern",
            "tracking",
        )  # what no number changes
        other.__dict__.update({name: value for name, value in self.__dict__.items() if name in keep})
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

    @property
    def outputs(self) -> int:
        """How many coordinates of x are the output's own; those of other bodies follow."""
        return self.equations.outputs

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
        self.check_robot("working mode")
        found = legs(self.mechanism) if self.mechanism else None
        if found is None:
            raise NoClosedForm(
                f"{self.name}: a drive does not follow from one leg alone. {KNOWN}; `inverse` finds the drives "
                f"from the output where blocks of closures can be solved"
            )
        return found

    @cached_property
    def has_legs(self) -> bool:
        """Whether each drive follows from one leg alone."""
        return not self.linkage and self.mechanism is not None and legs(self.mechanism) is not None

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The bodies in the order in which they are found from the drives."""
        self.check_robot("assembly mode")
        found = groups(self.mechanism) if self.mechanism else None
        if found is None:
            raise NoClosedForm(
                f"{self.name}: its bodies cannot be found one after another. {KNOWN}; `direct` finds them where blocks "
                f"of closures can be solved"
            )
        return found

    @cached_property
    def has_groups(self) -> bool:
        """Whether each body is found from known points alone, one after another."""
        return not self.linkage and self.mechanism is not None and groups(self.mechanism) is not None

    @cached_property
    def inverse_blocks(self) -> tuple[Block, ...] | None:
        """What gives the drives, and the coordinates that the output leaves open, from the output; the drives' first.

        None where the output does not determine them.
        """
        own = range(self.nq, self.nq + self.outputs)
        found = blocks(self.equations, [i for i in range(self.nq + self.nx) if i not in own])
        return None if found is None else tuple(sorted(found, key=lambda block: block.unknowns))

    def check_robot(self, what: str) -> None:
        """Raise NoClosedForm for a linkage."""
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
    def near(self) -> dict[int, float]:
        """Where the description says that bodies are: columns of z with their values; empty where it says nothing."""
        found: dict[int, float] = {}
        column = self.nq
        for body in self.mechanism.bodies if self.mechanism else ():
            found |= {column + i: self.number(e) for i, e in enumerate(body.near or ())}
            column += len(self.mechanism.own_coordinates(body)) if self.mechanism else 0
        return found

    @cached_property
    def scale(self) -> float:
        """A length of the robot's own size [m], for tolerances."""
        if self.mechanism is None:
            lengths = [abs(self.values[p.name]) for p in self.equations.parameters if p.unit == "m" and self.nx]
            return max(lengths, default=1.0) or 1.0
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
    def shapes(self) -> Library:
        """What geometry alone needs, compiled sooner than all."""
        return self.load("geometry_programs")

    @cached_property
    def further(self) -> Library:
        """The terms of h_z, linearisation, efforts of a motion of every coordinate."""
        return self.load("further_programs")

    @cached_property
    def dynamics(self) -> Library:
        """Forward dynamics and the rate of energy."""
        return self.load("dynamics_programs", self.massless)

    def load(self, part: str, *options: Sequence[str] | bool) -> Library:
        """The compiled programs that a function of derive.programs makes; CasADi is imported only to make them anew."""
        announce = self.announce
        tell = (lambda text: announce(f"{self.recipe.name}: {text}")) if announce else None
        key = f"{part} {options} {self.equations.key}"
        return load_kernels(key, lambda: _derive(part, self.equations, *options), announce=tell)

    def call(self, kernel: str, **arrays: Doubles) -> dict[str, Doubles]:
        """Run a kernel on named arrays; its outputs by name. p is the robot's own unless given, (*batch, np)."""
        if kernel in GEOMETRIC and "library" not in self.__dict__ and self.nx and not self.linkage:
            library = self.shapes
        else:
            library = self.library if kernel in self.library else self.dynamics if kernel in DYNAMICS else self.further
        if kernel not in library:
            self.check_robot(f"model {kernel!r}")
        made = library.run(kernel, {"p": self.p} | arrays)
        return made if not any(name.endswith(NONZEROS) for name in made) else self._dense(made)

    def _dense(self, made: dict[str, Doubles]) -> dict[str, Doubles]:
        """Large matrices from their nonzeros."""
        m, nz = len(self.equations.closures), self.nq + self.nx
        shapes = {"A": (m, self.nx), "B": (m, self.nq), "M_z": (nz, nz)}
        for name in [name for name in made if name.endswith(NONZEROS)]:
            values, plain = made.pop(name), name.removesuffix(NONZEROS)
            rows, columns = (self.pattern[f"{plain}_{which}"] for which in ("rows", "columns"))
            made[plain] = np.zeros((*values.shape[:-1], *shapes[plain]))
            made[plain][..., rows, columns] = values
        return made

    @cached_property
    def pattern(self) -> dict[str, NDArray[np.intp]]:
        """Rows and columns of the nonzeros of large matrices."""
        return {name: np.asarray(value, dtype=np.intp) for name, value in self.library.run("pattern", {}).items()}

    @cached_property
    def forward(self) -> Callable[..., Motion]:
        """forward(q, x, q_dot, x_dot, tau): forward dynamics of plain arrays, the fastest way to call it."""
        return bind_forward(self)

    @cached_property
    def inverse(self) -> Callable[..., Doubles]:
        """inverse(q, x, q_dot, q_ddot): the efforts for plain arrays, the fastest way to call it."""
        return bind_inverse(self)

    @cached_property
    def touching(self) -> Library:
        """Set-valued friction and firm stops: rates along them, and what forces there do."""
        return self.load("touching_program", self.massless)

    @cached_property
    def tracking(self) -> Library:
        """One branch, followed to other drives."""
        return self.load("tracking_program")

    def track(self, q: ArrayLike, x: ArrayLike | None = None, *, assembly: str | None = None) -> Tracker:
        """A tracker of one assembly mode, from q and x, or from the pose of a named mode: `track(q, x).to(q_new)`."""
        made: Tracker = importlib.import_module("closedchain.model.tracking").tracker(self, q, x, assembly=assembly)
        return made

    def loads(self, forces: Forces | None = None, torques: Forces | None = None) -> Loads:
        """The robot under external forces on points and torques on bodies, by name: numbers or functions."""
        return loads_of(self, forces, torques)

    @cached_property
    def massless(self) -> bool:
        """Whether M_z is singular, as with massless bodies that only closures move."""
        if not self.nx:
            return False
        z = np.linspace(0.3, 0.7, self.nq + self.nx) * self.scale
        M = self.call("mass", q=z[: self.nq], x=z[self.nq :])["M_z"]
        diagonal = np.sqrt(np.maximum(np.diag(M), 0.0))
        if (diagonal == 0.0).any():
            return True
        return bool(np.linalg.eigvalsh(M / np.outer(diagonal, diagonal))[0] < 1e-12)


def _derive(part: str, equations: Equations, *options: Sequence[str] | bool) -> list[Program]:
    programs: list[Program] = getattr(importlib.import_module("closedchain.derive.programs"), part)(equations, *options)
    return programs
