"""Calibration of robots by poses, redundant sensors, priors and robust losses."""

import itertools
import runpy
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.calibration import Readings, calibrate, candidates, suggest
from closedchain.calibration.choosing import choose
from closedchain.calibration.sensing import NotExplained
from closedchain.errors import BadInput

EXAMPLE = Path(__file__).parents[2] / "examples/14_calibration/hexapod.py"
LEGS = tuple(f"l{i}" for i in range(1, 7))


@pytest.fixture(scope="module")
def hexapod():
    """The example's functions and robot."""
    return runpy.run_path(str(EXAMPLE))


@pytest.fixture(scope="module")
def fivebar():
    """Two cranks whose passive angles are read."""
    return cc.load("fivebar")


def test_forty_two_parameters_of_a_hexapod_come_out_to_the_last_digits(hexapod):
    """Lengths by hand, |t + R p − b| less the encoders' zeros: every number to 1e-9 mm from up to 5 mm away."""
    assert hexapod["main"]() < 1e-12


def test_the_ellipsoid_of_95_percent_covers_the_truth_as_often(hexapod):
    """Of twenty noisy data sets at least 15 have the truth in their ellipsoid; fewer has a chance of 3e-4.

    `python -m benchmarks.calibration_coverage` counts a thousand.
    """
    robot, real = (cc.load(EXAMPLE.with_name(f"hexapod.toml{p}")) for p in ("", ":real"))
    covered = sum(covers(hexapod, robot, real, seed) for seed in range(20))
    assert covered >= 15


def covers(hexapod, robot, real, seed):
    """Whether a data set's ellipsoid holds the truth; 58.124 is chi-square's 95 % of 42 freedoms."""
    x = hexapod["poses"](25)
    read = hexapod["lengths"](real.values, x) - hexapod["REAL"]
    sd = np.array([1e-6] * 3 + [2e-6] * 3)
    seen = x + sd * np.random.default_rng(seed).standard_normal(x.shape)
    begin = dict(zip((f"{leg}.offset" for leg in LEGS), hexapod["REAL"].tolist(), strict=True))
    pose = dict(zip(hexapod["POSE"], sd.tolist(), strict=True))
    data = Readings((*LEGS, *hexapod["POSE"]), np.hstack([read, seen]))
    done = calibrate(real, data, offsets=LEGS, start=begin, sd=pose)
    truth = np.array([{**real.values, **begin}[name] for name in done.names])
    away = done.J @ (done.theta - truth)
    return float(away @ away) <= 58.124


def samples(robot, count=40, seed=1):
    """States of a fivebar in one assembly, with the passive angles that its encoders would read, by atan2."""
    rng = np.random.default_rng(seed)
    q = np.array([1.6, 1.5]) + rng.uniform(-0.4, 0.4, (count, 2))
    return cc.state(robot, q=q, assembly="+")


def test_angles_alone_do_not_tell_how_large_a_robot_is(fivebar):
    """Cranks and passive angles of similar fivebars are the same: the lengths together, in proportion, are unseen."""
    readout = [r.name for r in fivebar.equations.readouts]
    assert readout, "the fivebar reads its passive angles"
    at = samples(fivebar)
    rest = np.zeros((len(at.q), fivebar.nq + fivebar.nx))
    angles = fivebar.call("readings", q=at.q, x=at.x, q_dot=at.q_dot, x_dot=at.x_dot, z_ddot=rest)["passive"]
    names = [c.name for c in fivebar.equations.q]
    data = Readings((*names, *readout), np.hstack([at.q, angles]))
    done = calibrate(fivebar, data, sd=dict.fromkeys((*names, *readout), 1e-4), assembly="+")
    hidden = [d for d in done.directions if not np.isfinite(d.sd)]
    assert len(hidden) == 1
    sizes = np.array([fivebar.values[n] for n in done.names])
    np.testing.assert_allclose(np.abs(hidden[0].shares @ sizes) / np.linalg.norm(sizes), 1.0, atol=1e-9)


def test_redundant_encoders_and_one_known_length_tell_the_others(fivebar):
    """With every joint read, and one length held, the closed loops give the other lengths without any outer measure."""
    names, readout = [c.name for c in fivebar.equations.q], [r.name for r in fivebar.equations.readouts]
    geometric = calibrate_names(fivebar)
    real = fivebar.with_values(**{n: fivebar.values[n] * (1 + 0.01 * (-1) ** i) for i, n in enumerate(geometric[1:])})
    at = samples(real)
    rest = np.zeros((len(at.q), real.nq + real.nx))
    angles = real.call("readings", q=at.q, x=at.x, q_dot=at.q_dot, x_dot=at.x_dot, z_ddot=rest)["passive"]
    data = Readings((*names, *readout), np.hstack([at.q, angles]))
    done = calibrate(fivebar, data, vary=geometric[1:], sd=dict.fromkeys((*names, *readout), 1e-4), assembly="+")
    for name in done.names:
        assert done.values[name] == pytest.approx(real.values[name], abs=1e-11), name


def calibrate_names(robot):
    """The lengths that a fivebar's loops depend on."""
    at = samples(robot)
    data = Readings(("q11", "q21", "x", "y"), np.hstack([at.q, at.x]))
    return calibrate(robot, data).names


def test_one_wrong_row_of_twenty_does_not_pull_a_robust_fit(fivebar):
    """A row that is 5 mm off moves least squares by as much as its share; Tukey's weights name it and leave it out."""
    at = samples(fivebar, 20)
    noise = 1e-5 * np.random.default_rng(3).standard_normal(at.x.shape)
    x = at.x + noise
    clean = calibrate(fivebar, Readings(("q11", "q21", "x", "y"), np.hstack([at.q, x])))
    x[6] += 5e-3
    data = Readings(("q11", "q21", "x", "y"), np.hstack([at.q, x]))
    pulled, robust = calibrate(fivebar, data), calibrate(fivebar, data, loss="tukey")
    assert list(robust.outliers) == [6]
    assert np.abs(robust.theta - clean.theta).max() < 0.1 * np.abs(pulled.theta - clean.theta).max()
    assert np.abs(robust.theta - clean.theta).max() < 4 * clean.sd.max()


def test_a_prior_is_a_reading_of_the_parameter_itself(fivebar):
    """Two readings of one number, 0.3 from data and the prior's, weigh by their variances."""
    at = samples(fivebar)
    x = at.x + 1e-4 * np.random.default_rng(0).standard_normal(at.x.shape)
    data = Readings(("q11", "q21", "x", "y"), np.hstack([at.q, x]))
    (name, *_) = calibrate_names(fivebar)
    alone = calibrate(fivebar, data, vary=[name], sd={"x": 1e-4, "y": 1e-4})
    value, sd = alone.values[name], float(alone.sd[0])
    told = value + 5 * sd
    both = calibrate(fivebar, data, vary=[name], sd={"x": 1e-4, "y": 1e-4}, priors={name: (told, sd)})
    assert both.values[name] == pytest.approx((value + told) / 2, abs=1e-3 * sd)  # nearly linear within 5 sd
    assert both.sd[0] == pytest.approx(sd / np.sqrt(2), rel=1e-3)


def test_formulas_of_parameters_follow_what_varies(tmp_path):
    """A length that is written as a formula of another moves with it: the slope is the chain rule's."""
    text = """schema = "closedchain.mechanism/1"
name = "twobars"
output = "C"
[parameters]
l = { value = 0.5, unit = "m" }
k = { value = "2*l", unit = "m" }
[points]
C = { free = true, near = [0.5, 0.5] }
[drives.q1]
slider = { at = [0.6, 0], along = [1, 0] }
mass = 1.0
point = "S"
[drives.q2]
slider = { at = [-0.6, 0], along = [1, 0] }
mass = 1.0
point = "T"
[[bars]]
between = ["S", "C"]
length = "k"
[[bars]]
between = ["T", "C"]
length = "k"
"""
    path = tmp_path / "twobars.toml"
    path.write_text(text)
    robot = cc.load(path)
    q = np.array([[0.0, 0.0], [0.1, -0.05], [0.05, 0.2]])
    y = [np.sqrt((2 * 0.51) ** 2 - ((1.2 + b - a) / 2) ** 2) for b, a in q]
    done = calibrate(robot, Readings(("q1", "q2", "y"), np.column_stack([q, y])), assembly="+")
    assert done.names == ("l",)
    assert done.values["l"] == pytest.approx(0.51, abs=1e-13)
    assert done.model.values["k"] == pytest.approx(1.02, abs=1e-13)


def test_the_choice_of_rows_is_as_good_as_the_best_of_all_choices():
    """Of 210 choices of four rows from ten, none has a larger determinant than the one that exchanges end at."""
    rng = np.random.default_rng(4)
    known, rows = rng.standard_normal((3, 5)), [rng.standard_normal((2, 5)) for _ in range(10)]

    def size(chosen):
        stacked = np.concatenate([known, 1e-3 * np.eye(5), *(rows[i] for i in chosen)])
        return np.linalg.slogdet(stacked.T @ stacked)[1]

    found = choose(known, rows, 4, ridge=1e-3)
    assert size(found) == pytest.approx(max(size(c) for c in itertools.combinations(range(10), 4)), abs=1e-9)


def test_suggested_poses_shrink_the_weakest_direction_more_than_random_ones(fivebar):
    """Five chosen of two hundred leave less along the weakest combination than five of them at random, on average."""
    at = samples(fivebar, 8)
    x = at.x + 1e-5 * np.random.default_rng(0).standard_normal(at.x.shape)
    data = Readings(("q11", "q21", "x", "y"), np.hstack([at.q, x]))
    done = calibrate(fivebar, data, sd={"x": 1e-5, "y": 1e-5})
    table = candidates(done, data, count=100)
    best = suggest(done, data, table, count=5, assembly="+")
    random = []
    for seed in range(6):
        rows = np.random.default_rng(seed).choice(100, 5, replace=False)
        random.append(suggest(done, data, table.rows(rows), count=5, assembly="+").after[-1].sd)
    assert best.after[-1].sd < best.before[-1].sd
    assert best.after[-1].sd < np.mean(random)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("q11,q21,colour\n0,0,0\n", "no quantity is called 'colour'"),
        ("q11,q21,x_kg\n0,0,0\n", "is in m, which kg is not"),
        ("q11,q21,x\n0,0\n", "line 2: 2 cells, but 3 names"),
        ("q11,q21,x\n0,zero,1\n", "line 2: 'zero' is not a number"),
        ("q11,x\n1.9,0.1\n", "does not tell where|are missing"),
        ("q11,q21,x,y,|X Y|\n1,1,0,0,1\n", "no quantity"),
    ],
)
def test_a_table_that_is_not_understood_says_what_and_where(tmp_path, fivebar, text, problem):
    """One line: file, place, what was expected."""
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(BadInput, match=problem):
        calibrate(fivebar, path)


def test_exact_readings_that_contradict_each_other_are_refused(fivebar):
    """More exact readings than freedoms cannot all hold: a standard deviation is asked for."""
    at = samples(fivebar, 4)
    data = Readings(("q11", "q21", "x", "y"), np.hstack([at.q, at.x]))
    with pytest.raises(BadInput, match="standard deviation"):
        calibrate(fivebar, data, sd={"x": 0.0, "y": 0.0})


def test_as_many_unknowns_as_readings_have_no_standard_deviations(fivebar):
    """One reading of one number gives the number; how good it is nobody can tell without the reading's own sd."""
    at = samples(fivebar, 1)
    data = Readings(("q11", "q21", "x"), np.hstack([at.q, at.x[:, :1] + 1e-4]))
    alone = calibrate(fivebar, data, vary=["l2"], assembly="+")
    assert not np.isfinite(alone.sd).any()
    assert "as many unknowns as readings" in str(alone)
    known = calibrate(fivebar, data, vary=["l2"], sd={"x": 1e-5}, assembly="+")
    assert known.sd[0] == pytest.approx(1e-5 / abs(known.J[0, 0] * 1e-5), rel=1e-9)  # sd over the slope
    assert known.values == pytest.approx(alone.values, abs=1e-12)


def test_a_row_whose_loops_cannot_close_is_named(fivebar):
    """Cranks that point away from each other: the row, the gap that is left, and what to check."""
    at = samples(fivebar, 3)
    q = at.q.copy()
    q[1] = [3.1, 0.05]
    with pytest.raises(NotExplained, match="row 2 cannot be closed"):
        calibrate(fivebar, Readings(("q11", "q21", "x", "y"), np.hstack([q, at.x])))
