"""Masses of SDF's links: stated, by SDF's defaults, or worked out from their collision shapes (auto)."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.masses import Inertia, combined
from closedchain.exchange.reading import Notes
from closedchain.exchange.sdf_frames import Frames
from closedchain.exchange.xml_reading import Document

WATER = "1000"  # [kg/m³] SDF's default density
SIZES = {  # the tags that size a shape, how many numbers each has, and what makes radii and half lengths of them
    "box": (("size", 3, 0.5),),
    "sphere": (("radius", 1, 1.0),),
    "ellipsoid": (("radii", 3, 1.0),),
    "cylinder": (("radius", 1, 1.0), ("length", 1, 0.5)),
    "capsule": (("radius", 1, 1.0), ("length", 1, 0.5)),
}


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape's volume [m³], its moments per mass about its own axes [m²], and its largest extent [m]."""

    volume: float
    moments: Doubles  # (3,)
    extent: float


def solid(kind: str, size: Doubles) -> Solid:
    """A primitive; sizes are radii and half lengths, [m]."""
    if kind == "sphere":
        r = float(size[0])
        return Solid(4 / 3 * np.pi * r**3, np.full(3, 0.4 * r**2), 2 * r)
    if kind == "box":
        a, b, c = size**2
        return Solid(8 * float(np.prod(size)), np.array([b + c, a + c, a + b]) / 3, 2 * float(size.max()))
    if kind == "ellipsoid":
        a, b, c = size**2
        return Solid(4 / 3 * np.pi * float(np.prod(size)), np.array([b + c, a + c, a + b]) / 5, 2 * float(size.max()))
    r, half = float(size[0]), float(size[1])
    tube = 2 * np.pi * r**2 * half
    across, along = r**2 / 4 + half**2 / 3, r**2 / 2
    if kind == "cylinder":
        return Solid(tube, np.array([across, across, along]), 2 * max(r, half))
    ends = 4 / 3 * np.pi * r**3
    whole = tube + ends
    cap = 0.4 * r**2 + half**2 + 0.75 * r * half  # a hemisphere's, moved to the capsule's middle, twice
    moments = np.array([tube * across + ends * cap, tube * across + ends * cap, tube * along + ends * 0.4 * r**2])
    return Solid(whole, moments / whole, 2 * (half + r))


def inertial(document: Document, frames: Frames, link: Element, notes: Notes) -> Inertia:
    """A link's mass, centre and inertia in its own frame."""
    element, name = link.find("inertial"), link.get("name", "")
    if element is None:
        notes.add("no <inertial>: SDF's defaults of 1 kg and 1 kg m² hold", name)
        return 1.0, np.zeros(3), np.eye(3)
    if element.get("auto") in ("1", "true"):
        return _of_shapes(document, frames, link, element, notes)
    R, centre = frames.pose(element.find("pose"))
    held = element.find("mass")
    mass = 1.0 if held is None else float(document.numbers(link, held.text, 1, "mass")[0])
    moments = element.find("inertia")
    inertia = np.zeros((3, 3))
    for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        entry = None if moments is None else moments.find(f"i{'xyz'[i]}{'xyz'[j]}")
        default = 1.0 if i == j else 0.0
        value = default if entry is None else float(document.numbers(link, entry.text, 1, entry.tag)[0])
        inertia[i, j] = inertia[j, i] = value
    return mass, centre, R @ inertia @ R.T


def _of_shapes(document: Document, frames: Frames, link: Element, element: Element, notes: Notes) -> Inertia:
    """The collision shapes as solids of their density, scaled to the link's mass where one is stated."""
    usual = element.findtext("density") or WATER
    parts = []
    for collision in link.findall("collision"):
        shape = _solid(document, collision)
        if shape is None:
            notes.add("shapes whose mass is not known here are left out of their links'", link.get("name", ""))
            continue
        density = document.numbers(collision, collision.findtext("density") or usual, 1, "density")[0]
        mass = shape.volume * float(density)
        R, place = frames.pose(collision.find("pose"))
        parts.append((mass, place, mass * R @ np.diag(shape.moments) @ R.T))
    mass, centre, inertia = together(parts)
    held = element.find("mass")
    if held is None or not mass:
        return mass, centre, inertia
    stated = float(document.numbers(link, held.text, 1, "mass")[0])
    return stated, centre, stated / mass * inertia


def _solid(document: Document, collision: Element) -> Solid | None:
    for kind, tags in SIZES.items():
        shape = collision.find(f"geometry/{kind}")
        if shape is not None:
            read = [factor * document.numbers(shape, shape.findtext(tag), n, tag) for tag, n, factor in tags]
            return solid(kind, np.concatenate(read))
    return None


def together(parts: list[Inertia]) -> Inertia:
    """All of a body's shapes as one."""
    whole: Inertia = (0.0, np.zeros(3), np.zeros((3, 3)))
    for part in parts:
        whole = combined(whole, part)
    return whole
