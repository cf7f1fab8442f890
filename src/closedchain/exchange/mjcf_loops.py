"""What an MJCF file says beside its bodies: equality constraints, actuators, tendons that are springs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.mjcf_compiling import mujoco
from closedchain.exchange.naming import unique
from closedchain.exchange.reading import Notes
from closedchain.exchange.rotations import from_quaternion
from closedchain.exchange.tree import Frame, Link, Loop, Relation, Tree

STANDS = 1e-9  # [m, 1] a weld's pose this near to the one in which the bodies stand is that one


def switched_off(model: Any) -> frozenset[str]:
    """Which of gravity, spring, damper and equality the file's <flag> disables."""
    words = ("gravity", "spring", "damper", "equality")
    bits = {word: int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{word.upper()}")) for word in words}
    return frozenset(word for word, bit in bits.items() if model.opt.disableflags & bit)


def read_loops(model: Any, bodies: Sequence[str], joints: Sequence[str], tree: Tree, notes: Notes) -> Tree:
    """The tree with its loops, drives and springs; bodies and joints are named in the model's order."""
    return _Loops(model, bodies, joints, tree, notes).read()


class _Loops:
    def __init__(self, model: Any, bodies: Sequence[str], joints: Sequence[str], tree: Tree, notes: Notes) -> None:
        self.m, self.bodies, self.joints, self.tree, self.notes = model, bodies, joints, tree, notes
        self.zero = Posture(tree, np.zeros(tree.nv))
        self.off = switched_off(model)
        self.taken: set[str] = set()
        self.closed = True

    def read(self) -> Tree:
        held = [one for i in range(self.m.neq) for one in self._equality(i)]
        drives = [drive for i in range(self.m.nu) for drive in self._drive(i)]
        links = [link for i in range(self.m.ntendon) for link in self._tendon(i)]
        if self.tree.nv and not drives:
            self.notes.add("no actuator acts on a joint, so that nothing is driven")
        return replace(
            self.tree,
            loops=tuple(one for one in held if isinstance(one, Loop)),
            drives=tuple(dict.fromkeys(drives)),
            links=tuple(links),
            relations=tuple(one for one in held if isinstance(one, Relation)),
            closed=self.closed,
        )

    # Loops --------------------------------------------------------------------------------------

    def _equality(self, i: int) -> list[Loop | Relation]:
        kind = mujoco.mjtEq(self.m.eq_type[i]).name.removeprefix("mjEQ_").lower()
        name = self.m.equality(i).name or f"{kind}{len(self.taken) + 1}"
        if not self.m.eq_active0[i] or "equality" in self.off:
            what = "couplings" if kind == "joint" else "loops"
            self.notes.add(f"{what} that are switched off are left out", name)
            return []
        if kind not in ("connect", "weld", "joint"):
            what = {"tendon": "couplings of tendons"}.get(kind, f"equality {kind}")
            self.notes.add(f"{what} have no place in a tree with loops and are left out", name)
            return []
        one, other = int(self.m.eq_obj1id[i]), int(self.m.eq_obj2id[i])
        data, name = np.array(self.m.eq_data[i]), unique(name, self.taken)
        if kind == "joint":
            return [self._coupling(name, one, other, data)]
        if self.m.eq_objtype[i] == int(mujoco.mjtObj.mjOBJ_SITE):
            self.closed = False
            a, b = self._site(one), self._site(other)
        else:
            a, b = (self._met if kind == "connect" else self._welded)(self.bodies[one], self.bodies[other], data)
        return [Loop(name, "point" if kind == "connect" else "weld", a, b)]

    def _coupling(self, name: str, joint: int, leader: int, data: Doubles) -> Relation:
        """A joint that follows another: its value from the reference is a polynomial of the other's."""
        poly = [float(c) for c in data[:5]]
        others = ((self.joints[leader], tuple(poly[1:])),) if leader >= 0 else ()
        self.closed = self.closed and not poly[0]
        return Relation(name, self.joints[joint], others, poly[0])

    def _site(self, i: int) -> Frame:
        """A site's place; one without a name is called by its number."""
        body, name = self.bodies[self.m.site_bodyid[i]], self.m.site(i).name or f"site{i}"
        return Frame(name, body, np.array(self.m.site_pos[i]), from_quaternion(self.m.site_quat[i]))

    def _met(self, one: str, other: str, data: Doubles) -> tuple[Frame, Frame]:
        """A connect: its anchor on the first body, and where that point lies on the second as written."""
        return Frame(one, one, data[:3]), Frame(other, other, data[3:6])

    def _welded(self, one: str, other: str, data: Doubles) -> tuple[Frame, Frame]:
        """A weld: its anchor, a point of the second body, stands at the relative pose in the first."""
        anchor, place, turn = data[:3], data[3:6], from_quaternion(data[6:10])
        R_1, p_1, *_ = self.zero.body(one)
        R_2, p_2, *_ = self.zero.body(other)
        off = max(np.abs(R_1.T @ R_2 - turn).max(), np.abs(R_1.T @ (p_2 + R_2 @ anchor - p_1) - place).max())
        self.closed = self.closed and bool(off < STANDS)
        return Frame(one, one, place, turn), Frame(other, other, anchor)

    # Drives and springs -------------------------------------------------------------------------

    def _drive(self, i: int) -> list[str]:
        name, transmission = self.m.actuator(i).name or f"actuator{i + 1}", self.m.actuator_trntype[i]
        kinds = mujoco.mjtTrn
        if transmission not in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)):
            self.notes.add("actuators that do not act on one joint are left out", name)
            return []
        if self.m.actuator_gaintype[i] or self.m.actuator_biastype[i] or self.m.actuator_dyntype[i]:  # 0: plain force
            self.notes.add("servos are left out: their joints are driven by efforts", name)
        return [self.joints[self.m.actuator_trnid[i, 0]]]

    def _tendon(self, i: int) -> list[Link]:
        name = self.m.tendon(i).name or f"tendon{len(self.taken) + 1}"
        first, count = int(self.m.tendon_adr[i]), int(self.m.tendon_num[i])
        wrapped = slice(first, first + count)
        if count != 2 or (self.m.wrap_type[wrapped] != int(mujoco.mjtWrap.mjWRAP_SITE)).any():
            self.notes.add("tendons that are not a straight spring between two sites are left out", name)
            return []
        stiffness = 0.0 if "spring" in self.off else float(self.m.tendon_stiffness[i])
        damping = 0.0 if "damper" in self.off else float(self.m.tendon_damping[i])
        if not stiffness and not damping:
            self.notes.add("tendons without stiffness or damping are left out", name)
            return []
        rest, longest = map(float, self.m.tendon_lengthspring[i])
        if rest != longest:
            self.notes.add("only the first value of a tendon's springlength is taken", name)
        if self.m.tendon_stiffnesspoly[i].any() or self.m.tendon_dampingpoly[i].any():
            self.notes.add("only the first coefficient of a tendon's spring and damper is taken", name)
        a, b = (self._site(int(site)) for site in self.m.wrap_objid[wrapped])
        return [Link(unique(name, self.taken), a, b, stiffness, rest, damping)]
