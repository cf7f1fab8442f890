"""Measures against hand geometry and against the functions that compute one robot at a time."""

import math
from dataclasses import replace

import numpy as np
import pytest

import closedchain as cc
from closedchain import scenarios
from closedchain.describe.writing import dumps
from closedchain.motion import joint
from closedchain.singularity.maps import map_grid
from closedchain.singularity.workspace import workspace
from closedchain.sweep.asking import study
from closedchain.sweep.factors import BadStudy, levels
from closedchain.sweep.motions import pick
from closedchain.sweep.running import sweep
from closedchain.sweep.study import Scene

WINDOW = (-0.3, 0.3, -0.3, 0.3)
TRACK = "biglide-computed-torque"


@pytest.mark.parametrize("grid", [None, 50])
def test_the_biglide_reaches_a_strip(grid):
    """2 (l − d/2) wide, 0.6 m of it; a grid is exact for an edge along it; out of reach of each other it is nothing."""
    done = sweep(study("biglide", {"l": "0.10:0.45:36"}, ["workspace_area"], window=WINDOW, grid=grid))
    strip = 0.6 * np.clip(2 * (done.column("l") - 0.2), 0.0, 0.6)
    np.testing.assert_allclose(done.column("workspace_area"), strip, atol=1e-14)  # rounding of ≤ 50² cells
    assert not done.failed


def test_a_grid_comes_close_to_the_lens_of_the_five_bar():
    """Two discs of l1 + l2 about pivots d apart; halving the cells brings the grid's error down by more than two."""
    errors = []
    for grid in (32, 64, 128):
        asked = study("fivebar", {"l2": "0.07,0.08,0.09"}, ["workspace_area"], grid=grid, window=(-0.2, 0.2, -0.2, 0.2))
        done = sweep(asked)
        exact = [workspace(cc.load("fivebar", l2=l2), (-0.2, 0.2, -0.2, 0.2)).area.value for l2 in done.column("l2")]
        errors.append(np.abs(done.column("workspace_area") / exact - 1.0).max())
    assert errors[0] < 0.02
    assert errors[2] < errors[0] / 4
    by_arcs = sweep(study("fivebar", {"l2": "0.07,0.09"}, ["workspace_area"], window=(-0.2, 0.2, -0.2, 0.2)))
    R, half = 0.18, 0.059
    lens = 2 * R**2 * math.acos(half / R) - 2 * half * math.sqrt(R**2 - half**2)
    assert by_arcs.column("workspace_area")[1] == pytest.approx(lens, rel=1e-13)


@pytest.mark.parametrize("robot, extra", [("biglide", {}), ("rrr3", {"third": 0.1, "working": "+++"})])
def test_conditioning_on_the_grid_is_the_maps(robot, extra):
    """Least and mean of 1/κ, and the area above a bound, against `map_grid` at the same places."""
    name = {"biglide": "l", "rrr3": "l1"}[robot]
    window = WINDOW if robot == "biglide" else (0.0, 3.0, 0.0, 3.0)
    values = {"biglide": [0.31, 0.42], "rrr3": [1.0, 1.2]}[robot]
    asked = study(
        robot,
        {name: values},
        ["min_conditioning", "dexterity", "dexterous_area"],
        window=window,
        grid=40,
        condition=0.3,
        **extra,
    )
    done = sweep(asked)
    cell = (window[1] - window[0]) / 40
    inner = (window[0] + cell / 2, window[1] - cell / 2, window[2] + cell / 2, window[3] - cell / 2)
    mode = extra.get("working", "++")
    for i, value in enumerate(values):
        made = map_grid(
            cc.load(robot, **{name: value}), inner, (40, 40), ["condition"], working=mode, dtype=np.float64,
            orientation=extra.get("third"),
        )  # fmt: skip
        there = made.plane("condition", mode)[made.reachable]
        assert done.column("min_conditioning")[i] == pytest.approx(there.min(), rel=1e-9)
        assert done.column("dexterity")[i] == pytest.approx(there.mean(), rel=1e-9)
        cells = (made.plane("condition", mode) >= 0.3) & made.reachable
        edge = 4 * 40 * cell**2  # cells that an edge may cut
        assert done.column("dexterous_area")[i] == pytest.approx(cells.sum() * cell**2, abs=edge)


def test_the_regular_workspace_is_limited_by_reach_or_by_conditioning():
    """1/κ at the biglide's middle is tan of half the bars' angle: d/2 over the height; the square ends at the reach."""
    asked = study(
        "biglide", {"d": "0.2:0.6:9"}, ["regular_workspace", "centre_conditioning"], values={"l": 0.4},
        window=(-0.5, 0.5, -0.5, 0.5), condition=0.4,
    )  # fmt: skip
    done = sweep(asked)
    d = done.column("d")
    tangent = (d / 2) / np.sqrt(0.4**2 - (d / 2) ** 2)
    np.testing.assert_allclose(done.column("centre_conditioning"), np.minimum(tangent, 1 / tangent), rtol=1e-12)
    expected = np.where(tangent >= 0.4, 2 * (0.4 - d / 2), 0.0)
    np.testing.assert_allclose(done.column("regular_workspace"), expected, atol=1e-12)  # 44 halvings of a step
    assert 0 < (expected == 0.0).sum() < len(d)


def test_a_disc_of_the_five_bar_touches_its_lens():
    """About the middle of the pivots' line the nearest edge is at R − d/2 along it; l1 = l2 leaves no hole."""
    asked = study(
        "fivebar", {"l2": [0.09]}, ["regular_workspace"], window=(-0.2, 0.2, -0.2, 0.2), centre=(0, 0), shape="disc"
    )
    assert sweep(asked).column("regular_workspace")[0] == pytest.approx(2 * (0.18 - 0.059), abs=1e-12)


def test_peak_effort_is_that_of_inverse_dynamics():
    """Robot by robot along the same motion."""
    asked = study("biglide", {"l": "0.33:0.45:4", "m_p": [1.0, 3.0]}, ["peak_effort", "reach_margin"], scenario=TRACK)
    done = sweep(asked)
    reference = scenarios.find(TRACK).reference
    t = np.linspace(0.0, 3.0, 401)
    for i, (l, m_p) in enumerate(done.points):
        model = cc.load("biglide", l=l, m_p=m_p)
        whole = joint(model, reference, working="++").whole(t)
        tau = cc.inverse_dynamics(model, cc.state(model, q=whole.q, x=whole.x, q_dot=whole.q_dot), whole.q_ddot)
        assert done.column("peak_effort")[i] == pytest.approx(np.abs(tau).max(), rel=1e-10)
        assert done.column("reach_margin")[i] == pytest.approx(l - 0.2 - 0.1, abs=1e-15)  # the motion ends at x = 0.1


def test_moving_mass_is_what_moves():
    """The biglide's tip and two feet; the 3-RRR's three driven bars, three others and a plate."""
    done = sweep(study("biglide", {"m_p": [1.0, 2.5]}, ["moving_mass"]))
    np.testing.assert_allclose(done.column("moving_mass"), [3.0, 4.5])
    done = sweep(study("rrr3", {"m_1": [1.0, 2.0]}, ["moving_mass"]))
    np.testing.assert_allclose(done.column("moving_mass"), [3 * 1.0 + 3 * 0.8 + 0.6, 3 * 2.0 + 3 * 0.8 + 0.6])


def test_a_number_of_evaluate_is_evaluates():
    """By its dotted name."""
    state = {"x": [0.03, 0.25], "x_ddot": [1.0, 0.0], "working": "++"}
    done = sweep(study("biglide", {"l": [0.36, 0.4]}, ["evaluate.tau.1", "evaluate.det_A"], state=state))
    for i, l in enumerate(done.column("l")):
        one = cc.evaluate(cc.load("biglide", l=l), **state)
        assert done.column("evaluate.tau.1")[i] == one.tau[1]
        assert done.column("evaluate.det_A")[i] == one.det_A


def test_a_figure_of_simulate_is_simulates_and_noise_is_seeded_by_the_point():
    """Two points with equal values but other seeds differ; the same point does not."""
    vary = {"controller.kp": [50.0, 100.0]}
    done = sweep(study("biglide", vary, ["tracking_error", "simulate.final_error"], scenario=TRACK))
    for i, kp in enumerate(vary["controller.kp"]):
        run = scenarios.run(scenarios.find(TRACK, {"controller.kp": kp}))
        assert done.column("tracking_error")[i] == run.summary["max_error"]
        assert done.column("simulate.final_error")[i] == run.summary["final_error"]
    noisy = study("biglide", {"plant.noise_q": "1e-5, 1.0000000000000002e-5"}, ["tracking_error"], scenario=TRACK)
    first, second = sweep(noisy).column("tracking_error")
    assert abs(first / second - 1.0) > 1e-6
    assert sweep(noisy).column("tracking_error")[0] == first


def test_formulas_follow_what_varies():
    """The 3-PRR's radius R is a formula of its side S, and its file is all a study needs."""
    done = sweep(
        study(
            "examples/robots/prr3.toml", {"S": [0.9, 1.0]}, ["workspace_area"], third=0.0, window=(-0.5, 0.5, -0.5, 0.5)
        )
    )
    for S, area in zip(done.column("S"), done.column("workspace_area"), strict=True):
        whole = workspace(cc.load("examples/robots/prr3.toml", S=S), (-0.5, 0.5, -0.5, 0.5), orientation=0.0)
        assert area == pytest.approx(whole.area.value, rel=1e-12)
    by_cells = sweep(
        study(
            "examples/robots/prr3.toml",
            {"S": [0.9, 1.0]},
            ["workspace_area"],
            third=0.0,
            window=(-0.5, 0.5, -0.5, 0.5),
            grid=256,
        )
    )
    np.testing.assert_allclose(by_cells.column("workspace_area"), done.column("workspace_area"), rtol=5e-3)


@pytest.mark.parametrize(
    "compute, words",
    [
        (["workspace_are"], "did you mean 'workspace_area'"),
        (["evaluate.tau"], "name one number of it"),
        (["evaluate.torque"], "there are robot, q"),
        (["peak_effort"], "Name a scenario"),
    ],
)
def test_a_measure_that_there_is_not_is_one_error(compute, words):
    """For the study, not for each of its points."""
    with pytest.raises(BadStudy, match=words):
        sweep(study("biglide", {"l": "0.3:0.4:3"}, compute, state={"x": [0.03, 0.25]}))


@pytest.mark.parametrize("name", ["max_error", "max_error.0"])
def test_a_figure_that_a_run_has_not_is_refused_without_bad_advice(name):
    """A pendulum that is swung up follows nothing, so nothing in it is an error."""
    with pytest.raises(BadStudy, match=r"simulate\.max_error: this run has none"):
        pick({"max_error": None, "max_effort": 11.9}, name, "simulate")


def test_the_window_holds_the_reach_of_every_robot_of_the_study():
    """Lenses of discs of 0.18 m about pivots d apart, nearer and farther than the robot's own: none is cut off."""
    done = sweep(study("fivebar", {"d": "0.05:0.3:6"}, ["workspace_area"]))
    R, half = 0.18, done.column("d") / 2
    lenses = 2 * R**2 * np.arccos(half / R) - 2 * half * np.sqrt(R**2 - half**2)
    np.testing.assert_allclose(done.column("workspace_area"), lenses, rtol=1e-13)


def test_a_varied_trajectory_changes_what_is_computed_along_it():
    """Without gravity and friction, the same path in half the time takes four times the effort; its reach stays."""
    vary = {"trajectory.duration": [-1.0, 1.0, 2.0, 3.0]}
    done = sweep(study("biglide", vary, ["peak_effort", "reach_margin", "singularity_margin"], scenario=TRACK))
    assert list(done.failed) == [0]
    effort = done.column("peak_effort")[1:]
    np.testing.assert_allclose(effort * np.array([1.0, 4.0, 9.0]), effort[0], rtol=1e-12)
    # The path ends at x = 0.1, the leg from x = -0.2: what is left of a bar of 0.3606 m is 0.0606 m
    np.testing.assert_allclose(done.column("reach_margin")[1:], 0.0606, rtol=1e-12)
    assert np.isnan([done.column(name)[0] for name in ("reach_margin", "singularity_margin")]).all()


def test_a_path_that_a_varied_trajectory_lengthens_is_looked_at_itself():
    """An arc about (0, 0.3): the leg from x = -0.2 has 0.3606 - 0.2 - radius left at its farthest."""
    text = """
schema = "closedchain.scenario/1"
robot = "biglide"
interval = 0.005
trajectory = { kind = "circle", centre = [0, 0.3], radius = 0.05, duration = 2 }
controller = { kind = "computed-torque", kp = 100, kd = 100 }
"""
    asked = study("biglide", {"d": [0.4]}, ["reach_margin"], scenario=TRACK)
    scene = Scene("arc", text)
    factor = levels("trajectory.radius", "", (0.02, 0.05, 0.1))
    done = sweep(replace(asked, factors=(factor,), scene=scene))
    np.testing.assert_allclose(done.column("reach_margin"), 0.1606 - np.array([0.02, 0.05, 0.1]), atol=1e-12)


def test_a_scenario_of_another_robot_with_the_same_name_is_refused(tmp_path):
    """One row would hold the simulation of one robot beside the geometry of another."""
    other = dumps(cc.load("biglide").recipe).replace("value = 3,", "value = 1,")
    (tmp_path / "mine.toml").write_text(other)
    with pytest.raises(BadStudy, match=r"another biglide than .*mine.toml \(m_p = 3, here 1\)"):
        study(tmp_path / "mine.toml", {"d": [0.4]}, ["tracking_error"], scenario=TRACK)


def test_a_derivative_is_a_measure():
    """∂(y of the biglide's tip)/∂l at level feet is l/h, h² = l² − d²/4, at every point of the study."""
    done = sweep(study("biglide", {"l": [0.3, 0.4]}, ["gradient.x.l.1"], state={"q": [0.0, 0.0], "assembly": "+"}))
    l = np.array([0.3, 0.4])
    np.testing.assert_allclose(done.column("gradient.x.l.1"), l / np.sqrt(l**2 - 0.2**2), rtol=1e-12)
    with pytest.raises(BadStudy, match="torque at this state has no derivatives"):
        sweep(study("biglide", {"l": [0.3, 0.4]}, ["gradient.torque.l"], state={"q": [0.0, 0.0]}))
