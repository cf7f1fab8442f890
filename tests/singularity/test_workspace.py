"""Areas of reach against closed forms: lenses, annuli, strips; slices of plates and of a Delta against counting."""

import numpy as np
import pytest
from scipy.optimize import brentq

import closedchain as cc
from closedchain.describe import Bar, Free, Mechanism, Recipe, Slider
from closedchain.errors import BadInput, NoSolution
from closedchain.singularity.arcs import region
from closedchain.singularity.maps import map_grid
from closedchain.singularity.reach import Disc, HalfPlane
from closedchain.singularity.subdivision import subdivide
from closedchain.singularity.workspace import area_of, workspace

L, D = 0.3606, 0.4  # the biglide of seed 000


def lens(r1, r2, d):
    """The area common to two discs, centres d apart: the textbook formula."""
    if d >= r1 + r2:
        return 0.0
    if d <= abs(r1 - r2):
        return np.pi * min(r1, r2) ** 2
    a1 = r1**2 * np.arccos((d**2 + r1**2 - r2**2) / (2 * d * r1))
    a2 = r2**2 * np.arccos((d**2 + r2**2 - r1**2) / (2 * d * r2))
    heron = (-d + r1 + r2) * (d + r1 - r2) * (d - r1 + r2) * (d + r1 + r2)
    return a1 + a2 - np.sqrt(heron) / 2


def test_the_labs_fivebar_reaches_a_lens(fivebar):
    """Two discs of radius 2 l = 0.18 m, centres 0.118 m apart: 0.06008102014968061 m²."""
    found = workspace(fivebar)
    assert found.area.value == pytest.approx(0.06008102014968061, rel=1e-14)
    assert found.area.value == pytest.approx(lens(0.18, 0.18, 0.118), rel=1e-14)
    assert found.area.method == "arcs"
    assert found.area.error < 1e-14
    assert found.working == ("++", "+-", "-+", "--")


@pytest.mark.parametrize(
    "l1, l2, d", [(0.06, 0.09, 0.118), (0.05, 0.12, 0.118), (0.03, 0.12, 0.118), (0.03, 0.12, 0.2)]
)
def test_unequal_bars_leave_holes(fivebar, l1, l2, d):
    """Annuli: D₁∩D₂ − H₁∩D₂ − D₁∩H₂ + H₁∩H₂, each a lens; holes apart, overlapping, or cut by the other's edge."""
    R, r = l1 + l2, abs(l1 - l2)
    exact = lens(R, R, d) - 2 * lens(r, R, d) + lens(r, r, d)
    assert workspace(fivebar.with_values(l1=l1, l2=l2, d=d)).area.value == pytest.approx(exact, rel=1e-12)


def test_the_biglide_reaches_a_strip(biglide):
    """Width 2 (l − d/2) between the rails, as high as the window; its edge is a rectangle."""
    found = workspace(biglide, (-1.0, 1.0, -0.3, 0.4))
    assert found.area.value == pytest.approx(2 * (L - D / 2) * 0.7, rel=1e-14)
    (edge,) = found.boundary
    assert np.abs(edge[:, 0]) == pytest.approx(L - D / 2, abs=1e-15)


def test_a_window_cuts_the_lens_exactly(fivebar):
    """The upper half of it, and its right half: symmetric."""
    for window in ((-1, 1, 0, 1), (0, 1, -1, 1), (-0.121, 0.121, -0.18, 0)):  # the last touches both discs
        assert workspace(fivebar, window).area.value == pytest.approx(0.06008102014968061 / 2, rel=1e-13)
    assert workspace(fivebar, (0.2, 1, 0.2, 1)).area.value == 0.0


def test_the_boundary_is_where_a_leg_ends(fivebar):
    """On each drawn point one leg's slack vanishes and none is negative; the polylines enclose the area."""
    robot = fivebar.with_values(l1=0.06, l2=0.1)
    found = workspace(robot)
    assert len(found.boundary) == 3  # the lens and a hole about each motor
    enclosed = 0.0
    for line in found.boundary:
        reach = np.hypot(line[:, 0, None] - np.array([-0.059, 0.059]), line[:, 1, None])
        slack = np.minimum(0.16 - reach, reach - 0.04).min(axis=1)
        assert np.abs(slack).max() < 1e-15
        assert line[0] == pytest.approx(line[-1], abs=1e-15)
        enclosed += np.sum(line[:-1, 0] * line[1:, 1] - line[1:, 0] * line[:-1, 1]) / 2
    assert enclosed == pytest.approx(found.area.value, rel=2e-4)  # chords of 1° arcs: 1 − sin(1°)/1° = 5e-5 of a disc


@pytest.mark.parametrize("name, orientation", [("triplate", 0.3), ("rrr3", 0.3), ("rrr3", -1.0)])
def test_a_plates_area_at_an_orientation_is_what_counting_finds(name, orientation):
    """The share of 1200 × 1200 midpoints with a positive slack; the edge crosses 1/300 of them, with random halves."""
    robot = cc.load(name)
    found = workspace(robot, orientation=orientation)
    x0, x1, y0, y1 = found.window
    hx, hy = (x1 - x0) / 2400, (y1 - y0) / 2400
    inner = (x0 + hx, x1 - hx, y0 + hy, y1 - hy)
    share = map_grid(robot, inner, (1200, 1200), [], orientation=orientation).reachable.mean()
    assert found.area.value == pytest.approx(share * (x1 - x0) * (y1 - y0), rel=1e-3)


def test_a_deltas_slice_is_cut_into_cells_and_agrees_with_distances_to_circles():
    """A leg reaches where its elbow's circle is nearer than l and farther than l: counted on 1000 × 1000 midpoints."""
    robot = cc.load("delta")
    found = workspace(robot, height=-0.9)
    assert found.area.method == "cells"
    assert found.area.error < 1e-5 < found.area.bound
    x0, x1, y0, y1 = found.window
    n = 1000
    x, y = np.meshgrid(x0 + (np.arange(n) + 0.5) / n * (x1 - x0), y0 + (np.arange(n) + 0.5) / n * (y1 - y0))
    w, u, R, length = 0.567 * np.sqrt(3) / 6, 0.076 * np.sqrt(3) / 3, 0.524, 1.244
    inside = np.ones_like(x, bool)
    for azimuth in (-np.pi / 2, np.pi / 6, 5 * np.pi / 6):
        c, s = np.cos(azimuth), np.sin(azimuth)
        radial, off = (x + u * c - w * c) * c + (y + u * s - w * s) * s, -(x * s) + y * c
        rho = np.hypot(radial, -0.9)
        inside &= (np.hypot(rho - R, off) <= length) & (np.hypot(rho + R, off) >= length)
    assert found.area.value == pytest.approx(inside.mean() * (x1 - x0) * (y1 - y0), rel=1e-3)


def test_the_biglides_dexterous_area_is_a_length_found_by_roots(biglide):
    """1/κ depends on x alone, so the area with 1/κ ≥ 0.5 is height × length; ends by bisection on the SVD's κ."""

    def excess(x, s2):
        r = np.array(
            [
                [x + D / 2, np.sqrt(max(L**2 - (x + D / 2) ** 2, 0))],
                [x - D / 2, s2 * np.sqrt(max(L**2 - (x - D / 2) ** 2, 0))],
            ]
        )
        return 1 / np.linalg.cond(r / L) - 0.5

    end = L - D / 2
    found = workspace(biglide, (-1.0, 1.0, -0.3, 0.3), condition=0.5)
    first = brentq(excess, 1e-9, end, args=(-1,), xtol=1e-15)  # "+-": singular at 0, good outside
    assert excess(end, -1) > 0
    assert excess(0.0, 1) > 0
    assert excess(end, 1) > 0
    expected = {"++": 2 * end * 0.6, "+-": 2 * (end - first) * 0.6, "any": 2 * end * 0.6}
    for mode, area in expected.items():
        assert found.dexterous[mode].value == pytest.approx(area, rel=2e-5)
        assert abs(found.dexterous[mode].value - area) <= max(4 * found.dexterous[mode].error, 1e-12)
    assert "1/κ ≥ 0.5 in mode +-" in str(found)


@pytest.mark.parametrize(
    "robot, options, error, message",
    [
        ("biglide", {}, BadInput, "no end along a rail"),
        ("rpr3", {"orientation": 0.0}, BadInput, "no end along a rail or a telescope"),
        ("fivebar", {"condition": 1.5}, BadInput, "between 0 and 1"),
        ("fivebar", {"depth": 11}, BadInput, "from 0 to 10"),
        ("rrr3", {}, BadInput, "needs orientation"),
    ],
)
def test_what_has_no_area_is_refused(robot, options, error, message):
    """Reach without an end needs a window."""
    with pytest.raises(error, match=message):
        workspace(cc.load(robot), **options)


def test_motors_too_far_apart_reach_nothing(fivebar):
    """Discs of 0.18 m, motors 0.5 m apart."""
    with pytest.raises(NoSolution, match="within reach of all legs"):
        workspace(fivebar.with_values(d=0.5))


@pytest.mark.parametrize("side", [1, -1])
def test_a_half_plane_cuts_a_segment_of_a_disc(side):
    """Segment of height h = 0.5 off the unit disc: acos(1 − h) − (1 − h) √(2h − h²), and the rest."""
    segment = np.arccos(0.5) - 0.5 * np.sqrt(0.75)
    for angle in (0.0, 0.7, 2.5):  # directions, with the disc away from the origin
        nx, ny = side * np.cos(angle), side * np.sin(angle)
        disc = Disc("a", 3.0, -2.0, 1.0)
        found = region([disc, HalfPlane("b", nx, ny, nx * 3.0 + ny * -2.0 + side * 0.5)])
        assert found.area == pytest.approx(np.pi - segment if side > 0 else segment, rel=1e-12)


def test_an_edge_given_twice_counts_once():
    """Two legs with one reach."""
    assert region([Disc("a", 0, 0, 1), Disc("b", 0, 0, 1), Disc("c", 0, 1e-16, 1)]).area == pytest.approx(np.pi)


def crossing_rails(angle, l1=0.3, l2=0.2, apart=0.1):
    """A biglide on a rail along x and one that crosses it at an angle."""
    A1 = Slider("q1", at=(0.0, 0.0), along=(1.0, 0.0))
    A2 = Slider("q2", at=(apart, 0.0), along=(np.cos(angle), np.sin(angle)))
    C = Free("C", mass=1.0)
    return cc.load(Recipe(Mechanism("crossing", drives=(A1, A2), bars=(Bar(A1, C, l1), Bar(A2, C, l2)), output=C)))


@pytest.mark.parametrize("angle", [np.pi / 2, np.pi / 3, 2.5, 0.01])
def test_rails_that_cross_reach_a_parallelogram(angle):
    """Strips of widths 2 l1 and 2 l2 that cross at θ share 4 l1 l2 / sin θ, within a box as high as the first strip."""
    found = workspace(crossing_rails(angle))
    assert found.area.value == pytest.approx(4 * 0.3 * 0.2 / np.sin(angle), rel=1e-12)
    x0, x1, y0, y1 = found.window
    assert (y0, y1) == pytest.approx((-0.3, 0.3), rel=1e-12)
    width = (2 * 0.2 + 2 * 0.3 * abs(np.cos(angle))) / np.sin(angle)
    assert x1 - x0 == pytest.approx(width, rel=1e-12)
    assert (x0 + x1) / 2 == pytest.approx(0.1, abs=1e-12)


def test_rails_in_the_same_direction_still_have_no_end():
    """Parallel, or in opposite directions: one may go on along them."""
    for angle in (0.0, np.pi):
        with pytest.raises(BadInput, match="no end along a rail"):
            workspace(crossing_rails(angle))


def linear_delta(tilt):
    """Three sliders on a circle of 0.3 m, whose rails lean inwards by `tilt` from upright; bars of 0.4 m."""
    C, drives = Free("C", mass=1.0, dimension=3), []
    for k in range(3):
        c, s = np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3)
        lean = np.sin(tilt)
        drives.append(Slider(f"q{k}", at=(0.3 * c, 0.3 * s, 0.0), along=(-lean * c, -lean * s, np.cos(tilt))))
    bars = tuple(Bar(drive, C, 0.4) for drive in drives)
    return cc.load(Recipe(Mechanism("linear_delta", drives=tuple(drives), bars=bars, output=C)))


@pytest.mark.parametrize("tilt, height", [(0.0, 5.0), (0.4, 0.1), (np.pi / 2, 0.1)])
def test_rails_in_space_reach_where_their_cylinders_meet(tilt, height):
    """Every point within 0.4 m of three lines, counted; upright rails reach it at any height."""
    found = workspace(linear_delta(tilt), height=height)
    x0, x1, y0, y1 = found.window
    x, y = np.meshgrid(np.linspace(-2, 2, 1601), np.linspace(-2, 2, 1601))
    inside = np.ones_like(x, bool)
    for k in range(3):
        c, s = np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3)
        along = np.array([-np.sin(tilt) * c, -np.sin(tilt) * s, np.cos(tilt)])
        away = np.stack([x - 0.3 * c, y - 0.3 * s, np.full_like(x, height)], axis=-1)
        inside &= np.linalg.norm(np.cross(away, along), axis=-1) <= 0.4
    assert found.area.value == pytest.approx(inside.sum() * (4 / 1600) ** 2, rel=1e-2)  # squares of 2.5 mm
    assert ((x >= x0) & (x <= x1) & (y >= y0) & (y <= y1))[inside].all()


@pytest.mark.parametrize("slack", [np.sqrt, np.array], ids=["root", "line"])
def test_an_area_of_cells_is_within_its_error_where_the_slack_jumps_at_the_edge(slack):
    """Discs whose slack is known inside only, as where two legs end together: slivers along the edge are left out."""
    for radius in np.linspace(0.5, 0.9, 15):

        def sample(x, y, radius=radius):
            room = radius - np.hypot(x, y)
            return np.where(room > 0.0, slack(np.abs(room)), -1.0), np.ones_like(x)

        found = area_of(subdivide(sample, (-1.0, 1.1, -1.05, 1.0), 2))
        assert abs(found.value - np.pi * radius**2) <= found.error
