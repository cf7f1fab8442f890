"""Proofs of straight motions: right where they hold, and never given where they do not."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.planning import bodies, disc
from closedchain.planning.measure import Setting
from closedchain.planning.proof import Prover, segments
from closedchain.singularity.interval import bounds, exact

LINES = {
    "triplate": ([-3.0, -1.0, 0.7], [-2.0, 0.0, 0.0]),
    "rpr3:cusps": ([3.0, 4.0, 0.2], [5.0, -3.0, 1.0]),
    "rrr3": ([1.2, 0.9, 0.0], [1.4, 1.0, 0.3]),
    "biglide": ([0.03, 0.25], [0.1, 0.4]),
    "fivebar": ([0.02, 0.12], [-0.03, 0.1]),
}


def prover(name, margin=0.0, **options):
    """A prover for a robot."""
    model = cc.load(name) if isinstance(name, str) else name
    return Prover(Setting(model, bodies(model, **options), margin))


@pytest.mark.parametrize("name", LINES)
def test_the_bounded_functions_are_those_of_the_robot(name):
    """Points, regularity of A and legs' sines from the program for bounds, against the robot's own kernels."""
    p = prover(name)
    line = segments(*map(np.array, LINES[name]), p.setting.sigma)
    rows = np.arange(len(line))

    def at(s):
        given = [np.full(len(line), s), line.start, line.end - line.start, line.sigma, p.model.p]
        return [b.mid for b in bounds(p.program, *map(exact, given))]

    reach, _, A, _, points, _ = at(0.3)
    x = line.x(rows, np.full(len(line), 0.3))
    m = p.setting.measure(x, line.sigma)
    np.testing.assert_allclose(points, p.model.call("points", q=m.q, x=x)["points"], atol=1e-14 * p.model.scale)
    by_x, by_row = p._scales
    sigma = np.linalg.svd(A / by_row[:, None] / by_x, compute_uv=False)
    np.testing.assert_allclose(sigma[:, -1] / sigma[:, 0], m.parallel, atol=1e-14)
    np.testing.assert_allclose(np.minimum(np.sqrt(reach) / p.setting.leg_sizes, 1.0), m.legs, atol=1e-14)
    h = 1e-6  # central differences: rounding over h, and h² of the third derivative
    for value, slope, up, down in zip(at(0.3)[::2], at(0.3)[1::2], at(0.3 + h)[::2], at(0.3 - h)[::2], strict=True):
        np.testing.assert_allclose((up - down) / (2 * h), slope, atol=1e-8 * max(1.0, np.abs(value).max()))


def test_an_obstacle_thinner_than_any_sampling_is_not_missed(biglide):
    """A disc of 10 µm in the way of the tip, at a place that no halving meets: refuted, or at least not proven."""
    start, goal = np.array([-0.05, 0.3]), np.array([0.05, 0.36])
    place = start + 0.37172417 * (goal - start)
    away = np.array([-0.06, 0.1]) / np.hypot(0.06, 0.1)  # across the way, upwards
    plus = np.array([1.0, 1.0])
    hit = prover(biglide, obstacles=[disc(place, 1e-5)]).prove(segments(start, goal, plus))
    missed = prover(biglide, obstacles=[disc(place + 1e-3 * away, 1e-5)]).prove(segments(start, goal, plus))
    assert not hit.proven[0]
    assert hit.s[0] == pytest.approx(0.3717, abs=1e-3)
    assert missed.proven[0]
    assert 0 < missed.clearance[0] <= 1.5e-3


def test_what_is_proven_holds_at_fifty_thousand_points(triplate, triplate_by_hand):
    """The arms of seed 002 in mode −+ from (−3, −2, 45°): no two cross, by side tests on hand geometry."""
    start, goal = np.array([-3.0, -2.0, np.pi / 4]), np.array([-2.0, 0.0, 0.0])
    assert prover(triplate, margin=0.02).prove(segments(start, goal, np.array([-1.0, 1.0, 1.0]))).proven[0]
    s = np.linspace(0, 1, 50_001)[:, None]
    B1, a1, B2, a2, B3, a3 = triplate_by_hand(start + s * (goal - start), -1, 1)

    def side(a, b, c):
        return np.sign((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0]))

    for (a, b), (c, d) in (((B1, a1), (B2, a2)), ((B1, a1), (B3, a3)), ((B2, a2), (B3, a3))):
        cross = (side(a, b, c) != side(a, b, d)) & (side(c, d, a) != side(c, d, b))
        assert not cross.any()


@pytest.mark.parametrize("margin, proven", [(0.16, True), (0.17, False)])
def test_a_margin_is_proven_up_to_the_smallest_one_on_the_way(triplate, margin, proven):
    """From (−3, −1, 45°) in ++: σ_min/σ_max of A falls to 0.1686 at 10 001 points, computed here from A's own rows."""
    start, goal = np.array([-3.0, -1.0, np.pi / 4]), np.array([-2.0, 0.0, 0.0])
    p = prover(triplate, margin=margin)
    s = np.linspace(0, 1, 10_001)[:, None]
    x = start + s * (goal - start)
    q = cc.inverse(triplate, x).unwrap("++")
    A = (
        triplate.call("closures", q=q, x=x)["A"]
        / np.stack([np.full(len(q), 7.0), np.full(len(q), 7.0), 2 * q[:, 2]], -1)[..., None]
    )
    A[..., 2] /= 2 / np.sqrt(3)  # the corners of a triangle of side 2 are that far from its middle
    sigma = np.linalg.svd(A, compute_uv=False)
    assert (sigma[:, -1] / sigma[:, 0]).min() == pytest.approx(0.16857, abs=1e-5)
    assert p.prove(segments(start, goal, np.ones(3))).proven[0] == proven


def test_a_leg_may_come_to_its_end_at_the_end_only(biglide):
    """At x = l − d/2 bar 1 lies flat: up to there proven, and not 1 µm further; without leave not even up to there."""
    flat, plus = 0.3606 - 0.2, np.array([1.0, 1.0])
    start, end = np.array([0.1, 0.3]), np.array([np.nextafter(flat, 0.0), 0.31])
    p = prover(biglide, margin=0.02)
    leg = np.array([0])
    assert p.prove(segments(start, end, plus, leg)).proven[0]
    assert not p.prove(segments(start, end + np.array([1e-6, 0.0]), plus, leg)).proven[0]
    refused = p.prove(segments(start, end, plus))
    assert not refused.proven[0]
    assert p.setting.constraints[refused.constraint[0]] == "A1-C"
