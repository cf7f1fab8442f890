"""Loops' equations and their derivatives, rotations and their vectors, assembly."""

import numpy as np
import pytest

from closedchain.exchange.assembly import advance, assemble
from closedchain.exchange.kinematics import Posture, rotation, rotation_vector
from closedchain.exchange.rotations import from_quaternion
from closedchain.exchange.tree import GROUND, BadTree, Body, Frame, Joint, Loop, Tree

rng = np.random.default_rng(11)


def turn():
    """A random rotation."""
    return rotation(rng.uniform(-1, 1, 3))


def tangled(kind):
    """Five bodies with every kind of joint, anchors anywhere, and one loop across them."""
    joints = [("hinge", 0), ("slide", 0), ("ball", 1), ("free", 0), ("fixed", 2)]
    bodies = []
    for i, (name, parent) in enumerate(joints):
        axis = rng.standard_normal(3)
        joint = Joint(
            f"j{i}", name, axis / np.linalg.norm(axis), rng.uniform(-1, 1, 3) if name != "free" else np.zeros(3)
        )
        mother = GROUND if i in (0, 3) else f"b{parent}"
        bodies.append(Body(f"b{i}", mother, rng.uniform(-1, 1, 3), turn(), (joint,)))
    a, b = Frame("a", "b4", rng.uniform(-1, 1, 3), turn()), Frame("b", "b3", rng.uniform(-1, 1, 3), turn())
    return Tree("tangled", tuple(bodies), (Loop("loop", kind, a, b, np.array([0.6, 0.0, 0.8]), length=0.3),))


@pytest.mark.parametrize("kind", ["point", "line", "distance", "hinge", "weld", "slide"])
def test_the_rows_are_the_derivatives_of_the_gaps(kind):
    """Central differences over the joints' own steps; rotation vectors differentiate so only where they vanish."""
    tree = tangled(kind)
    v = rng.uniform(-0.5, 0.5, tree.nv)
    if kind in ("weld", "slide"):
        v = assemble(tree, v).v
    h = 1e-6
    rows = Posture(tree, v).constraint()
    for i in range(tree.nv):
        step = h * np.eye(tree.nv)[i]
        ahead, behind = (Posture(tree, advance(tree, v, sign * step)).gap() for sign in (1, -1))
        np.testing.assert_allclose((ahead - behind) / (2 * h), rows[:, i], atol=1e-8)  # h² and rounding over h


def test_assembly_closes_what_can_be_closed_and_says_so_otherwise():
    """A weld over ten freedoms closes from far away; two points 3 m apart on arms of 1 m never do."""
    done = assemble(tangled("weld"))
    assert done.converged
    assert done.residual <= 1e-12
    assert "closed to" in done.message
    arm = Body("arm", GROUND, joints=(Joint("q", "hinge"),))
    far = Loop("far", "point", Frame("tip", "arm", np.array([1.0, 0, 0])), Frame("post", GROUND, np.array([4.0, 0, 0])))
    failed = assemble(Tree("short", (arm,), (far,)), np.array([0.3]))
    assert not failed.converged
    assert failed.residual == pytest.approx(3.0, abs=0.05)  # steps end where they help no more
    assert "did not close" in failed.message


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-5, 1.0, 3.0, np.pi - 1e-7, np.pi])
def test_a_rotation_gives_its_vector_back(angle):
    """From no turn to half a turn; half a turn may come back with the axis reversed."""
    axis = np.array([0.48, -0.6, 0.64])
    back = rotation_vector(rotation(axis * angle))
    np.testing.assert_allclose(rotation(back), rotation(axis * angle), atol=1e-9 if angle > 3 else 1e-15)
    assert np.linalg.norm(back) == pytest.approx(angle, abs=1e-9)


@pytest.mark.parametrize(
    "bodies, more, complaint",
    [
        ([Body("a", "b"), Body("b", GROUND)], {}, "which is not before it"),
        ([Body("a", GROUND), Body("a", GROUND)], {}, "two bodies are called 'a'"),
        ([Body("a", GROUND, joints=(Joint("j", "screw"),))], {}, "is a 'screw'"),
        ([Body("a", GROUND, joints=(Joint("j", "hinge"), Joint("j", "slide")))], {}, "two joints are called 'j'"),
        ([Body("a", GROUND)], {"drives": ("q",)}, "'q' is driven but is no joint"),
        ([Body("a", GROUND)], {"frames": (Frame("f", "c"),)}, "'f' is on 'c', which is no body"),
        ([Body("a", GROUND)], {"loops": (Loop("l", "gear", Frame("", "a"), Frame("", "a")),)}, "is a 'gear'"),
    ],
)
def test_what_is_no_tree_is_refused(bodies, more, complaint):
    """One sentence that names what is wrong."""
    with pytest.raises(BadTree, match=complaint):
        Tree("bad", tuple(bodies), **more)


@pytest.mark.parametrize("size", [1e-300, 1e-9, 1.0, 1e8, 1e160, 1e300])
def test_a_rotation_of_any_size_keeps_lengths(size):
    """A file may say 1e300 rad, whose square no double holds: it is still some rotation, and none is a NaN."""
    for R in (rotation(np.array([0.6, 0.0, 0.8]) * size), from_quaternion(np.array([1.0, 2.0, 3.0, 4.0]) * size)):
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)  # a few roundings
