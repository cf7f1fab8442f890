"""At a pose: hand geometry of the biglide, leg lines of the plate, flat four-bars."""

import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.model.sampling import sample
from closedchain.singularity.pose import characteristic_length, singularities

TRUTH = json.loads((Path(__file__).parents[1] / "data" / "truth_planar3dof.json").read_text(encoding="utf-8"))
CORRECT = TRUTH["singular_phi10_y0"]["correct"]
D, L = 0.4, 0.3606
S = np.sqrt(4 * L**2 - D**2)  # the feet's distance along y when the bars lie in one line


def type2(biglide):
    """The bars in one line: q1 − q2 = S, the tip in the middle (TRUTH.md §0)."""
    return singularities(biglide, q=[S / 2, -S / 2], x=[0.0, 0.0])


def test_bars_in_one_line_let_the_tip_move_across_them(biglide):
    """Type 2 of the biglide: free motion (D, d)/2l across the bars, which the force along it meets no resistance."""
    found = type2(biglide)
    assert found.kinds == ("type 2",)
    across = np.array([S, D]) / (2 * L)
    np.testing.assert_allclose(found.free_motion, across * np.sign(across[np.argmax(np.abs(across))]), atol=1e-15)
    np.testing.assert_allclose(found.unresisted, found.free_motion, atol=1e-15)  # metres only: motion and force alike
    assert found.parallel < 1e-15


def test_the_bars_press_against_each_other_without_bound(biglide):
    """Equal multipliers: A's rows are opposite, so λ1 = λ2, and the feet feel opposite efforts (TRUTH.md §3.1)."""
    found = type2(biglide)
    np.testing.assert_allclose(found.internal, np.ones(2) / np.sqrt(2), atol=1e-15)
    np.testing.assert_allclose(found.internal_efforts[0], -found.internal_efforts[1], atol=1e-15)
    assert abs(found.internal_efforts[0]) > 0.1


def test_the_dynamic_model_in_z_stays_regular_at_type_2(biglide):
    """TRUTH.md §3.4: Φ has full rank there; only the reduced model is lost."""
    found = type2(biglide)
    assert found.dynamic > 0.1
    assert found.constraint > 0.1


def test_a_bar_across_its_rail_loses_the_motion_along_it(biglide):
    """Type 1: leg 1 horizontal; the tip cannot move along x, and foot 1 moves with the tip at rest, to first order."""
    x = np.array([L - D / 2, 0.3])
    q2 = x[1] - np.sqrt(L**2 - (x[0] - D / 2) ** 2)
    found = singularities(biglide, q=[x[1], q2], x=x)
    assert found.kinds == ("type 1",)
    assert found.singular_legs == ("A1-C",)
    np.testing.assert_allclose(found.lost_motion, [1.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(found.idle_motion, [1.0, 0.0], atol=1e-15)


def test_a_legs_measure_is_the_cosine_against_its_rail(biglide):
    """|y − q_i| / l, at a regular pose."""
    found = singularities(biglide, x=[0.05, 0.25], working="++")
    np.testing.assert_allclose(found.legs, (0.25 - found.q) / L, atol=1e-15)
    assert found.kinds == ()
    np.testing.assert_allclose(found.serial, found.legs.min(), atol=1e-15)


@pytest.mark.parametrize("want", CORRECT, ids=lambda w: f"x={w['x']:.4f}")
def test_the_plates_free_turn_is_about_the_point_where_its_legs_meet(triplate, want):
    """TRUTH.md §1.4: unit twist and centre; independently the three leg lines run through that centre."""
    pose = [want["x"], 0.0, np.deg2rad(10)]
    found = singularities(triplate, q=want["q"], x=pose)
    np.testing.assert_allclose(found.free_motion, want["null_unit"], atol=1e-13)
    np.testing.assert_allclose(found.centre, want["instantaneous_centre"], atol=1e-12)
    np.testing.assert_allclose(found.per_turn, want["twist_per_unit_omega"], atol=1e-12)
    names = [name for name, _ in triplate.equations.points]
    points = dict(zip(names, triplate.call("points", q=found.q, x=found.x)["points"], strict=True))
    for foot, end in (("B1", "a1"), ("B2", "a2"), ("B3", "a3")):
        along, to = points[end] - points[foot], found.centre - points[foot]
        assert abs(along[0] * to[1] - along[1] * to[0]) / np.linalg.norm(along) < 1e-12  # off the line [m]


def test_the_free_motion_changes_no_leg_to_first_order(triplate):
    """A · free = 0 and B plays no part; the wrench not resisted does work on it, every leg's force does none."""
    want = CORRECT[0]
    found = singularities(triplate, q=want["q"], x=[want["x"], 0.0, np.deg2rad(10)])
    A = triplate.call("closures", q=found.q, x=found.x)["A"]
    assert np.abs(A @ found.free_motion).max() < 1e-13 * np.abs(A).max() * 10
    assert found.unresisted @ found.free_motion > 0.5
    assert np.abs(A.T @ found.internal).max() < 1e-14 * np.abs(A).max() * 10


def test_the_characteristic_length_of_an_equilateral_plate_is_its_circumradius(triplate):
    """Side 2: all joints are 2/√3 from their middle."""
    assert characteristic_length(triplate) == pytest.approx(2 / np.sqrt(3), rel=1e-14)


def test_margins_do_not_depend_on_the_unit_of_length():
    """The triplate in millimetres, as large in its own unit: the same margins."""
    metres, thousands = cc.load("triplate"), cc.load("triplate", R=4000.0, L=3500.0, r=2000.0)
    a = singularities(metres, x=[-3, -1, 0.7], working="+-")
    b = singularities(thousands, x=[-3000, -1000, 0.7], working="+-")
    for name in ("serial", "parallel", "constraint", "singular_value"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-12)


def test_a_flat_parallelogram_loses_a_constraint():
    """A four-bar with a = c and b = d lying flat can go on in two ways: Φ loses rank."""
    flat = cc.load("fourbar", a=0.1, b=0.3, c=0.1, d=0.3)
    found = singularities(flat, q=[0.0], x=[0.4, 0.0])
    assert "constraint" in found.kinds
    assert found.constraint < 1e-15
    assert found.dynamic < 1e-12
    bent = singularities(flat, q=[1.0], assembly="+")
    assert "constraint" not in bent.kinds


@pytest.mark.parametrize("name", ["biglide", "fivebar", "rrr3", "triplate"])
def test_the_ellipse_is_the_image_of_the_unit_ball(name):
    """Radii and axes against J from `evaluate`: |J q̇| is between the radii, and reaches them along the axes."""
    robot = cc.load(name)
    state = sample(robot, 5, seed=2, margin=0.05)
    found = singularities(robot, q=state.q, x=state.x)
    weigh = np.array([found.length if c.unit == "rad" else 1.0 for c in robot.equations.x])
    for k in range(5):
        made = robot.call("closures", q=state.q[k], x=state.x[k])
        J = -np.linalg.solve(made["A"], made["B"]) * weigh[:, None]
        radii = np.sqrt(np.linalg.eigvalsh(J @ J.T)[::-1])
        np.testing.assert_allclose(found.velocity_radii[k], radii, rtol=1e-9)
        np.testing.assert_allclose(J @ J.T @ found.axes[k], found.axes[k] * radii**2, atol=1e-9 * radii[0] ** 2)
        np.testing.assert_allclose(found.force_radii[k] * radii, 1.0, rtol=1e-9)


def test_a_batch_is_its_elements(triplate):
    """Shapes have the batch in front, values are those of single calls."""
    state = sample(triplate, 6, seed=4)
    many = singularities(triplate, q=state.q.reshape(2, 3, 3), x=state.x.reshape(2, 3, 3))
    assert many.parallel.shape == (2, 3)
    assert many.centre.shape == (2, 3, 2)
    one = singularities(triplate, q=state.q[4], x=state.x[4])
    np.testing.assert_allclose(many.free_motion[1, 1], one.free_motion, atol=1e-12)
    np.testing.assert_allclose(many.parallel[1, 1], one.parallel, rtol=1e-12)
    assert "smallest margins" in str(many)


def test_it_tells_what_it_is(biglide):
    """One line a kind."""
    assert "free motion" in str(type2(biglide))
    assert "regular" in str(singularities(biglide, x=[0.05, 0.25], working="++"))


def test_a_pendulum_has_no_kinematic_singularities():
    """Nothing closes: refused in words."""
    with pytest.raises(BadInput, match="no closures"):
        singularities(cc.load("furuta"), q=[0.0, 0.0])
    with pytest.raises(BadInput, match="needs q or x"):
        singularities(cc.load("biglide"))
