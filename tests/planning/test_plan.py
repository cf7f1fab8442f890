"""Plans: around obstacles, through changes of mode, around cusps; and the honest no."""

from itertools import pairwise

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput, NoSolution, Unreachable
from closedchain.planning import disc, plan, wall

LEGS = ("rho1", "rho2", "rho3", "plate")


def dense(corners, count=2000):
    """Many points on a polyline, (k, n)."""
    s = np.linspace(0, 1, count)[:, None]
    return np.concatenate([a + s * (b - a) for a, b in pairwise(corners)])


def test_the_tip_goes_under_a_disc_almost_as_short_as_a_string_would(biglide):
    """The bars hang below the tip, so only the tip meets a disc above: the shortest way is two tangents and an arc."""
    a, h, r = 0.1, 0.01, 0.03  # the disc's centre is h above the middle of the straight way
    made = plan(biglide, [-a, 0.3], [a, 0.3], working="++", goal_working="++", obstacles=[disc((0, 0.3 + h), r)])
    assert made.found
    assert made.kind == "roadmap"
    tangent = np.sqrt(a**2 + h**2 - r**2)
    arc = 2 * (np.arctan2(a, h) - np.arctan2(tangent, r))
    string = 2 * tangent + r * arc
    assert string < made.length < 1.02 * string  # a polygon around the arc, from a grid of 8 mm
    apart = np.hypot(*(dense(made.corners[0]) - [0, 0.3 + h]).T).min()
    assert apart > r
    assert made.clearance == pytest.approx(apart - r, abs=2e-5)  # between the proof's middles and these points
    assert "meet" in str(made.why["++"])


def test_samples_close_the_loops_and_start_and_end_where_asked(biglide):
    """|C − A_i| = l with A_i = (∓d/2, q_i), and modes by the feet being below the tip."""
    made = plan(biglide, [-0.1, 0.3], [0.1, 0.3], working="++", goal_working="++", obstacles=[disc((0, 0.31), 0.03)])
    np.testing.assert_allclose(made.x[[0, -1]], [[-0.1, 0.3], [0.1, 0.3]], atol=1e-15)
    for i, side in enumerate((-0.2, 0.2)):
        bar = np.hypot(made.x[:, 0] - side, made.x[:, 1] - made.q[:, i])
        np.testing.assert_allclose(bar, 0.3606, atol=1e-15 * 4)
        assert (made.q[:, i] < made.x[:, 1]).all()
    assert set(made.working) == {"++"}
    assert made.s[-1] == pytest.approx(made.length, rel=1e-12)


def test_a_working_mode_changes_where_its_bar_lies_flat(biglide):
    """Bar 1 is level at x = l − d/2, its foot at the tip's height; the feet do not jump there."""
    made = plan(biglide, [0.03, 0.25], [0.05, 0.3], working="++", goal_working="-+")
    assert made.modes == ("++", "-+")
    (change,) = made.changes
    assert (change.leg, change.before, change.after) == ("A1-C", "++", "-+")
    assert change.x[0] == pytest.approx(0.3606 - 0.2, abs=1e-12)
    assert change.q[0] == pytest.approx(change.x[1], abs=1e-6)  # the root of the rounding of x
    assert np.abs(np.diff(made.q, axis=0)).max() < 0.02
    assert (made.q[:, 0] < made.x[:, 1])[made.s < change.s].all()
    assert (made.q[:, 0] > made.x[:, 1])[made.s > change.s].all()


def test_both_feet_cannot_go_over_without_a_singularity(biglide):
    """det A = 4 (C − A1) × (C − A2): for the tip above both feet the cross product is positive, below them negative."""
    never = plan(biglide, [0.03, 0.25], [0.05, 0.3], working="++", goal_working="--")
    assert not never.found
    assert "no path exists" in never.message
    assert "opposite signs" in never.message
    with pytest.raises(NoSolution, match="Type 2"):
        never.unwrap()


def test_without_changes_a_mode_keeps_to_itself(biglide):
    """What is possible with a change of mode is not without."""
    made = plan(biglide, [0.03, 0.25], [0.05, 0.3], working="++", goal_working="-+", changes=False)
    assert "changes of mode are not allowed" in made.message


def test_a_way_that_is_not_found_is_a_matter_of_the_resolution(biglide):
    """At the goal a disc is under the tip, between the bars; at the start it is above: a bar would have to cross it."""
    stone = [disc((0, 0.45), 0.03)]
    made = plan(biglide, [0, 0.25], [0, 0.6], working="++", goal_working="++", obstacles=stone, resolution=0.01)
    assert not made.found
    assert "no path at this resolution" in made.message
    assert "10 mm" in made.message
    assert made.resolution == pytest.approx(0.01, rel=1e-12)


def test_a_pebble_that_no_grid_point_touches_still_parts_the_workspace(biglide):
    """The same with a disc of 0.1 mm and a grid of 20 mm: each edge on which a bar jumps it is refuted in turn."""
    stone = [disc((0, 0.45), 1e-4)]
    made = plan(biglide, [0.003, 0.25], [0.003, 0.6], working="++", goal_working="++", obstacles=stone, resolution=0.02)
    assert not made.found
    assert "no path at this resolution" in made.message


def test_a_plate_changes_its_assembly_mode_around_a_cusp(cusps):
    """Two poses of the same three legs, det A > 0 at both: straight it crosses twice, around it keeps its sign."""
    one, other = [p for p in cc.direct(cusps, [14.98, 15.38, 12.0]) if p.assembly in ("+1", "+2")]
    made = plan(cusps, one.x, other.x, margin=0.01, ignore=LEGS)
    assert made.kind == "roadmap"
    np.testing.assert_allclose(made.q[0], made.q[-1], atol=1e-9)
    assert np.abs(made.x[0] - made.x[-1]).max() > 1.0
    assert [len(o.crossings) for o in made.why["+"].obstructions] == [1, 1]
    x = dense(made.corners[0], 20_000)
    base, local = np.array([[0, 0], [15.91, 0], [0, 10]]), [[0, 0], [17.04, 0]]
    p3x = (17.04**2 + 20.84**2 - 16.54**2) / (2 * 17.04)
    local = np.array([*local, [p3x, np.sqrt(20.84**2 - p3x**2)]])
    c, s = np.cos(x[:, 2])[:, None], np.sin(x[:, 2])[:, None]
    arm = np.stack([c * local[:, 0] - s * local[:, 1], s * local[:, 0] + c * local[:, 1]], axis=-1)
    leg = x[:, None, :2] + arm - base  # det of the legs' lines: (u, arm × u) per row
    rows = np.concatenate([leg, (arm[..., 0] * leg[..., 1] - arm[..., 1] * leg[..., 0])[..., None]], axis=-1)
    assert (np.linalg.det(rows) > 0).all()


def test_poses_on_two_sides_of_the_singular_surface_are_never_joined_by_telescopes(cusps):
    """Three telescopes have one working mode: det A cannot change its sign, so the no is final."""
    poses = list(cc.direct(cusps, [14.98, 15.38, 12.0]))
    made = plan(
        cusps,
        next(p.x for p in poses if p.assembly == "+1"),
        next(p.x for p in poses if p.assembly == "-1"),
        ignore=LEGS,
    )
    assert not made.found
    assert "no path exists" in made.message
    assert "opposite signs" in made.message


def test_the_widest_way_has_more_room_than_the_straight_one(fivebar):
    """A disc over the middle of the way: the tip dips under it; no way has more room than its ends."""
    given = {"working": "+-", "goal_working": "+-", "obstacles": [disc((0, 0.16), 0.01)]}
    short = plan(fivebar, [-0.04, 0.11], [0.04, 0.11], **given)
    wide = plan(fivebar, [-0.04, 0.11], [0.04, 0.11], objective="clearance", **given)
    assert short.kind == "straight"
    assert short.clearance == pytest.approx(0.16 - 0.11 - 0.01, abs=1e-5)  # straight under the disc's centre
    assert short.clearance < wide.clearance <= np.hypot(0.04, 0.05) - 0.01
    assert wide.length > short.length


def test_a_thin_wall_is_not_jumped_between_grid_points(fivebar):
    """A wall without thickness from the tip's way up to beyond its reach: the way found passes below its lower end."""
    made = plan(
        fivebar, [-0.04, 0.13], [0.04, 0.13], working="+-", obstacles=[wall((0, 0.12), (0, 0.3))], resolution=0.004
    )
    crossing = dense(made.unwrap().corners[0])
    assert (crossing[np.abs(crossing[:, 0]) < 1e-4, 1] < 0.12).all()
    assert made.clearance > 0


def test_a_start_that_is_not_allowed_is_named(triplate):
    """Wide links meet at X_a in every mode; the answer says which pairs."""
    made = plan(triplate, [-3, -2, np.pi / 4], [-2, 0, 0], width=0.6)
    assert not made.found
    assert made.message.startswith("the start itself is not allowed")
    assert "B1-a1 and B2-a2 meet" in made.message


@pytest.mark.parametrize(
    "options, match",
    [
        ({"working": "+++"}, "there are"),
        ({"margin": 1.5}, "margin"),
        ({"objective": "fast"}, "shortest"),
        ({"width": -1.0}, "width"),
        ({"resolution": -0.1, "working": "++", "goal_working": "-+"}, "resolution"),
        ({"resolution": 1e-5, "working": "++", "goal_working": "-+"}, "grid points"),
        ({"bounds": [[0, 0], [0.04, 1]], "working": "++", "goal_working": "-+"}, "outside the bounds"),
        ({"obstacles": [(0, 0)]}, "disc"),
    ],
)
def test_bad_questions_get_one_clear_error(biglide, options, match):
    """What, and what to give instead."""
    with pytest.raises(BadInput, match=match):
        plan(biglide, [0.03, 0.25], [0.05, 0.3], **options)


def test_a_goal_out_of_reach_and_a_robot_without_free_output_are_refused(biglide):
    """The leg that misses; the four-bar's output moves on a curve."""
    with pytest.raises(Unreachable, match="A1-C"):
        plan(biglide, [0.03, 0.25], [0.5, 0.3])
    with pytest.raises(BadInput, match="cannot be moved freely"):
        plan(cc.load("fourbar"), [0.2, 0.2], [0.25, 0.2])
