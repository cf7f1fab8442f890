"""A robot as the files of other programs: MJCF, SDF, URDF with its YAML."""

from __future__ import annotations

from collections.abc import Mapping

from closedchain.exchange.from_mechanism import Embedding, embed
from closedchain.exchange.mjcf_writing import to_mjcf
from closedchain.exchange.sdf_writing import to_sdf
from closedchain.exchange.urdf_writing import to_urdf
from closedchain.model.model import Model

Files = Mapping[str, str]  # ending → text, the main file first


def mjcf_files(model: Model) -> tuple[Files, tuple[str, ...]]:
    """The robot as one MJCF file, and what it cannot say."""
    robot = embed(model)
    made = to_mjcf(robot.tree)
    return {".xml": made.text}, (*made.notes, *unsaid(robot))


def sdf_files(model: Model) -> tuple[Files, tuple[str, ...]]:
    """The robot as one SDF world, and what it cannot say."""
    robot = embed(model)
    made = to_sdf(robot.tree)
    return {".sdf": made.text}, (*made.notes, *unsaid(robot))


def urdf_files(model: Model) -> tuple[Files, tuple[str, ...]]:
    """The robot as URDF and the YAML that closes its loops, and what they cannot say."""
    robot = embed(model)
    made, loops = to_urdf(robot.tree)
    return {".urdf": made.text, ".yaml": loops}, (*made.notes, *unsaid(robot))


def unsaid(robot: Embedding) -> tuple[str, ...]:
    """What none of the formats holds of a robot."""
    mechanism = robot.model.mechanism
    assert mechanism is not None
    angles = dict.fromkeys(twist.name.partition(" ")[0] for twist in robot.tree.twists)
    notes = [f"what acts on the angle {name} is left out: no hinge of the tree is that angle" for name in angles]
    notes += [f"the coupling {name} is left out: it relates no joints of the tree" for name in robot.unsaid]
    if mechanism.motors:
        notes.append("the motors' voltages are left out: drives take efforts")
    if mechanism.readouts:
        notes.append(f"the readouts {', '.join(a.name for a in mechanism.readouts)} are left out")
    return tuple(notes)
