"""The shipped robots: found by their files, with units and sources; and one that a user adds as a file."""

import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.units import NAMES

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]


def test_every_file_is_a_robot_and_every_robot_a_file():
    """There is no list to extend: one module each, the recipe inside has its name."""
    files = {p.stem for p in Path(robots.__file__).parent.glob("*.py")} - {"__init__"}
    assert set(robots.names()) == files
    for name in robots.names():
        assert robots.find(name).name == name


def test_the_robots_of_seeds_and_cases_are_there():
    """Seeds 000-004, the lab's five-bar, cases P02-P04, and two textbook linkages."""
    wanted = {"biglide", "triplate", "furuta", "fivebar", "rpr3", "rrr3", "delta", "fourbar", "slidercrank"}
    assert wanted <= set(robots.names())


@pytest.mark.parametrize("name", robots.names())
def test_every_parameter_has_a_unit_and_a_source(name):
    """A number without an origin cannot be checked; "chosen" is an origin."""
    recipe = robots.find(name)
    assert recipe.description.about
    for parameter in recipe.description.parameters:
        assert parameter.source, parameter.name
        assert parameter.unit in {"", *NAMES}, parameter.name


@pytest.mark.parametrize("name", robots.names())
def test_every_parameter_set_is_complete_and_finite(name):
    """Each named set gives every parameter a number."""
    recipe = robots.find(name)
    for preset in (None, *recipe.presets):
        values = recipe.values(preset)
        assert values.keys() == {p.name for p in recipe.description.parameters}
        assert all(np.isfinite(v) for v in values.values())


def test_the_cases_parameters_are_the_robots():
    """P01/P05/P14: the lab's biglide; P02, P03, P04: defaults; P07, P08: the other makes of the furuta."""
    lab = cc.load("biglide:lab").values
    case = CASES["P01"]["input"]["params"]
    assert (lab["l"], lab["d"], lab["m_p"], lab["m_f"]) == (case["l"], case["d"], case["mp"], case["mf"])
    rpr = cc.load("rpr3").values
    assert [[0, 0], [rpr["x2"], rpr["y2"]], [rpr["x3"], rpr["y3"]]] == CASES["P02"]["input"]["base"]
    assert [[0, 0], [rpr["p2"], 0], [rpr["p3x"], rpr["p3y"]]] == CASES["P02"]["input"]["platform"]
    rrr = cc.load("rrr3").values
    assert [[0, 0], [rrr["x2"], 0], [rrr["x3"], rrr["y3"]]] == CASES["P03"]["input"]["base"]
    delta = cc.load("delta").values
    assert all(
        delta[ours] == CASES["P04"]["input"][theirs]
        for ours, theirs in (("s_B", "sB"), ("s_P", "sP"), ("L", "L"), ("l", "l"))
    )
    qube, p07 = cc.load("furuta:qube").values, CASES["P07"]["input"]
    names = {
        "R_a": "Rm",
        "k_t": "kt",
        "k_v": "km",
        "m_1": "Mr",
        "L_1": "Lr",
        "m_2": "Mp",
        "L_2": "Lp",
        "b_1": "Dr",
        "b_2": "Dp",
    }
    assert all(qube[ours] == p07[theirs] for ours, theirs in names.items())
    prime, p08 = cc.load("furuta:cazzolato-prime").values, CASES["P08"]["input"]
    names = {"L_1": "L1", "c_1": "l1", "m_1": "m1", "J_1": "J1", "L_2": "L2", "c_2": "l2", "m_2": "m2", "J_2": "J2"}
    assert all(prime[ours] == p08[theirs] for ours, theirs in names.items())


PRR3 = """
schema = "closedchain.mechanism/1"
name = "myprr"
about = "Three carriages on parallel rails carry a plate."
output = "plate"

[parameters]
h = { value = 300, unit = "mm", about = "distance of the rails", source = "chosen" }
l = { value = 500, unit = "mm", about = "length of each bar", source = "chosen" }
m = { value = 1.0, unit = "kg", about = "mass of the plate", source = "chosen" }

[plates.plate]
mass = "m"
inertia = "m*h**2/12"
[plates.plate.points]
P1 = [0, 0]
P2 = ["h/2", "h/4"]
P3 = ["-h/2", "h/4"]

[drives.q1]
slider = { at = [0, 0], along = [1, 0] }
mass = 0.5
point = "A1"
[drives.q2]
slider = { at = [0, "h"], along = [1, 0] }
mass = 0.5
point = "A2"
[drives.q3]
slider = { at = [0, "2*h"], along = [1, 0] }
mass = 0.5
point = "A3"

[[bars]]
between = ["A1", "P1"]
length = "l"
[[bars]]
between = ["A2", "P2"]
length = "l"
[[bars]]
between = ["A3", "P3"]
length = "l"
"""


def test_a_robot_of_your_own_works_end_to_end(tmp_path):
    """A 3-PRR written as a file: laws, all inverse solutions by Pythagoras, and back by direct geometry."""
    path = tmp_path / "myprr.toml"
    path.write_text(PRR3, encoding="utf-8")
    robot = cc.load(path)
    report = cc.check(robot, states=200)
    assert report.ok, str(report)
    x, h, l = np.array([0.2, 0.25, 0.1]), 0.3, 0.5
    turn = np.array([[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]])
    P = x[:2] + np.array([[0, 0], [h / 2, h / 4], [-h / 2, h / 4]]) @ turn.T
    reach = np.sqrt(l**2 - (P[:, 1] - [0, h, 2 * h]) ** 2)
    found = cc.inverse(robot, x)
    assert len(found) == 8
    for s in found:
        signs = np.array([1 if c == "+" else -1 for c in s.working])
        np.testing.assert_allclose(s.q, P[:, 0] - signs * reach, atol=1e-15)
        poses = cc.direct(robot, s.q)
        assert np.abs(poses.x - x).max(axis=-1).min() < 1e-12
    longer = robot.with_values(l=0.6)
    assert cc.inverse(longer, x)["+++"].q[0] < found["+++"].q[0]
