"""A robot whose file has numbers and no parameters answers what the same robot with a parameter answers."""

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.model.batched import batched
from closedchain.model.reactions import joint_forces
from closedchain.singularity.joint_loci import joint_loci
from closedchain.singularity.loci import loci

NAMED = """
name = "glider"
output = "C"
[parameters]
l = 0.4
[points]
C = { free = true, mass = 3.0 }
[drives.q1]
slider = { at = [-0.2, 0], along = [0, 1] }
mass = 1.0
point = "A1"
[drives.q2]
slider = { at = [0.2, 0], along = [0, 1] }
mass = 1.0
point = "A2"
[[bars]]
between = ["A1", "C"]
length = "l"
[[bars]]
between = ["A2", "C"]
length = "l"
"""
PLAIN = NAMED.replace("[parameters]\nl = 0.4\n", "").replace('"l"', "0.4")
LINE = motion.quintic([0.0, 0.3], [0.1, 0.25], duration=1.0)
FEET = motion.quintic([0.0, 0.0], [0.05, -0.05], duration=1.0, space="joint")


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """The same robot twice: with a parameter, and with numbers alone."""
    folder, found = tmp_path_factory.mktemp("twins"), []
    for name, text in (("named", NAMED), ("plain", PLAIN)):
        path = folder / f"{name}.toml"
        path.write_text(text)
        found.append(cc.load(path))
    return found


def _joint(robot):
    return motion.joint(robot, LINE, working="++")(0.4).x_dddot


def _output(robot):
    return motion.output(robot, FEET, assembly="+")(0.4).x_dddot


def _limits(robot):
    return motion.check_limits(robot, LINE, effort=[20.0, 20.0]).peak("tau", "q1").value


def _fastest(robot):
    return motion.time_optimal(robot, LINE, effort=[20.0, 20.0]).duration


def _loci(robot):
    return np.concatenate([p.x for p in loci(robot, window=((-0.3, 0.3), (-0.1, 0.6)), lines=6).pieces])


def _type_1(robot):
    return np.concatenate([p.x for p in loci(robot, kind="B", window=((-0.7, 0.7), (-0.1, 0.6)), lines=6).pieces])


def _joint_loci(robot):
    return np.concatenate([p.q for p in joint_loci(robot, lines=6).pieces])


def _batched(robot):
    made = batched(robot, ["x", "tau"])(np.array([[0.0, 0.1], [0.1, 0.0]]), assembly="+")
    return np.concatenate([v.ravel() for v in made.values()])


def _forces(robot):
    state = cc.state(robot, q=[0.0, 0.1])
    return joint_forces(robot, state, cc.forward_dynamics(robot, state, [1.0, 2.0]))["A1-C"].on_a


ASKED = (_joint, _output, _limits, _fastest, _loci, _type_1, _joint_loci, _batched, _forces)


@pytest.mark.parametrize("ask", ASKED, ids=lambda ask: ask.__name__[1:])
def test_numbers_in_place_of_a_parameter_change_nothing(twins, ask):
    """The same expressions with a constant in place of an input: equal to the rounding of a constant folded early."""
    named, plain = map(ask, twins)
    np.testing.assert_allclose(plain, named, rtol=1e-9, atol=1e-12)


def test_too_few_reach_is_told_without_parameters(twins):
    """A batch with a state whose bars do not meet is refused in words, with or without parameters."""
    for robot in twins:
        with pytest.raises(cc.ClosedChainError, match="do not close"):
            batched(robot, ["x"])(np.array([[0.0, 0.9]]), assembly="+")
