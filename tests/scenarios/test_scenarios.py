"""The shipped scenarios give the documents' numbers; names, schema and reader agree with each other."""

import json
import tomllib
from importlib import resources

import jsonschema
import numpy as np
import pytest

import closedchain as cc
from closedchain import scenarios
from closedchain.errors import BadInput
from closedchain.scenarios.library import source
from closedchain.simulation.balance import exchanged

SCHEMA = json.loads((resources.files("closedchain.scenarios") / "scenario.schema.json").read_text(encoding="utf-8"))
NAMES = scenarios.names()
ENDS_EARLY = {"fivebar-lab-singular", "triplate-line-singular"}


@pytest.fixture(scope="module")
def runs():
    """Every shipped scenario, run once."""
    return {name: scenarios.run(name) for name in NAMES}


def test_the_scenarios_that_were_asked_for_are_there():
    """Names are part of the interface."""
    asked = {f"biglide-{name}" for name in ("kinematic", "kinematic-slow", "computed-torque", "oscillate", "document")}
    asked |= {"fivebar-lab", "fivebar-lab-singular", "triplate-line", "furuta-fall", "furuta-step", "furuta-swingup"}
    assert asked <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_scenario_says_what_it_is_and_where_its_numbers_come_from(name):
    """Both are shown by `simulate --json`."""
    found = scenarios.find(name)
    assert found.about
    assert found.origin


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_accepts_a_shipped_scenario(name):
    """Editors that know the schema mark nothing."""
    jsonschema.Draft202012Validator(SCHEMA).validate(tomllib.loads(source(name)))


def test_the_schema_is_a_schema():
    """It is valid in its own language."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_finite_closed_and_keeps_its_energy(name, runs):
    """Gaps at rounding of the robot's size; energy within what RK4 leaves, far below what moves, where that is much."""
    run = runs[name]
    for column in run.columns().values():
        assert np.isfinite(column).all()
    assert run.summary["closure_residual"] < 1e-14 * max(1.0, run.model.scale)
    if name not in ENDS_EARLY:
        assert run.summary["energy_residual"] < 1e-8 * max(1.0, exchanged(run))
    assert run.finished == (name not in ENDS_EARLY)


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_repeats_to_the_bit(name, runs):
    """The same file, the same numbers."""
    again = scenarios.run(name)
    for kind in ("t", "q", "x", "q_dot", "x_dot", "command"):
        np.testing.assert_array_equal(getattr(again, kind), getattr(runs[name], kind))


# The documents' numbers (TRUTH.md §4; made with other code, at the control instants) ---------------------------------


def samples(run):
    """The error at the control instants."""
    every = round(run.interval / run.settings["step"])
    return run.error[::every]


@pytest.mark.parametrize(
    "name, worst, end",
    [
        (
            "biglide-kinematic",
            (1.7866820523947807e-4, 3.562497592460301e-4),
            (1.1011278978016736e-4, 2.3611530022904503e-4),
        ),
        (
            "biglide-kinematic-slow",
            (1.8269177818225867e-3, 3.785491645970418e-3),
            (1.159461287056185e-3, 2.4654159757724337e-3),
        ),
        (
            "biglide-kinematic-figure14",
            (1.697396497452458e-4, 3.4443598002636966e-4),
            (-1.5186190358935925e-4, -2.881971303938524e-4),
        ),
    ],
)
def test_kinematic_control_has_the_errors_of_the_reference(name, worst, end, runs):
    """TRUTH.md §4, truth.json scenarios.kinematic_control: 1e-12 m is 3e-9 of them, rounding of two programs."""
    error = samples(runs[name])
    np.testing.assert_allclose(np.abs(error).max(axis=0), worst, atol=1e-12)
    np.testing.assert_allclose(error[-1], end, atol=1e-12)


def test_exact_computed_torque_stays_within_micrometres(runs):
    """TRUTH.md §4: 2.53259124788352e-06 m and 0.5044953371331096 N for eq 53 with the exact plant every 5 ms."""
    run = runs["biglide-computed-torque"]
    assert np.abs(samples(run)).max() == pytest.approx(2.53259124788352e-06, abs=1e-13)
    assert run.summary["max_effort"] == pytest.approx(0.5044953371331096, abs=1e-10)


def test_the_document_variant_is_figure_18(runs):
    """TRUTH.md §4's replica of Fig. 18: desired − what the model makes of the measured joints, at the samples."""
    run = runs["biglide-document"]
    seen = cc.direct(cc.load("biglide"), run.q).unwrap("+")
    error = (run.ref - seen)[::5]
    np.testing.assert_allclose(error.max(axis=0), [0.0008088021457051259, 0.0003210912039814384], atol=1e-11)
    np.testing.assert_allclose(error.min(axis=0), [-0.0001732934170370487, -0.001250128997138611], atol=1e-11)
    np.testing.assert_allclose(error[-1], [0.0007682588457841172, 0.00031522805996542225], atol=1e-11)
    assert run.t[::5][error[:, 1].argmin()] == pytest.approx(1.355)


@pytest.mark.parametrize(
    "name, q, q_dot",
    [
        ("furuta-fall", (0.13519735, 3.61917938), (-0.52920103, 3.01757201)),
        ("furuta-step", (15.59628044, -0.83807930), (8.14198915, 0.56322022)),
    ],
)
def test_the_furuta_ends_where_the_reference_does(name, q, q_dot, runs):
    """TRUTH.md §4, trajectories (a) and (b), printed with eight decimals."""
    run = runs[name]
    np.testing.assert_allclose(run.q[-1], q, atol=5.1e-9)
    np.testing.assert_allclose(run.q_dot[-1], q_dot, atol=5.1e-9)


def test_the_pendulum_is_swung_up_and_stays(runs):
    """From hanging to within 1e-3 rad of upright for the last three seconds, and never above 12 V."""
    run = runs["furuta-swingup"]
    late = run.t > run.t[-1] - 3.0
    tilt = np.arctan2(np.sin(run.q[:, 1]), np.cos(run.q[:, 1]))
    assert abs(tilt[0]) == pytest.approx(np.pi)
    assert np.abs(tilt[late]).max() < 1e-3
    assert np.abs(run.command).max() <= 12.0


def test_the_oscillation_is_the_labs(runs):
    """±0.01 N, left + and right − at first; an effort changes only after its foot has passed ±10 mm outwards."""
    run = runs["biglide-oscillate"]
    every = round(run.interval / run.settings["step"])
    q, effort = run.q[:-1:every], run.command[:-1:every]
    np.testing.assert_array_equal(effort[0], [0.01, -0.01])
    assert set(np.unique(effort)) == {-0.01, 0.01}
    flips = np.nonzero(np.diff(effort, axis=0))
    assert len(flips[0]) > 10
    for row, foot in zip(*flips, strict=True):
        assert q[row + 1, foot] * effort[row, foot] > 0  # it was being pushed further out
        assert abs(q[row + 1, foot]) > 0.01
    held = np.abs(q[1:]) <= 0.01
    np.testing.assert_array_equal(effort[1:][held], effort[:-1][held])


def test_the_fivebar_starts_where_the_lab_does(runs):
    """At q = (0, 0) the tip is at (0.09, √(0.09² − 0.059²)), and both cranks are in the working mode "--"."""
    run = runs["fivebar-lab"]
    np.testing.assert_allclose(run.x[0], [0.09, np.sqrt(0.09**2 - 0.059**2)], atol=1e-15)
    assert run.summary["max_error"] < 1e-4
    np.testing.assert_allclose(run.x[-1], [0.0, 0.1], atol=1e-4)


def test_the_labs_second_trajectory_ends_in_a_clear_explanation(runs):
    """What, when and where; the bars' line through the tip there: det A = 0 means C on the line A1 A2."""
    run = runs["fivebar-lab-singular"]
    assert "Type 2 singularity" in run.ended
    assert "t = 3.17" in run.ended
    cranks = run.q[-1]
    A1 = np.array([-0.059, 0.0]) + 0.09 * np.array([np.cos(cranks[0]), np.sin(cranks[0])])
    A2 = np.array([+0.059, 0.0]) + 0.09 * np.array([np.cos(cranks[1]), np.sin(cranks[1])])
    a, b = A1 - run.x[-1], A2 - run.x[-1]
    assert abs(a[0] * b[1] - a[1] * b[0]) < 0.02 * 0.09**2  # the sine of the angle between the bars


def test_the_plate_meets_its_singularity_where_the_document_crosses_it(runs):
    """TRUTH.md §1.4, 2-13: at 0.122782 of the line, i.e. 0.245564 s; the step is 1 ms."""
    assert runs["triplate-line-singular"].t[-1] == pytest.approx(2 * 0.122782, abs=1.1e-3)
    assert runs["triplate-line"].summary["max_error"] < 2e-5


# Changes ------------------------------------------------------------------------------------------------------------


def test_a_change_replaces_one_value_of_the_file():
    """By its place; the rest stays."""
    changes = {"controller.kp": 50, "interval": "10 ms", "parameters.l": "400 mm"}
    found = scenarios.find("biglide-computed-torque", changes)
    assert found.interval == 0.01
    assert found.model.values["l"] == 0.4
    assert found.reference.duration == 3.0


def test_gains_matter_as_the_table_says():
    """TRUTH.md §4, "exact": 29, 11, 5.3, 2.5, 1.6, 1.1 µm for K = 10, 25, 50, 100, 150, 200, two digits."""
    for K, micrometres in ((10, 29), (25, 11), (50, 5.3), (100, 2.5), (150, 1.6), (200, 1.1)):
        run = scenarios.run(scenarios.find("biglide-computed-torque", {"controller.kp": K, "controller.kd": K}))
        assert run.summary["max_error"] * 1e6 == pytest.approx(micrometres, rel=0.05)


def test_a_cancelled_run_keeps_what_it_has():
    """`progress` raises after the first chunk of a long run: the histories end there, and `ended` says so."""

    def stop(t):
        raise KeyboardInterrupt

    run = scenarios.run(scenarios.find("biglide-oscillate", {"duration": 200.0}), progress=stop)
    assert run.ended.startswith("cancelled at t = ")
    assert 0 < run.t[-1] < 200
    assert not run.finished
    whole = scenarios.run("biglide-oscillate")
    np.testing.assert_array_equal(run.q[: len(whole.q) - 1], whole.q[:-1])


def test_rollouts_of_a_scenario_are_its_runs():
    """Plant parameters row by row: each ends as the single run with that plant, bit for bit; so do other starts."""
    base = {"duration": 0.2}
    bars, tips = [0.355, 0.3606, 0.365], np.array([[0.0, 0.3], [0.001, 0.299]])
    scenario = scenarios.find("biglide-computed-torque", base)
    many = scenarios.rollouts(scenario, values={"l": bars}, threads=2)
    assert many.finished.all()
    for i, bar in enumerate(bars):
        one = scenarios.run(scenarios.find("biglide-computed-torque", base | {"plant.values": {"l": bar}}))
        np.testing.assert_array_equal(many.final.z[i], one.final.z)
    moved = scenarios.rollouts(scenario, x=tips)
    for i, tip in enumerate(tips):
        one = scenarios.run(scenarios.find("biglide-computed-torque", base | {"start.x": tip.tolist()}))
        np.testing.assert_array_equal(moved.final.z[i], one.final.z)


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("biglide-computed-torque", {"masses": [1.0]}, "vary values, gains, q, x"),
        (scenarios.find("biglide-computed-torque", {"tolerance": 1e-9}), {}, "leave tolerance out"),
    ],
)
def test_what_cannot_be_rolled_out_is_told(name, given, message):
    """One sentence."""
    with pytest.raises(BadInput, match=message):
        scenarios.rollouts(name, **given)


def test_forces_of_a_file_act_on_the_plant():
    """The biglide lifted by F sin ωt, as tests/simulation/test_external.py derives: y = F/(Mω) t − F/(Mω²) sin ωt."""
    text = """
schema = "closedchain.scenario/1"
robot = "biglide"
interval = 0.01
duration = 0.5
start = { q = [0, 0] }
controller = { kind = "constant", value = 0 }
[forces]
C = [0, "4*sin(6*t)"]
"""
    jsonschema.validate(tomllib.loads(text), SCHEMA)
    run = scenarios.run(scenarios.loads(text))
    y = 4 / (5 * 6) * 0.5 - 4 / (5 * 36) * np.sin(3.0)
    np.testing.assert_allclose(run.final.q, y, atol=1e-12)
    steady = scenarios.run(scenarios.loads(text.replace('[0, "4*sin(6*t)"]', '["0 N", 2]')))
    np.testing.assert_allclose(steady.final.q, 2 * 0.5**2 / (2 * 5), rtol=1e-12)


@pytest.mark.parametrize("late", [3, 0.015, "15 ms"])
def test_a_delay_in_a_scenario_is_samples_or_a_time(late):
    """Three intervals of 5 ms, however they are written; true is one of them."""
    changes = {"controller.kd": 20, "duration": 0.5}
    runs = [
        scenarios.run(scenarios.find("biglide-computed-torque", changes | {"plant.delay": d})) for d in (late, 3, True)
    ]
    np.testing.assert_array_equal(runs[0].x, runs[1].x)
    assert np.abs(runs[0].x - runs[2].x).max() > 1e-6
