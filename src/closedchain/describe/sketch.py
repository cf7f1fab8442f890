"""Points, plates and drives of a file, by name, each remembering the place where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from closedchain.describe.checks import BadMechanism, element_place
from closedchain.describe.elements import (
    Bar,
    Body,
    Carried,
    Crank,
    Drive,
    Element,
    Fixed,
    Free,
    Limits,
    Plate,
    Point,
    Slide,
    Slider,
    Telescope,
    Turn,
    point_name,
)
from closedchain.describe.equations import BadEquations
from closedchain.describe.expressions import ZERO
from closedchain.describe.tables import (
    Problem,
    Table,
    check_list,
    check_name,
    check_scalar,
    check_vector,
    relocate,
    suggest,
)
from closedchain.describe.vectors import Vector

E = TypeVar("E", bound=Element)
BODIES = ("base_mass", "base_centre", "base_inertia", "tip_mass", "tip_centre", "tip_inertia")


@dataclass
class Sketch:
    """What has been read so far, by name, and where each thing stands in the file."""

    points: dict[str, Point] = field(default_factory=dict)
    plates: dict[str, Plate] = field(default_factory=dict)
    solids: dict[str, Body] = field(default_factory=dict)
    drives: dict[str, Drive] = field(default_factory=dict)
    pivots: set[str] = field(default_factory=set)  # fixed points that a crank turns about
    taken: dict[str, str] = field(default_factory=dict)  # name of a point or plate → place
    places: dict[str, str] = field(default_factory=dict)  # element, as a BadMechanism calls it → place

    def keep(self, element: E, place: str, **parts: str) -> E:
        """Remember where an element and its parts stand."""
        called = element_place(element)
        self.places[called] = self.places[getattr(element, "name", called)] = place
        self.places |= {f"{called}.{part}": where for part, where in parts.items()}
        return element

    def claim(self, name: str, place: str) -> str:
        """A name for a point or plate that nothing else has."""
        if name in self.taken:
            raise Problem(place, f"the name {name!r} is taken by {self.taken[name]}; rename one of them")
        self.taken[name] = place
        return check_name(name, place)

    def point(self, name: str, place: str) -> Point:
        if name not in self.points:
            raise Problem(place, f"no point {name!r:.40}; {suggest(name, self.points)}")
        return self.points[name]

    @property
    def on_solids(self) -> list[Carried]:
        """The points of bodies of space."""
        return [p for p in self.points.values() if isinstance(p, Carried) and isinstance(p.by, Body)]

    def solid(self, name: str, place: str) -> Body:
        if name not in self.solids:
            raise Problem(place, f"no body {name!r:.40}; {suggest(name, self.solids)}")
        return self.solids[name]

    def drive(self, name: str, place: str) -> Drive:
        if name not in self.drives:
            raise Problem(place, f"no drive {name!r:.40}; {suggest(name, self.drives)}")
        return self.drives[name]

    def ends(self, table: Table, key: str) -> tuple[Point, Point]:
        a, b = table.pair(key)
        return self.point(a, f"{table.at(key)}[0]"), self.point(b, f"{table.at(key)}[1]")

    def translate(self, error: BadMechanism | BadEquations) -> Problem:
        """The same complaint, at the file's place."""
        return Problem(relocate(error.where, self.places), error.problem)


def read_points(root: Table, sketch: Sketch) -> None:
    """Fixed and free points, plates, then the points that those carry."""
    carried: list[tuple[str, Table]] = []
    for name, table in root.named("points"):
        sketch.claim(name, table.place)
        match table.one_of("fixed", "free", "on"):
            case "fixed":
                table.only("fixed")
                point = Fixed(name, table.vector("fixed"))
                sketch.points[name] = sketch.keep(point, table.place, at=table.at("fixed"))
            case "free":
                sketch.points[name] = sketch.keep(_read_free(name, table), table.place)
            case _:
                carried.append((name, table.only("on", "at")))
    for name, table in root.named("plates"):
        sketch.claim(name, table.place)
        table.only("mass", "centre", "inertia", "near", "points")
        centre = table.vector("centre") if "centre" in table else (ZERO, ZERO)
        plate = Plate(name, centre=centre, near=_near(table), **table.scalars("mass", "inertia"))
        sketch.plates[name] = sketch.keep(plate, table.place)
        points = table.table("points")
        for point_, at in points.items.items():
            carry(point_, plate, check_vector(at, points.at(point_), points.names or {}), points.at(point_), sketch)
    for name, table in carried:
        on = table.text("on")
        bodies = {n: b for n, b in (sketch.points | sketch.plates).items() if isinstance(b, Free | Plate)}
        if on not in bodies:
            raise Problem(table.at("on"), f"no free point or plate {on!r:.40}; {suggest(on, bodies)}")
        del sketch.taken[name]
        carry(name, bodies[on], table.vector("at"), table.place, sketch)


def _read_free(name: str, table: Table) -> Free:
    table.only("free", "mass", "dimension", "near")
    if table.items["free"] is not True:
        raise Problem(table.at("free"), "write free = true, or fixed = [x, y] for a point of the ground")
    dimension = table.items.get("dimension", 2)
    if isinstance(dimension, bool) or dimension not in (2, 3):
        raise Problem(table.at("dimension"), "is 2 (the plane) or 3 (space)")
    return Free(name, dimension=int(dimension), near=_near(table), **table.scalars("mass"))


def _near(table: Table) -> Vector | None:
    return table.vector("near") if "near" in table else None


def carry(name: str, by: Plate | Body | Free | Bar, at: Vector, place: str, sketch: Sketch) -> None:
    """A point that moves with a body."""
    point = Carried(sketch.claim(name, place), by, at)
    sketch.points[name] = sketch.keep(point, place)


def read_drives(root: Table, sketch: Sketch) -> None:
    """Sliders and cranks with their points, then telescopes; in the file's order."""
    tables = root.named("drives")
    for name, table in tables:  # first those that carry points, for telescopes to reach
        check_name(name, table.place)
        kind = table.one_of("slider", "crank", "telescope", "joint")
        if kind == "joint":
            sketch.drives[name] = _read_joint_drive(name, table, sketch)
        elif kind != "telescope":
            drive = _read_slider(name, table, sketch) if "slider" in table else _read_crank(name, table, sketch)
            sketch.drives[name] = drive
            called = table.at("point") if "point" in table else table.place
            sketch.points[sketch.claim(point_name(drive), called)] = drive
    for name, table in tables:
        if "telescope" in table:
            sketch.drives[name] = _read_telescope(name, table, sketch)
    sketch.drives = {name: sketch.drives[name] for name, _ in tables}


def _read_joint_drive(name: str, table: Table, sketch: Sketch) -> Turn | Slide:
    """The joint of a body that a drive of this name moves: `q1 = { joint = "arm" }`."""
    body = sketch.solid(table.only("joint").text("joint"), table.at("joint"))
    if not isinstance(body.joint, Turn | Slide):
        raise Problem(table.at("joint"), f"body {body.name} stands on no joint that turns or slides; give it one")
    if body.joint.name != name:
        raise Problem(table.place, f"the joint of {body.name} is called {body.joint.name!r}; call the drive so")
    return body.joint


def _read_slider(name: str, table: Table, sketch: Sketch) -> Slider:
    line = table.only("slider", "mass", "point", "limits").table("slider").only("at", "along")
    slider = Slider(
        name,
        line.vector("at"),
        line.vector("along"),
        point=table.name("point", ""),
        limits=read_limits(table),
        **table.scalars("mass"),
    )
    return sketch.keep(slider, table.place, at=line.at("at"), along=line.at("along"))


def _read_crank(name: str, table: Table, sketch: Sketch) -> Crank:
    table.only("crank", "mass", "centre", "inertia", "point", "limits")
    arm = table.table("crank").only("about", "radius", "plane")
    crank = Crank(
        name,
        about=_read_pivot(arm, sketch),
        radius=arm.scalar("radius"),
        plane=_read_plane(arm) if "plane" in arm else None,
        point=table.name("point", ""),
        limits=read_limits(table),
        **table.scalars("mass", "centre", "inertia"),
    )
    return sketch.keep(crank, table.place, about=arm.at("about"), radius=arm.at("radius"), plane=arm.at("plane"))


def _read_pivot(arm: Table, sketch: Sketch) -> Vector:
    about = arm.need("about")
    if not isinstance(about, str):
        return arm.vector("about")
    fixed = {n: p for n, p in sketch.points.items() if isinstance(p, Fixed)}
    if about not in fixed:
        raise Problem(arm.at("about"), f"no fixed point {about!r:.40}; {suggest(about, fixed)}")
    sketch.pivots.add(about)
    return fixed[about].at


def _read_plane(arm: Table) -> tuple[Vector, Vector]:
    place = arm.at("plane")
    rows = check_list(arm.items["plane"], place, "write two directions, [[1, 0, 0], [0, 0, 1]]")
    if len(rows) != 2:
        raise Problem(place, f"two directions are needed, found {len(rows)}; write [[1, 0, 0], [0, 0, 1]]")
    e1, e2 = (check_vector(row, f"{place}[{i}]", arm.names or {}) for i, row in enumerate(rows))
    return e1, e2


def _read_telescope(name: str, table: Table, sketch: Sketch) -> Telescope:
    ends = table.only("telescope", *BODIES, "limits").table("telescope").only("base", "tip")
    base, tip = (sketch.point(ends.text(end), ends.at(end)) for end in ("base", "tip"))
    return sketch.keep(Telescope(name, base, tip, limits=read_limits(table), **table.scalars(*BODIES)), table.place)


def read_limits(table: Table) -> Limits | None:
    """The lowest and the highest value of a joint, if the file has them."""
    if "limits" not in table:
        return None
    place = table.at("limits")
    rows = check_list(table.items["limits"], place, "write [lowest, highest]")
    if len(rows) != 2:
        raise Problem(place, f"two numbers are needed, found {len(rows)}; write [lowest, highest]")
    low, high = (check_scalar(v, f"{place}[{i}]", table.names or {}) for i, v in enumerate(rows))
    return low, high
