"""Masses of bodies that MJCF describes by shapes: boxes, spheres, capsules, cylinders, ellipsoids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.masses import Inertia, combined
from closedchain.exchange.mjcf_settings import Settings
from closedchain.exchange.rotations import onto

WATER = "1000"  # [kg/m³] MuJoCo's default density
FLAT = ("plane", "hfield")
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape's volume [m³], its moments per mass about its own axes [m²], and its largest extent [m]."""

    volume: float
    moments: Doubles  # (3,)
    extent: float


def solid(kind: str, size: Doubles) -> Solid:
    """A primitive; sizes are radii and half lengths, as MJCF gives them."""
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


@dataclass(frozen=True, eq=False)
class Shape:
    """What a geom is to its body: its mass in the body's frame, its extent [m], and what is not known of it."""

    inertia: Inertia | None = None
    extent: float = 0.0
    unknown: str = ""


def shape(settings: Settings, element: Element, words: Mapping[str, str]) -> Shape:
    """What a geom adds to its body."""
    kind = words.get("type", "mesh" if "mesh" in words else "sphere")
    group = int(settings.document.numbers(element, words.get("group", "0"), 1, "group")[0])
    counted = settings.groups[0] <= group <= settings.groups[1]
    if kind not in SIZES:
        weighs = kind not in FLAT and counted and "0" not in (words.get("mass"), words.get("density"))
        return Shape(unknown=f"the mass of shapes of type {kind} is not known here and is left out" if weighs else "")
    size, place, R = _placed(settings, element, words, kind)
    made = solid(kind, size)
    if not counted:
        return Shape(extent=made.extent)
    density = settings.document.numbers(element, words.get("density", WATER), 1, "density")[0]
    mass = made.volume * float(density)
    if "mass" in words:
        mass = float(settings.document.numbers(element, words["mass"], 1, "mass")[0])
    shell = "shapes that are shells are taken as solid" if words.get("shellinertia", "false") == "true" else ""
    return Shape((mass, place, mass * R @ np.diag(made.moments) @ R.T), made.extent, shell)


def _placed(
    settings: Settings, element: Element, words: Mapping[str, str], kind: str
) -> tuple[Doubles, Doubles, Doubles]:
    """Size, position and orientation of a shape; `fromto` gives its axis by two points."""
    document = settings.document
    size = document.numbers(element, words.get("size", ""), None, "size")
    if "fromto" not in words:
        if len(size) < SIZES[kind]:
            raise document.problem(element, f"a {kind} needs {SIZES[kind]} sizes, {len(size)} are given")
        return size[: SIZES[kind]], settings.position(element, words), settings.rotation(element, words)
    ends = document.numbers(element, words["fromto"], 6, "fromto")
    along = ends[:3] - ends[3:]  # MuJoCo's z axis points from the second to the first
    half = float(np.linalg.norm(along)) / 2
    if not len(size) or half == 0.0:
        raise document.problem(element, "fromto needs two points apart and a size")
    wide = [float(size[0])] if SIZES[kind] == 2 else [float(size[0])] * 2
    return np.array([*wide, half]), (ends[:3] + ends[3:]) / 2, onto(along / (2 * half))


def inertial(settings: Settings, element: Element) -> Inertia:
    """An explicit <inertial>."""
    document, words = settings.document, element.attrib
    mass = float(document.numbers(element, words.get("mass"), 1, "mass")[0])
    R, place = settings.rotation(element, words), settings.position(element, words)
    if "fullinertia" in words:
        xx, yy, zz, xy, xz, yz = document.numbers(element, words["fullinertia"], 6, "fullinertia")
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        I = np.diag(document.numbers(element, words.get("diaginertia"), 3, "diaginertia"))
    return mass, place, R @ I @ R.T


def compiled(settings: Settings, solid: Inertia) -> Inertia:
    """A body's mass and inertia after the compiler's boundmass, boundinertia and balanceinertia."""
    mass, centre, inertia = solid
    least_mass, least_moment = settings.least
    if not (least_mass or least_moment or settings.balanced):
        return solid
    moments, axes = np.linalg.eigh(inertia)
    held = np.maximum(moments, least_moment)
    if settings.balanced and held[0] + held[1] < held[2]:
        held = np.full(3, held.mean())
    return max(mass, least_mass), centre, inertia if np.array_equal(held, moments) else axes @ np.diag(held) @ axes.T


def together(parts: list[Inertia]) -> Inertia:
    """All of a body's shapes as one."""
    whole: Inertia = (0.0, np.zeros(3), np.zeros((3, 3)))
    for part in parts:
        whole = combined(whole, part)
    return whole
