"""Equations: coordinates, closures and energies. A mechanism becomes these; a pendulum may be stated as these."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from closedchain.describe.dimensions import CLOSURE_LENGTH, ENERGIES, POINT, Dimensions, WrongUnit, field_units
from closedchain.describe.elements import Motor
from closedchain.describe.expressions import ONE, ZERO, Expr, Symbol, digest, evaluate, multiply, symbols
from closedchain.describe.parameters import Parameter
from closedchain.describe.vectors import Vector
from closedchain.errors import ClosedChainError
from closedchain.shown import Formula

if TYPE_CHECKING:
    from closedchain.describe.mechanism import Mechanism

T = TypeVar("T")


class BadEquations(ClosedChainError, ValueError):
    """Equations that name something they do not define, or that do not balance; `where` is the part at fault."""

    def __init__(self, equations: str, where: str, problem: str) -> None:
        self.equations, self.where, self.problem = equations, where, problem
        super().__init__(f"{equations}: {where}: {problem}")


@dataclass(frozen=True)
class Coordinate:
    """A coordinate and its unit, "m" or "rad"."""

    name: str
    unit: str

    @property
    def symbol(self) -> Symbol:
        return Symbol(self.name)

    @property
    def rate(self) -> Symbol:
        return Symbol(f"{self.name}_dot")


@dataclass(frozen=True, eq=False)
class Closure:
    """φ = 0: |P − A|² − length² for a bar; a φ that is a length itself has length 0."""

    name: str
    residual: Expr
    length: Expr = ZERO


@dataclass(frozen=True, eq=False)
class Readout:
    """Something to read off a configuration: a passive joint's angle, say."""

    name: str
    unit: str
    value: Expr


@dataclass(frozen=True, eq=False)
class Limit:
    """What a joint may be: a drive's coordinate or a passive angle, from low to high."""

    name: str
    unit: str
    value: Expr
    low: Expr
    high: Expr
    lever: Expr = ONE  # [m/rad] of an angle, [1] of a length: what a unit of it is as a length


@dataclass(frozen=True, eq=False)
class Resistance:
    """A dry force against a rate that is linear in ż: its generalised force is −force ∂rate/∂ż."""

    name: str
    unit: str  # of what the rate is a rate of
    rate: Expr
    level: Expr  # the force without its sign
    sense: Expr  # its sign, between −1 and 1
    holding: Expr | None = None  # the largest at rest, where it is set-valued

    @property
    def force(self) -> Expr:
        return multiply(self.level, self.sense)


@dataclass(frozen=True, eq=False)
class Barrier:
    """A gap that does not become negative, and how much of the rate at which it closes comes back."""

    name: str
    unit: str
    gap: Expr
    rate: Expr
    restitution: Expr


@dataclass(frozen=True, eq=False)
class Load:
    """An external force or torque: what it acts on, and the parameters that are its components."""

    kind: str  # "force" or "torque"
    on: str
    names: tuple[str, ...]
    place: Vector  # of a force's point [m]; the angle that a torque turns [rad]


@dataclass(frozen=True, eq=False)
class Equations(Formula):
    """M_z z̈ + h_z = Sᵀτ + Φᵀλ and φ(z) = 0, told by their energies; z = (q, x)."""

    name: str
    parameters: tuple[Parameter, ...]
    q: tuple[Coordinate, ...]
    driven: tuple[str, ...]  # the q's that an effort acts on
    kinetic: Expr  # T(z, ż) [J], quadratic in the rates
    potential: Expr = ZERO  # V(z) [J]
    dissipation: Expr = ZERO  # Rayleigh's D(z, ż) [W/2]: dissipated power is ∂D/∂ż · ż
    resistances: tuple[Resistance, ...] = ()  # dry friction
    barriers: tuple[Barrier, ...] = ()  # stops that do not give way
    applied: Expr = ZERO  # the power of external forces [W], linear in the rates: ∂/∂ż is their generalised force
    loads: tuple[Load, ...] = ()  # these forces, by their parameters
    limits: tuple[Limit, ...] = ()  # of joints
    x: tuple[Coordinate, ...] = ()
    closures: tuple[Closure, ...] = ()
    motors: tuple[Motor, ...] = ()
    readouts: tuple[Readout, ...] = ()
    points: tuple[tuple[str, Vector], ...] = ()  # for drawing
    lines: tuple[tuple[str, str], ...] = ()  # pairs of point names, for drawing
    about: str = ""
    linkage: bool = False  # closures may be fewer or more than the coordinates x
    output: tuple[str, ...] = ()  # the first coordinates of x, those that the robot is told to move; all unless named
    mechanism: Mechanism | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._check_names()
        z, rates = {c.name for c in self.z}, {c.rate.name for c in self.z}
        p = {p.name for p in self.parameters}
        self._only("kinetic", [self.kinetic], z | rates | p)
        self._only("potential", [self.potential], z | p)
        self._only("dissipation", [self.dissipation], z | rates | p)
        self._only("applied", [self.applied], z | rates | p)
        for r in self.resistances:
            self._only(f"resistance {r.name}", [r.rate, r.level, r.sense, r.holding or ZERO], z | rates | p)
        for b in self.barriers:
            self._only(f"barrier {b.name}", [b.gap, b.rate, b.restitution], z | rates | p)
        for closure in self.closures:
            self._only(f"closure {closure.name}.residual", [closure.residual], z | p)
            self._only(f"closure {closure.name}.length", [closure.length], z | p)
        for readout in self.readouts:
            self._only(f"readout {readout.name}.value", [readout.value], z | p)
        for limit in self.limits:
            self._only(f"limits of {limit.name}", [limit.value, limit.lever], z | p)
            self._only(f"limits of {limit.name}", [limit.low, limit.high], p)
        for name, at in self.points:
            self._only(f"point {name}", at, z | p)
        for motor in self.motors:
            self._only(f"motor {motor.drive}", motor_terms(motor), p)
        if self.output != tuple(c.name for c in self.x[: len(self.output)]):
            first = ", ".join(c.name for c in self.x)
            raise BadEquations(self.name, "output", f"is not the beginning of x = {first}; put its coordinates first")
        if len(self.closures) != len(self.x) and not self.linkage:
            raise BadEquations(
                self.name,
                "closures",
                f"{len(self.closures)} of them hold {len(self.x)} coordinates x; one is needed for each",
            )
        if self.mechanism is None:  # whose own units were checked where it was described
            self._check_units()

    def _check_units(self) -> None:
        """Energies are in J, dissipation in W, points in m; a closure's and a readout's terms are of one kind."""
        rates = {c.rate.name: f"{c.unit}/s" for c in self.z}
        dimensions = Dimensions({c.name: c.unit for c in self.z} | rates)
        for where, e, wanted in self._measured():
            try:
                dimensions.check(e, wanted)
            except WrongUnit as error:
                raise BadEquations(self.name, where, str(error)) from None

    def _measured(self) -> Iterator[tuple[str, Expr, tuple[str, ...]]]:
        """Every expression with its place and the units it may be in."""
        for p in self.parameters:
            yield p.name, p.value, (p.unit,) if p.unit else ()
        for name, wanted in ENERGIES.items():
            yield name, getattr(self, name), wanted
        for closure in self.closures:
            yield f"closure {closure.name}.residual", closure.residual, ()
            yield f"closure {closure.name}.length", closure.length, CLOSURE_LENGTH
        for readout in self.readouts:
            yield f"readout {readout.name}.value", readout.value, (readout.unit,) if readout.unit else ()
        for name, at in self.points:
            yield from ((f"point {name}", e, POINT) for e in at)
        turning = {c.name for c in self.q if c.unit == "rad"}
        for motor in self.motors:
            for name, e in zip(motor_fields(motor), motor_terms(motor), strict=True):
                yield f"motor {motor.drive}.{name}", e, field_units(motor, name, 0, turning)

    def _check_names(self) -> None:
        names = [n for c in self.z for n in (c.name, c.rate.name)] + [p.name for p in self.parameters]
        twice = [n for n in names if names.count(n) > 1]
        if twice:
            raise BadEquations(self.name, twice[0], "two coordinates, rates or parameters have this name; rename one")
        q = [c.name for c in self.q]
        for drive in self.driven:
            if drive not in q or self.driven.count(drive) > 1:
                raise BadEquations(
                    self.name, "driven", f"{drive!r:.40} is not one of q = {', '.join(q)}, each named once"
                )
        motors = [m.drive for m in self.motors]
        for drive in motors:
            if drive not in self.driven or motors.count(drive) > 1:
                known = ", ".join(self.driven) or "none"
                raise BadEquations(
                    self.name, f"motor {drive}", f"each motor needs a driven coordinate of its own: {known}"
                )
        for kind, given in (("closure", self.closures), ("readout", self.readouts)):
            called = [e.name for e in given]
            for name in called:
                if called.count(name) > 1:
                    raise BadEquations(self.name, f"{kind} {name}", f"two {kind}s have this name; give each its own")
        points = [name for name, _ in self.points]
        for name in (n for line in self.lines for n in line):
            if name not in points:
                raise BadEquations(
                    self.name, "lines", f"no point {name!r:.40}; there are: {', '.join(points) or 'none'}"
                )

    def _only(self, where: str, exprs: Iterable[Expr], allowed: set[str]) -> None:
        unknown = [n for n in symbols(exprs) if n not in allowed]
        if unknown:
            raise BadEquations(self.name, where, f"uses {unknown[0]!r}, which is none of {', '.join(sorted(allowed))}")

    def check_values(self, values: Mapping[str, float]) -> None:
        """The kinetic energy is quadratic in the rates and not negative: T(z, 2ż) = 4 T(z, ż) ≥ 0 at a few states."""
        for shift in (0.3, 1.1, 2.3):
            z = {c.name: shift + 0.17 * i for i, c in enumerate(self.z)}
            rates = {c.rate.name: math.cos(shift * (i + 1)) for i, c in enumerate(self.z)}
            try:
                once = float(evaluate(self.kinetic, {**values, **z, **rates}))
                twice = float(evaluate(self.kinetic, {**values, **z, **{n: 2 * r for n, r in rates.items()}}))
            except (ArithmeticError, ValueError):
                continue  # outside its domain at this state, which says nothing about the rates
            if once < 0.0:
                raise BadEquations(
                    self.name, "kinetic", f"= {once:g} J at a sample state; an energy of motion is not negative"
                )
            if abs(twice - 4.0 * once) > 1e-9 * abs(once):  # rounding of a few hundred operations is 1e-13
                raise BadEquations(
                    self.name,
                    "kinetic",
                    f"doubling every rate multiplies it by {twice / once if once else math.inf:.6g}, not 4",
                )

    @cached_property
    def z(self) -> tuple[Coordinate, ...]:
        return self.q + self.x

    @cached_property
    def _notes(self) -> dict[object, object]:
        return {}

    def noted(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """What follows from the equations' structure alone, worked out once."""
        if key not in self._notes:
            self._notes[key] = make()
        return self._notes[key]  # type: ignore[return-value]  # one key, one kind of value

    @property
    def outputs(self) -> int:
        """How many coordinates of x are the output's own."""
        return len(self.output) or len(self.x)

    @property
    def exact(self) -> tuple[Resistance, ...]:
        """The dry friction that is set-valued at rest."""
        return tuple(r for r in self.resistances if r.holding is not None)

    @property
    def inductive(self) -> bool:
        """Whether a motor's current is a state."""
        return any(m.inductive for m in self.motors)

    @property
    def nonsmooth(self) -> str:
        """What is no function of the state, by name: friction that is set-valued, stops that do not give way."""
        return ", ".join([*(f"friction {r.name}" for r in self.exact), *(f"stop {b.name}" for b in self.barriers)])

    @property
    def external(self) -> tuple[str, ...]:
        """The parameters that are components of external forces and torques."""
        return tuple(name for load in self.loads for name in load.names)

    @cached_property
    def key(self) -> str:
        """Everything the derived kernels depend on (not the parameters' values)."""
        exprs = [
            self.kinetic,
            self.potential,
            self.dissipation,
            self.applied,
            *(e for m in self.motors for e in motor_terms(m)),
        ]
        exprs += [e for r in self.resistances for e in (r.rate, r.level, r.sense, r.holding or ZERO)]
        exprs += [e for b in self.barriers for e in (b.gap, b.rate, b.restitution)]
        exprs += [c.residual for c in self.closures] + [c.length for c in self.closures]
        exprs += [e for l in self.limits for e in (l.value, l.low, l.high, l.lever)]
        exprs += [r.value for r in self.readouts] + [e for _, v in self.points for e in v]
        names = [[c.name for c in self.q], [c.name for c in self.x], list(self.driven)]
        names += [
            [p.name for p in self.parameters],
            [f"{m.drive} {motor_fields(m)[7:]}".rstrip(" ()") for m in self.motors],
            ["linkage"] * self.linkage,
        ]
        names += [[c.unit for c in self.z]]
        if self.mechanism is not None:
            words, further = self.mechanism.structure()
            names, exprs = [*names, words], exprs + further
        names += [[l.name, l.unit] for l in self.limits]
        names += [[load.kind, load.on, *load.names] for load in self.loads]
        return f"{names} {digest(exprs)}"


MOTOR = ("resistance", "kt", "kv", "ratio", "inertia", "efficiency", "inductance")
LIMITED = ("most_current", "most_voltage", "back_efficiency", "width")  # none unless given


def motor_terms(motor: Motor) -> tuple[Expr, ...]:
    """What a motor contributes to the kernels, in a fixed order."""
    return tuple(getattr(motor, name) for name in motor_fields(motor))


def motor_fields(motor: Motor) -> tuple[str, ...]:
    """The names of those."""
    return (*MOTOR, *(name for name in LIMITED if getattr(motor, name) is not None))
