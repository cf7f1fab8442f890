"""Random mechanisms, each right by construction: a configuration is chosen first, and the lengths are read off it.

`mechanism(seed)` gives one; `case(seed)` gives it with its kind and the configuration it was made from. A seed says
what is joined to what (its structure, one of STRUCTURES) and every number: sizes of 1e-6 to 1e6 m, masses of 1e-9 to
1e6 kg. Odd structures have their numbers as parameters, so that all seeds of one share their kernels.

A robot is built body by body: each free point takes two closures (three in space) and each plate three, to drives, to
the ground or to bodies that are there already. A linkage has one closure fewer, one more that the others imply, or no
drive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from closedchain.describe import (
    Angle,
    Bar,
    Carried,
    Crank,
    Damper,
    Fixed,
    Free,
    Mechanism,
    Motor,
    Parameter,
    Pin,
    Plate,
    Rail,
    Slider,
    Spring,
    Telescope,
)

STRUCTURES = 200  # seed, seed + STRUCTURES, ... differ in their numbers alone
SIZES = (-6.0, 6.0)  # powers of ten [m]
MASSES = (-9.0, 6.0)  # powers of ten [kg]
KINDS = ("points", "plates", "mixed", "space", "hexapod", "short linkage", "doubled linkage", "passive linkage")


@dataclass(frozen=True, eq=False)
class Case:
    """A random mechanism, what it is made of, and the configuration it was read off."""

    seed: int
    kind: str
    mechanism: Mechanism
    z: np.ndarray  # (nq + nx,) in the order of the mechanism's coordinate names
    size: float  # [m]
    mass: float  # [kg]

    def __str__(self) -> str:
        m = self.mechanism
        parts = [type(d).__name__.lower() for d in m.drives] + [type(b).__name__.lower() for b in m.bodies]
        for name in ("bars", "pins", "rails", "springs", "dampers", "motors"):
            count = len(getattr(m, name))
            parts += [f"{count} {name}"] if count else []
        given = "parameters" if m.parameters else "numbers"
        return f"{self.seed} {self.kind}, {self.size:.1e} m, {self.mass:.1e} kg, {given}: {', '.join(parts)}"


def mechanism(seed: int) -> Mechanism:
    """The random mechanism of this seed."""
    return case(seed).mechanism


def case(seed: int) -> Case:
    """The random mechanism of this seed with its configuration."""
    structure = seed % STRUCTURES
    shape, numbers = np.random.default_rng(structure), np.random.default_rng([seed, 1])
    kind = KINDS[(structure // 2) % len(KINDS)]  # a pair of each: with and without parameters
    size, mass = 10 ** numbers.uniform(*SIZES), 10 ** numbers.uniform(*MASSES)
    builder = Builder(shape, numbers, size, mass, named=bool(structure % 2), dimension=_dimension(kind))
    MAKERS[kind](builder)
    builder.forces()
    made = builder.mechanism(f"random{seed}", linkage="linkage" in kind)
    return Case(seed, kind, made, builder.configuration(made), size, mass)


def cases(count: int, first: int = 0, *, kinds: tuple[str, ...] = KINDS) -> Iterator[Case]:
    """`count` cases of these kinds, from a first seed on."""
    seed = first
    while count > 0:
        made = case(seed)
        if made.kind in kinds:
            yield made
            count -= 1
        seed += 1


def robots(count: int, first: int = 0) -> Iterator[Case]:
    """`count` cases that are no linkage."""
    return cases(count, first, kinds=tuple(k for k in KINDS if "linkage" not in k))


def _dimension(kind: str) -> int:
    return 3 if kind in ("space", "hexapod") else 2


@dataclass
class Builder:
    """What is there so far, with the place of every point; `shape` decides what is joined, `numbers` every number."""

    shape: np.random.Generator
    numbers: np.random.Generator
    size: float
    mass: float
    named: bool
    dimension: int = 2
    parameters: list[Parameter] = field(default_factory=list)
    drives: list = field(default_factory=list)
    bodies: list = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    pins: list[Pin] = field(default_factory=list)
    rails: list[Rail] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)
    dampers: list[Damper] = field(default_factory=list)
    motors: list[Motor] = field(default_factory=list)
    readouts: list[Angle] = field(default_factory=list)
    gravity: tuple | None = None
    place: dict = field(default_factory=dict)  # point → where it is
    values: dict = field(default_factory=dict)  # drive or body → its coordinates
    unused: list = field(default_factory=list)  # drives that carry a point nothing is joined to yet
    light: bool = False  # bodies have no mass of their own, but the bars between them do
    joined: set = field(default_factory=set)  # pairs of points that a closure joins
    stiff: float = 0.0  # [1/s²] squared rate of the springs, chosen once

    # Numbers --------------------------------------------------------------------------------------

    def number(self, value: float, unit: str):
        """A number of the description: itself, or a parameter with that value."""
        if not self.named:
            return float(value)
        self.parameters.append(Parameter(float(value), unit, name=f"p{len(self.parameters)}"))
        return self.parameters[-1]

    def vector(self, values: np.ndarray) -> tuple:
        return tuple(self.number(v, "m") for v in values)

    def unit(self, direction: np.ndarray) -> tuple:
        return tuple(self.number(v, "") for v in direction)

    def length(self, low: float = 0.2, high: float = 1.0) -> float:
        return self.size * self.numbers.uniform(low, high)

    def spot(self) -> np.ndarray:
        return self.size * self.numbers.uniform(-1.0, 1.0, self.dimension)

    def direction(self) -> np.ndarray:
        u = self.numbers.standard_normal(self.dimension)
        return u / np.linalg.norm(u)

    def weight(self) -> float:
        """A mass within a decade of the mechanism's."""
        return self.mass * 10 ** self.numbers.uniform(-0.5, 0.5)

    def chance(self, probability: float) -> bool:
        return bool(self.shape.random() < probability)

    def name(self, letter: str, taken: list) -> str:
        return f"{letter}{len(taken) + 1}"

    # Parts ----------------------------------------------------------------------------------------

    def fixed(self):
        at = self.spot()
        point = Fixed(f"F{len(self.place)}", at=self.vector(at))
        self.place[point] = at
        return point

    def slider(self):
        at, along, q = self.spot(), self.direction(), self.length(-0.5, 0.5)
        mass = self.number(self.weight(), "kg")
        name = self.name("q", self.drives)
        drive = Slider(name, at=self.vector(at), along=self.unit(along), mass=mass, point=f"S{name}")
        return self._drive(drive, q, at + q * along)

    def crank(self):
        about, radius, q = self.spot(), self.length(), self.numbers.uniform(-np.pi, np.pi)
        axes = self._axes()
        r, mass = self.number(radius, "m"), self.number(self.weight(), "kg")
        name = self.name("q", self.drives)
        plane = tuple(map(self.unit, axes)) if self.dimension == 3 else None
        drive = Crank(name, about=self.vector(about), radius=r, mass=mass, plane=plane, point=f"C{name}")
        return self._drive(drive, q, about + radius * (np.cos(q) * axes[0] + np.sin(q) * axes[1]))

    def _axes(self) -> np.ndarray:
        if self.dimension == 2:
            return np.eye(2)
        return np.linalg.qr(self.numbers.standard_normal((3, 3)))[0][:2]

    def _drive(self, drive, q: float, at: np.ndarray):
        self.drives.append(drive)
        self.values[drive] = [q]
        self.place[drive] = at
        self.unused.append(drive)
        return drive

    def point(self, heavy: bool = True):
        at = self.spot()
        mass = self.number(self.weight(), "kg") if heavy and not self.light else 0.0
        body = Free(f"P{len(self.bodies)}", mass=mass, dimension=self.dimension, near=tuple(at.tolist()))
        self.place[body] = at
        return self._body(body, at)

    def plate(self, heavy: bool = True):
        at, phi = self.spot(), self.numbers.uniform(-np.pi, np.pi)
        pose = [*at, phi]
        near = tuple(map(float, pose))
        name = f"B{len(self.bodies)}"
        if self.light or not heavy:
            return self._body(Plate(name, near=near), pose)
        mass, reach = self.weight(), self.length(0.1, 0.5)
        centre = self.numbers.uniform(-0.3, 0.3, 2) * self.size
        inertia = self.number(mass * reach**2, "kg m^2")
        return self._body(
            Plate(name, mass=self.number(mass, "kg"), centre=self.vector(centre), inertia=inertia, near=near), pose
        )

    def _body(self, body, pose):
        self.bodies.append(body)
        self.values[body] = [float(v) for v in pose]
        return body

    def on(self, body):
        """A point of a body: itself, or a new one that it carries."""
        if isinstance(body, Free) and not self.chance(0.2):
            return body
        local = self.size * self.numbers.uniform(-0.6, 0.6, self.dimension)
        point = Carried(f"K{len(self.place)}", body, at=self.vector(local))
        pose = self.values[body]
        turned = local
        if isinstance(body, Plate):
            c, s = np.cos(pose[2]), np.sin(pose[2])
            turned = np.array([c * local[0] - s * local[1], s * local[0] + c * local[1]])
        self.place[point] = np.array(pose[: self.dimension]) + turned
        return point

    # Closures -------------------------------------------------------------------------------------

    def anchor(self, body):
        """What a closure of this body goes to: a drive that nothing holds yet, the ground, or another body."""
        if self.unused:
            return self.unused.pop()
        others = [b for b in self.bodies if b is not body]
        if others and self.chance(0.4):
            return self.on(others[self.shape.integers(len(others))])
        return self.fixed()

    def apart(self, a, b) -> float:
        return float(np.linalg.norm(self.place[b] - self.place[a]))

    def bar(self, a, b) -> None:
        length = self.number(self.apart(a, b), "m")
        mass = self.number(self.weight(), "kg") if self.chance(0.5) or self.light else 0.0
        self.bars.append(Bar(a, b, length, mass=mass))

    def telescope(self, a, b) -> None:
        bodies = {}
        q = self.apart(a, b)
        if self.chance(0.5):
            for end in ("base", "tip"):
                mass, centre = self.weight(), 0.3 * q
                bodies |= {f"{end}_mass": self.number(mass, "kg"), f"{end}_centre": self.number(centre, "m")}
                bodies |= {f"{end}_inertia": self.number(mass * centre**2 / 12, "kg m^2")}
        drive = Telescope(self.name("q", self.drives), a, b, **bodies)
        self.drives.append(drive)
        self.values[drive] = [q]

    def rail(self, point, through) -> None:
        """The line from one to the other, as it lies in the body that carries `through`."""
        along = (self.place[point] - self.place[through]) / self.apart(point, through)
        if isinstance(through, Carried) and isinstance(through.by, Plate):
            c, s = np.cos(self.values[through.by][2]), np.sin(self.values[through.by][2])
            along = np.array([c * along[0] + s * along[1], -s * along[0] + c * along[1]])
        along = along / np.linalg.norm(along)
        self.rails.append(Rail(point, through, along=self.unit(along)))

    def pin(self, body, anchor) -> None:
        """A new point of a plate where the anchor is."""
        x, y, phi = self.values[body]
        dx, dy = self.place[anchor] - np.array([x, y])
        c, s = np.cos(phi), np.sin(phi)
        point = Carried(f"K{len(self.place)}", body, at=self.vector(np.array([c * dx + s * dy, -s * dx + c * dy])))
        self.place[point] = self.place[anchor]
        self.pins.append(Pin(anchor, point))

    def hold(self, body, closures: int, telescopes: float = 0.25) -> None:
        """Join a body by so many closures, of all kinds."""
        while closures > 0:
            anchor = self.anchor(body)
            if isinstance(body, Plate) and closures >= 2 and self.chance(0.3) and not self.light:
                self.pin(body, anchor)
                closures -= 2
                continue
            own = self.on(body)
            if frozenset((anchor, own)) in self.joined:
                anchor = self.fixed()
            self.joined.add(frozenset((anchor, own)))
            if self.chance(telescopes):
                self.telescope(anchor, own)
            elif self.dimension == 2 and self.chance(0.2) and not self.light:
                self.rail(own, anchor)
            else:
                self.bar(anchor, own)
            closures -= 1

    # What acts ------------------------------------------------------------------------------------

    def pair(self) -> tuple:
        """Two points of different bodies."""
        movable = [p for p in self.place if not isinstance(p, Fixed)]
        a = movable[self.shape.integers(len(movable))]
        return a, self.fixed()

    def forces(self) -> None:
        """Gravity, springs, dampers, motors and readouts; their rates go with the mass and the size."""
        self.stiff = 10 ** self.numbers.uniform(-1.0, 3.0)
        if self.chance(0.5):
            down = 9.81 * self.direction()
            self.gravity = tuple(self.number(v, "m/s^2") for v in down)
        if self.chance(0.4):
            a, b = self.pair()
            rest = self.number(self.apart(a, b) * self.numbers.uniform(0.0, 1.5), "m")
            self.springs.append(Spring((a, b), self.number(self.stiff * self.mass, "N/m"), rest=rest))
        if self.chance(0.4):
            damping = self.number(np.sqrt(self.stiff) * self.mass * 0.1, "N s/m")
            self.dampers.append(Damper(self.pair(), damping))
        for drive in self.drives:
            self._act_on(drive)
        if self.dimension == 2 and self.chance(0.4):
            angle = Angle("psi", *self.pair()[::-1])
            self.readouts.append(angle)
            if self.chance(0.5):
                stiffness = self.number(self.stiff * self.mass * self.size**2, "N m/rad")
                rest = self.number(self.numbers.uniform(-np.pi, np.pi), "rad")
                self.springs.append(Spring(angle, stiffness, rest=rest))

    def _act_on(self, drive) -> None:
        turns = isinstance(drive, Crank)
        lever = self.size if turns else 1.0
        if self.chance(0.2):
            stiffness = self.number(self.stiff * self.mass * lever**2, "N m/rad" if turns else "N/m")
            self.springs.append(
                Spring(drive, stiffness, rest=self.number(self.values[drive][0] * 0.7, "rad" if turns else "m"))
            )
        if self.chance(0.2):
            damping = np.sqrt(self.stiff) * self.mass * lever**2
            self.dampers.append(Damper(drive, self.number(damping, "N m s/rad" if turns else "N s/m")))
        if self.chance(0.25):
            ratio = self.number(self.numbers.uniform(1.0, 50.0), "")
            inertia = self.number(1e-3 * self.mass * lever**2, "kg m^2")
            self.motors.append(Motor(drive.name, resistance=2.0, kt=0.02, kv=0.02, ratio=ratio, inertia=inertia))

    # The whole ------------------------------------------------------------------------------------

    def mechanism(self, name: str, linkage: bool) -> Mechanism:
        groups = ("drives", "bars", "pins", "rails", "springs", "dampers", "motors", "readouts")
        parts = {group: tuple(getattr(self, group)) for group in groups}
        return Mechanism(
            "random" if self.named else name,
            output=self.bodies[-1],
            gravity=self.gravity,
            parameters=tuple(self.parameters),
            linkage=linkage,
            **parts,
        )

    def configuration(self, made: Mechanism) -> np.ndarray:
        return np.array([v for owner in (*made.drives, *made.bodies) for v in self.values[owner]])


# Kinds --------------------------------------------------------------------------------------------


def _use_drives(b: Builder) -> None:
    """A tip on every drive that nothing is joined to yet."""
    while b.unused:
        b.hold(b.point(), b.dimension)


def _some_drives(b: Builder, most: int = 3) -> None:
    for _ in range(int(b.shape.integers(1, most + 1))):
        b.slider() if b.chance(0.4) else b.crank()


def _points(b: Builder) -> None:
    """Tips on sliders, cranks and telescopes."""
    _some_drives(b)
    for _ in range(int(b.shape.integers(1, 4)) if len(b.drives) < 3 else 2):
        b.hold(b.point(), 2)
    _use_drives(b)


def _plates(b: Builder) -> None:
    """One or two plates on three closures each."""
    _some_drives(b)
    for _ in range(int(b.shape.integers(1, 3))):
        b.hold(b.plate(), 3)
    _use_drives(b)


def _mixed(b: Builder) -> None:
    """A point, then a plate that it may carry; bodies without mass where every drive has one."""
    _some_drives(b)
    heavy = b.chance(0.6)
    b.hold(b.point(heavy), 2, telescopes=0.25 * heavy)
    b.hold(b.plate(heavy), 3, telescopes=0.25 * heavy)
    _use_drives(b)


def _space(b: Builder) -> None:
    """Tips in space on three closures each."""
    _some_drives(b)
    for _ in range(int(b.shape.integers(1, 3))):
        b.hold(b.point(), 3)
    _use_drives(b)


def _hexapod(b: Builder) -> None:
    """A 6-3 Gough–Stewart platform: a triangle of three points and three bars, on six telescopes."""
    tips = [b.point(), b.point(), b.point()]
    feet = [b.fixed() for _ in range(6)]
    for i, tip in enumerate(tips):
        b.bar(tips[i - 1], tip)
        b.telescope(feet[2 * i], tip)
        b.telescope(feet[2 * i + 1], tip)


def _short(b: Builder) -> None:
    """A linkage with a passive freedom: its last body has one closure fewer than it needs."""
    b.light = b.chance(0.3)
    _some_drives(b, most=2)
    b.hold(b.point(), 2)
    if b.chance(0.5):
        b.hold(b.point(), 1, telescopes=0.0)
    else:
        b.hold(b.plate(), 2, telescopes=0.0)


def _doubled(b: Builder) -> None:
    """A linkage with a closure that the others imply: a plate on three parallel bars of one length."""
    drive = b.crank() if b.chance(0.5) else None
    local = b.size * b.numbers.uniform(-0.6, 0.6, (3, 2))
    swing = b.length() * b.direction()
    plate = b.plate()
    x, y, phi = b.values[plate]
    c, s = np.cos(phi), np.sin(phi)
    for at in local:
        point = Carried(f"K{len(b.place)}", plate, at=b.vector(at))
        b.place[point] = np.array([x + c * at[0] - s * at[1], y + s * at[0] + c * at[1]])
        foot = b.place[point] - swing
        fixed = Fixed(f"F{len(b.place)}", at=b.vector(foot))
        b.place[fixed] = foot
        b.bar(fixed, point)
    if drive:
        b.unused.remove(drive)
        b.bar(drive, point)


def _passive(b: Builder) -> None:
    """A linkage that nothing drives: a chain of pendulums, or a four-bar of points."""
    b.light = b.chance(0.3)
    first = b.point()
    b.bar(b.fixed(), first)
    second = b.point()
    b.bar(first, second)
    if b.chance(0.5):
        b.bar(second, b.fixed())
    if b.chance(0.5):
        b.hold(b.plate(), 2, telescopes=0.0)


MAKERS: dict[str, Callable[[Builder], None]] = {
    "points": _points,
    "plates": _plates,
    "mixed": _mixed,
    "space": _space,
    "hexapod": _hexapod,
    "short linkage": _short,
    "doubled linkage": _doubled,
    "passive linkage": _passive,
}
