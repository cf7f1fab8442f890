"""Pinocchio as an independent engine: joints by its API, loops as 3-D point constraints of `constraintDynamics`.

A planar loop leaves its z row zero, so the proximal `mu` must not be 0 (that gives NaN everywhere); with 1e-10 the
accelerations agree to 1e-11. `Data` is made after the last frame. Pinocchio has no integrator for loops: RK4 is written
here around its accelerations, without correction, so that its gap is what they leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pinocchio as pin

from closedchain.arrays import Doubles
from closedchain.exchange.tree import GROUND, Body, Frame, Joint, Tree
from closedchain.verify.closing import Seen, closing_of, rows_of, stacked
from closedchain.verify.engine import Course, Look, Solved
from closedchain.verify.solid import Solid, solids
from closedchain.verify.twisting import twisted

ACCURACY, MU, ITERATIONS = 1e-12, 1e-10, 20
WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class Pinocchio:
    """A tree of bodies in Pinocchio."""

    def __init__(self, tree: Tree, places: tuple[str, ...], floor: float = 0.0) -> None:
        self.title, self.floor = f"Pinocchio {pin.__version__}", floor
        bodies, self.given = solids(tree, floor)
        self.notes = self.given.words(floor, floor)
        self.tree, self.places = tree, places
        self.model, self.home = build(tree, bodies)
        self.frames = [self._frame(f"place {name}", tree.place(name)) for name in places]
        self.closing = closing_of(tree)
        self.whole = not self.closing.rows
        self.ends = [(self._frame(f"{l.name} a", l.a), self._frame(f"{l.name} b", l.b)) for l in self.closing.meetings]
        self.row_ends = [(self._frame(f"{l.name} a", l.a), self._frame(f"{l.name} b", l.b)) for l in self.closing.rows]
        self.links = [(self._frame(f"{l.name} a", l.a), self._frame(f"{l.name} b", l.b)) for l in tree.links]
        self.twists = [[self._frame(f"{t.name} {i}", f) for i, f in enumerate(t.frames)] for t in tree.twists]
        self.sprung = bool(tree.links or tree.twists) or any(j.stiffness or j.damping for j in tree.joints)
        self.constraints, self.constraints_data = self._loops()
        self.data = self.model.createData()
        self.rotorless = pin.Model(self.model)  # its energy has the rotors of some kinds of joints and not of others
        self.rotorless.armature = np.zeros(self.model.nv)
        pin.initConstraintDynamics(self.model, self.data, self.constraints, self.constraints_data)
        self.dof = np.concatenate([self._dofs(j) for j in tree.joints if j.freedoms] or [np.zeros(0, int)])

    def _dofs(self, joint: Joint) -> np.ndarray:
        return int(self.model.joints[self.model.getJointId(joint.name)].idx_v) + np.arange(joint.freedoms)

    def _frame(self, name: str, frame: Frame) -> int:
        joint, offset = self.home[frame.body]
        place = offset * pin.SE3(np.array(frame.rotation), frame.at)
        return int(self.model.addFrame(pin.Frame(name, joint, place, pin.FrameType.OP_FRAME)))

    def _loops(self) -> tuple[pin.StdVec_RigidConstraintModel, pin.StdVec_RigidConstraintData]:
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for a, b in self.ends:
            one, other = self.model.frames[a], self.model.frames[b]
            loop = pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D,
                self.model,
                one.parentJoint,
                one.placement,
                other.parentJoint,
                other.placement,
                pin.ReferenceFrame.LOCAL,
            )
            models.append(loop)
            datas.append(loop.createData())
        return models, datas

    def configuration(self, values: Doubles) -> Doubles:
        """Pinocchio's q; a ball's rotation vector becomes a quaternion, a free body's shift and turn a screw."""
        values = values.copy()
        for joint in self.tree.joints:
            if joint.kind == "free":
                column = self.tree.columns[joint.name]
                shift, turn = values[column][:3], values[column][3:]
                values[column] = pin.log6(pin.SE3(pin.exp3(turn), shift)).vector
        return self.moved(pin.neutral(self.model), values)

    def moved(self, configuration: Doubles, step: Doubles) -> Doubles:
        """q after a motion of the freedoms."""
        whole = np.zeros(self.model.nv)
        whole[self.dof] = step
        return np.array(pin.integrate(self.model, configuration, whole))

    def look(self, configuration: Doubles, v: Doubles) -> Look:
        """crba, nle and the frames' kinematics."""
        m, d, whole = self.model, self.data, self._whole(v)
        M = np.reshape(pin.crba(m, d, configuration), (m.nv, m.nv))
        M = np.triu(M) + np.triu(M, 1).T
        bias = np.array(pin.nonLinearEffects(m, d, configuration, whole))
        bodies = float(pin.computeKineticEnergy(self.rotorless, d, configuration, whole))
        kinetic = bodies + float(m.armature @ whole**2) / 2
        potential = float(pin.computePotentialEnergy(m, d, configuration))
        pin.computeJointJacobians(m, d, configuration)
        pin.forwardKinematics(m, d, configuration, whole, np.zeros(m.nv))
        pin.updateFramePlacements(m, d)
        places, J, drift = self._seen(self.frames)
        ends = [frame for pair in self.ends for frame in pair]
        at, ends_J, ends_drift = self._seen(ends)
        passive, stored = self._passive(configuration, whole)
        G = (ends_J[0::2] - ends_J[1::2]).reshape(-1, len(self.dof))
        loops = zip(self.closing.rows, self.row_ends, strict=True)
        found = [row for loop, (a, b) in loops for row in rows_of(loop, self._moving(a, v), self._moving(b, v), v)]
        gap, rows, rows_drift = stacked(found, len(self.dof))
        return Look(
            M=M[np.ix_(self.dof, self.dof)],
            h=bias[self.dof] - passive,
            G=np.concatenate([G, rows]),
            drift=np.append((ends_drift[0::2] - ends_drift[1::2]).reshape(-1), rows_drift),
            gap=np.append((at[0::2] - at[1::2]).reshape(-1), gap),
            places=places,
            places_J=J,
            places_drift=drift,
            kinetic=kinetic,
            potential=potential + stored,
        )

    def _moving(self, frame: int, v: Doubles) -> Seen:
        """A frame and how it moves; kinematics must be up to date."""
        m, d = self.model, self.data
        J = np.reshape(pin.getFrameJacobian(m, d, frame, WORLD), (6, m.nv))[:, self.dof]
        drift = pin.getFrameClassicalAcceleration(m, d, frame, WORLD)
        place = d.oMf[frame]
        turn = np.array(place.rotation), np.array(place.translation)
        return Seen(*turn, J[3:], J[:3], J[3:] @ v, np.array(drift.angular), np.array(drift.linear))

    def _whole(self, v: Doubles) -> Doubles:
        whole = np.zeros(self.model.nv)
        whole[self.dof] = v
        return whole

    def _seen(self, frames: Sequence[int]) -> tuple[Doubles, Doubles, Doubles]:
        """Positions (k, 3), Jacobians (k, 3, nv) in the tree's order, J̇ v (k, 3); kinematics must be up to date."""
        m, d, n = self.model, self.data, len(frames)
        at, J, drift = np.zeros((n, 3)), np.zeros((n, 3, len(self.dof))), np.zeros((n, 3))
        for k, frame in enumerate(frames):
            at[k] = d.oMf[frame].translation
            J[k] = np.reshape(pin.getFrameJacobian(m, d, frame, WORLD), (6, m.nv))[:3, self.dof]
            drift[k] = pin.getFrameClassicalAcceleration(m, d, frame, WORLD).linear
        return at, J, drift

    def _passive(self, configuration: Doubles, whole: Doubles) -> tuple[Doubles, float]:
        """Forces of springs and dampers on the freedoms (Pinocchio knows none), and the springs' energy."""
        force, stored = np.zeros(len(self.dof)), 0.0
        v = whole[self.dof]
        for joint in self.tree.joints:
            if joint.stiffness or joint.damping:
                column = self.tree.columns[joint.name]
                value = configuration[self.model.joints[self.model.getJointId(joint.name)].idx_q]
                stretch = joint.zero + value - joint.rest
                force[column] -= joint.stiffness * stretch + joint.damping * v[column]
                stored += joint.stiffness * stretch**2 / 2
        for link, pair in zip(self.tree.links, self.links, strict=True):
            at, J, _ = self._seen(pair)
            apart = at[1] - at[0]
            length = float(np.linalg.norm(apart))
            slope = (apart / length) @ (J[1] - J[0])  # of the distance
            force -= slope * (link.stiffness * (length - link.rest) + link.damping * float(slope @ v))
            stored += link.stiffness * (length - link.rest) ** 2 / 2
        for twist, frames in zip(self.tree.twists, self.twists, strict=True):
            at, J, _ = self._seen(frames)
            turned, wound = twisted(twist, at, J, v)
            force, stored = force + turned, stored + wound
        return force, stored

    def inverse(self, configuration: Doubles, v: Doubles, v_dot: Doubles) -> Doubles:
        """rnea, which knows rotors but no loops and no springs."""
        whole, rates = self._whole(v), self._whole(v_dot)
        force = np.array(pin.rnea(self.model, self.data, configuration, whole, rates))
        return force[self.dof] - self._springs(configuration, whole)

    def solve(self, configuration: Doubles, v: Doubles, force: Doubles) -> Solved:
        """constraintDynamics."""
        v_dot = self._accelerations(configuration, self._whole(v), force)
        told = [self._told(i) for i in range(len(self.ends))]
        rows = 3 * len(told)
        return Solved(v_dot[self.dof], np.concatenate(told) if told else np.zeros(0), np.zeros(rows))

    def _accelerations(self, configuration: Doubles, whole: Doubles, force: Doubles) -> Doubles:
        tau = self._whole(force + self._springs(configuration, whole))
        if not self.ends:
            return np.array(pin.aba(self.model, self.data, configuration, whole, tau))
        settings = pin.ProximalSettings(ACCURACY, MU, ITERATIONS)
        made = pin.constraintDynamics(
            self.model, self.data, configuration, whole, tau, self.constraints, self.constraints_data, settings
        )
        return np.array(made)

    def _springs(self, configuration: Doubles, whole: Doubles) -> Doubles:
        """`_passive` at a configuration whose kinematics are not up to date; nothing to do where there are none."""
        if not self.sprung:
            return np.zeros(len(self.dof))
        pin.computeJointJacobians(self.model, self.data, configuration)
        pin.updateFramePlacements(self.model, self.data)
        return self._passive(configuration, whole)[0]

    def _told(self, i: int) -> Doubles:
        """The loop's force on end a, along the world's axes."""
        pin.updateFramePlacements(self.model, self.data)
        turn = self.data.oMf[self.ends[i][0]].rotation
        return np.asarray(turn @ self.constraints_data[i].contact_force.linear)

    def drive(self, configuration: Doubles, v: Doubles, forces: Doubles, interval: float, steps: int) -> Course:
        """RK4 around constraintDynamics."""
        q, whole, h = configuration, self._whole(v), interval / steps
        seen = [self._instant(q, whole)]
        for row in forces:
            for _ in range(steps):
                q, whole = self._step(q, whole, row, h)
            seen.append(self._instant(q, whole))
        return Course(*(np.array(column) for column in zip(*seen, strict=True)))

    def _step(self, q: Doubles, v: Doubles, force: Doubles, h: float) -> tuple[Doubles, Doubles]:
        a1 = self._accelerations(q, v, force)
        v2 = v + h / 2 * a1
        a2 = self._accelerations(self._shift(q, h / 2 * v), v2, force)
        v3 = v + h / 2 * a2
        a3 = self._accelerations(self._shift(q, h / 2 * v2), v3, force)
        v4 = v + h * a3
        a4 = self._accelerations(self._shift(q, h * v3), v4, force)
        return self._shift(q, h / 6 * (v + 2 * v2 + 2 * v3 + v4)), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)

    def _shift(self, q: Doubles, step: Doubles) -> Doubles:
        return np.array(pin.integrate(self.model, q, step))

    def _instant(self, q: Doubles, whole: Doubles) -> tuple[Doubles, Doubles, Doubles, float]:
        m, d = self.model, self.data
        pin.computeJointJacobians(m, d, q)
        pin.updateFramePlacements(m, d)
        places, J, _ = self._seen(self.frames)
        at = np.array([d.oMf[f].translation for pair in self.ends for f in pair]).reshape(-1, 3)
        gap = float(np.abs(at[0::2] - at[1::2]).max(initial=0.0))
        joints = np.array([q[m.joints[m.getJointId(name)].idx_q] for name in self.tree.drives])
        return places, np.einsum("kij,j->ki", J, whole[self.dof]), joints, gap


Home = tuple[int, pin.SE3]  # the joint that moves a body, and the body's frame in the joint's


def build(tree: Tree, bodies: Sequence[Solid]) -> tuple[pin.Model, dict[str, Home]]:
    """The tree's joints and inertias, and where each body's frame stands."""
    model = pin.Model()
    model.gravity = pin.Motion(np.array(tree.gravity, dtype=np.float64), np.zeros(3))
    home: dict[str, Home] = {GROUND: (0, pin.SE3.Identity())}
    for i in depth_first(tree):
        body, solid = tree.bodies[i], bodies[i]
        home[body.name] = _hang(model, home[body.parent], body)
        joint, offset = home[body.name]
        if joint:
            model.appendBodyToJoint(joint, pin.Inertia(solid.mass, np.array(body.centre), solid.inertia), offset)
    for one in tree.joints:
        if one.freedoms == 1:
            model.armature[model.joints[model.getJointId(one.name)].idx_v] = one.armature
    return model, home


def depth_first(tree: Tree, root: str = GROUND) -> Iterator[int]:
    """The bodies, each followed by what hangs on it; in another order Pinocchio's mass matrix is silently wrong."""
    for i, body in enumerate(tree.bodies):
        if body.parent == root:
            yield i
            yield from depth_first(tree, body.name)


def _hang(model: pin.Model, parent: Home, body: Body) -> Home:
    """Add the body's joints one after another; each turns about a point of the body's own frame."""
    joint, place = parent[0], parent[1] * pin.SE3(np.array(body.rotation), np.array(body.position))
    for one in body.joints:
        if one.freedoms:
            at = pin.SE3(np.eye(3), np.array(one.at))
            joint, place = model.addJoint(joint, _kind(one), place * at, one.name), at.inverse()
    return joint, place


def _kind(joint: Joint) -> pin.JointModel:
    match joint.kind:
        case "hinge":
            return pin.JointModelRevoluteUnaligned(np.array(joint.axis))
        case "slide":
            return pin.JointModelPrismaticUnaligned(np.array(joint.axis))
        case "free":
            return pin.JointModelFreeFlyer()
    return pin.JointModelSpherical()
