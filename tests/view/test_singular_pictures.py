"""Pictures of singularities show what was computed: zeros where the points are, colours where the aspects are."""

import numpy as np
import pytest

from closedchain.errors import BadInput
from closedchain.model.loading import load
from closedchain.motion.crossing_search import cross
from closedchain.planning import disc
from closedchain.singularity.along import along
from closedchain.singularity.aspects import aspects
from closedchain.singularity.loci import loci
from closedchain.singularity.maps import map_grid
from closedchain.singularity.pose import singularities
from closedchain.singularity.workspace import workspace
from closedchain.view.maps import figure_map, figure_reach
from closedchain.view.routes import figure_passing, figure_route
from closedchain.view.singular import figure_pose, figure_segment
from closedchain.view.style import picture

WINDOW = (-0.3, 0.3, -0.1, 0.1)


@pytest.fixture(scope="module")
def biglide():
    """Two feet, two bars."""
    return load("biglide")


def labelled(axes, label):
    """The curve of a legend's entry."""
    (line,) = [c for c in axes.get_lines() if c.get_label() == label]
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


def test_a_segments_curve_is_zero_where_the_points_are(biglide):
    """det A in -+ changes its sign at the Type 2 mark, and is the sine between the bars: ±1 at right angles at most."""
    found = [along(biglide, [-0.1, 0.3], [0.1, 0.3], kind=kind) for kind in "AB"]
    axes = figure_segment(biglide, np.array([-0.1, 0.3]), np.array([0.1, 0.3]), found).axes[0]
    s, values = labelled(axes, "−+")
    marks, zeros = labelled(axes, "Type 2")
    np.testing.assert_allclose(np.interp(marks, s, values), 0.0, atol=1e-12)
    assert (zeros == 0.0).all()
    at = [-0.05, 0.3]
    foot = np.array([[-0.2, 0.3 + np.sqrt(0.3606**2 - 0.15**2)], [0.2, 0.3 - np.sqrt(0.3606**2 - 0.25**2)]])
    (ax, ay), (bx, by) = (np.array(at) - foot) / 0.3606
    assert np.interp(0.25, s, values) == pytest.approx(ax * by - ay * bx, abs=1e-12)


def test_a_segment_shades_what_is_out_of_reach():
    """NaN there: nothing is drawn where a leg misses."""
    five = load("fivebar")
    found = [along(five, [0.0, 0.05], [0.15, 0.12], kind=kind) for kind in "AB"]
    axes = figure_segment(five, np.array([0.0, 0.05]), np.array([0.15, 0.12]), found).axes[0]
    s, values = labelled(axes, "++")
    end = found[0].out_of_reach[0].lo
    assert np.isnan(values[s > end]).all()
    assert np.isfinite(values[s < end]).all()
    assert "out of reach" in [t.get_text() for t in axes.texts]


def test_the_free_motion_is_drawn_across_the_bars(biglide):
    """Two arrows from the tip along the null vector of A."""
    found = singularities(biglide, x=[0.0, 0.3], working="-+")
    figure = figure_pose(biglide, found)
    arrows = [p for p in figure.axes[0].patches if type(p).__name__ == "FancyArrowPatch"]
    ends = [np.subtract(*p._posA_posB[::-1]) for p in arrows]
    assert len(ends) == 2
    for end in ends:
        assert abs(end @ found.free_motion) == pytest.approx(float(np.linalg.norm(end)), rel=1e-12)
    picture(figure, ".png", dpi=50)


def test_the_lines_of_a_plates_legs_meet_in_its_centre():
    """At a Type 2 pose of the triplate each dotted line leads from a joint to the marked centre, along its leg."""
    tri = load("triplate")
    found = singularities(tri, x=[0.5367791975326369, 0.0, np.radians(10)], working="++")
    axes = figure_pose(tri, found).axes[0]
    x, y = labelled(axes, "its centre")
    assert found.centre is not None
    np.testing.assert_allclose([x[0], y[0]], found.centre, atol=1e-12)
    dotted = [np.array(c.get_xydata()) for c in axes.get_lines() if c.get_linewidth() == 0.8]
    assert len(dotted) == 3
    (low, high), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert low < x[0] < high
    assert bottom < y[0] < top


def test_a_regular_pose_shows_its_velocity_ellipse(biglide):
    """Its axes are in the ratio of the radii of J."""
    found = singularities(biglide, x=[0.03, 0.25], working="++")
    x, y = labelled(figure_pose(biglide, found).axes[0], "velocity ellipse")
    away = np.hypot(x - 0.03, y - 0.25)
    ratio = found.velocity_radii[0] / found.velocity_radii[1]
    assert away.max() / away.min() == pytest.approx(ratio, rel=1e-3)  # 181 points around it


def test_a_batch_of_poses_is_refused(biglide):
    """One at a time."""
    with pytest.raises(BadInput, match="one at a time"):
        figure_pose(biglide, singularities(biglide, q=np.zeros((2, 2)), assembly="+"))


@pytest.mark.parametrize("quantity", ["det_A", "det_B", "condition", "effort", "slack"])
def test_every_quantity_has_a_map_with_a_panel_for_each_mode(biglide, quantity):
    """Titles name the modes, axes carry units; the slack is the same in all modes and has one panel."""
    grid = map_grid(biglide, WINDOW, (40, 50), [quantity, "det_A"], dtype=np.float64)
    figure = figure_map(biglide, grid, quantity)
    titles = [t for axes in figure.axes if (t := axes.get_title(loc="left"))]
    modes = [] if quantity == "slack" else [f"working mode {m.replace('-', '−')}" for m in grid.working]
    assert titles == modes
    assert any(axes.get_xlabel() == "x [m]" for axes in figure.axes)
    picture(figure, ".png", dpi=40)


def test_aspects_and_curves_are_in_the_picture_of_the_reach(biglide):
    """-+: the Type 2 line x = 0 lies between two aspects, both numbered; the reach ends at ±(l − d/2)."""
    found, parts = workspace(biglide, WINDOW, working="-+"), aspects(biglide, WINDOW, working="-+", depth=2)
    curves = loci(biglide, window=(WINDOW[:2], WINDOW[2:]), lines=6)
    figure = figure_reach(biglide, found, parts, curves)
    (axes,) = figure.axes
    lines = [np.array(c.get_xydata()) for c in axes.get_lines()]
    assert sum(bool(np.abs(line[:, 0]).max() < 1e-12) for line in lines) == 1
    assert max(line[:, 0].max() for line in lines) == pytest.approx(0.1606, abs=1e-12)
    assert len(axes.texts) == 2
    assert figure.legends[0].get_texts()[0].get_text() == "Type 2"
    picture(figure, ".png", dpi=40)


def test_a_route_has_a_colour_for_each_mode_and_shows_its_obstacles(biglide):
    """Two modes on one way: two curves; the disc is within the picture."""
    x = np.stack([np.linspace(-0.05, 0.05, 21), np.full(21, 0.3)], axis=-1)
    q = np.stack([x[:, 1] - np.sqrt(0.3606**2 - (x[:, 0] + s) ** 2) for s in (0.2, -0.2)], axis=-1)
    figure = figure_route(biglide, q, x, ["++"] * 10 + ["-+"] * 11, [disc((0.6, 0.3), 0.05)], [x[10]])
    axes = figure.axes[0]
    first, second = labelled(axes, "working mode ++")[0], labelled(axes, "working mode −+")[0]
    assert np.isfinite(first).sum() == 11
    assert np.isfinite(second).sum() == 11
    assert axes.get_xlim()[1] > 0.65
    picture(figure, ".png", dpi=40)


@pytest.mark.parametrize("push", [0.0, 0.05])
def test_a_crossings_efforts_are_whole_or_end_at_the_instant(biglide, push):
    """Bounded efforts are one curve; without a bound there is a gap at t_s and the axis keeps to the rest."""
    planned = cross(biglide, [0.0, 0.3], [-0.1, -0.15], 6.0, working="++", end_working="-+", push=push)
    figure = figure_passing(planned)
    _, tau = labelled(figure.axes[0], "τ of q₁")
    assert np.isnan(tau).any() == bool(push)
    assert max(map(abs, figure.axes[0].get_ylim())) < 2000  # mN; the largest effort elsewhere is 0.9 N
    _, det = np.asarray(figure.axes[1].get_lines()[0].get_data())
    assert det[0] * det[-1] < 0
    assert len(figure.axes) == 3
    picture(figure, ".png", dpi=40)
