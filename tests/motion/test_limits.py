"""The largest rates and efforts of a motion against limits."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.motion import check_limits, constant_velocity, joint, quintic

ROOT3 = np.sqrt(3)


def test_peaks_of_a_quintic_along_y_are_those_by_hand(biglide):
    """Feet and tip move together: q̇ = 15/8 L/T, q̈ = 10/√3 L/T², each foot carries (2 m_f + m_p)/2 = 2.5 kg."""
    L, T = 0.2, 1.5
    report = check_limits(biglide, quintic([0.0, 0.3], [0.0, 0.3 + L], T), velocity=0.3, effort=[2.0, 1.0])
    v, a = 15 / 8 * L / T, 10 / ROOT3 * L / T**2
    for name in ("q1", "q2"):
        assert abs(report.peak("q_dot", name).t - T / 2) < 1e-4  # a maximum's place is known to the root of its value
        np.testing.assert_allclose(report.peak("q_dot", name).value, v, rtol=1e-8)
        np.testing.assert_allclose(abs(report.peak("tau", name).value), 2.5 * a, rtol=1e-8)
        assert min(abs(report.peak("tau", name).t - T * (3 + s * ROOT3) / 6) for s in (-1, 1)) < 1e-4
    np.testing.assert_allclose(abs(report.peak("x_ddot", "y").value), a, rtol=1e-8)
    np.testing.assert_allclose(report.peak("q_dot", "q1").use, v / 0.3, rtol=1e-8)
    assert report.peak("tau", "q1").within == (2.5 * a <= 2.0)
    assert not report.peak("tau", "q2").within
    assert not report.within
    assert "OVER" in str(report)
    assert "sampled at 1001 instants + refined at" in str(report)


@pytest.mark.parametrize(("L", "T"), [(0.2, 1.5), (0.1, 0.7), (0.3, 1.1), (0.07, 0.9)])
def test_a_peak_on_its_limit_is_within_it(biglide, L, T):
    """15/8 L/T is the limit itself, rounded; a millionth of a millionth less is still within, 1e-9 less is over."""
    tip = quintic([0.0, 0.3], [0.0, 0.3 + L], T)
    v = 15 / 8 * L / T
    assert check_limits(biglide, tip, velocity=v).within
    assert not check_limits(biglide, tip, velocity=v * (1 - 1e-9)).within


def test_refinement_finds_a_peak_between_coarse_samples(biglide):
    """On 12 samples the velocity's maximum lies between two of them and is still found to 1e-6."""
    report = check_limits(biglide, quintic([0.0, 0.3], [0.0, 0.5], 1.0), samples=12)
    np.testing.assert_allclose(report.peak("q_dot", "q1").value, 15 / 8 * 0.2, rtol=1e-6)


def test_both_sides_of_a_break_are_looked_at(biglide):
    """A trapezoid: the acceleration jumps to zero at the end of its first blend; the last double before counts."""
    motion = constant_velocity([0.0, 0.3], [0.0, 0.5], 1.0, blend=0.001)
    report = check_limits(biglide, motion, samples=11)
    np.testing.assert_allclose(abs(report.peak("q_ddot", "q1").value), 0.2 / 0.999 / 0.001, rtol=1e-9)


def test_a_joint_motion_and_its_output_motion_have_the_same_peaks(biglide):
    """Either space, any of the three ways in."""
    tip = quintic([-0.05, 0.3], [0.1, 0.45], 2.0)
    feet = joint(biglide, tip, working="++")
    a, b = check_limits(biglide, tip, working="++"), check_limits(biglide, feet)
    for p, q in zip(a.peaks, b.peaks, strict=True):
        np.testing.assert_allclose(p.value, q.value, rtol=1e-12)


def test_efforts_are_those_of_inverse_dynamics(biglide):
    """The peak's effort is cc.evaluate's at the peak's instant."""
    tip = quintic([-0.05, 0.3], [0.1, 0.45], 0.7)
    peak = check_limits(biglide, tip, working="++").peak("tau", "q2")
    at = tip(peak.t)
    made = cc.evaluate(biglide, x=at.x, x_dot=at.x_dot, x_ddot=at.x_ddot, working="++")
    np.testing.assert_allclose(made.tau[1], peak.value, rtol=1e-12)


def test_a_tolerance_forgives_that_much(biglide):
    """1 % over is over, unless 2 % are allowed."""
    motion = quintic([0.0, 0.3], [0.0, 0.5], 1.0)
    assert not check_limits(biglide, motion, velocity=0.375 / 1.01).within
    assert check_limits(biglide, motion, velocity=0.375 / 1.01, tolerance=0.02).within


@pytest.mark.parametrize(
    "options, says",
    [
        ({"velocity": -1.0}, "limit of q_dot must be above zero"),
        ({"effort": [1.0, 2.0, 3.0]}, r"limit of tau has shape \(3,\)"),
        ({"acceleration": np.nan}, "limit of q_ddot must be above zero"),
        ({"samples": 2}, "samples is 2"),
    ],
)
def test_bad_limits_are_refused(biglide, options, says):
    """One clear error for each."""
    with pytest.raises(BadInput, match=says):
        check_limits(biglide, quintic([0.0, 0.3], [0.0, 0.5], 1.0), **options)


def test_an_unknown_peak_is_refused(biglide):
    """With the names there are."""
    with pytest.raises(BadInput, match="there are q1, q2, x, y"):
        check_limits(biglide, quintic([0.0, 0.3], [0.0, 0.5], 1.0)).peak("tau", "q7")
