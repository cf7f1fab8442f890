"""Aspects against hand reasoning (biglide), an independent count on a grid (five-bar) and necks made to measure."""

import numpy as np
import pytest
from scipy import ndimage

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.singularity.aspects import _collect, aspects
from closedchain.singularity.subdivision import subdivide

WINDOW = (-0.2, 0.2, -0.3, 0.3)


def test_the_biglide_has_six_aspects(biglide):
    """det A = 0 where σ₂(x + d/2)√(l² − (x − d/2)²) = σ₁(x − d/2)√(l² − (x + d/2)²), which needs, squared, x = 0.

    There the two sides have the signs σ₂ and −σ₁. So det A vanishes at x = 0 in +- and -+, and nowhere in ++ and --.
    """
    found = aspects(biglide, WINDOW)
    half = (0.3606 - 0.2) * 0.6
    assert [len(found.of(mode)) for mode in ("++", "+-", "-+", "--")] == [1, 2, 2, 1]
    assert found.decided
    assert [found.of(mode)[0].sign for mode in ("++", "--")] == [1, -1]
    for mode, area in (("++", 2 * half), ("+-", half), ("-+", half), ("--", 2 * half)):
        for aspect in found.of(mode):
            assert aspect.area == pytest.approx(area, rel=1e-6)
            assert 0 < aspect.uncertain < 0.02 * aspect.area
    for mode in ("+-", "-+"):
        assert {np.sign(a.x[0]) * a.sign for a in found.of(mode)} == {1 if mode == "-+" else -1}
    assert "at this resolution" in str(found)


def test_each_sample_is_a_configuration_of_its_aspect(fivebar):
    """At its point the robot has the working mode and det A the sign; and the point is found in that aspect."""
    found = aspects(fivebar)
    for number, aspect in enumerate(found):
        pose = cc.inverse(fivebar, aspect.x)[aspect.working]
        assert pose.assembly == ("+" if aspect.sign > 0 else "-")
        assert found.at(aspect.x, aspect.working) == number
    far = np.array([[5.0, 5.0], [-0.2, 0.0]])
    np.testing.assert_array_equal(found.at(far, "++"), [-1, -1])


@pytest.mark.parametrize("working", ["++", "+-", "-+", "--"])
def test_the_fivebars_aspects_are_those_of_its_angles(fivebar, working):
    """With all bars l the bar at the tip points along θᵢ − σᵢ acos(ρᵢ/2l), (ρᵢ, θᵢ) from motor to tip.

    det A is 4 l² times the sine of the difference. Parts of one sign on 1501² points, specks of less than 20 left out,
    count and measure the same.
    """
    found = aspects(fivebar, working=working)
    n, l, d = 1501, 0.09, 0.118
    (x, hx), (y, hy) = np.linspace(-0.122, 0.122, n, retstep=True), np.linspace(-0.171, 0.171, n, retstep=True)
    tip = x + 1j * y[:, None]
    rho, theta = zip(*((np.abs(tip - f), np.angle(tip - f)) for f in (-d / 2, d / 2)), strict=True)
    bars = [
        t - (1 if s == "+" else -1) * np.arccos(np.minimum(r / (2 * l), 1))
        for s, r, t in zip(working, rho, theta, strict=True)
    ]
    sine = np.where(np.maximum(*rho) < 2 * l, np.sin(bars[1] - bars[0]), 0.0)
    expected = []
    for sign in (1, -1):
        labels, count = ndimage.label(sign * sine > 0)
        sizes = ndimage.sum_labels(np.ones_like(labels), labels, range(1, count + 1))
        expected += [(sign, size * hx * hy) for size in sizes if size >= 20]
    expected.sort(key=lambda pair: -pair[1])
    areas = {s: sorted(a.area for a in found if a.sign == s) for s in (1, -1)}
    assert len(found) == len(expected)
    for s in (1, -1):
        # a grid finds an area to about (perimeter ≈ 1 m) × half a step × a few percent of it: 1e-5 m²
        assert areas[s] == pytest.approx(sorted(a for sign, a in expected if sign == s), abs=1e-5)


def test_a_half_turn_exchanges_the_fivebars_aspects(fivebar):
    """In ++ a half turn exchanges the legs and with them the sign of det A: both signs have half the lens."""
    found = aspects(fivebar, working="++")
    for sign in (1, -1):
        total = sum(a.area for a in found if a.sign == sign)
        assert total == pytest.approx(0.06008102014968061 / 2, rel=1e-4)  # slivers in the corners belong to none


def rooms(width, gap=0.0):
    """Two rooms 0.6 apart, joined by a corridor of a width with a wall `gap` thick across it; value > 0 inside."""

    def box(x, y, cx, cy, half_x, half_y):
        return np.minimum(half_x - np.abs(x - cx), half_y - np.abs(y - cy))

    def sample(x, y):
        doors = np.maximum(box(x, y, -0.5, 0.013, 0.2, 0.3), box(x, y, 0.5, 0.013, 0.2, 0.3))
        corridor = box(x, y, 0, 0.013, 0.4, width / 2)
        if gap:
            corridor = np.minimum(corridor, np.abs(x - 0.0371) - gap / 2)
        return np.ones_like(x), np.maximum(doors, corridor)

    return sample


def count(sample, depth):
    """How many parts the positive side has, and whether that was decided."""
    found, _ = _collect("+", subdivide(sample, (-1.0, 1.0, -1.0, 1.0), depth), 0)
    own = [a for a in found if a.sign > 0]
    return len(own), all(a.decided for a in own)


@pytest.mark.parametrize("width", [0.2, 0.02, 0.01])
def test_a_narrow_corridor_joins_two_rooms(width):
    """Down to a few cells of the last level (2/2048) it is seen and decided."""
    assert count(rooms(width), depth=5) == (1, True)


@pytest.mark.parametrize("gap", [0.1, 0.02, 0.01])
def test_a_thin_wall_separates_two_rooms(gap):
    """A corridor 0.1 wide with a wall across it."""
    assert count(rooms(0.1, gap), depth=5) == (2, True)


def test_a_corridor_narrower_than_the_cells_is_said_to_be_undecided():
    """2/256 wide against cells of 2/256: not claimed either way; three cuts more decide it."""
    assert count(rooms(0.0078), depth=2)[1] is False
    assert count(rooms(0.0078), depth=6) == (1, True)


def test_a_plates_aspects_fill_its_reach(triplate):
    """Areas of all aspects at an orientation sum to what the legs reach."""
    found = aspects(triplate, working="+-", orientation=0.3)
    assert sum(a.area for a in found) == pytest.approx(145.232918, rel=1e-4)  # the arcs' area, see test_workspace
    assert found.third == 0.3


def test_what_is_not_there_is_refused(biglide):
    """Modes, depth, windows."""
    with pytest.raises(BadInput, match="no end along a rail"):
        aspects(biglide)
    with pytest.raises(BadInput, match="from 0 to 10"):
        aspects(biglide, WINDOW, depth=-1)
    with pytest.raises(BadInput, match=r"no mode '--' here; there are \+\+"):
        aspects(biglide, WINDOW, working="++", depth=1).at([0, 0], "--")
