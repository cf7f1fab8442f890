"""MuJoCo as an independent engine: the tree's bodies, its loops as `connect` equalities between sites.

A hinge is two of them, a weld three; rows that it has no equality for are put together from its own kinematics.

Its equalities are soft by design: a row's acceleration misses what rigid loops need by R f, with R = efc_R the
regularisation and f the row's force. `solimp` at its stiffest (0.9999) and `solref` at twice the step keep R and the
gap small; what is left is measured and told. M, h and the loops' Jacobian are exact, and looked at by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import mujoco
import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.mjcf_compiling import unwarned
from closedchain.exchange.tree import GROUND, Body, Joint, Link, Loop, Relation, Tree
from closedchain.verify.closing import Meeting, Seen, closing_of, rows_of, stacked
from closedchain.verify.engine import Course, Look, Solved
from closedchain.verify.solid import Solid, solids
from closedchain.verify.twisting import twisted

RIGID = (0.9999, 0.9999, 0.001, 0.5, 2.0)  # solimp: 0.9999 is the largest that MuJoCo takes
SETTLES = 0.002  # [s] solref's time constant at a state: a gap of rounding is pulled shut by gap / SETTLES²
KINDS = {
    "hinge": mujoco.mjtJoint.mjJNT_HINGE,
    "slide": mujoco.mjtJoint.mjJNT_SLIDE,
    "ball": mujoco.mjtJoint.mjJNT_BALL,
}
OFF = ("CONTACT", "LIMIT", "FRICTIONLOSS", "SENSOR", "ISLAND", "ACTUATION", "AUTORESET")
LEAST = 1.1e-15  # [kg, kg m²] MuJoCo refuses moving bodies with 1e-15 or less


class MuJoCo:
    """A tree of bodies in MuJoCo."""

    def __init__(self, tree: Tree, places: tuple[str, ...], floor: float = LEAST) -> None:
        self.title, self.floor = f"MuJoCo {mujoco.__version__}", max(floor, LEAST)
        bodies, self.given = solids(tree, self.floor)
        self.notes = self.given.words(self.floor, self.floor)
        self.model = build(tree, bodies, places)
        if self.floor > LEAST:
            stiffen(self.model, tree)
        self.data = mujoco.MjData(self.model)
        self.tree, self.places = tree, places
        self.dof = np.concatenate([self._dofs(joint) for joint in tree.joints if joint.freedoms] or [np.zeros(0, int)])
        self.sites = [self.model.site(f"place {name}").id for name in places]
        self.twists = [[self.model.site(f"{t.name} {i}").id for i in range(len(t.frames))] for t in tree.twists]
        self.closing = closing_of(tree)
        self.whole = not self.closing.rows
        self.ends = [self._ends(meeting.name) for meeting in self.closing.meetings]
        self.row_ends = [self._ends(loop.name) for loop in self.closing.rows]

    def _ends(self, loop: str) -> tuple[int, int]:
        return int(self.model.site(f"{loop} a").id), int(self.model.site(f"{loop} b").id)

    def _dofs(self, joint: Joint) -> np.ndarray:
        return int(self.model.joint(joint.name).dofadr[0]) + np.arange(joint.freedoms)

    def configuration(self, values: Doubles) -> Doubles:
        """qpos; a ball's rotation vector becomes a quaternion, a free body's shift is along the world's axes."""
        values = values.copy()
        for body in self.tree.bodies:
            for joint in body.joints:
                if joint.kind == "free":
                    start = self.tree.columns[joint.name].start
                    values[start : start + 3] = body.rotation @ values[start : start + 3]
        return self.moved(np.array(self.model.qpos0), values)

    def moved(self, configuration: Doubles, step: Doubles) -> Doubles:
        """qpos after a motion of the freedoms."""
        qpos, whole = configuration.copy(), np.zeros(self.model.nv)
        whole[self.dof] = step
        mujoco.mj_integratePos(self.model, qpos, whole, 1.0)
        return qpos

    def look(self, configuration: Doubles, v: Doubles) -> Look:
        """M, h, G and places; nothing here is soft."""
        m, d = self._set(configuration, v)
        with self.acting(), unwarned():
            mujoco.mj_fwdPosition(m, d)
            mujoco.mj_fwdVelocity(m, d)
        mujoco.mj_energyPos(m, d)
        mujoco.mj_energyVel(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        G = np.array(d.efc_J).reshape(d.nefc, m.nv)
        J, drift = self._jacobians(self.sites)
        _, ends_drift = self._jacobians([site for pair in self.ends for site in pair])
        loops = ends_drift[0::2] - ends_drift[1::2]
        gap, rows, rows_drift = self._rows(v)
        return Look(
            M=M[np.ix_(self.dof, self.dof)],
            h=np.array(d.qfrc_bias - d.qfrc_passive)[self.dof],
            G=np.concatenate([G[:, self.dof], rows]),
            drift=np.concatenate([loops.reshape(-1), np.zeros(len(self.tree.relations)), rows_drift]),
            gap=np.append(np.array(d.efc_pos), gap),
            places=np.array(d.site_xpos)[self.sites],
            places_J=J,
            places_drift=drift,
            kinetic=float(d.energy[1]),
            potential=float(d.energy[0]) + sum(self._twisted(i)[1] for i in range(len(self.twists))),
        )

    def _set(self, configuration: Doubles, v: Doubles) -> tuple[mujoco.MjModel, mujoco.MjData]:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = configuration
        self.data.qvel[self.dof] = v
        return self.model, self.data

    def _jacobians(self, sites: Sequence[int]) -> tuple[Doubles, Doubles]:
        """J (k, 3, nv) in the tree's order and J̇ v (k, 3) of sites."""
        m, d = self.model, self.data
        J, J_dot = np.zeros((len(sites), 3, m.nv)), np.zeros((len(sites), 3, m.nv))
        for k, site in enumerate(sites):
            mujoco.mj_jacSite(m, d, J[k], None, site)
            mujoco.mj_jacDot(m, d, J_dot[k], None, d.site_xpos[site], m.site_bodyid[site])
        return J[:, :, self.dof], np.einsum("kij,j->ki", J_dot, np.array(d.qvel))

    def _rows(self, v: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """Gap, G and drift of the loops that are no equality of MuJoCo's."""
        ends = zip(self.closing.rows, self.row_ends, strict=True)
        found = [row for loop, (a, b) in ends for row in rows_of(loop, self._frame(a), self._frame(b), v)]
        return stacked(found, len(self.dof))

    def _frame(self, site: int) -> Seen:
        m, d = self.model, self.data
        moving, turning, moving_dot, turning_dot = np.zeros((4, 3, m.nv))
        mujoco.mj_jacSite(m, d, moving, turning, site)
        mujoco.mj_jacDot(m, d, moving_dot, turning_dot, d.site_xpos[site], m.site_bodyid[site])
        v, R = np.array(d.qvel), np.array(d.site_xmat[site]).reshape(3, 3)
        columns = turning[:, self.dof], moving[:, self.dof]
        return Seen(R, np.array(d.site_xpos[site]), *columns, turning @ v, turning_dot @ v, moving_dot @ v)

    def inverse(self, configuration: Doubles, v: Doubles, v_dot: Doubles) -> Doubles:
        """mj_inverse, without what it takes the soft loops to carry: by itself it is no model of a closed chain."""
        m, d = self._set(configuration, v)
        d.qacc[self.dof] = v_dot
        with self.acting(), unwarned():
            mujoco.mj_inverse(m, d)
        return np.array(d.qfrc_inverse + d.qfrc_constraint)[self.dof]

    def solve(self, configuration: Doubles, v: Doubles, force: Doubles) -> Solved:
        """mj_forward with the forces as qfrc_applied."""
        m, d = self._set(configuration, v)
        d.qfrc_applied[self.dof] = force
        m.opt.tolerance, m.eq_solref[:, 0] = 0.0, SETTLES  # whatever step it was driven with before
        with self.acting():
            mujoco.mj_forward(m, d)
        efc = np.array(d.efc_force)
        return Solved(np.array(d.qacc)[self.dof], efc, -np.array(d.efc_R) * efc)

    def drive(self, configuration: Doubles, v: Doubles, forces: Doubles, interval: float, steps: int) -> Course:
        """mj_step with RK4; the loops' time constant is twice the step, the shortest that MuJoCo takes."""
        m, d = self.model, self.data
        m.opt.timestep, m.opt.tolerance = interval / steps, 1e-15
        m.eq_solref[:, 0] = 2.0 * m.opt.timestep
        self._set(configuration, v)
        mujoco.mj_fwdPosition(m, d)
        seen = [self._seen()]
        for row in forces:
            d.qfrc_applied[self.dof] = row
            with self.acting(), unwarned():
                mujoco.mj_step(m, d, nstep=steps)
                mujoco.mj_fwdPosition(m, d)  # places of the instant reached
            seen.append(self._seen())
        return Course(*(np.array(column) for column in zip(*seen, strict=True)))

    @contextmanager
    def acting(self) -> Iterator[None]:
        """While MuJoCo works, springs on angles act among its passive forces; its callback is one for all models."""
        if not self.twists:
            yield
            return
        mujoco.set_mjcb_passive(self._twist)
        try:
            yield
        finally:
            mujoco.set_mjcb_passive(None)

    def _twist(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        for i in range(len(self.twists)):
            data.qfrc_passive[self.dof] += self._twisted(i, data)[0]

    def _twisted(self, i: int, data: mujoco.MjData | None = None) -> tuple[Doubles, float]:
        """The force of a spring on an angle, and its energy."""
        d, sites = data or self.data, self.twists[i]
        J = np.zeros((len(sites), 3, self.model.nv))
        for k, site in enumerate(sites):
            mujoco.mj_jacSite(self.model, d, J[k], None, site)
        v = np.array(d.qvel)[self.dof]
        return twisted(self.tree.twists[i], np.array(d.site_xpos)[sites], J[:, :, self.dof], v)

    def _seen(self) -> tuple[Doubles, Doubles, Doubles, float]:
        d = self.data
        J = self._jacobians(self.sites)[0]
        velocities = np.einsum("kij,j->ki", J, np.array(d.qvel)[self.dof])
        joints = np.array([d.joint(name).qpos[0] for name in self.tree.drives])
        return np.array(d.site_xpos)[self.sites], velocities, joints, float(np.abs(d.efc_pos).max(initial=0.0))


def build(tree: Tree, bodies: Sequence[Solid], places: tuple[str, ...]) -> mujoco.MjModel:
    """The tree as a compiled MuJoCo model, number by number: nothing goes through text."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = tree.gravity
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    spec.option.iterations = 50
    spec.option.disableflags = sum(int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{word}")) for word in OFF)
    spec.option.enableflags = int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    made = {GROUND: spec.worldbody}
    for body, solid in zip(tree.bodies, bodies, strict=True):
        made[body.name] = _body(made[body.parent], body, solid)
    for name in places:
        frame = tree.place(name)
        made[frame.body].add_site(name=f"place {name}", pos=frame.at)
    closing = closing_of(tree)
    held: list[Meeting | Loop] = [*closing.meetings, *closing.rows]
    for loop in held:
        for end, frame in (("a", loop.a), ("b", loop.b)):
            made[frame.body].add_site(name=f"{loop.name} {end}", pos=frame.at, quat=_quaternion(frame.rotation))
    for meeting in closing.meetings:
        spec.add_equality(
            name=meeting.name,
            type=mujoco.mjtEq.mjEQ_CONNECT,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            name1=f"{meeting.name} a",
            name2=f"{meeting.name} b",
            solref=[SETTLES, 1.0],
            solimp=RIGID,
        )
    for relation in tree.relations:
        _relation(spec, relation)
    for link in tree.links:
        _link(spec, made, link)
    for twist in tree.twists:
        for i, frame in enumerate(twist.frames):
            made[frame.body].add_site(name=f"{twist.name} {i}", pos=frame.at)
    return spec.compile()


def stiffen(model: mujoco.MjModel, tree: Tree) -> None:
    """Loops at bodies that were given their masses become as stiff as those at the robot's own.

    R is proportional to `body_invweight0`, how easily a body is moved: a bar of a millionth of the robot's mass makes
    the loops at its ends a million times as soft, and a spring's force pulls them open.
    """
    light = model.body_invweight0[:, 0]
    own = [model.body(body.name).id for body in tree.bodies if body.mass > 0.0 and body.inertia.any()]
    if own:
        np.minimum(light, light[own].max(), out=light)


def _body(parent: mujoco.MjsBody, body: Body, solid: Solid) -> mujoco.MjsBody:
    made = parent.add_body(name=body.name, pos=body.position, quat=_quaternion(body.rotation))
    for joint in body.joints:
        if joint.freedoms:
            _joint(made, joint)
    made.mass, made.ipos, made.explicitinertial = solid.mass, body.centre, True
    made.inertia, made.iquat = solid.principal, _quaternion(solid.axes)
    return made


def _quaternion(rotation: Doubles) -> Doubles:
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(rotation).ravel())
    return quat


def _joint(made: mujoco.MjsBody, joint: Joint) -> None:
    if joint.kind == "free":
        made.add_freejoint(name=joint.name)
        return
    one = made.add_joint(name=joint.name, type=KINDS[joint.kind], axis=joint.axis, pos=joint.at)
    one.armature, one.springref = joint.armature, joint.rest - joint.zero
    one.stiffness[0], one.damping[0] = joint.stiffness, joint.damping


def _relation(spec: mujoco.MjSpec, relation: Relation) -> None:
    """A linear relation between joints is a sum of their values, a fixed tendon, that stays as it is."""
    tendon = spec.add_tendon(name=relation.name)
    tendon.wrap_joint(relation.joint, 1.0)
    for other, (ratio, *_) in relation.others:
        tendon.wrap_joint(other, -ratio)
    words = {"name": relation.name, "type": mujoco.mjtEq.mjEQ_TENDON, "objtype": mujoco.mjtObj.mjOBJ_TENDON}
    spec.add_equality(**words, name1=relation.name, solref=[SETTLES, 1.0], solimp=RIGID)


def _link(spec: mujoco.MjSpec, made: dict[str, mujoco.MjsBody], link: Link) -> None:
    """A spring or damper between two places is a tendon of two sites."""
    tendon = spec.add_tendon(name=link.name, springlength=[link.rest, link.rest])
    tendon.stiffness[0], tendon.damping[0] = link.stiffness, link.damping
    for end, frame in (("a", link.a), ("b", link.b)):
        made[frame.body].add_site(name=f"link {link.name} {end}", pos=frame.at)
        tendon.wrap_site(f"link {link.name} {end}")
