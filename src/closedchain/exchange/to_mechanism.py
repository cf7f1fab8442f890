"""Tree → Mechanism with numbers for parameters: of the plane in its vocabulary, else as bodies of space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.checks import BadMechanism
from closedchain.describe.elements import (
    Angle,
    Bar,
    Carried,
    Crank,
    Damper,
    Drive,
    Fixed,
    Free,
    Pin,
    Plate,
    Point,
    Rail,
    Spring,
    Telescope,
)
from closedchain.describe.expressions import expr
from closedchain.describe.mechanism import Mechanism
from closedchain.exchange.assembly import ENOUGH
from closedchain.exchange.clusters import recognise
from closedchain.exchange.coupling import couplings
from closedchain.exchange.driving import STILL, acting, grounded, led, telescope
from closedchain.exchange.naming import clean
from closedchain.exchange.planar import Connection, Link, NotOurs, flatten, snapped, turned
from closedchain.exchange.rotors import add_rotors
from closedchain.exchange.sketching import Sketch, numbers
from closedchain.exchange.spatial import in_space
from closedchain.exchange.tree import Tree

AXES = "xyz"


@dataclass(frozen=True, eq=False)
class Translation:
    """A mechanism made of a tree, and what was lost or changed on the way."""

    mechanism: Mechanism
    notes: tuple[str, ...]


def to_mechanism(tree: Tree, output: str = "") -> Translation:
    """The tree in our vocabulary; raises NotOurs, which says why, where there are no words for it.

    Where the closures are fewer or more than the bodies need, or nothing is driven, it is a linkage.
    """
    if output:
        tree.place(output)
    wanted = output or tree.output
    for linkage in (False, True):
        try:
            return _translate(tree, wanted, linkage=linkage or not tree.drives)
        except BadMechanism:
            continue
        except NotOurs:
            break
    try:
        return Translation(*in_space(tree, wanted))
    except BadMechanism as error:
        raise NotOurs(f"as bodies of space it is no mechanism of ours: {error}") from None


def _translate(tree: Tree, output: str, linkage: bool) -> Translation:
    sketch = Sketch(recognise(flatten(tree), output), output)
    _say(sketch)
    add_rotors(sketch)
    sketch.concentrate()
    sketch.name_places()
    drives, pins, rails = _drives(sketch)
    springs, dampers = _acting(sketch, drives)
    moved = _output(sketch)
    acted = [s.between for s in springs] + [d.between for d in dampers]
    mechanism = Mechanism(
        clean(tree.name, set()),
        drives=tuple(drives.values()),
        output=moved,
        bars=tuple(_bars(sketch)),
        pins=(*_pins(sketch), *pins),
        rails=(*_rails(sketch), *rails),
        couplings=tuple(couplings(sketch, drives, moved)),
        springs=tuple(springs),
        dampers=tuple(dampers),
        readouts=tuple(dict.fromkeys(between for between in acted if isinstance(between, Angle))),
        gravity=numbers(sketch.plane.gravity) if np.abs(sketch.plane.gravity).max() > STILL else None,
        about=tree.about,
        linkage=linkage,
    )
    return Translation(mechanism, (*sketch.notes, *([_linked(mechanism)] if linkage else [])))


def _drives(sketch: Sketch) -> tuple[dict[str, Drive], list[Pin], list[Rail]]:
    """The drives in the order of q, and what ties those to their plates that lead one; the bodies on the way."""
    driven, ground = sketch.roles.drives, sketch.plane.links[0]
    own = {name: c for name, c in driven.items() if ground in (c.a, c.b) and name not in sketch.roles.led}
    made: dict[str, Drive] = {name: grounded(sketch, name, c) for name, c in own.items()}
    sketch.make_bodies()
    leads = {name: led(sketch, name, driven[name]) for name in sketch.roles.led}
    made |= {name: drive for name, (drive, _, _) in leads.items()}
    made |= {name: telescope(sketch, name, c) for name, c in driven.items() if name not in made}
    ties = list(leads.values())
    return {name: made[name] for name in driven}, [pin for _, pin, _ in ties], [rail for _, _, rail in ties]


def _linked(m: Mechanism) -> str:
    telescopes = sum(isinstance(d, Telescope) for d in m.drives)
    closures = len(m.bars) + 2 * len(m.pins) + len(m.rails) + telescopes + len(m.couplings)
    unknowns = sum(3 if isinstance(b, Plate) else 2 for b in m.bodies)
    return f"it is a linkage: {closures} closures hold {unknowns} coordinates, {len(m.drives)} are driven"


def _say(sketch: Sketch) -> None:
    """What is to be known about where the mechanism comes from."""
    sketch.notes += sketch.roles.notes
    if sketch.output and sketch.output not in sketch.plane.places:
        sketch.notes.append(f"the file's output {sketch.output!r:.40} is not there; another is chosen")
    if sketch.plane.gap > ENOUGH:
        sketch.notes.append(f"as written the loops cannot be closed better than to {sketch.plane.gap:.1e} m")
    basis = [sketch.plane.e1, sketch.plane.e2]
    if not np.allclose(basis, np.eye(3)[:2], atol=1e-12):
        said = (" ".join(f"{c:+.3g} {a}" for c, a in zip(e, AXES, strict=True) if abs(c) > 1e-9) for e in basis)
        sketch.notes.append("x and y of the plane are {} and {} of the file's world".format(*said))


# Closures ----------------------------------------------------------------------------------------


def _bars(sketch: Sketch) -> list[Bar]:
    found = []
    for link in sketch.plane.links:
        if sketch.role(link) == "bar":
            a, b = sketch.roles.places_of(link)
            reach = float(np.linalg.norm(b.at - a.at))
            centre = float((link.centre - a.at) @ (b.at - a.at)) / reach if link.mass else reach / 2
            ends = sketch.points[a], sketch.points[b]
            found.append(Bar(*ends, expr(reach), expr(link.mass), expr(centre), expr(link.inertia), name=link.name))
    for c in sketch.plane.connections:
        if c.kind == "distance":
            reach = float(np.linalg.norm(c.along - c.at))
            found.append(Bar(sketch.on(c.a, c.at), sketch.on(c.b, c.along), expr(reach), name=c.name))
    return found


def _pins(sketch: Sketch) -> list[Pin]:
    """Whatever else owns a point of a place is pinned to the one that stands for it."""
    found = []
    for place in sketch.roles.places:
        main = sketch.points[place]
        for link in place.links:
            point = sketch.owned.get((place, link))
            if point is not None and point is not main and not (isinstance(main, Fixed) and isinstance(point, Crank)):
                found.append(Pin(main, point))
    return found


def _rails(sketch: Sketch) -> list[Rail]:
    found = []
    for slide in sketch.roles.slides:
        for link, holder in ((slide.b, slide.a), (slide.a, slide.b)):
            body = sketch.bodies.get(link)
            if sketch.role(link) == "block":
                place = sketch.roles.places_of(link)[0]
                found.append(_rail(sketch, slide, sketch.points[place], holder, place.at))
                break
            if isinstance(body, Free):
                found.append(_rail(sketch, slide, body, holder, sketch.origins[link]))
                break
    found += [_rail(sketch, c, sketch.on(c.b, c.at), c.a, c.at) for c in sketch.plane.connections if c.kind == "line"]
    return found


def _rail(sketch: Sketch, slide: Connection, point: Point, holder: Link, at: Doubles) -> Rail:
    through = sketch.on(holder, at)
    plate = isinstance(sketch.bodies.get(holder), Plate)
    along = turned(slide.along, -sketch.frame_of(holder)[1]) if plate else slide.along
    return Rail(point, through, numbers(snapped(along)), name=clean(slide.name, sketch.names).removesuffix("_slide"))


# What acts ---------------------------------------------------------------------------------------


def _acting(sketch: Sketch, drives: dict[str, Drive]) -> tuple[list[Spring], list[Damper]]:
    springs: list[Spring] = []
    dampers: list[Damper] = []
    for connection in sketch.plane.connections:
        joint = connection.joint
        if joint is not None and (joint.stiffness or joint.damping):
            drive = drives.get(connection.name)
            more = acting(sketch, connection, drive) if drive else _on_angle(sketch, connection)
            springs += more[0]
            dampers += more[1]
    for link in sketch.tree.links:
        places = [sketch.plane.places.get(frame.name) for frame in (link.a, link.b)]
        if places[0] is None or places[1] is None:
            sketch.notes.append(f"the spring {link.name} ends at a place without a name; it is left out")
            continue
        ends = sketch.on(places[0][0], places[0][1]), sketch.on(places[1][0], places[1][1])
        springs += [Spring(ends, expr(link.stiffness), expr(link.rest), name=link.name)] if link.stiffness else []
        dampers += [Damper(ends, expr(link.damping), name=link.name)] if link.damping else []
    return springs, dampers


def _on_angle(sketch: Sketch, connection: Connection) -> tuple[list[Spring], list[Damper]]:
    """A spring or damper on a passive hinge: on the direction of a bar, seen from the ground or from a crank's arm."""
    joint = connection.joint
    assert joint is not None
    for link, other, way in ((connection.b, connection.a, 1.0), (connection.a, connection.b, -1.0)):
        arm = next((p for (_, k), p in sketch.owned.items() if k is other and isinstance(p, Crank)), None)
        places = sketch.roles.places_of(link)
        hinge = next((p for p in places if sketch.plane.near(p.at, connection.at)), None)
        tip = next((p for p in places if p is not hinge), None)
        seen = sketch.role(other) == "ground" or arm is not None
        if connection.kind == "pin" and sketch.role(link) in ("bar", "plate") and seen and hinge and tip:
            angle = Angle(clean(joint.name, sketch.names), sketch.points[hinge], sketch.points[tip], arm)
            now = _seen(sketch, tip.at - hinge.at, arm)
            rest = now + way * connection.sign * (joint.rest - connection.coordinate)
            springs = [Spring(angle, expr(joint.stiffness), expr(rest))] if joint.stiffness else []
            return springs, [Damper(angle, expr(joint.damping))] if joint.damping else []
    sketch.notes.append(f"the spring or damper on the undriven joint {joint.name} is left out")
    return [], []


def _seen(sketch: Sketch, along: Doubles, arm: Crank | None) -> float:
    """The direction of a bar now, from the x axis or from a crank's arm [rad]."""
    angle = float(np.arctan2(along[1], along[0]))
    if arm is None:
        return angle
    place, link = next(key for key, p in sketch.owned.items() if p is arm)
    pivot = next(c.at for c in sketch.roles.drives.values() if link in (c.a, c.b))
    base = place.at - pivot
    return float((angle - np.arctan2(base[1], base[0]) + np.pi) % (2 * np.pi) - np.pi)


def _output(sketch: Sketch) -> Free | Plate:
    """What was asked for, else the plate or free point at which most meets."""
    plates = [link for link, body in sketch.bodies.items() if isinstance(body, Plate)]
    if sketch.output in sketch.plane.places:
        link, at, _ = sketch.plane.places[sketch.output]
        if link in sketch.bodies:
            return sketch.bodies[link]
        here = (p for p in sketch.roles.places if link in p.links and sketch.plane.near(p.at, at))
        point = next((sketch.points[p] for p in here), None)
        if isinstance(point, Free):
            return point
        if isinstance(point, Carried) and isinstance(point.by, Free | Plate):
            return point.by
        raise NotOurs(f"{sketch.output} is neither a plate nor a free point, and only those can be the output")
    if plates:
        return sketch.bodies[max(plates, key=lambda link: len(sketch.roles.places_of(link)))]
    free = [(len(p.links), point) for p, point in sketch.points.items() if isinstance(point, Free)]
    free += [(0, body) for body in sketch.bodies.values() if isinstance(body, Free)]
    if not free:
        raise NotOurs("no plate and no free point is there to be the output")
    return max(free, key=lambda pair: pair[0])[1]
