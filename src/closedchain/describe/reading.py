"""Tables of a file → a Mechanism: bars, pins, rails and what acts, over the points and drives of its sketch."""

from __future__ import annotations

from collections.abc import Mapping

from closedchain.describe.elements import (
    Angle,
    Bar,
    Body,
    Carried,
    Coupling,
    Crank,
    Damper,
    Drive,
    Free,
    Friction,
    Motor,
    Pin,
    Plate,
    Point,
    Rail,
    Slide,
    Spring,
    Stop,
    Turn,
)
from closedchain.describe.equations import LIMITED
from closedchain.describe.expressions import ZERO
from closedchain.describe.mechanism import BadMechanism, Mechanism
from closedchain.describe.parameters import Parameter
from closedchain.describe.sketch import Sketch, carry, read_drives, read_limits, read_points
from closedchain.describe.solids import read_coplanar, read_incline, read_joint, read_plane, read_solids
from closedchain.describe.tables import Problem, Table, suggest

MECHANISM_KEYS = (
    "output",
    "linkage",
    "working",
    "gravity",
    "points",
    "plates",
    "bodies",
    "drives",
    "bars",
    "pins",
    "rails",
    "planes",
    "inclines",
    "coplanars",
    "joints",
    "couplings",
    "springs",
    "dampers",
    "frictions",
    "stops",
)


def read_mechanism(root: Table, name: str, about: str, parameters: tuple[Parameter, ...]) -> tuple[Mechanism, Sketch]:
    """The mechanism, with the sketch that knows where everything stands."""
    places = {p.name: f"parameters.{p.name}" for p in parameters}
    sketch = Sketch(places=places | {"closures": "bars" if "bars" in root else "drives", "name": "name"})
    read_points(root, sketch)
    read_solids(root, sketch)
    read_drives(root, sketch)
    linkage = _read_linkage(root)
    bars = tuple(_read_bar(t, sketch) for t in root.tables("bars"))
    output = _read_output(root, sketch, linkage)
    readouts = tuple(_read_angle(t, sketch) for t in root.tables("readouts"))
    angles = {angle.name: angle for angle in readouts}
    try:
        mechanism = Mechanism(
            name,
            drives=tuple(sketch.drives.values()),
            output=output,  # type: ignore[arg-type]  # a carried point is pinned to a free one
            linkage=linkage,
            working=root.text("working", ""),
            bars=bars,
            pins=tuple(_read_pin(t, sketch) for t in root.tables("pins")),
            rails=tuple(_read_rail(t, sketch) for t in root.tables("rails")),
            planes=tuple(read_plane(t, sketch) for t in root.tables("planes")),
            inclines=tuple(read_incline(t, sketch) for t in root.tables("inclines")),
            coplanars=tuple(read_coplanar(t, sketch) for t in root.tables("coplanars")),
            joints=tuple(read_joint(t, sketch) for t in root.tables("joints")),
            further=(*sketch.solids.values(), *sketch.on_solids),
            couplings=tuple(_read_coupling(t, sketch) for t in root.tables("couplings")),
            springs=tuple(_read_spring(t, sketch, angles) for t in root.tables("springs")),
            dampers=tuple(_read_damper(t, sketch, angles) for t in root.tables("dampers")),
            frictions=tuple(_read_friction(t, sketch, angles) for t in root.tables("frictions")),
            stops=tuple(_read_stop(t, sketch, angles) for t in root.tables("stops")),
            motors=tuple(sketch.keep(read_motor(t), t.place, drive=t.at("drive")) for t in root.tables("motors")),
            readouts=readouts,
            gravity=root.vector("gravity") if "gravity" in root else None,
            about=about,
            parameters=parameters,
        )
    except BadMechanism as error:
        raise sketch.translate(error) from None
    _refuse_idle(mechanism, sketch)
    return mechanism, sketch


def _read_linkage(root: Table) -> bool:
    flag = root.items.get("linkage", False)
    if not isinstance(flag, bool):
        raise Problem("linkage", "true or false is needed")
    return flag


def _read_output(root: Table, sketch: Sketch, linkage: bool) -> Free | Plate | Body | Carried:
    """The body or the point of a body that is named; of a linkage the first body, unless one is."""
    named = sketch.points | sketch.plates | sketch.solids
    bodies: dict[str, Free | Plate | Body | Carried] = {
        n: b for n, b in named.items() if isinstance(b, Free | Plate | Body)
    }
    if linkage and not bodies:
        raise Problem("points", "a linkage needs a free point, a plate or a body; write P = { free = true }")
    output = root.text("output", next(iter(bodies)) if linkage else None)
    bodies |= {n: p for n, p in named.items() if isinstance(p, Carried)}
    if output not in bodies:
        raise Problem(
            "output", f"no free point or plate or body {output!r:.40}, nor a point of one; {suggest(output, bodies)}"
        )
    return bodies[output]


def _read_bar(table: Table, sketch: Sketch) -> Bar:
    table.only("between", "length", "mass", "centre", "inertia", "name", "points")
    a, b = sketch.ends(table, "between")
    bar = Bar(a, b, table.scalar("length"), name=table.text("name", ""), **table.scalars("mass", "centre", "inertia"))
    points = table.table("points")
    for name in points.items:
        carry(name, bar, points.vector(name), points.at(name), sketch)
    return sketch.keep(bar, table.place)


def _read_pin(table: Table, sketch: Sketch) -> Pin:
    a, b = sketch.ends(table.only("between", "name"), "between")
    return sketch.keep(Pin(a, b, name=table.text("name", "")), table.place)


def _read_rail(table: Table, sketch: Sketch) -> Rail:
    table.only("point", "through", "along", "name")
    point, through = (sketch.point(table.text(k), table.at(k)) for k in ("point", "through"))
    return sketch.keep(Rail(point, through, table.vector("along"), name=table.text("name", "")), table.place)


def _read_coupling(table: Table, sketch: Sketch) -> Coupling:
    table.only("sum", "equals", "name")
    table.need("sum")
    factors = table.table("sum")
    terms = tuple((name, factors.scalar(name)) for name in factors.items)
    return sketch.keep(Coupling(terms, table.scalar("equals", ZERO), name=table.text("name", "")), table.place)


Angles = Mapping[str, Angle]


MEASURES = ("between", "drive", "joint", "angle")


def _acted(table: Table, sketch: Sketch, angles: Angles) -> tuple[Point, Point] | Drive | Angle:
    match table.one_of(*MEASURES):
        case "between":
            return sketch.ends(table, "between")
        case "angle":
            name = table.text("angle")
            if name not in angles:
                raise Problem(table.at("angle"), f"no angle {name!r:.40} among the readouts; {suggest(name, angles)}")
            return angles[name]
        case "joint":
            return _read_joint(table, sketch)
    return sketch.drive(table.text("drive"), table.at("drive"))


def _read_spring(table: Table, sketch: Sketch, angles: Angles) -> Spring:
    table.only(*MEASURES, "stiffness", "rest", "preload", "name")
    between = _acted(table, sketch, angles)
    stiffness = table.scalar("stiffness", ZERO if "preload" in table else None)
    given = table.scalars("rest", "preload")
    return sketch.keep(Spring(between, stiffness, name=table.text("name", ""), **given), table.place)


def _read_damper(table: Table, sketch: Sketch, angles: Angles) -> Damper:
    table.only(*MEASURES, "damping", "name")
    damper = Damper(_acted(table, sketch, angles), table.scalar("damping"), name=table.text("name", ""))
    return sketch.keep(damper, table.place)


def _read_joint(table: Table, sketch: Sketch) -> Turn | Slide:
    name = table.text("joint")
    joints = {b.joint.name: b.joint for b in sketch.solids.values() if isinstance(b.joint, Turn | Slide)}
    if name not in joints:
        raise Problem(table.at("joint"), f"no body turns or slides on a joint {name!r:.40}; {suggest(name, joints)}")
    return joints[name]


def _read_friction(table: Table, sketch: Sketch, angles: Angles) -> Friction:
    numbers = ("coulomb", "static", "stribeck", "viscous", "width")
    table.only(*MEASURES, *numbers, "name")
    friction = Friction(_acted(table, sketch, angles), name=table.text("name", ""), **table.scalars(*numbers))
    return sketch.keep(friction, table.place)


def _read_stop(table: Table, sketch: Sketch, angles: Angles) -> Stop:
    numbers = ("low", "high", "stiffness", "loss", "restitution")
    table.only(*MEASURES, *numbers, "name")
    stop = Stop(_acted(table, sketch, angles), name=table.text("name", ""), **table.scalars(*numbers))
    return sketch.keep(stop, table.place)


def read_motor(table: Table) -> Motor:
    """A motor on the drive it names."""
    further = ("ratio", "inertia", "efficiency", "inductance", *LIMITED)
    table.only("drive", "resistance", "kt", "kv", *further)
    needed = {k: table.scalar(k) for k in ("resistance", "kt", "kv")}
    return Motor(table.text("drive"), **needed, **table.scalars(*further))


def _read_angle(table: Table, sketch: Sketch) -> Angle:
    table.only("name", "angle", "relative_to", "limits")
    tail, tip = sketch.ends(table, "angle")
    limits = read_limits(table)
    if "relative_to" not in table:
        return sketch.keep(Angle(table.name("name"), tail, tip, limits=limits), table.place)
    place = table.at("relative_to")
    arm = sketch.drive(table.text("relative_to"), place)
    if not isinstance(arm, Crank):
        raise Problem(place, f"{arm.name} is no crank; an angle is relative to a crank's arm or absolute")
    return sketch.keep(Angle(table.name("name"), tail, tip, arm, limits), table.place)


def _refuse_idle(mechanism: Mechanism, sketch: Sketch) -> None:
    """A point or plate that nothing uses is a mistake in the file."""
    used = {id(e) for e in (*mechanism.points, *mechanism.bodies)}
    for name, element in (sketch.points | sketch.plates).items():
        if id(element) not in used and name not in sketch.pivots:
            raise Problem(
                sketch.taken[name], "nothing is attached to it; attach a bar, pin, rail or telescope, or remove it"
            )
