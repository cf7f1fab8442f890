"""Base parameters: exact regressors, ranks by two methods, combinations that are known by hand."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.identification import Regressor, base_parameters
from closedchain.identification.base import reduce
from closedchain.model import sample

ROBOTS = ["biglide", "fivebar", "delta", "rpr3", "rrr3", "linear-delta", "ankle", "wrist"]


@pytest.mark.parametrize("name", ROBOTS)
def test_efforts_are_the_regressor_times_the_described_parameters(name):
    """W χ equals the inverse dynamics at random states, rates and accelerations, massless links among them."""
    robot = cc.load(name)
    regressor = Regressor(robot, "bodies", ("rotor",))
    at = sample(robot, 30, seed=2)
    q_ddot = np.random.default_rng(0).standard_normal(at.q.shape)
    tau = robot.call("inverse_dynamics", q=at.q, x=at.x, q_dot=at.q_dot, q_ddot=q_ddot)["tau"]
    found = regressor(at.q, at.x, at.q_dot, q_ddot) @ regressor.values
    # a few hundred operations, and A⁻¹ of condition up to 100 at these states
    np.testing.assert_allclose(found, tau, rtol=0, atol=1e-12 * np.abs(tau).max())


def test_efforts_are_linear_in_the_energies_own_parameters_of_a_pendulum():
    """A furuta pendulum has no bodies; of its declared parameters those count in which efforts are linear together."""
    robot = cc.load("furuta")
    regressor = Regressor(robot, "parameters", ())
    at = sample(robot, 30, seed=2)
    q_ddot = np.random.default_rng(0).standard_normal(at.q.shape)
    tau = robot.call("inverse_dynamics", q=at.q, q_dot=at.q_dot, q_ddot=q_ddot)["tau"]
    np.testing.assert_allclose(regressor(at.q, at.x, at.q_dot, q_ddot) @ regressor.values, tau, atol=1e-13)
    with pytest.raises(BadInput, match="no bodies"):
        Regressor(robot)


def test_a_bar_is_two_masses_at_its_ends_and_one_more_number():
    """A bar's T = ½ (m − 2 mx/l + J/l²) v_a² + (mx/l − J/l²) v_a·v_b + ½ J/l² v_b² regroups J/l² with the tip's mass.

    In the horizontal plane of the biglide a slider's mass, the bar's m − J/l² and a rotor on the slider are one.
    """
    base = base_parameters(Regressor(cc.load("biglide")))
    square = 1 / 0.3606**2
    rows = {label: dict(zip(base.names, row, strict=True)) for label, row in zip(base.labels, base.C, strict=True)}
    assert base.rank_svd == base.rank_qr == 9
    tip = {n: c for n, c in rows["C.m"].items() if c}
    assert tip == pytest.approx({"C.m": 1.0, "A1-C.J": square, "A2-C.J": square}, rel=1e-9)
    foot = {n: c for n, c in rows["q1.m"].items() if c}
    assert foot == pytest.approx({"q1.m": 1.0, "A1-C.m": 1.0, "A1-C.J": -square, "q1.rotor": 1.0}, rel=1e-9)
    moment = {n: c for n, c in rows["A1-C.mx"].items() if c}
    assert moment == pytest.approx({"A1-C.mx": 1.0, "A1-C.J": -1 / 0.3606}, rel=1e-9)


def test_masses_at_a_plates_joints_are_part_of_the_plate():
    """A rod's mass moves with its joint at r on the plate: it counts as m, m r and m r² of the plate."""
    robot = cc.load("rpr3")
    base = base_parameters(Regressor(robot, "bodies", ()))
    rows = {label: dict(zip(base.names, row, strict=True)) for label, row in zip(base.labels, base.C, strict=True)}
    kept = [label for label in base.labels if label.startswith("plate.")]
    assert kept == ["plate.m", "plate.mx", "plate.my", "plate.J"]
    for leg, r in (("rho1", 0.0), ("rho2", robot.values["p2"]), ("rho3", robot.values["p3x"])):
        assert rows["plate.m"][f"{leg}.tip.m"] == pytest.approx(1.0, abs=1e-7)
        assert rows["plate.mx"][f"{leg}.tip.m"] == pytest.approx(r, abs=1e-5)
        assert rows["plate.J"][f"{leg}.tip.m"] == pytest.approx(r * r, abs=1e-3)


def test_masses_at_a_platforms_joints_are_part_of_the_platform():
    """A leg's upper mass moves with its joint: it counts with the platform's mass, first moments and inertias."""
    robot = cc.load("gough")
    base = base_parameters(Regressor(robot, "bodies", ()))
    rows = {label: dict(zip(base.names, row, strict=True)) for label, row in zip(base.labels, base.C, strict=True)}
    x, y = robot.values["p2x"], robot.values["p2y"]
    assert rows["platform.m"]["l2.tip.m"] == pytest.approx(1.0, abs=1e-8)
    assert rows["platform.mx"]["l2.tip.m"] == pytest.approx(x, abs=1e-8)
    assert rows["platform.Jzz"]["l2.tip.m"] == pytest.approx(x * x + y * y, abs=1e-8)
    assert rows["platform.Jxy"]["l2.tip.m"] == pytest.approx(-x * y, abs=1e-8)
    assert "l1.base.m" in base.without_effect  # it stands on its foot
    assert len(base) == 28  # of 46: 3 for each leg, 10 of the platform


def test_the_rank_is_that_of_exact_arithmetic():
    """Columns of small whole numbers with known dependences: both methods find them, coefficients come out whole."""
    rng = np.random.default_rng(1)
    W = rng.integers(-5, 6, (40, 4)).astype(float)
    W = np.column_stack([W, W[:, 0] + 2 * W[:, 2], np.zeros(40), 3 * W[:, 3]])
    base = reduce(("a", "b", "c", "d", "e", "f", "g"), W)
    assert base.labels == ("a", "b", "c", "d")
    assert base.combinations == ("a + e", "b", "c + 2 e", "d + 3 g")
    assert base.without_effect == ("f",)


def test_a_linkage_is_refused_with_its_reason():
    """Efforts of a linkage do not follow from its drives' motion."""
    with pytest.raises(BadInput, match="linkage"):
        Regressor(cc.load("nfourbar:3"))
