"""MJCF → Tree: bodies with their joints, masses and sites; loops, drives and springs follow in mjcf_loops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.files import BadFile
from closedchain.exchange.kinematics import rotation_vector
from closedchain.exchange.mjcf_compiling import BOUND, compiled, mujoco
from closedchain.exchange.mjcf_loops import read_loops, switched_off
from closedchain.exchange.mjcf_writing import FLOORS, OUTPUT
from closedchain.exchange.naming import unique
from closedchain.exchange.reading import Notes, Reading, check_count, without_floors
from closedchain.exchange.rotations import from_quaternion
from closedchain.exchange.tree import GROUND, Body, Frame, Joint, Tree
from closedchain.exchange.xml_reading import read_xml

KINDS = ("free", "ball", "slide", "hinge")  # in the order of mjtJoint
FINITE = ("body_pos", "body_quat", "body_mass", "body_inertia", "jnt_pos", "jnt_axis", "qpos0", "eq_data", "site_pos")


def read_mjcf(path: Path) -> Reading:
    """The tree of an MJCF file as MuJoCo compiles it; meshes are opened only where a mass is worked out from them."""
    document, notes = read_xml(path), Notes()
    if document.root.tag != "mujoco":
        raise document.problem(document.root, "is not MJCF; the root must be <mujoco>")
    model = compiled(path, document, notes)
    for key in FINITE:
        if not np.isfinite(getattr(model, key)).all():
            raise BadFile(str(path), key, "MuJoCo reads a number there that is not finite")
    return _Reader(model, notes).read(str(path))


class _Reader:
    def __init__(self, model: Any, notes: Notes) -> None:
        self.m, self.notes = model, notes
        self.off = switched_off(model)
        taken = {GROUND}
        names = [model.body(i).name for i in range(1, model.nbody)]
        self.names = [GROUND, *(unique(name or f"body{i + 1}", taken) for i, name in enumerate(names))]
        known = {model.joint(j).name for j in range(model.njnt)} - {""}
        self.joints = [self._joint(j, known) for j in range(model.njnt)]

    def read(self, origin: str) -> Reading:
        m = self.m
        texts = {_string(m.names, m.name_textadr[i]): _string(m.text_data, m.text_adr[i]) for i in range(m.ntext)}
        sites = [(m.site(i).name, i) for i in range(m.nsite)]
        tree = Tree(
            _string(m.names, 0) or "robot",
            tuple(without_floors([self._body(i) for i in range(1, m.nbody)], texts.get(FLOORS, ""))),
            frames=tuple(self._site(name, i) for name, i in sites if name),
            gravity=np.zeros(3) if "gravity" in self.off else np.array(m.opt.gravity),
            output=texts.get(OUTPUT, ""),
            closed=True,
        )
        check_count(tree, m.njnt, 0, origin)
        for count, what in ((m.npair + m.nexclude, "contacts are left out"), (m.nsensor, "sensors are left out")):
            if count:
                self.notes.add(what)
        tree = read_loops(m, self.names, [joint.name for joint in self.joints], tree, self.notes)
        return Reading(tree, "mjcf", m.njnt, self.notes.lines(), dict(self._key(tree, k) for k in range(m.nkey)))

    def _site(self, name: str, i: int) -> Frame:
        place = self.names[self.m.site_bodyid[i]]
        return Frame(name, place, np.array(self.m.site_pos[i]), from_quaternion(self.m.site_quat[i]))

    def _body(self, i: int) -> Body:
        m, name, first = self.m, self.names[i], int(self.m.body_jntadr[i])
        if m.body_mocapid[i] >= 0:
            self.notes.add("bodies moved from outside (mocap) are fixed here", name)
        if m.body_gravcomp[i]:
            self.notes.add("gravity compensation is left out", name)
        axes = from_quaternion(m.body_iquat[i])
        moments = np.where(m.body_inertia[i] == BOUND, 0.0, m.body_inertia[i])
        return Body(
            name,
            self.names[m.body_parentid[i]],
            np.array(m.body_pos[i]),
            from_quaternion(m.body_quat[i]),
            tuple(self.joints[first : first + m.body_jntnum[i]] if first >= 0 else ()),
            0.0 if m.body_mass[i] == BOUND else float(m.body_mass[i]),
            np.array(m.body_ipos[i]),
            axes @ np.diag(moments) @ axes.T,
            self._extent(i),
        )

    def _extent(self, body: int) -> float:
        """The largest edge of a body's shapes; a plane has none."""
        shapes = (self.m.geom_bodyid == body) & (self.m.geom_type != int(mujoco.mjtGeom.mjGEOM_PLANE))
        return float(2.0 * self.m.geom_aabb[shapes, 3:].max(initial=0.0))

    def _joint(self, j: int, known: set[str]) -> Joint:
        m, kind = self.m, KINDS[self.m.jnt_type[j]]
        body, dof, place = self.names[m.jnt_bodyid[j]], int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
        name = m.joint(j).name or unique(f"{body}_joint", known)
        if m.jnt_limited[j]:
            self.notes.add("joint ranges are left out")
        if m.dof_frictionloss[dof]:
            self.notes.add("dry friction is left out", name)
        for key, more in (("stiffness", m.jnt_stiffnesspoly[j]), ("damping", m.dof_dampingpoly[dof])):
            if np.any(more):
                self.notes.add(f"only the first coefficient of {key} is taken", name)
        if kind == "free":
            return Joint(name, kind)
        counted = kind != "ball"
        return Joint(
            name,
            kind,
            np.array(m.jnt_axis[j]),
            np.array(m.jnt_pos[j]),
            zero=float(m.qpos0[place]) if counted else 0.0,
            stiffness=0.0 if "spring" in self.off else float(m.jnt_stiffness[j]),
            rest=float(m.qpos_spring[place]) if counted else 0.0,
            damping=0.0 if "damper" in self.off else float(m.dof_damping[dof]),
            armature=float(m.dof_armature[dof]),
        )

    # Keyframes: poses by name, as joint values from which the loops may be closed -------------------

    def _key(self, tree: Tree, k: int) -> tuple[str, dict[str, Doubles]]:
        bodies = [tree.bodies[self.m.jnt_bodyid[j] - 1] for j in range(self.m.njnt)]
        places = [int(place) for place in (*self.m.jnt_qposadr, self.m.nq)]
        values = {
            joint.name: _value(body, joint, self.m.key_qpos[k, places[j] : places[j + 1]])
            for j, (body, joint) in enumerate(zip(bodies, self.joints, strict=True))
        }
        return self.m.key(k).name or f"key{k}", values


def _string(stored: bytes, first: int) -> str:
    """One of the strings that MuJoCo keeps one after the other, each with a zero at its end."""
    return stored[first : stored.index(b"\0", first)].decode()


def _value(body: Body, joint: Joint, qpos: Doubles) -> Doubles:
    """A hinge or slide counts from its reference, a free body's pose is the world's."""
    if joint.kind == "ball":
        return rotation_vector(from_quaternion(qpos))
    if joint.kind == "free":
        turn = rotation_vector(body.rotation.T @ from_quaternion(qpos[3:]))
        return np.concatenate([body.rotation.T @ (qpos[:3] - body.position), turn])
    return qpos - joint.zero
