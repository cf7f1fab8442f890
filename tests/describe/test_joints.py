"""Joints by their usual names: how much they leave free, how bodies move on them, and how files say them."""

import math  # noqa: I001

from itertools import permutations, product

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import (
    Body,
    Fixed,
    Mechanism,
    Parallelogram,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from closedchain.describe.expressions import evaluate
from closedchain.describe.files import BadFile, loads
from closedchain.describe.joints import KINDS, Cylindrical, Weld, across
from closedchain.describe.vectors import vector

Z, X, Y = (0, 0, 1), (1, 0, 0), (0, 1, 0)
OBLIQUE = (1 / 3, 2 / 3, -2 / 3)
ENDS = Fixed("O", at=(0, 0, 0)), Body("body", 1.0).point("P", at=(0, 0, 0))
FREEDOMS = [
    (lambda a, b: Spherical(a, b), 3),
    (lambda a, b: Universal(a, b, X, Y), 2),
    (lambda a, b: Revolute(a, b, OBLIQUE, OBLIQUE), 1),
    (lambda a, b: Cylindrical(a, b, Z, Z), 2),
    (lambda a, b: Prismatic(a, b, OBLIQUE, OBLIQUE, X, Y), 1),
    (lambda a, b: Planar(a, b, OBLIQUE, OBLIQUE), 3),
    (lambda a, b: Weld(a, b), 0),
    (lambda a, b: Parallelogram(a, b), 3),
]


def held(joint, **body):
    """A body on a joint at the origin, under gravity along −z."""
    made = Body("body", **({"mass": 2.0, "inertia": (0.1, 0.2, 0.3), "near": (0.0,) * 6} | body))
    rows = joint(Fixed("O", at=(0, 0, 0)), made.point("P", at=(0, 0, 0)))
    return cc.load(
        Mechanism("held", drives=(), output=made, joints=(rows,), further=(made,), linkage=True, gravity=(0, 0, -9.81))
    )


def mobility(robot):
    """Its freedoms where it stands."""
    return cc.analyse(robot, cc.assemble(robot).unwrap()).mobility


def test_frames_that_turn_alike_never_have_their_axes_change_places():
    """Of 24 rotations that take axes to axes a weld's right angles let the four pass that are half turns or none."""
    passed = []
    for order, signs in product(permutations(range(3)), product((1, -1), repeat=3)):
        R = np.zeros((3, 3))
        R[list(order), range(3)] = signs
        if np.linalg.det(R) > 0:
            rows = [[[float(evaluate(c, {})) for c in d.along] for d in (i.a, i.b)] for i in Parallelogram(*ENDS)]
            if all(abs(np.array(u) @ R @ v) < 1e-15 for u, v in rows):
                passed.append(R)
    assert len(passed) == 4
    assert all((R == np.diag(np.diag(R))).all() for R in passed)  # noqa: SIM300


@pytest.mark.parametrize(("joint", "free"), FREEDOMS, ids=KINDS)
def test_a_joint_leaves_a_body_its_freedoms(joint, free):
    """As every textbook has them, counted by the rank of the closures."""
    assert mobility(held(joint)) == free


def test_a_body_on_a_hinge_is_a_pendulum():
    """Level at rest about y: α = m g l / (I + m l²), by hand."""
    m, l, i = 2.0, 0.4, 0.2
    robot = held(lambda a, b: Revolute(a, b, Y, Y), centre=(l, 0, 0), inertia=(0.1, i, 0.3))
    motion = cc.forward_dynamics(robot, cc.state(robot, x=[0.0] * 6), tau=[])
    pitch = dict(zip([c.name for c in robot.equations.x], motion.x_ddot, strict=True))["pitch"]
    np.testing.assert_allclose(pitch, m * 9.81 * l / (i + m * l**2), rtol=1e-13)


def test_a_body_on_a_slope_slides():
    """Along (cos 30°, 0, −sin 30°): g sin 30° of it, and it does not turn."""
    slope = (math.cos(math.pi / 6), 0.0, -0.5)
    robot = held(lambda a, b: Prismatic(a, b, slope, slope, X, Y), centre=(0.1, 0.2, 0.3))
    motion = cc.forward_dynamics(robot, cc.state(robot, x=[0.0] * 6), tau=[])
    np.testing.assert_allclose(motion.x_ddot[:3], 9.81 / 2 * np.array(slope), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(motion.x_ddot[3:], 0.0, atol=1e-12)


@pytest.mark.parametrize("u", [X, Y, Z, OBLIQUE, (0.6, -0.8, 0.0)])
def test_directions_across_are_square(u):
    """Unit vectors, across u and across each other."""
    rows = np.array([[float(evaluate(c, {})) for c in row] for row in (vector(u), *across(vector(u)))])
    np.testing.assert_allclose(rows @ rows.T, np.eye(3), atol=1e-15)


FILE = """
schema = "closedchain.mechanism/1"
name = "door"
linkage = true
output = "leaf"
gravity = [0, 0, -9.81]
[points]
O = {{ fixed = [0, 0, 0] }}
[bodies.leaf]
mass = 2.0
inertia = [0.1, 0.2, 0.3]
near = [0, 0, 0, 0, 0, 0]
points = {{ P = [0, 0, 0] }}
[[joints]]
{0}
"""


def test_a_file_says_a_joint_by_its_name():
    """It holds what the same joint in Python holds."""
    robot = cc.load(loads(FILE.format('revolute = ["O", "P"]\naxes = [[0, 0, 1], [0, 0, 1]]\nname = "hinge"'), "door"))
    assert [c.name for c in robot.equations.closures][-2:] == ["hinge.tilt1", "hinge.tilt2"]
    assert mobility(robot) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('revolute = ["O", "P"]', "axes"),
        ('revolute = ["O", "Q"]\naxes = [[0, 0, 1], [0, 0, 1]]', "no point 'Q'"),
        ('revolute = ["O", "P"]\naxes = [[0, 0, 1]]', "two directions are needed, found 1"),
        ('weld = ["O", "P"]\naxes = [[0, 0, 1], [0, 0, 1]]', "axes"),
        ('revolute = ["O", "P"]\naxes = [[0, 0, 2], [0, 0, 1]]', "length 2"),
        ('hinge = ["O", "P"]', "revolute"),
    ],
)
def test_a_wrong_joint_is_told(text, told):
    """What is missing, wrong or unknown, by its word."""
    with pytest.raises(BadFile, match=told):
        loads(FILE.format(text), "door")
