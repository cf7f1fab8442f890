"""Identification from efforts: without noise to rounding, with noise within its intervals, from MuJoCo's own motion."""

import mujoco
import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.fitting import Readings
from closedchain.identification import Regressor, base_parameters, excite, identify
from closedchain.identification.estimating import Rows, estimate
from closedchain.identification.physical import consistent
from closedchain.verify.bodies import bodies_of
from closedchain.verify.engine_mujoco import MuJoCo
from closedchain.verify.witness import assembled, project

LIMITS = {"q11": (1.2, 2.0), "q21": (1.1, 1.9)}
VISCOUS, COULOMB = 0.02, 0.05


@pytest.fixture(scope="module")
def fivebar():
    """Two cranks, two bars without mass of their own."""
    return cc.load("fivebar")


@pytest.fixture(scope="module")
def motion(fivebar):
    """An exciting motion of it."""
    return excite(fivebar, limits=LIMITS, period=4.0, evaluations=200, assembly="+")


def measured(robot, motion, noise=0.0, seed=0):
    """Readings of a motion with friction on both drives; the efforts by inverse dynamics."""
    table = motion.table(0.004)
    q, q_dot, q_ddot = motion(table["t"])
    tau = cc.inverse_dynamics(robot, cc.state(robot, q=q, q_dot=q_dot, assembly="+"), q_ddot)
    tau = tau + VISCOUS * q_dot + COULOMB * np.sign(q_dot)
    tau = tau + noise * np.random.default_rng(seed).standard_normal(tau.shape)
    return Readings((*table.names, "tau_q11", "tau_q21"), np.column_stack([table.values, tau]))


def truth(done, viscous=VISCOUS, coulomb=COULOMB):
    """The base parameters of the description, with the friction that was added."""
    own = {"viscous": viscous, "coulomb": coulomb}
    kinds = [label.rpartition(".")[2] for label in done.base.labels]
    return np.array([own.get(kind, value) for kind, value in zip(kinds, done.described, strict=True)])


@pytest.mark.parametrize("estimator", ["ols", "wls"])
def test_without_noise_every_base_parameter_comes_out_to_rounding(fivebar, motion, estimator):
    """Grouped inertias, the tip's mass and both frictions, to 1e-10."""
    done = identify(fivebar, measured(fivebar, motion), estimator=estimator, assembly="+")
    np.testing.assert_allclose(done.estimate.beta, truth(done), atol=1e-10)
    assert done.prediction.unseen.max() < 1e-12
    assert done.physical.consistent


def test_with_noise_the_truth_is_in_the_ellipsoid_as_often_as_it_says(fivebar, motion):
    """Of a hundred noisy runs at least 87 hold nine parameters in their 95 % ellipsoid; fewer has a chance of 5e-4."""
    table = measured(fivebar, motion)
    regressor = Regressor(fivebar)
    base = base_parameters(regressor)
    q, q_dot, q_ddot = motion(table["t"])
    x = cc.state(fivebar, q=q, assembly="+").x
    W = regressor(q, x, q_dot, q_ddot)[..., list(base.kept)].swapaxes(0, 1)
    tau = np.stack([table["tau_q11"], table["tau_q21"]])
    true = estimate(Rows(W, tau), "ols").beta  # without noise, which the test above holds to 1e-10
    held = 0
    for seed in range(100):
        noise = np.array([[0.01], [0.03]]) * np.random.default_rng(seed).standard_normal(tau.shape)
        found = estimate(Rows(W, tau + noise), "wls")
        away = found.beta - true
        held += float(away @ np.linalg.solve(found.covariance, away)) <= 16.919  # χ² of 9 freedoms
    assert held >= 87


def test_the_search_makes_the_motion_better_and_keeps_its_limits(fivebar, motion):
    """The condition number falls below that of the best random motion; positions, rates and accelerations are kept."""
    assert motion.condition < motion.first
    q, q_dot, q_ddot = motion(np.linspace(0.0, 4.0, 4001))
    for i, (low, high) in enumerate(LIMITS.values()):
        assert low <= q[:, i].min()
        assert q[:, i].max() <= high
    assert np.abs(q_dot).max() <= 0.4 / 0.4  # half of the range in a tenth of the period
    assert np.abs(q_ddot).max() <= 25.0
    rate = np.gradient(q, 0.001, axis=0)
    np.testing.assert_allclose(q_dot[1:-1], rate[1:-1], atol=1e-4)  # central differences of 1 ms


def test_parameters_that_no_body_can_have_are_told(fivebar):
    """A negative mass at the tip, known to a gram, is not within what bodies allow."""
    regressor = Regressor(fivebar)
    base = base_parameters(regressor)
    beta = base.C @ regressor.values
    sd = np.full(len(base), 1e-3)
    assert consistent(regressor.columns, base, beta, np.diag(sd**2)).consistent
    beta[base.labels.index("C.m")] = -0.1
    found = consistent(regressor.columns, base, beta, np.diag(sd**2))
    assert not found.consistent
    assert "C.m" in found.inconsistent
    assert found.chi[regressor.names.index("C.m")] >= 0.0


def driven_in_mujoco(robot, motion, seconds, *, viscous, coulomb):
    """A Delta simulated by MuJoCo under a loose tracking law with friction: t, drives, efforts, commands."""
    t = np.arange(0.0, seconds, 1e-3)
    q_ref, q_dot_ref, q_ddot_ref = motion(t)
    start = cc.state(robot, q=q_ref[0], assembly="-")
    bodies = bodies_of(robot, start)
    engine = MuJoCo(bodies.tree, bodies.places)
    at = assembled(engine, bodies, engine.configuration(bodies.guess(q_ref[:1], start.x[None])[0]))
    v = project(bodies, engine.look(at, np.zeros(bodies.tree.nv))).T @ q_dot_ref[0]
    m, d = engine.model, engine.data
    m.opt.timestep, m.opt.tolerance, m.eq_solref[:, 0] = 5e-4, 1e-15, 1e-3
    mujoco.mj_resetData(m, d)
    d.qpos[:], d.qvel[engine.dof] = at, v
    mujoco.mj_forward(m, d)
    joints = [d.joint(name) for name in bodies.tree.drives]
    dofs = [int(m.joint(name).dofadr[0]) for name in bodies.tree.drives]
    zero = np.array([j.qpos[0] for j in joints]) - q_ref[0]
    expected = cc.inverse_dynamics(robot, cc.state(robot, q=q_ref, q_dot=q_dot_ref, assembly="-"), q_ddot_ref)
    rows = []
    for k in range(len(t)):
        q, q_dot = (np.array([getattr(j, name)[0] for j in joints]) for name in ("qpos", "qvel"))
        friction = viscous * q_dot + coulomb * np.sign(q_dot)
        tau = 0.9 * expected[k] + 200 * (q_ref[k] - q + zero) + 20 * (q_dot_ref[k] - q_dot) + friction
        rows.append([t[k], *(q - zero), *tau, *q_ref[k]])
        d.qfrc_applied[dofs] = tau - friction
        mujoco.mj_step(m, d, nstep=2)
    return np.array(rows)


def test_from_mujocos_noisy_motion_the_parameters_are_within_their_intervals():
    """Encoders of 20 µrad, efforts of 0.05 N m, rates by filtering: instruments hold the truth better than weights."""
    robot = cc.load("delta")
    names = [f"theta{i}" for i in (1, 2, 3)]
    motion = excite(
        robot, limits=dict.fromkeys(names, (0.1, 0.9)), period=4.0, harmonics=4, evaluations=150, assembly="-"
    )
    rows = driven_in_mujoco(robot, motion, 8.0, viscous=0.3, coulomb=0.4)
    rng = np.random.default_rng(0)
    rows[:, 1:4] += 2e-5 * rng.standard_normal((len(rows), 3))
    rows[:, 4:7] += 0.05 * rng.standard_normal((len(rows), 3))
    heads = ("t", *names, *(f"tau_{n}" for n in names), *(f"{n}_ref" for n in names))
    sizes = {}
    for estimator in ("wls", "iv"):
        done = identify(robot, Readings(heads, rows), estimator=estimator, cutoff=40.0, assembly="-")
        away = done.estimate.beta - truth(done, 0.3, 0.4)
        sizes[estimator] = float(away @ np.linalg.solve(done.estimate.covariance, away))
    assert sizes["iv"] <= 26.296  # χ² of 16 freedoms, 95 %
    assert np.abs(away / done.estimate.sd).max() <= 3.0
    assert sizes["iv"] < sizes["wls"]
    assert done.prediction.unseen.max() < 0.05
    assert done.physical.consistent


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"estimator": "iv"}, "_ref"),
        ({"estimator": "best"}, "no estimator"),
        ({"on_drives": ("backlash",)}, "a drive has no 'backlash'"),
        ({"by": "colour"}, "by ="),
        ({"folds": 1}, "folds"),
    ],
)
def test_what_cannot_be_asked_is_told(fivebar, motion, change, problem):
    """One line says what is missing or unknown."""
    with pytest.raises(BadInput, match=problem):
        identify(fivebar, measured(fivebar, motion), **({"assembly": "+"} | change))


def test_a_motion_that_excites_too_little_is_refused(fivebar):
    """A robot that stands still tells nothing but an offset."""
    t = np.arange(200) * 0.01
    q = np.tile([1.6, 1.5], (200, 1))
    zero = np.zeros((200, 4))
    names = ("t", "q11", "q21", "q11_dot", "q21_dot", "q11_ddot", "q21_ddot", "tau_q11", "tau_q21")
    with pytest.raises(BadInput, match="does not excite"):
        identify(fivebar, Readings(names, np.column_stack([t, q, zero, np.zeros((200, 2))])), assembly="+")
