"""Recipe → TOML text that `loads` reads back to the same description, values and presets."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from closedchain.describe.elements import (
    Acts,
    Angle,
    Bar,
    Body,
    Carried,
    Crank,
    Direction,
    Drive,
    Element,
    Fixed,
    Free,
    Motor,
    Pin,
    Plate,
    Point,
    Slide,
    Slider,
    Telescope,
    Turn,
    point_name,
)
from closedchain.describe.equations import LIMITED, Equations
from closedchain.describe.expressions import ONE, ZERO, Expr, Number, digest, is_number, number_text, text
from closedchain.describe.files import SCHEMA, loads
from closedchain.describe.mechanism import TRACER, Mechanism
from closedchain.describe.parameters import BadParameter, Parameter, unknown_parameter
from closedchain.describe.recipe import Recipe
from closedchain.describe.sketch import BODIES
from closedchain.describe.vectors import vector

WIDTH = 110  # columns after which a formula is wrapped
Lines = Iterator[str]


def dumps(recipe: Recipe, values: Mapping[str, float] | None = None) -> str:
    """The recipe as a mechanism file; `values` replace those of its parameters."""
    description = recipe.description
    known = [p.name for p in description.parameters]
    for name in values or {}:
        if name not in known:
            raise BadParameter(unknown_parameter(name, known), name)
    lines = ["# A mechanism file. SI units, angles in radians; a formula of the parameters stands in quotes."]
    lines += [f"schema = {quoted(SCHEMA)}", f"name = {quoted(description.name)}"]
    lines += [f"about = {quoted(description.about)}"] if description.about else []
    if isinstance(description, Mechanism):
        traced = _traced(description)
        lines += [f"output = {quoted(description.output.name if traced is None else point_name(traced.a))}"]
        lines += ["linkage = true"] if description.linkage else []
        lines += [f"working = {quoted(description.working)}"] if description.working else []
        lines += [f"gravity = {toml(description.gravity)}  # [m/s^2]"] if description.gravity is not None else []
    lines += _parameters(description.parameters, values or {})
    lines += _mechanism(description) if isinstance(description, Mechanism) else _equations(description)
    for preset, numbers in recipe.presets.items():
        if not numbers:  # as of a member of a family, which differs by its size
            continue
        lines += ["", f"[presets.{preset}]", *(f"{name} = {toml(Number(v))}" for name, v in numbers.items())]
    source = "\n".join(lines) + "\n"
    loads(source, description.name)  # what cannot be read back is not written
    return source


def _parameters(parameters: tuple[Parameter, ...], values: Mapping[str, float]) -> Lines:
    if parameters:
        yield from ("", "[parameters]")
    for p in parameters:
        value = Number(values[p.name]) if p.name in values else p.value
        notes = {"unit": p.unit, "about": p.about, "source": p.source}
        yield f"{p.name} = {toml({'value': value} | {k: v for k, v in notes.items() if v})}"


# A mechanism -------------------------------------------------------------------------------------


def _mechanism(m: Mechanism) -> Lines:
    named = list(dict.fromkeys([*m.points, *(b for b in m.bodies if isinstance(b, Free))]))
    traced = _traced(m)
    named = [p for p in named if traced is None or p is not m.output]
    placed = [p for p in named if isinstance(p, Fixed | Free) or (isinstance(p, Carried) and isinstance(p.by, Free))]
    if placed:
        yield from ("", "[points]  # [m], [kg]", *(f"{p.name} = {toml(_point(p))}" for p in placed))
    for plate in m.plates:
        yield from ("", f"[plates.{plate.name}]  # in the plate's frame; inertia about the centre [kg m^2]")
        yield from _pairs(_given(plate, mass=ZERO, centre=vector((0, 0)), inertia=ZERO) | _near(plate))
        points = [p for p in m.points if isinstance(p, Carried) and p.by is plate]
        if points:
            yield f"[plates.{plate.name}.points]"
        yield from (f"{p.name} = {toml(p.at)}" for p in points)
    for body in m.solids:
        yield from _solid(body, [p for p in m.points if isinstance(p, Carried) and p.by is body], m)
    for drive in m.drives:
        yield from ("", f"[drives.{drive.name}]", *_pairs(_drive(drive, m)))
    for bar in m.bars:
        own = {p.name: p.at for p in m.points if isinstance(p, Carried) and p.by is bar}
        yield from ("", "[[bars]]", *_pairs(_bar(bar) | ({"points": own} if own else {})))
    for pin in (p for p in m.pins if p is not traced):
        name = {} if pin.name == f"{point_name(pin.a)}={point_name(pin.b)}" else {"name": pin.name}
        yield from ("", "[[pins]]", *_pairs({"between": _ends(pin.a, pin.b)} | name))
    for rail in m.rails:
        ends = {"point": point_name(rail.point), "through": point_name(rail.through), "along": rail.along}
        name = {} if rail.name == f"{ends['point']}|{ends['through']}" else {"name": rail.name}
        yield from ("", "[[rails]]", *_pairs(ends | name))
    for plane in m.planes:
        ends = {"point": point_name(plane.point), "through": point_name(plane.through), "normal": plane.normal}
        name = {} if plane.name == f"{ends['point']}/{ends['through']}" else {"name": plane.name}
        yield from ("", "[[planes]]", *_pairs(ends | name))
    for incline in m.inclines:
        name = {"name": incline.name} if incline.name else {}
        sides = {"a": _direction(incline.a), "b": _direction(incline.b)}
        yield from ("", "[[inclines]]", *_pairs(sides | _given(incline, cosine=ZERO) | name))
    for lines in m.coplanars:
        name = {} if lines.name == f"{point_name(lines.a)}#{point_name(lines.b)}" else {"name": lines.name}
        sides = {"between": _ends(lines.a, lines.b), "u": _direction(lines.u), "v": _direction(lines.v)}
        yield from ("", "[[coplanars]]", *_pairs(sides | name))
    for coupling in m.couplings:
        name = {} if coupling.name == "~".join(n for n, _ in coupling.terms) else {"name": coupling.name}
        given = {"sum": dict(coupling.terms)} | _given(coupling, equals=ZERO)
        yield from ("", "[[couplings]]", *_pairs(given | name))
    for spring in m.springs:
        yield from (
            "",
            "[[springs]]",
            *_pairs(_acted(spring, m) | _given(spring, stiffness=None, rest=ZERO, preload=ZERO)),
        )
    for damper in m.dampers:
        yield from ("", "[[dampers]]", *_pairs(_acted(damper, m) | _given(damper, damping=None)))
    for friction in m.frictions:
        numbers = _stated(friction, coulomb=ZERO, static=None, stribeck=None, viscous=ZERO, width=None)
        yield from ("", "[[frictions]]", *_pairs(_acted(friction, m) | numbers))
    for stop in m.stops:
        numbers = _stated(stop, low=None, high=None, stiffness=None, loss=ZERO, restitution=None)
        yield from ("", "[[stops]]", *_pairs(_acted(stop, m) | numbers))
    yield from _motors(m.motors)
    for angle in m.readouts:
        yield from ("", "[[readouts]]", *_pairs(_angle(angle)))


def _traced(m: Mechanism) -> Pin | None:
    """The pin that makes a carried point the output, where the description said that it is."""
    output = m.output
    if not isinstance(output, Free) or output.name != TRACER or output.near or not is_number(output.mass, 0.0):
        return None
    held = [pin for pin in m.pins if pin.b is output]
    return held[0] if len(held) == 1 and isinstance(held[0].a, Carried) else None


def _point(p: Point) -> dict[str, Any]:
    if isinstance(p, Fixed):
        return {"fixed": p.at}
    if isinstance(p, Free):
        flat = {} if p.dimension == 2 else {"dimension": p.dimension}
        return {"free": True} | _given(p, mass=ZERO) | flat | _near(p)
    assert isinstance(p, Carried)
    return {"on": p.by.name, "at": p.at}


def _solid(body: Body, points: list[Carried], m: Mechanism) -> Lines:
    yield from ("", f"[bodies.{body.name}]  # in the body's frame; inertia about the centre [kg m^2]")
    still = vector((0, 0, 0))
    yield from _pairs(_given(body, mass=ZERO, centre=still, inertia=still) | _near(body))
    joint = body.joint
    if joint is not None:
        carrier = {} if joint.by is None else {"on": joint.by.name}
        usual = {"axis": vector((0, 0, 1))} if isinstance(joint, Turn | Slide) else {}
        given = _given(joint, at=still, **usual) | ({} if joint.axes is None else {"axes": joint.axes})
        if isinstance(joint, Turn | Slide):
            given |= _limits(joint) | _given(joint, rotor=ZERO, stiffness=ZERO, rest=ZERO, damping=ZERO)
        yield from _pairs({"joint": {type(joint).__name__.lower(): joint.name} | carrier | given})
    if points:
        yield from _pairs({"points": {p.name: p.at for p in points}})


def _direction(d: Direction) -> Any:
    return d.along if d.by is None else {"on": d.by.name, "along": d.along}


def _near(body: Free | Plate | Body) -> dict[str, Any]:
    return {} if body.near is None else {"near": body.near}


def _drive(d: Drive, m: Mechanism) -> dict[str, Any]:
    if isinstance(d, Turn | Slide):
        return {"joint": next(body.name for body in m.solids if body.joint is d)}
    if isinstance(d, Telescope):
        ends = {"base": point_name(d.base), "tip": point_name(d.tip)}
        return {"telescope": ends} | _given(d, **dict.fromkeys(BODIES, ZERO)) | _limits(d)
    name = {"point": d.point} if d.point else {}
    if isinstance(d, Slider):
        return {"slider": {"at": d.at, "along": d.along}} | _given(d, mass=ZERO) | name | _limits(d)
    arm = {"about": d.about, "radius": d.radius} | _given(d, plane=(vector((1, 0)), vector((0, 1))))
    usual = Crank(d.name, d.about, d.radius, d.mass)
    return {"crank": arm} | _given(d, mass=ZERO, centre=usual.centre, inertia=usual.inertia) | name | _limits(d)


def _limits(joint: Drive | Angle) -> dict[str, Any]:
    return {} if joint.limits is None else {"limits": joint.limits}


def _bar(bar: Bar) -> dict[str, Any]:
    usual = Bar(bar.a, bar.b, bar.length, bar.mass)
    name = {} if bar.name == usual.name else {"name": bar.name}
    numbers = _given(bar, length=None, mass=ZERO, centre=usual.centre, inertia=usual.inertia)
    return {"between": _ends(bar.a, bar.b)} | numbers | name


def _acted(e: Acts, m: Mechanism) -> dict[str, Any]:
    if not isinstance(e.between, tuple):
        kind = "angle" if isinstance(e.between, Angle) else "drive" if e.between in m.drives else "joint"
        return {kind: e.between.name} | ({} if e.name == e.between.name else {"name": e.name})
    ends = _ends(*e.between)
    return {"between": ends} | ({} if e.name == "-".join(ends) else {"name": e.name})


def _motors(motors: tuple[Motor, ...]) -> Lines:
    for motor in motors:
        yield from ("", "[[motors]]  # resistance [ohm], kt [N m/A], kv [V s/rad], rotor's inertia [kg m^2]")
        usual = {"resistance": None, "kt": None, "kv": None, "ratio": ONE, "inertia": ZERO, "efficiency": ONE}
        limited = _stated(motor, inductance=ZERO, **dict.fromkeys(LIMITED))
        yield from _pairs({"drive": motor.drive} | _given(motor, **usual) | limited)


def _angle(angle: Angle) -> dict[str, Any]:
    arm = {} if angle.relative_to is None else {"relative_to": angle.relative_to.name}
    return {"name": angle.name, "angle": _ends(angle.tail, angle.tip)} | arm | _limits(angle)


def _ends(a: Point, b: Point) -> list[str]:
    return [point_name(a), point_name(b)]


def _given(element: Element, **usual: Any) -> dict[str, Any]:
    """The attributes that are not what they would be anyway."""
    found = {name: getattr(element, name) for name in usual}
    return {name: v for name, v in found.items() if usual[name] is None or _shape(v) != _shape(usual[name])}


def _stated(element: Element, **usual: Any) -> dict[str, Any]:
    """The attributes that are there, and not what they would be anyway."""
    return _given(element, **{name: value for name, value in usual.items() if getattr(element, name) is not None})


def _shape(value: Any) -> Any:
    return tuple(map(_shape, value)) if isinstance(value, tuple) else digest([value])


# Equations ---------------------------------------------------------------------------------------


def _equations(e: Equations) -> Lines:
    yield from ("", "[equations]  # energies in J; NAME_dot is a coordinate's rate")
    yield from _pairs({"q": {c.name: c.unit for c in e.q}} | ({"x": {c.name: c.unit for c in e.x}} if e.x else {}))
    yield f"driven = {toml(list(e.driven))}"
    yield from _pairs({"kinetic": e.kinetic, "potential": e.potential, "dissipation": e.dissipation})
    if e.linkage:
        yield "linkage = true"
    if e.output:
        yield f"output = {toml(list(e.output))}"
    if e.lines:
        yield f"lines = {toml([list(line) for line in e.lines])}"
    if e.points:
        yield from ("", "[equations.points]  # [m], for drawing", *_pairs(dict(e.points)))
    for closure in e.closures:
        numbers = {"name": closure.name, "residual": closure.residual, "length": closure.length}
        yield from ("", "[[equations.closures]]", *_pairs(numbers))
    for readout in e.readouts:
        numbers = {"name": readout.name, "unit": readout.unit, "value": readout.value}
        yield from ("", "[[equations.readouts]]", *_pairs(numbers))
    yield from _motors(e.motors)


# TOML --------------------------------------------------------------------------------------------


def _pairs(items: Mapping[str, Any]) -> Lines:
    for key, value in items.items():
        line = f"{key} = {toml(value)}"
        if isinstance(value, Expr) and len(line) > WIDTH:
            body = textwrap.wrap(
                text(value), WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False
            )
            line = "\n".join([f'{key} = """', *body, '"""'])
        yield line


def toml(value: Any) -> str:
    """A value as TOML writes it; expressions are numbers or quoted formulas."""
    match value:
        case Number():
            return number_text(value.value)
        case Expr():
            return quoted(text(value))
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return quoted(value)
        case dict():
            return "{ " + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + " }"
    return "[" + ", ".join(map(toml, value)) + "]"


def quoted(value: str) -> str:
    """A TOML string; one of several lines keeps them."""
    lines = [json.dumps(line, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f") for line in value.split("\n")]
    if len(lines) == 1:
        return f'"{lines[0]}"'
    return '"""\n' + "\n".join(lines) + '"""'
