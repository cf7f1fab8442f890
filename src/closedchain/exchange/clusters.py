"""Where links of the plane are pinned together, and what each link is in our vocabulary."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.planar import Connection, Link, NotOurs, Plane, cross

NEARLY = 1e-6  # of the size: a centre this near to the line of two hinges is taken on it


@dataclass(eq=False)
class Place:
    """A point at which links turn against each other."""

    at: Doubles  # (2,)
    links: list[Link] = field(default_factory=list)

    def add(self, link: Link) -> None:
        if link not in self.links:
            self.links.append(link)


@dataclass(eq=False)
class Roles:
    """What every link is: ground, slider, crank, base, rod, block, carrier, bar or plate; and where they meet."""

    plane: Plane
    places: list[Place] = field(default_factory=list)
    roles: dict[Link, str] = field(default_factory=dict)
    drives: dict[str, Connection] = field(default_factory=dict)
    led: dict[str, Place] = field(default_factory=dict)  # drives that lead a plate, by the place that they move
    slides: list[Connection] = field(default_factory=list)  # passive ones that are to be rails
    notes: list[str] = field(default_factory=list)

    def places_of(self, link: Link) -> list[Place]:
        return [place for place in self.places if link in place.links]


def recognise(plane: Plane, output: str = "") -> Roles:
    """Name every link; raises NotOurs for what has no word."""
    roles = Roles(plane, roles={plane.links[0]: "ground"})
    links = {c.name: c for c in plane.connections if c.joint is not None}
    roles.drives = {name: links[name] for name in plane.tree.drives if name in links}
    for name in plane.tree.drives:
        if name not in links:
            raise NotOurs(f"drive {name} is a joint that cannot move: both of its sides are one body")
    _drop_stiff(plane, roles)
    passive = _without_crossing(roles, [c for c in plane.connections if c.name not in roles.drives])
    _pin(roles, [c for c in (*roles.drives.values(), *passive) if c.kind == "pin"])
    _end_at_output(roles, output)
    for connection in roles.drives.values():
        _driven(roles, connection)
    roles.slides = [c for c in passive if c.kind == "slide"]
    for connection in roles.slides:
        _sliding(roles, connection)
    hinges = [c for c in plane.connections if c.kind == "pin" and c.name in coupled(plane)]
    turning = {link for c in hinges for link in (c.a, c.b)}  # whose angles count: a bar has none
    for link in plane.links:
        if link not in roles.roles and _held(roles, link, passive):
            roles.roles[link] = "bar" if link not in turning and _is_bar(roles, link, output) else "plate"
    _leave_an_output(roles)
    return roles


def _leave_an_output(roles: Roles) -> None:
    """Something must be free to be moved: where every bar hangs between drives, the first is taken as a plate."""
    firm = {link for link, role in roles.roles.items() if role in ("ground", "slider", "crank", "carrier", "plate")}
    if any(role in ("plate", "carrier") for role in roles.roles.values()):
        return
    if all(firm & set(place.links) for place in roles.places):
        bar = next((link for link, role in roles.roles.items() if role == "bar"), None)
        if bar is not None:
            roles.roles[bar] = "plate"


def _drop_stiff(plane: Plane, roles: Roles) -> None:
    for connection in plane.connections:
        if connection.a is connection.b:
            if connection.name in roles.drives:
                raise NotOurs(f"drive {connection.name} cannot move: a weld makes both of its sides one body")
            roles.notes.append(f"{connection.name} cannot move: both of its sides are one body")


def _without_crossing(roles: Roles, passive: list[Connection]) -> list[Connection]:
    """Two slides in a row over a massless link leave a body free to shift; as a carrier it needs neither."""
    left = [c for c in passive if c.a is not c.b]
    for link in roles.plane.links[1:]:
        mine = [c for c in left if link in (c.a, c.b)]
        two = len(mine) == 2 and all(c.kind == "slide" for c in mine)
        if two and not link.mass and abs(cross(mine[0].along, mine[1].along)) > 1e-6:
            ends = [c.b if c.a is link else c.a for c in mine]
            if roles.plane.links[0] not in ends:
                raise NotOurs(f"{link.name} slides both ways on a moving body; only on the ground is that ours")
            carrier = ends[0] if ends[1] is roles.plane.links[0] else ends[1]
            roles.roles[carrier], roles.roles[link] = "carrier", "nothing"
            left = [c for c in left if c not in mine]
    return left


def _pin(roles: Roles, pins: list[Connection]) -> None:
    """Pins that share a link and a place are one place."""
    for pin in pins:
        same = [p for p in roles.places if roles.plane.near(p.at, pin.at) and {pin.a, pin.b} & set(p.links)]
        place = same[0] if same else Place(pin.at)
        if not same:
            roles.places.append(place)
        for other in same[1:]:
            roles.places.remove(other)
            for link in other.links:
                place.add(link)
        place.add(pin.a)
        place.add(pin.b)


def _end_at_output(roles: Roles, output: str) -> None:
    """A body on one hinge that ends at the output is a bar: its free end is a place, too."""
    if output not in roles.plane.places:
        return
    link, at, _ = roles.plane.places[output]
    places = roles.places_of(link)
    slides = any(link in (c.a, c.b) for c in roles.plane.connections if c.kind != "pin")
    if link is roles.plane.links[0] or len(places) != 1 or slides or roles.plane.near(places[0].at, at):
        return
    along = at - places[0].at
    if abs(cross(along / np.linalg.norm(along), link.centre - places[0].at)) <= 1e-9 * roles.plane.size:
        roles.places.append(Place(at, [link]))


def _driven(roles: Roles, drive: Connection) -> None:
    ground = roles.plane.links[0]
    if ground in (drive.a, drive.b):
        link = drive.b if drive.a is ground else drive.a
        if link in roles.roles:
            raise NotOurs(f"{link.name} is moved by two drives, {drive.name} is the second; ours move one body each")
        hinges = [p for p in roles.places_of(link) if drive.kind == "slide" or not roles.plane.near(p.at, drive.at)]
        if not hinges and drive.name in coupled(roles.plane):
            hinges = [_far_end(roles, link, drive)]
        if not hinges:
            raise NotOurs(f"drive {drive.name} moves {link.name}, to which nothing else is hinged")
        if len(hinges) == 1 and (drive.kind == "slide" or _on_arm(roles, link, drive.at, hinges[0].at)):
            roles.roles[link] = "crank" if drive.kind == "pin" else "slider"
        else:
            _lead(roles, drive, link, hinges[0])
        return
    if drive.kind == "pin":
        raise NotOurs(
            f"drive {drive.name} turns {drive.b.name} against {drive.a.name}; ours turn about a point of the ground"
        )
    for link, role in ((drive.a, "base"), (drive.b, "rod")):
        if link in roles.roles or len(roles.places_of(link)) != 1:
            raise NotOurs(
                f"drive {drive.name} slides between {drive.a.name} and {drive.b.name}, not between two hinges"
            )
        roles.roles[link] = role
    a, b = (roles.places_of(link)[0].at for link in (drive.a, drive.b))
    off = abs(cross(drive.along, b - a))
    if off > 1e-8 * roles.plane.size:
        raise NotOurs(f"drive {drive.name} runs {off:.3g} m beside the line of its two hinges; ours runs along it")


def coupled(plane: Plane) -> set[str]:
    """The joints that follow others, or are followed."""
    relations = plane.tree.relations
    return {name for r in relations for name in (r.joint, *(other for other, _ in r.others))}


def _far_end(roles: Roles, link: Link, drive: Connection) -> Place:
    """A place on a body to which nothing is hinged: its centre, or beside the pivot where that is its centre."""
    here = link.mass and (drive.kind == "slide" or not roles.plane.near(link.centre, drive.at))
    place = Place(link.centre if here else drive.at + roles.plane.size * np.array([1.0, 0.0]), [link])
    roles.places.append(place)
    return place


def _on_arm(roles: Roles, link: Link, pivot: Doubles, tip: Doubles) -> bool:
    """Whether an arm's centre is on its line; without gravity its distance is all that counts."""
    d = (tip - pivot) / np.linalg.norm(tip - pivot)
    weightless = not link.mass or not roles.plane.gravity.any()
    return weightless or abs(cross(d, link.centre - pivot)) <= 1e-9 * roles.plane.size


def _lead(roles: Roles, drive: Connection, link: Link, place: Place) -> None:
    """A driven body with several hinges, or its centre beside its arm: a plate that a massless drive leads."""
    roles.roles[link], roles.led[drive.name] = "plate", place
    for pivot in [p for p in roles.places_of(link) if drive.kind == "pin" and roles.plane.near(p.at, drive.at)]:
        pivot.links.remove(link)
        if len(pivot.links) == 1:
            roles.places.remove(pivot)
    roles.notes.append(
        f"{link.name} is a plate that drive {drive.name} leads along a line; turned round by 180° it would fit, too"
    )


def _sliding(roles: Roles, slide: Connection) -> None:
    """A passive slide: a block on a rail, or a carriage that only shifts."""
    still = {link for link, role in roles.roles.items() if role in ("ground", "slider", "carrier")}
    for link, other in ((slide.b, slide.a), (slide.a, slide.b)):
        alone = sum(link in (c.a, c.b) for c in roles.slides) == 1
        if link not in roles.roles and alone and len(roles.places_of(link)) == 1:
            roles.roles[link] = "block"
            return
        if link not in roles.roles and other in still and roles.roles[other] == "ground":
            roles.roles[link] = "carrier"
            return
    raise NotOurs(
        f"{slide.name} slides between {slide.a.name} and {slide.b.name}, neither of which is a block with one hinge"
    )


def _held(roles: Roles, link: Link, passive: list[Connection]) -> bool:
    places = roles.places_of(link)
    others = [c for c in passive if c.kind in ("line", "distance") and link in (c.a, c.b)]
    if not places and not others and not any(link in (c.a, c.b) for c in roles.slides):
        roles.notes.append(f"{link.name} hangs on nothing that moves; it is left out")
        return False
    if len(places) == 1 and not link.mass and not link.inertia and not others:
        roles.notes.append(f"{link.name} has no mass and turns freely on one hinge; it is left out")
        return False
    return True


def _is_bar(roles: Roles, link: Link, asked: str) -> bool:
    """Two hinges, its centre on their line, and nothing slides on it."""
    places = roles.places_of(link)
    plain = ("slide", "line", "distance")
    if len(places) != 2 or any(link in (c.a, c.b) for c in roles.plane.connections if c.kind in plain):
        return False
    output = roles.plane.places.get(asked)
    if output is not None and output[0] is link and not any(roles.plane.near(p.at, output[1]) for p in places):
        return False
    a, b = (p.at for p in places)
    off = abs(cross((b - a) / np.linalg.norm(b - a), link.centre - a)) if link.mass else 0.0
    if 1e-9 * roles.plane.size < off <= NEARLY * roles.plane.size:
        roles.notes.append(f"the centre of {link.name}, {off:.1e} m beside the line of its hinges, is taken on it")
    return off <= NEARLY * roles.plane.size
