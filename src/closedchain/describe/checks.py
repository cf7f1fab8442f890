"""What a mechanism must satisfy; each complaint names the element, the problem and what to do."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from closedchain.describe.dimensions import GRAVITY, Dimensions, WrongUnit, field_units
from closedchain.describe.elements import (
    Angle,
    Bar,
    Body,
    Carried,
    Coplanar,
    Crank,
    Direction,
    Element,
    Fixed,
    Free,
    Friction,
    Joint,
    Pin,
    Plane,
    Plate,
    Point,
    Rail,
    Slide,
    Slider,
    Stop,
    Telescope,
    Turn,
    point_name,
)
from closedchain.describe.expressions import Expr, evaluate, symbols
from closedchain.describe.vectors import Vector
from closedchain.errors import ClosedChainError

if TYPE_CHECKING:
    from closedchain.describe.mechanism import Mechanism

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,30}")
UNIT_TOLERANCE = 1e-9
SMALLEST_SIZE, SMALLEST_MASS = 1e-7, 1e-10  # [m], [kg] of the largest length and mass; tried from ten times that on
POSITIVE = {"length", "radius", "resistance", "stribeck", "width", "most_current", "most_voltage", "back_efficiency"}
NOT_NEGATIVE = {"stiffness", "damping", "rotor", "coulomb", "static", "viscous", "loss", "restitution", "inductance"}
LENGTHS, MASSES = {"length", "radius", "at", "about"}, {"mass", "base_mass", "tip_mass"}


class BadMechanism(ClosedChainError, ValueError):
    """A description that cannot be a mechanism; `where` is the element at fault."""

    def __init__(self, mechanism: str, where: str, problem: str) -> None:
        self.mechanism, self.where, self.problem = mechanism, where, problem
        super().__init__(f"{mechanism}: {where}: {problem}")


def check_names(m: Mechanism) -> None:
    """Points, closures and coordinates each have a name of their own, which expressions and files can use."""
    if not NAME.fullmatch(m.name.replace("-", "_")):
        raise BadMechanism(m.name[:40], "name", "a name is a letter followed by letters, digits or _")
    closures = [b.name for b in m.bars] + [p.name for p in m.pins] + [r.name for r in m.rails]
    closures += [c.name for c in m.couplings]
    closures += [p.name for p in m.planes] + [lines.name for lines in m.coplanars]
    closures += [i.name for i in m.inclines if i.name]
    groups: dict[str, list[str]] = {
        "point": [point_name(p) for p in m.points] + [p.name for p in m.plates] + [b.name for b in m.solids],
        "closure": closures + [d.name for d in m.drives if isinstance(d, Telescope)],
        "coordinate": [*m.coordinate_names, *(r.name for r in m.readouts)],
    }
    for kind, names in groups.items():
        count = Counter(names)
        for name in names:
            if kind != "closure" and not NAME.fullmatch(name):
                raise BadMechanism(m.name, repr(name[:40]), "a name is a letter followed by letters, digits or _")
            if count[name] > 1:
                raise BadMechanism(m.name, name, f"two {kind}s have this name; give each its own")
    symbols_ = {s for name in m.coordinate_names for s in (name, f"{name}_dot")}
    for parameter in m.parameters:
        if parameter.name in symbols_:
            raise BadMechanism(m.name, parameter.name, "a coordinate and a parameter have this name; rename one")


def check_drives(m: Mechanism) -> None:
    """What acts on a drive, is read from it or is carried by it finds it among the drives."""
    drives = [d.name for d in m.drives]
    motors = [motor.drive for motor in m.motors]
    for motor in m.motors:
        if motor.drive not in drives:
            raise BadMechanism(m.name, element_place(motor), f"no such drive; there are {', '.join(drives)}")
        if motors.count(motor.drive) > 1:
            raise BadMechanism(m.name, element_place(motor), "this drive has two motors; keep one")
        if (motor.back_efficiency is None) != (motor.width is None):
            problem = (
                "back_efficiency and width go together: the rate within which the sense of power changes; give both"
            )
            raise BadMechanism(m.name, element_place(motor), problem)
    joints = [b.joint for b in m.solids]
    acted = [e.between for e in m.acting if e.between not in joints]
    read = [a.relative_to for a in m.readouts if a.relative_to is not None]
    carrying = [p for p in m.points if isinstance(p, Slider | Crank)]
    for drive in (*acted, *read, *carrying):
        if not isinstance(drive, tuple | Angle) and drive not in m.drives:
            raise BadMechanism(m.name, drive.name, "is used as a drive or its point, but is not among the drives")


def check_couplings(m: Mechanism) -> None:
    """A coupling relates coordinates that there are, each once."""
    for coupling in m.couplings:
        names = [name for name, _ in coupling.terms]
        for name in names:
            if name not in m.coordinate_names:
                known = ", ".join(m.coordinate_names)
                raise BadMechanism(m.name, element_place(coupling), f"no coordinate {name[:40]!r}; there are {known}")
        if not names or len(set(names)) < len(names):
            raise BadMechanism(m.name, element_place(coupling), "name at least one coordinate, each once")


def check_links(m: Mechanism) -> None:
    """A link joins two points that can move against each other."""
    links: list[tuple[Element, Point, Point]] = [(bar, bar.a, bar.b) for bar in m.bars]
    links += [(pin, pin.a, pin.b) for pin in m.pins]
    links += [(d, d.base, d.tip) for d in m.drives if isinstance(d, Telescope)]
    links += [(r, r.point, r.through) for r in m.rails] + [(p, p.point, p.through) for p in m.planes]
    links += [(c, c.a, c.b) for c in m.coplanars]
    links += [(e, *e.between) for e in m.acting if isinstance(e.between, tuple)]
    links += [(a, a.tail, a.tip) for a in m.readouts]
    angles = [e.between for e in m.acting if isinstance(e.between, Angle)]
    links += [(a, a.tail, a.tip) for a in angles]
    bodies = {b for b in m.bodies if m.own_coordinates(b)}
    for link, a, b in links:
        _check_bar_points(m, link, a, b)
        if a is b:
            raise BadMechanism(m.name, element_place(link), f"goes from {point_name(a)} to itself; name two points")
        if not isinstance(link, Angle) and _body(a) is _body(b):
            held = "the ground" if isinstance(a, Fixed) else getattr(_body(a), "name", "one body")
            raise BadMechanism(
                m.name,
                element_place(link),
                f"{point_name(a)} and {point_name(b)} are both held by {held}; join two bodies",
            )
        if (
            isinstance(link, Bar | Pin | Rail | Telescope | Plane | Coplanar)
            and not {_body(a), _body(b)} & bodies
            and not m.linkage
        ):
            raise BadMechanism(
                m.name, element_place(link), "joins no free point and no plate, so that nothing can follow"
            )


def _check_bar_points(m: Mechanism, link: Element, *points: Point) -> None:
    """A bar's point is there to be the output; what is attached to a bar in between needs a plate."""
    for point in points:
        if isinstance(point, Carried) and isinstance(point.by, Bar):
            if not isinstance(link, Pin) or m.output not in points:
                problem = (
                    f"is attached to {point.name} of bar {point.by.name}, which can only be the output; use a plate"
                )
                raise BadMechanism(m.name, element_place(link), problem)
            if point.by not in m.bars:
                raise BadMechanism(m.name, point.name, f"its bar {point.by.name} is not among the bars")


def check_dimensions(m: Mechanism) -> None:
    """Every vector has the output's dimension."""
    n = m.dimension
    for e in m.elements():
        vectors = [
            (v, k) for k in ("at", "along", "about", "axis", "normal") if isinstance(v := getattr(e, k, None), tuple)
        ]
        vectors += [(v, "plane") for v in e.plane or ()] if isinstance(e, Crank) else []
        vectors += [(e.centre, "centre")] if isinstance(e, Plate | Body) else []
        vectors += [(v, "axes") for v in e.axes or ()] if isinstance(e, Joint) else []
        for v, k in vectors:
            if len(v) != n:
                raise BadMechanism(
                    m.name, f"{element_place(e)}.{k}", f"a vector of {len(v)} numbers where {n} are needed"
                )
        if isinstance(e, Body) and len(e.inertia) not in (3, 6):
            problem = f"{len(e.inertia)} numbers; write xx, yy, zz, or these and xy, xz, yz"
            raise BadMechanism(m.name, f"{element_place(e)}.inertia", problem)
        if (
            isinstance(e, Free | Plate | Body)
            and e.near is not None
            and len(e.near) != (size := len(m.own_coordinates(e)))
        ):
            raise BadMechanism(m.name, f"{element_place(e)}.near", f"{len(e.near)} numbers where {size} are needed")
        if isinstance(e, Free) and e.dimension != n:
            raise BadMechanism(m.name, element_place(e), f"has dimension {e.dimension}, the output has {n}")
    if m.gravity is not None and len(m.gravity) != n:
        raise BadMechanism(m.name, "gravity", f"a vector of {len(m.gravity)} numbers where {n} are needed")
    angles = any(isinstance(e, Angle) for e in m.elements())
    if n == 3 and (m.plates or m.rails or angles):
        problem = "plates, rails and angles are of the plane; use bodies, two planes for a rail, and joints that turn"
        raise BadMechanism(m.name, "output", problem)
    if n == 2 and (m.solids or m.planes or m.inclines or m.coplanars):
        raise BadMechanism(m.name, "output", "bodies, planes and directions are of space; use plates and rails")


def check_units(m: Mechanism) -> None:
    """Formulas are in the units that parameters declare and that elements need."""
    dimensions, turning = Dimensions(), m.turning
    for p in m.parameters:
        _in_units(m, dimensions, p.value, (p.unit,) if p.unit else (), p.name)
    for element in m.elements():
        place = element_place(element)
        for name, value in vars(element).items():
            for i, e in enumerate(flatten(value)):
                _in_units(m, dimensions, e, field_units(element, name, i, turning), f"{place}.{name}")
    for e in m.gravity or ():
        _in_units(m, dimensions, e, GRAVITY, "gravity")


def _in_units(m: Mechanism, dimensions: Dimensions, e: Expr, wanted: tuple[str, ...], place: str) -> None:
    try:
        dimensions.check(e, wanted)
    except WrongUnit as error:
        raise BadMechanism(m.name, place, str(error)) from None


def flatten(value: object) -> Iterator[Expr]:
    """The expressions of a field: itself, or those of a vector or of vectors."""
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            if not isinstance(item, Element):
                yield from flatten(item)


def check_values(m: Mechanism, values: Mapping[str, float]) -> None:
    """Lengths positive, masses not negative, directions of unit length, everything finite and of a size we know."""
    size, weight = 0.0, 0.0
    for e, place in m.expressions():
        number = _number(m, e, place, values)
        quantity = place.rsplit(".", 1)[-1]
        size = max(size, abs(number)) if quantity in LENGTHS else size
        weight = max(weight, number) if quantity in MASSES else weight
        if quantity in POSITIVE and number <= 0.0:
            raise BadMechanism(m.name, place, f"= {number:g}, but it must be positive")
        negative = {"mass", "inertia", "base_mass", "tip_mass", "base_inertia", "tip_inertia"}
        if quantity in negative and number < 0.0 and not place.startswith("body "):
            raise BadMechanism(m.name, place, f"= {number:g}, but a mass or inertia is never negative")
        if quantity in NOT_NEGATIVE and number < 0.0:
            raise BadMechanism(m.name, place, f"= {number:g}, but it must not be negative")
    _check_size(m, size, weight)
    for e_ in m.elements():
        if isinstance(e_, Slider | Crank | Telescope | Angle | Turn | Slide) and e_.limits is not None:
            _check_limits(m, e_, e_.limits, values)
        if isinstance(e_, Friction | Stop):
            _check_acting(m, e_, values)
        elif isinstance(e_, Slider | Rail | Direction):
            _check_unit(m, f"{element_place(e_)}.along", [e_.along], values)
        elif isinstance(e_, Plane):
            _check_unit(m, f"{element_place(e_)}.normal", [e_.normal], values)
        elif isinstance(e_, Joint):
            _check_joint(m, e_, values)
        elif isinstance(e_, Crank) and e_.plane is not None:
            _check_unit(m, f"{element_place(e_)}.plane", list(e_.plane), values)


def _check_joint(m: Mechanism, joint: Joint, values: Mapping[str, float]) -> None:
    place = element_place(joint)
    if isinstance(joint, Turn | Slide):
        _check_unit(m, f"{place}.axis", [joint.axis], values)
    if joint.axes is not None:
        x, y, z = joint.axes
        for pair in ((x, y), (y, z), (z, x)):
            _check_unit(m, f"{place}.axes", list(pair), values)
        rows = [[float(evaluate(c, values)) for c in v] for v in joint.axes]
        (a, b, c), (d, e, f), (g, h, i) = rows
        if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0:
            raise BadMechanism(m.name, f"{place}.axes", "are left-handed; turn one of them round")


def _check_acting(m: Mechanism, e: Friction | Stop, values: Mapping[str, float]) -> None:
    """Friction that holds no less than it slides, and stops that leave room, each of one kind."""
    place = element_place(e)
    if isinstance(e, Friction):
        dry, hold = (float(evaluate(f, values)) for f in (e.coulomb, e.holding))
        if hold < dry:
            raise BadMechanism(m.name, f"{place}.static", f"= {hold:g} is less than coulomb = {dry:g}; it is at least")
        if (e.static is None) != (e.stribeck is None):
            problem = "static and stribeck go together: the rate within which static falls to coulomb; give both"
            raise BadMechanism(m.name, place, problem)
        return
    bounds = [float(evaluate(b, values)) for b in (e.low, e.high) if b is not None]
    if not bounds:
        raise BadMechanism(m.name, place, "stops nothing; give low, high or both")
    if len(bounds) == 2 and not bounds[0] < bounds[1]:
        raise BadMechanism(
            m.name, f"{place}.low", f"= {bounds[0]:g} is not below high = {bounds[1]:g}; it leaves no room"
        )
    if (e.stiffness is None) == (e.restitution is None):
        raise BadMechanism(m.name, place, "give a stiffness with which it pushes back, or a restitution, not both")
    if e.restitution is not None and float(evaluate(e.restitution, values)) > 1.0:
        raise BadMechanism(m.name, f"{place}.restitution", "is above 1: it would give more than it took; at most 1")


def _check_limits(m: Mechanism, joint: Element, limits: tuple[Expr, ...], values: Mapping[str, float]) -> None:
    place = f"{element_place(joint)}.limits"
    if len(limits) != 2:
        raise BadMechanism(m.name, place, f"{len(limits)} numbers; write the lowest and the highest value")
    low, high = (float(evaluate(e, values)) for e in limits)
    if not low < high:
        raise BadMechanism(m.name, place, f"from {low:g} to {high:g} leave no room; the lower one comes first")
    if isinstance(joint, Telescope) and low < 0.0:
        raise BadMechanism(m.name, place, f"from {low:g} m: a telescope is never shorter than 0")


def _check_size(m: Mechanism, size: float, weight: float) -> None:
    """Refuse a mechanism that is smaller or lighter than any whose numbers were tried."""
    if 0.0 < size < SMALLEST_SIZE:
        problem = f"its largest length is {size:.3g} m; below {SMALLEST_SIZE:g} m no numbers were tried. Describe it k "
        problem += "times larger, with gravity k times and inertias k² times as large: it then moves in the same time"
        raise BadMechanism(m.name, "size", problem)
    if 0.0 < weight < SMALLEST_MASS:
        problem = f"its largest mass is {weight:.3g} kg; below {SMALLEST_MASS:g} kg no numbers were tried. Describe it "
        problem += "with masses, inertias, springs, dampers and efforts k times as large: it then moves alike"
        raise BadMechanism(m.name, "mass", problem)


def _number(m: Mechanism, e: Expr, place: str, values: Mapping[str, float]) -> float:
    unknown = [n for n in symbols([e]) if n not in values]
    if unknown:
        raise BadMechanism(m.name, place, f"uses {unknown[0]!r}, which is not a parameter")
    try:
        number = float(evaluate(e, values))
    except (ArithmeticError, ValueError, TypeError):
        number = math.nan
    if not math.isfinite(number):
        raise BadMechanism(m.name, place, f"{e} is not a finite number")
    return number


def _check_unit(m: Mechanism, place: str, directions: list[Vector], values: Mapping[str, float]) -> None:
    rows = [[float(evaluate(c, values)) for c in v] for v in directions]
    for row in rows:
        size = math.hypot(*row)
        if abs(size - 1.0) > UNIT_TOLERANCE:
            raise BadMechanism(m.name, place, f"a direction of length {size:.6g}; divide it by its length")
    if len(rows) == 2 and abs(sum(a * b for a, b in zip(*rows, strict=True))) > UNIT_TOLERANCE:
        raise BadMechanism(m.name, place, "the two directions of its plane are not perpendicular")


def check_count(m: Mechanism) -> None:
    """As many closures as coordinates of free points and plates; a linkage may have fewer or more."""
    if m.linkage:
        return
    n = m.dimension
    unknowns = sum(len(m.own_coordinates(body)) for body in m.bodies)
    telescopes = sum(isinstance(d, Telescope) for d in m.drives)
    closures = len(m.bars) + n * len(m.pins) + (n - 1) * len(m.rails) + telescopes + len(m.couplings)
    closures += len(m.planes) + len(m.inclines) + len(m.coplanars)
    if not m.drives:
        raise BadMechanism(m.name, "drives", "there is none; a robot needs at least one slider, crank or telescope")
    if closures != unknowns:
        state, verb, other = ("under", "add", "remove") if closures < unknowns else ("over", "remove", "add")
        bodies = ", ".join(b.name for b in m.bodies if m.own_coordinates(b))
        raise BadMechanism(
            m.name,
            "closures",
            f"{state}-constrained: {closures} closures hold {unknowns} coordinates of {bodies}; "
            f"{verb} {abs(unknowns - closures)}, or {other} a free body",
        )
    _refuse_idle_drives(m)


def _refuse_idle_drives(m: Mechanism) -> None:
    """A drive whose point nothing is joined to follows from no output, and moves none."""
    joined: list[Point] = [p for bar in m.bars for p in (bar.a, bar.b)] + [p for pin in m.pins for p in (pin.a, pin.b)]
    joined += [p for r in m.rails for p in (r.point, r.through)]
    joined += [p for d in m.drives if isinstance(d, Telescope) for p in (d.base, d.tip)]
    coupled = {name for coupling in m.couplings for name, _ in coupling.terms}
    for drive in m.drives:
        if not isinstance(drive, Telescope | Joint) and drive not in joined and drive.name not in coupled:
            problem = "moves nothing: no bar, pin, rail or telescope is joined to its point; join one, or remove it"
            raise BadMechanism(m.name, element_place(drive), problem)


def _body(point: Point) -> object:
    """What holds a point: a plate, a drive, the point itself, or the ground (None)."""
    if isinstance(point, Fixed):
        return None
    return point.by if isinstance(point, Carried) else point


def element_place(element: Element) -> str:
    """What an error calls an element: its kind and its name."""
    kind = type(element).__name__.lower()
    name = getattr(element, "name", "") or getattr(element, "drive", "")
    return f"{kind} {name}".strip()
