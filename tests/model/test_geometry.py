"""Every solution, by name, up to the edge of reach and beyond it."""

from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput, NoSolution, Unreachable
from closedchain.model.sampling import sample

ROBOTS = Path(__file__).parents[2] / "examples/robots"

d, l = 0.4, 0.3606
S = np.sqrt(4 * l**2 - d**2)  # |q1 − q2| at which the biglide's bars are in one line


def same_set(got, want, atol):
    """Every wanted row is found once, and nothing else."""
    assert len(got) == len(want)
    for row in np.asarray(want):
        assert np.sum(np.abs(got - row).max(axis=-1) <= atol) == 1, row


def turn(angle):
    """The angle modulo a turn, in [−π, π)."""
    return (np.asarray(angle) + np.pi) % (2 * np.pi) - np.pi


# Public cases --------------------------------------------------------------------------------------------------------


def test_p01_every_inverse_and_direct_solution_of_the_lab_biglide(lab, expected):
    """Case P01: four inverse solutions, two direct ones, 1e-9 relative as the case asks; each proven."""
    inverse, direct = cc.inverse(lab, [0.03, 0.25]), cc.direct(lab, [0.05, -0.08])
    same_set(inverse.q, expected("P01", "igm_solutions"), 1e-12)
    same_set(direct.x, expected("P01", "dgm_solutions"), 1e-12)
    assert len(direct) == expected("P01", "dgm_count")
    assert inverse.certified.all()
    assert direct.certified.all()


def test_p01_mixed_modes_use_each_legs_own_sign(lab):
    """q1 = y − σ1 √(l² − (x + d/2)²), q2 = y − σ2 √(l² − (x − d/2)²): a public submission used σ1 for both."""
    x, y, bar = 0.03, 0.25, 0.2828427
    for s in cc.inverse(lab, [x, y]):
        signs = [1 if c == "+" else -1 for c in s.working]
        want = [y - signs[0] * np.sqrt(bar**2 - (x + d / 2) ** 2), y - signs[1] * np.sqrt(bar**2 - (x - d / 2) ** 2)]
        np.testing.assert_allclose(s.q, want, atol=1e-15)


def test_p02_the_general_3rpr_has_six_poses(rpr3, cases, expected):
    """Case P02: six assembly modes, poses to 1e-8 as printed; the count is proven complete."""
    found = cc.direct(rpr3, cases["P02"]["input"]["leg_lengths"])
    same_set(found.x, expected("P02", "poses"), 1e-8)
    assert found.complete.all()
    assert len(set(found.mode)) == 6


def test_p03_the_3rrr_has_eight_inverse_and_two_direct_solutions(rrr3, cases, expected):
    """Case P03: each leg's pair of angles in all combinations; the two poses of the first."""
    found = cc.inverse(rrr3, cases["P03"]["input"]["pose"])
    pairs = np.array(expected("P03", "ik_pairs_per_leg"))
    want = np.array(np.meshgrid(*pairs, indexing="ij")).reshape(3, -1).T
    assert len(found) == expected("P03", "ik_count")
    same_set(turn(found.q), turn(want), 1e-12)
    poses = cc.direct(rrr3, cases["P03"]["input"]["fk_theta"])
    same_set(poses.x, expected("P03", "fk_poses"), 1e-9)


def test_p04_the_delta_agrees_with_williams(delta, cases, expected):
    """Case P04: knees outwards is the working mode "---", the platform below is the assembly mode "-"."""
    given = cases["P04"]["input"]
    for x, name in zip(given["IK"], ("IK1_deg", "IK2_deg"), strict=True):
        np.testing.assert_allclose(np.rad2deg(cc.inverse(delta, x)["---"].q), expected("P04", name), rtol=1e-9)
    for q, name in zip(given["FK_deg"], ("FK1_lower", "FK2_lower"), strict=True):
        np.testing.assert_allclose(cc.direct(delta, np.deg2rad(q))["-"].x, expected("P04", name), rtol=1e-9, atol=1e-12)


def test_p14_beyond_reach_is_an_error_with_its_distance_not_a_clamp(lab):
    """Case P14: x = 0.09 is 0.09 + 0.2 − l beyond leg 1; q1 − q2 = 0.5 is √(0.5² + 0.4²) − 2l beyond the bars."""
    bar = 0.2828427
    inverse, direct = cc.inverse(lab, [0.09, 0.3]), cc.direct(lab, [0.5, 0.0])
    assert len(inverse) == len(direct) == 0
    assert inverse.reasons[0].miss == pytest.approx(0.29 - bar, abs=1e-15)
    assert direct.reasons[0].miss == pytest.approx(np.hypot(0.5, 0.4) - 2 * bar, abs=1e-15)
    with pytest.raises(Unreachable, match="leg A1-C"):
        inverse.unwrap("++")
    with pytest.raises(Unreachable, match="A1-C and A2-C"):
        direct.unwrap("+")


def test_p14_a_negative_mass_is_refused():
    """Case P14: the mass matrix with m_p = −1 does not exist."""
    with pytest.raises(cc.ClosedChainError, match="never negative"):
        cc.load("biglide", m_p=-1.0)


# By hand -------------------------------------------------------------------------------------------------------------


def test_two_bars_over_level_feet_make_an_isosceles_triangle(biglide):
    """Feet level, 0.4 m apart, bars 0.3606 m: the tip stands on the middle, at Pythagoras' height."""
    up, down = cc.direct(biglide, q=[0.0, 0.0]).x
    height = np.sqrt(l**2 - (d / 2) ** 2)
    np.testing.assert_allclose(up, [0.0, height], atol=1e-15)
    np.testing.assert_allclose(down, [0.0, -height], atol=1e-15)


@pytest.mark.parametrize("q", [0.3, 1.2, 2.9, -1.7])
def test_the_four_bars_coupler_and_rocker_make_two_triangles(fourbar, q):
    """The diagonal from the crank's tip to the rocker's pivot, and the law of cosines on both sides of it."""
    a, b, c, ground = 0.1, 0.3, 0.25, 0.3
    A, D = np.array([a * np.cos(q), a * np.sin(q)]), np.array([ground, 0.0])
    diagonal = np.linalg.norm(D - A)
    direction = np.arctan2(*(D - A)[::-1])
    lift = np.arccos((b**2 + diagonal**2 - c**2) / (2 * b * diagonal))
    want = [A + b * np.array([np.cos(direction + s * lift), np.sin(direction + s * lift)]) for s in (1, -1)]
    found = cc.direct(fourbar, [q])
    assert found.mode == ("+", "-")
    np.testing.assert_allclose(found.x, want, atol=1e-15)


@pytest.mark.parametrize("e", [0.0, 0.02])
def test_the_slider_cranks_piston_stands_at_both_ends_of_the_rod(e):
    """x = a cos q ± √(b² − (a sin q − e)²) on the rail y = e."""
    robot = cc.load("slidercrank", e=e)
    a, b, q = 0.05, 0.15, 0.8
    reach = np.sqrt(b**2 - (a * np.sin(q) - e) ** 2)
    want = [[a * np.cos(q) + reach, e], [a * np.cos(q) - reach, e]]
    same_set(cc.direct(robot, [q]).x, want, 1e-15)


def test_a_piston_off_its_rail_is_refused(slidercrank):
    """The rail is y = 0: a target 1 mm above it has no inverse solution, and the reason names the rail."""
    found = cc.inverse(slidercrank, [0.18, 1e-3])
    assert len(found) == 0
    assert "rail" in found.why()
    assert found.reasons[0].miss == pytest.approx(1e-3, abs=1e-15)


def test_each_solution_closes_its_loops_by_pythagoras(fivebar):
    """|C − A_i| = l2 with A_i computed here, over random solutions of both kinds."""
    s = sample(fivebar, 200, seed=1)
    for found in (cc.inverse(fivebar, s.x), cc.direct(fivebar, s.q)):
        for side, sign in ((0, -1), (1, 1)):
            A = np.stack([sign * 0.059 + 0.09 * np.cos(found.q[:, side]), 0.09 * np.sin(found.q[:, side])], axis=-1)
            np.testing.assert_allclose(np.linalg.norm(found.x - A, axis=-1), 0.09, atol=1e-15)


# The edge of reach ---------------------------------------------------------------------------------------------------


def test_at_the_edge_two_working_modes_meet_in_one_solution(biglide):
    """x = l − d/2: leg 1 lies flat, its two branches are one, named "0"; leg 2 still has both."""
    found = cc.inverse(biglide, [l - d / 2, 0.25])
    assert found.mode == ("0+", "0-")
    assert found.double.all()
    assert not found.certified.any()  # a double root has no uniqueness to prove
    np.testing.assert_allclose(found.q[:, 0], 0.25, atol=1e-12)
    reach = np.sqrt(l**2 - (l - d) ** 2)
    np.testing.assert_allclose(found.q[:, 1], [0.25 - reach, 0.25 + reach], atol=1e-15)


def test_where_both_assembly_modes_meet_there_is_one_pose(biglide):
    """q1 − q2 = √(4l² − d²): the bars are in one line, the tip in their middle, named "0"."""
    found = cc.direct(biglide, [S, 0.0])
    assert found.mode == ("0",)
    assert found.double.all()
    np.testing.assert_allclose(found.x, [[0.0, S / 2]], atol=1e-15)
    assert found.condition[0] > 1e12


@pytest.mark.parametrize("beyond", [1e-9, 1e-6, 1e-3, 0.1])
def test_just_beyond_reach_the_reason_has_the_distance(biglide, beyond):
    """The miss is what was added, to the rounding of a subtraction of lengths near 0.36 m."""
    found = cc.inverse(biglide, [l - d / 2 + beyond, 0.25])
    assert len(found) == 0
    assert found.reasons[0].leg == "leg A1-C"
    assert found.reasons[0].miss == pytest.approx(beyond, abs=1e-15)


def test_within_reach_by_a_hair_there_are_two(biglide):
    """1e-12 m inside the edge the two branches are √(2 l 1e-12) to each side of the flat leg, not one."""
    found = cc.inverse(biglide, [l - d / 2 - 1e-12, 0.25])
    assert found.mode == ("++", "+-", "-+", "--")
    np.testing.assert_allclose(
        found.q[[0, 2], 0], 0.25 + np.array([-1, 1]) * np.sqrt(2 * l * 1e-12), rtol=0, atol=1e-10
    )


def test_a_crank_that_cannot_reach_names_its_leg_and_distance(fivebar):
    """The tip 0.25 m to the right of motor 2: 0.25 − 0.18 beyond leg 2, more beyond leg 1, which is the one named."""
    found = cc.inverse(fivebar, [0.059 + 0.25, 0.0])
    assert found.reasons[0].leg == "leg A1-C"
    assert found.reasons[0].miss == pytest.approx(0.25 + 0.118 - 0.18, abs=1e-15)


def test_a_plate_that_cannot_assemble_says_by_how_much(triplate):
    """Feet at (±4, 0): the side r = 2 between the arms' tips spans at most 2L + r = 9 > 8, so d3 alone is too short."""
    found = cc.direct(triplate, [np.pi, 0.0, 0.1])
    assert len(found) == 0
    reason = found.reasons[0]
    assert reason.leg == "leg d3"
    mended = cc.direct(triplate, [np.pi, 0.0, 0.1 + reason.miss * (1 + 1e-6)])
    assert len(mended) > 0  # a leg that much longer reaches, one a millionth shorter does not
    assert len(cc.direct(triplate, [np.pi, 0.0, 0.1 + reason.miss * (1 - 1e-6)])) == 0


# Batches, names, order -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["biglide", "fivebar", "fourbar", "slidercrank", "delta", "rrr3", "triplate"])
def test_a_batch_gives_what_each_of_its_elements_gives(name):
    """The same rows, bit for bit, in the same order, also for elements without a solution."""
    robot = cc.load(name)
    s = sample(robot, 12, seed=3)
    for solve, given in ((cc.inverse, s.x), (cc.direct, s.q)):
        given = given.copy()
        given[5] = given[5] * 50 + 100  # out of reach
        batch = solve(robot, given)
        for i, one in enumerate(given):
            single = solve(robot, one)
            rows = batch.index == i
            np.testing.assert_array_equal(batch.q[rows], single.q)
            np.testing.assert_array_equal(batch.x[rows], single.x)
            assert [m for m, r in zip(batch.mode, rows, strict=True) if r] == list(single.mode)
            assert batch.why(i) == single.why()


def test_modes_come_in_a_fixed_order(biglide, rrr3):
    """Working modes count down from "++"; a point's assembly modes are "+" then "-"."""
    s = sample(biglide, 50, seed=9)
    for x in s.x:
        assert cc.inverse(biglide, x).mode == ("++", "+-", "-+", "--")
    for q in s.q:
        assert cc.direct(biglide, q).mode == ("+", "-")
    eight = ("+++", "++-", "+-+", "+--", "-++", "-+-", "--+", "---")
    assert cc.inverse(rrr3, [1.3, 1.1, 0.5]).mode == eight


def test_names_keep_their_meaning(biglide, triplate):
    """σ_i is sign(y − q_i) on the biglide, sign sin(θ_i − direction of a_i) on the triplate; assembly is sign det A."""
    s = sample(biglide, 100, seed=2)
    for row in cc.inverse(biglide, s.x):
        assert row.working == "".join("+" if row.x[1] > q else "-" for q in row.q)
        D = row.q[0] - row.q[1]
        det = 4 * (row.x[0] * D + d * row.x[1] - d * (row.q[0] + row.q[1]) / 2)
        assert row.assembly == ("+" if det > 0 else "-")
    p = sample(triplate, 30, seed=2)
    for row in cc.inverse(triplate, p.x):
        a1 = row.x[:2] + 2 * np.array([np.cos(row.x[2] + np.pi / 3), np.sin(row.x[2] + np.pi / 3)])
        for sign, theta, a in zip(row.working, row.q[:2], (a1, row.x[:2]), strict=True):
            assert sign == ("+" if np.sin(theta - np.arctan2(a[1], a[0])) > 0 else "-")


@pytest.mark.parametrize("q", [0.1, 0.6, -0.8])
def test_peaucelliers_inversor_draws_a_line_and_its_folded_rhombus_is_told(q):
    """P is at x = (L² − b²) / 2e or, mirrored at A-B, on C; where A and B are one place P may be anywhere around it."""
    robot = cc.load(str(ROBOTS / "peaucellier.toml"))
    found = cc.direct(robot, q=[q])
    away = [np.hypot(*(x[:2] - 0.22 * np.array([1 + np.cos(q), np.sin(q)]))) for x in found.x]
    straight = np.array(away) > 1e-9
    assert straight.sum() == 2
    np.testing.assert_allclose(found.x[straight, 0], (0.5**2 - 0.2**2) / 0.44, rtol=1e-12)
    assert not found.complete[0]


def test_a_mode_that_is_not_there_is_named_with_those_that_are(biglide):
    """unwrap raises once, and says what to choose from; a typographic minus is a minus."""
    found = cc.direct(biglide, [0.1, 0.02])
    with pytest.raises(NoSolution, match=r"'\+', '-'"):
        found.unwrap("+3")
    np.testing.assert_array_equal(found["−"].x, found["-"].x)


def test_the_printed_table_has_a_line_per_solution_or_the_reason(biglide):
    """What `print` shows."""
    text = str(cc.inverse(biglide, [0.03, 0.25]))
    assert text.splitlines()[0] == "biglide: 4 inverse solutions"
    assert len(text.splitlines()) == 5
    assert "misses" in str(cc.inverse(biglide, [0.5, 0.25]))


def test_a_robot_without_closures_has_no_geometry(furuta):
    """The pendulum's q is all there is."""
    for solve in (cc.inverse, cc.direct):
        with pytest.raises(BadInput, match="no closures"):
            solve(furuta, [0.1, 0.2])


@pytest.mark.parametrize("bad", [[0.1], [0.1, np.nan], [0.1, np.inf], "here", [[0.1, 0.2, 0.3]]])
def test_bad_numbers_are_refused(biglide, bad):
    """Wrong sizes, NaN and infinities never reach a kernel."""
    for solve in (cc.inverse, cc.direct):
        with pytest.raises(BadInput):
            solve(biglide, bad)


def test_an_empty_batch_has_no_solutions(biglide):
    """Shapes are kept."""
    found = cc.inverse(biglide, np.zeros((0, 2)))
    assert len(found) == 0
    assert found.shape == (0,)
    assert str(found).startswith("biglide: 0 inverse")


# Where no pose stands alone -------------------------------------------------------------------------------------------


def test_coinciding_circles_are_said_to_leave_a_curve():
    """Feet on one line at one height: every point of the circle about them closes, and none is handed out."""
    robot = cc.load("biglide", d=0.0)
    found = cc.direct(robot, [[0.0, 0.0], [0.0, 0.1]])
    np.testing.assert_array_equal(found.index, [1, 1])  # beside it, the element with two poses has them
    assert found.complete.tolist() == [False, True]
    assert "no isolated pose at q = (0, 0): circles that coincide" in found.why(0)
    with pytest.raises(NoSolution, match="no isolated pose"):
        cc.state(robot, q=[0.0, 0.0], assembly="+")


def test_a_plate_that_moves_with_its_drives_held_is_said_to():
    """Base and plate alike and equal legs: a parallelogram, whose plate goes round a circle without turning."""
    robot = cc.load("rpr3", x2=25.0, y2=0.0, x3=60.0, y3=0.0)
    for angle in (0.3, 1.4):  # the oracle: two such poses close
        x = [50 * np.cos(angle), 50 * np.sin(angle), 0.0]
        np.testing.assert_allclose(cc.inverse(robot, x)["+"].q, 50.0, rtol=1e-14)
    found = cc.direct(robot, [50.0, 50.0, 50.0])
    assert len(found) == 0
    assert not found.complete.any()
    assert "with the drives held it still moves along a whole curve" in found.why()


def test_a_tip_on_a_cranks_pivot_leaves_its_angle_open(fivebar):
    """Arm and bar of one length fold onto each other: q11 may be anything, so the list is not said to be complete."""
    on_pivot, beside = [-fivebar.values["d"] / 2, 0.0], [0.0, 0.1]
    found = cc.inverse(fivebar, [on_pivot, beside])
    assert found.complete.tolist() == [False, True]
    row = found.row(0)
    for turn in (0.5, 2.0):
        closing = cc.state(fivebar, q=row.q + np.array([turn, 0.0]), x=row.x)  # refused where a loop is open
        assert closing.q[0] == row.q[0] + turn


@pytest.mark.parametrize(
    ("name", "q", "x"),
    [
        ("biglide", [1e308, 1e308], [0, 0.3]),
        ("fivebar", [1e17, 0.0], [0, 0.1]),
        ("rrr3", [1e300, 0, 0], [1.3, 1.1, 0.5]),
        ("rpr3", [1e300] * 3, [10, 80, 0]),
    ],
)
def test_numbers_beyond_double_precision_are_told_as_such(name, q, x):
    """Neither NaN nor an empty answer without a word; the other element of the batch is solved."""
    robot = cc.load(name)
    found = cc.direct(robot, [q, cc.inverse(robot, x).q[0]])
    assert (found.index == 1).all()
    assert len(found) > 0
    assert not found.complete[0]
    assert "beyond what double precision closes" in found.why(0)


def test_a_target_too_far_to_be_resolved_is_not_called_out_of_reach(biglide):
    """The feet can slide there; it is rounding of 1e8 m that leaves a gap."""
    found = cc.inverse(biglide, [0.0, 1e8])
    assert len(found) == 0
    assert not found.complete.any()
    assert "beyond what double precision closes for a robot of" in found.why()


def test_a_miss_beyond_double_precision_is_a_word_not_inf(biglide):
    """The feet's distance overflows."""
    assert "by a length beyond double precision" in cc.direct(biglide, [-1e308, 1e308]).why()


def test_a_number_is_no_mode(biglide):
    """An index where a name belongs is told in one line, in solutions and in states."""
    found = cc.direct(biglide, [0.0, 0.1])
    with pytest.raises(BadInput, match=r"0 is no mode; .* rows are taken by \.row\(0\)"):
        found[0]
    with pytest.raises(BadInput, match="1 is no mode"):
        cc.state(biglide, q=[0.0, 0.1], assembly=1)
    assert found.row(0).mode in ("+", "-")


@pytest.mark.parametrize("y", [0.3, -1.7])
def test_at_type_2_an_inverse_solution_has_no_sign_of_det_A(biglide, y):
    """x = 0 in the modes (+,-) and (-,+) puts both bars on one line (TRUTH.md §0); rounding must not name a mode."""
    found = cc.inverse(biglide, [0.0, y])
    assert found.working == ("++", "+-", "-+", "--")
    assert found.assembly == ("+", "0", "0", "-")
    assert cc.inverse(biglide, [1e-9, y]).assembly == ("+", "-", "+", "-")


@pytest.mark.parametrize("angle", [0.3, 0.8, 1.0, 1.1])
def test_circles_that_coincide_to_rounding_leave_no_isolated_pose(angle):
    """Cranks at θ and π − θ with d = 2 l cos θ: both ends are one point, and the tip may be anywhere on its circle."""
    found = cc.direct(cc.load("fivebar", d=2 * 0.09 * np.cos(angle)), [angle, np.pi - angle])
    assert len(found) == 0
    assert not found.complete[0]
    assert "no isolated pose" in found.why()


@pytest.mark.parametrize("turns", [(-1, -1, -1), (-1, -1, 1)])
def test_spheres_about_one_point_or_one_line_leave_no_isolated_pose(turns):
    """Arms straight up or down over a platform as wide as the base: centres at one place, or two on the z axis."""
    found = cc.direct(cc.load("delta", s_B=1.0, s_P=0.5), np.array(turns) * np.pi / 2)
    assert len(found) == 0
    assert not found.complete[0]


def test_spheres_that_touch_on_the_line_of_their_centres_still_meet():
    """The delta's arms level, rods as long as their feet are from the middle: one place, marked double."""
    level = cc.load("delta", s_B=0.3, s_P=0.3 / 2, L=0.25, l=0.25)
    found = cc.direct(level, [0.0, 0.0, 0.0])
    np.testing.assert_allclose(found.x, [[0.0, 0.0, 0.0]], atol=1e-8)
    assert found.double.all()


def test_a_telescope_may_be_as_short_as_nothing_but_not_shorter(rpr3):
    """The plate's corner on its base point: ρ1 = 0, ρ2 = |(25 − 40, −10)|, ρ3 = |(60 − 90, 20)|; by hand."""
    np.testing.assert_allclose(cc.inverse(rpr3, [0.0, 0.0, 0.0]).q, [[0.0, np.hypot(15, 10), np.hypot(30, 20)]])
    found = cc.direct(rpr3, [[-10.0, 30.0, 60.0], [80.62257748298549, 61.79312718402668, 82.9138656712329]])
    assert found.index.tolist() == [1] * 6
    assert "rho1 = -10 m, but a telescope is never shorter than 0" in found.why(0)
