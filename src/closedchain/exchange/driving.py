"""Driven connections of the plane as sliders, cranks and telescopes, with the springs and dampers on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from closedchain.describe.elements import (
    Crank,
    Damper,
    Drive,
    Fixed,
    Pin,
    Plate,
    Rail,
    Slider,
    Spring,
    Telescope,
)
from closedchain.describe.expressions import expr
from closedchain.exchange.clusters import Place
from closedchain.exchange.naming import clean
from closedchain.exchange.planar import Connection, Link, NotOurs, cross, snapped, turned
from closedchain.exchange.sketching import Sketch, numbers

BESIDE = 1e-9  # of the size: what is nearer to a line is on it
STILL = 1e-12  # [m/s²] gravity that is none


def grounded(sketch: Sketch, name: str, drive: Connection) -> Slider | Crank:
    """The slider or crank of a drive on the ground; its point is the one further hinge of what it moves."""
    link = drive.b if drive.a is sketch.plane.links[0] else drive.a
    way = 1.0 if drive.b is link else -1.0
    called = clean(name, sketch.names)
    places = sketch.roles.places_of(link)
    place = next(p for p in places if drive.kind == "slide" or not sketch.plane.near(p.at, drive.at))
    point = sketch.claim(place)
    point = point if point != called else ""
    make = _slider if drive.kind == "slide" else _crank
    made = make(sketch, called, point, drive, link, place, way)
    sketch.owned[place, link] = made
    return made


def _slider(sketch: Sketch, called: str, point: str, drive: Connection, link: Link, place: Place, way: float) -> Slider:
    along = snapped(way * drive.along)
    rotor = drive.joint.armature if drive.joint else 0.0
    if rotor and abs(float(along @ sketch.plane.gravity)) > STILL:
        sketch.notes.append(f"the rotor on {called}, {rotor:.3g} kg, is left out: as a mass it would have weight")
        rotor = 0.0
    at = numbers(place.at - drive.coordinate * along)
    return Slider(called, at, numbers(along), mass=expr(link.mass + rotor), point=point)


def _crank(sketch: Sketch, called: str, point: str, drive: Connection, link: Link, place: Place, way: float) -> Crank:
    """Its angle counts as the file's joint does: e1 is where the arm points at the joint's zero."""
    arm = place.at - drive.at
    radius = float(np.linalg.norm(arm))
    d, sense = arm / radius, way * drive.sign
    e1 = snapped(turned(d, -sense * drive.coordinate))
    e2 = snapped(sense * np.array([-e1[1], e1[0]]))
    centre = link.centre - drive.at
    reach, off = float(centre @ d), cross(d, centre)
    if link.mass and abs(off) > BESIDE * sketch.plane.size:  # only without gravity
        sketch.notes.append(f"the centre of {link.name}, {off:.3g} m beside its arm, is taken on it at its distance")
        reach = float(np.hypot(reach, off))
    plain = np.array_equal(e1, [1.0, 0.0]) and np.array_equal(e2, [0.0, 1.0])
    return Crank(
        called,
        about=numbers(drive.at),
        radius=expr(radius),
        mass=expr(link.mass),
        centre=expr(reach if link.mass else 0.0),
        inertia=expr(link.inertia + (drive.joint.armature if drive.joint else 0.0)),
        plane=None if plain else (numbers(e1), numbers(e2)),
        point=point,
    )


def led(sketch: Sketch, name: str, drive: Connection) -> tuple[Slider | Crank, Pin, Rail]:
    """A massless drive that leads a plate: pinned to one of its points, with a rail that keeps it from turning."""
    link = drive.b if drive.a is sketch.plane.links[0] else drive.a
    way = 1.0 if drive.b is link else -1.0
    place, called = sketch.roles.led[name], clean(name, sketch.names)
    hinge, plate = sketch.owned[place, link], sketch.bodies[link]
    assert isinstance(plate, Plate)
    point, ghost = clean(f"{called}_tip", sketch.names), replace(link, mass=0.0, inertia=0.0)
    make = _slider if drive.kind == "slide" else _crank
    made = make(sketch, called, point, drive, ghost, place, way)
    if drive.kind == "pin":
        angle = sketch.frame_of(link)[1]
        arm = turned(place.at - drive.at, -angle)
        pivot = Fixed(clean(f"{called}_pivot", sketch.names), numbers(drive.at))
        rail = Rail(pivot, hinge, numbers(snapped(arm / np.linalg.norm(arm))), name=f"{called}_lead")
    else:
        ahead = sketch.on(link, place.at + sketch.plane.size * drive.along)
        start = Fixed(clean(f"{called}_line", sketch.names), numbers(place.at))
        rail = Rail(ahead, start, numbers(snapped(way * drive.along)), name=f"{called}_lead")
    return made, Pin(made, hinge), rail


def telescope(sketch: Sketch, name: str, drive: Connection) -> Telescope:
    """A driven slide between two hinges; its coordinate is their distance."""
    called = clean(name, sketch.names)
    start, end = (sketch.roles.places_of(link)[0] for link in (drive.a, drive.b))
    reach = float(np.linalg.norm(end.at - start.at))
    u = (end.at - start.at) / reach
    way = 1.0 if drive.along @ u > 0 else -1.0
    if way < 0 or abs(reach - drive.coordinate) > BESIDE * sketch.plane.size:
        offset, sign = reach - way * drive.coordinate, "+" if way > 0 else "−"
        sketch.notes.append(f"{called} is the leg's length: {offset:.9g} m {sign} the file's {name}")
    given: dict[str, Any] = {}
    for part, link, place, sense in (("base", drive.a, start, 1.0), ("tip", drive.b, end, -1.0)):
        lever = link.centre - place.at
        if link.mass and abs(cross(u, lever)) > BESIDE * sketch.plane.size:
            raise NotOurs(f"the centre of {link.name} is beside the line of drive {name}; ours is on it")
        mine = {"mass": link.mass, "centre": sense * float(lever @ u) if link.mass else 0.0, "inertia": link.inertia}
        given |= {f"{part}_{key}": expr(value) for key, value in mine.items()}
    if drive.joint is not None and drive.joint.armature:
        sketch.notes.append(f"the rotor on {name}, {drive.joint.armature:.3g} kg, is left out")
    return Telescope(called, sketch.points[start], sketch.points[end], **given)


def acting(sketch: Sketch, connection: Connection, drive: Drive) -> tuple[list[Spring], list[Damper]]:
    """The spring and damper on a driven joint."""
    joint = connection.joint
    springs: list[Spring] = []
    dampers: list[Damper] = []
    if joint is not None and joint.stiffness:
        rest = joint.rest
        if isinstance(drive, Telescope):
            a, b = (sketch.roles.places_of(link)[0].at for link in (connection.a, connection.b))
            way = 1.0 if connection.along @ (b - a) > 0 else -1.0
            rest = float(np.linalg.norm(b - a)) + way * (rest - connection.coordinate)
        springs.append(Spring(drive, expr(joint.stiffness), expr(rest)))
    if joint is not None and joint.damping:
        dampers.append(Damper(drive, expr(joint.damping)))
    return springs, dampers
