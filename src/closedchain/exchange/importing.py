"""Reading whatever file it is: its tree, its counts, and a robot of ours where it is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from closedchain.arrays import Doubles
from closedchain.describe.files import BadFile
from closedchain.describe.recipe import Recipe
from closedchain.exchange.analysis import Analysis
from closedchain.exchange.cutting import part_of
from closedchain.exchange.mjcf_reading import read_mjcf
from closedchain.exchange.planar import NotOurs
from closedchain.exchange.reading import Reading
from closedchain.exchange.sdf_reading import read_sdf
from closedchain.exchange.starting import started
from closedchain.exchange.to_mechanism import to_mechanism
from closedchain.exchange.tree import Tree
from closedchain.exchange.urdf_reading import read_urdf
from closedchain.exchange.xml_reading import read_xml

READERS = {"mujoco": read_mjcf, "sdf": read_sdf, "robot": read_urdf}
ENDINGS = (".urdf", ".sdf", ".mjcf", ".xml")  # of models in a folder, as far as their roots are in READERS


@dataclass(frozen=True, eq=False)
class Imported:
    """A file of another program, understood as far as it goes."""

    reading: Reading
    analysis: Analysis
    recipe: Recipe | None  # as a robot of ours, where it is one
    reason: str  # why it is none
    notes: tuple[str, ...]  # what was left out or changed, by the tree and by the robot


def read_model(path: str | Path) -> Reading:
    """The tree of an MJCF, SDF or URDF file, or of the only one in a folder; its root element says which it is."""
    place = only_model(Path(path)) if Path(path).is_dir() else Path(path)
    root = read_xml(place).root
    if root.tag not in READERS:
        raise BadFile(str(place), f"<{root.tag[:40]}>", "is no model; <mujoco>, <sdf> and <robot> are read")
    return READERS[root.tag](place)


def _within(tree: Tree, values: Mapping[str, Doubles]) -> Mapping[str, Doubles]:
    """A keyframe's values of the joints that a part has."""
    return {name: value for name, value in values.items() if name in tree.columns}


def only_model(folder: Path) -> Path:
    """The model's file in a folder, beside its meshes and settings."""
    files = sorted(p for p in folder.iterdir() if p.suffix.lower() in ENDINGS and p.is_file())
    if len(files) > 1:
        files = [p for p in files if read_xml(p).root.tag in READERS]  # a package.xml is none
    if len(files) == 1:
        return files[0]
    names = ", ".join(p.name for p in files[:5])
    what = f"is a folder with {len(files)} models ({names}); name one" if files else "is a folder without a model"
    raise BadFile(str(folder), "", f"{what}: MJCF, SDF or URDF")


def import_model(path: str | Path, output: str = "", key: str = "", part: str = "") -> Imported:
    """Everything about a file: its tree, what the loops leave free, the robot of ours that it is.

    `part` is a body: what hangs on it is cut out of the file and stands on the ground where that body was.

    Its loops are closed from the pose in which it is written, or from the keyframe of that name; where the pose does
    not close and no keyframe is named, from the first keyframe that does, from a start near by, or with other joints
    than written (`starting`); a note says which.
    """
    reading = read_model(path)
    if part:
        tree, notes = part_of(reading.tree, part)
        keys = {name: _within(tree, values) for name, values in reading.keys.items()}
        reading = replace(reading, tree=tree, notes=(*reading.notes, *notes), keys=keys)
    reading, analysis = started(reading, str(path), key)
    try:
        made = to_mechanism(reading.tree, output)
    except NotOurs as problem:
        return Imported(reading, analysis, None, str(problem), reading.notes)
    recipe = Recipe(made.mechanism, origin=str(path))
    return Imported(reading, analysis, recipe, "", (*reading.notes, *made.notes))
