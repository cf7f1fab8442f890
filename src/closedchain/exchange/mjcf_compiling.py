"""MJCF → MuJoCo's own compiled model, which has includes, defaults, frames, angles, shapes and copies worked out.

Only what says where bodies are, how they move and what they weigh is compiled: pictures are taken out first, so that
their files need not be there. What MuJoCo refuses is one error with its line.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from closedchain.describe.files import BadFile
from closedchain.exchange.reading import Notes
from closedchain.exchange.xml_reading import Document, read_xml
from closedchain.extras import Late

mujoco = Late("mujoco")

BOUND = 2e-15  # [kg, kg m²] what a massless body weighs while MuJoCo compiles, which refuses less than 1e-15
DEPTH = 20  # of files that include files
PLACE = re.compile(r"Element(?: name)? '([^']*)'|, line (\d+)")


def compiled(path: Path, document: Document, notes: Notes) -> Any:
    """The mjModel of an MJCF file."""
    _check_included(path.absolute(), document, ())
    with unwarned(), _told(path):
        try:
            return _lightened(path).compile()
        except ValueError as error:
            spec = _lightened(path)  # read again: a copy of a spec forgets what its names do not lead to
            if not _take_out(spec, weighing=True):
                raise
            notes.add(f"the mass of meshes is left out: MuJoCo says {_sentence(str(error))}")
            return spec.compile()


def _lightened(path: Path) -> Any:
    """The file as MuJoCo parses it, without pictures; bodies may be massless."""
    spec = mujoco.MjSpec.from_file(str(path))
    if len(spec.flexes):
        raise BadFile(str(path), "<flexcomp>", "soft bodies are not read")
    _strip(spec)
    free = spec.compiler.settotalmass <= 0.0
    if free and not spec.compiler.boundmass and not spec.compiler.boundinertia:
        spec.compiler.boundmass = spec.compiler.boundinertia = BOUND
    return spec


@contextmanager
def unwarned() -> Iterator[None]:
    """MuJoCo warns of what it cannot factor or bear on stderr and in a file where we are; limits judge its numbers."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: None)
    try:
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # of words that grow old
            yield
    finally:
        mujoco.set_mju_user_warning(before)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What MuJoCo refuses, as an error of ours: the file, the line and the element."""
    try:
        yield
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        if isinstance(error, BadFile):
            raise
        found = PLACE.findall(str(error))
        name = next((name for name, _ in found if name), "")
        line = next((int(line) for _, line in found if line), None)
        problem = f"MuJoCo refuses it: {_sentence(str(error))}"
        raise BadFile(str(path), f"<{name[:60]}>" if name else "", problem, line) from None


def _sentence(text: str) -> str:
    """MuJoCo's message without its prefix and its places."""
    first = re.sub(r"^(XML )?Error:\s*", "", text.strip()).splitlines()
    return (first[0] if first else "no reason given").strip().rstrip(".")[:200]


def _check_included(path: Path, document: Document, above: tuple[Path, ...]) -> None:
    """Every included file keeps the limits of one that is read, and none includes itself."""
    if path in above or len(above) > DEPTH:
        raise BadFile(str(path), "<include>", "includes itself")
    for element in document.root.iter("include"):
        place = path.parent / element.get("file", "")
        if not place.is_file():
            raise document.problem(element, f"the included file {element.get('file', '')!r:.60} is not there")
        _check_included(place.absolute(), read_xml(place), (*above, path))


def _strip(spec: Any) -> None:
    """Take pictures out: materials, textures, skins, height fields, meshes that weigh nothing, what is sensed."""
    for element in (*spec.skins, *spec.hfields, *spec.textures):
        spec.delete(element)
    for element in (*spec.geoms, *spec.sites, *spec.tendons):
        element.material = ""
    for material in spec.materials:
        spec.delete(material)
    _take_out(spec, weighing=False)


def _take_out(spec: Any, weighing: bool) -> int:
    """Delete shapes of meshes, those that weigh too or only the others; how many there were."""
    shapes = [g for g in spec.geoms if g.type in (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_HFIELD)]
    gone = [g for g in shapes if weighing or not _weighs(spec, g)]
    names = {geom.name for geom in gone if geom.name}
    for pair in [p for p in spec.pairs if names & {p.geomname1, p.geomname2}]:  # MuJoCo keeps a contact of what is gone
        spec.delete(pair)
    for geom in gone:
        spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in [mesh for mesh in spec.meshes if mesh.name not in used]:
        spec.delete(mesh)
    return len(gone)


def _weighs(spec: Any, geom: Any) -> bool:
    """Whether a shape is part of its body's mass, by the compiler's settings and its own."""
    automatic = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO
    rule, (low, high) = spec.compiler.inertiafromgeom, spec.compiler.inertiagrouprange
    if rule == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE or not low <= geom.group <= high:
        return False
    if rule == automatic and geom.parent.explicitinertial:
        return False
    return bool(geom.mass != 0.0 and geom.density != 0.0 and geom.parent.name != "world")
