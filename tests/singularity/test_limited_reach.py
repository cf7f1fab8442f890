"""Workspaces and maps of robots whose joints have limits, against closed forms, quadrature and the inverse itself."""

import numpy as np
import pytest
from scipy.integrate import quad

import closedchain as cc
from closedchain.describe import Angle, Bar, Crank, Fixed, Free, Mechanism, Plate, Recipe, Slider, Telescope
from closedchain.singularity.aspects import aspects
from closedchain.singularity.maps import map_grid
from closedchain.singularity.workspace import workspace
from closedchain.sweep.asking import study
from closedchain.sweep.block import Block
from closedchain.sweep.prepared import prepare
from closedchain.sweep.task import measured

L, D, LOW, HIGH = 0.36, 0.4, -0.1, 0.25
SHORT = """
name = "short"
output = "C"
[parameters]
stroke = 0.35
[points]
C = { free = true, mass = 1 }
[drives.q1]
slider = { at = [-0.2, 0], along = [0, 1] }
limits = [-0.1, "stroke - 0.1"]
[drives.q2]
slider = { at = [0.2, 0], along = [0, 1] }
limits = [-0.1, "stroke - 0.1"]
[[bars]]
between = ["q1", "C"]
length = 0.36
[[bars]]
between = ["q2", "C"]
length = 0.36
"""


def short_biglide():
    """Feet on upright rails 0.4 m apart, from −0.1 to 0.25 m; bars of 0.36 m."""
    A1, A2 = (Slider(f"q{i}", at=(x, 0.0), along=(0.0, 1.0), limits=(LOW, HIGH)) for i, x in ((1, -D / 2), (2, D / 2)))
    C = Free("C", mass=1.0)
    return cc.load(Recipe(Mechanism("short", drives=(A1, A2), bars=(Bar(A1, C, L), Bar(A2, C, L)), output=C)))


def area_of(mode):
    """∫ of what both strokes leave of y: q_i = y − σ_i h_i(x) from LOW to HIGH, h_i = √(l² − (x ± d/2)²)."""
    s1, s2 = (1 if c == "+" else -1 for c in mode)

    def height(x):
        h1, h2 = (s * np.sqrt(max(L**2 - (x + side) ** 2, 0.0)) for s, side in ((s1, D / 2), (s2, -D / 2)))
        return max(0.0, HIGH - LOW - abs(h1 - h2))

    end = L - D / 2
    return quad(height, -end, end, limit=500, epsabs=1e-10)[0]


def test_a_stroke_bounds_the_biglides_reach_in_each_mode_its_own_way():
    """No window is needed; each mode's area is the integral over the strip, to the last refinement's change."""
    found = workspace(short_biglide())
    assert found.by_mode is not None
    for mode, area in found.by_mode.items():
        assert area.value == pytest.approx(area_of(mode), abs=max(4 * area.error, 2e-6))
    assert found.area.value > max(area.value for area in found.by_mode.values())
    assert "in some of 4 working modes" in str(found)
    assert found.window[2:] == pytest.approx((LOW - L, HIGH + L))


def two_telescopes(high, low=0.0):
    """A point on two telescopes 1 m apart."""
    A, B, C = Fixed("A", at=(0, 0)), Fixed("B", at=(1, 0)), Free("C", mass=1.0)
    legs = (Telescope("a", A, C, limits=(low, high)), Telescope("b", B, C, limits=(low, high)))
    return cc.load(Recipe(Mechanism("two", drives=legs, output=C)))


def test_telescopes_with_a_stroke_reach_a_lens_exactly():
    """Two discs of 0.8 m, 1 m apart: 2 r² acos(d/2r) − (d/2) √(4r² − d²); with a shortest length, less two holes."""
    r = 0.8
    lens = 2 * r**2 * np.arccos(1 / (2 * r)) - 0.5 * np.sqrt(4 * r**2 - 1)
    found = workspace(two_telescopes(r))
    assert found.area.method == "arcs"
    assert found.area.value == pytest.approx(lens, rel=1e-13)
    x, y = np.meshgrid(np.linspace(0, 1, 2001), np.linspace(-1, 1, 4001))
    a, b = np.hypot(x, y), np.hypot(x - 1, y)
    inside = (a <= r) & (b <= r) & (a >= 0.4) & (b >= 0.4)
    assert workspace(two_telescopes(r, 0.4)).area.value == pytest.approx(inside.sum() * 2.5e-7, rel=2e-3)


def test_a_3rpr_with_strokes_is_bounded_at_every_angle():
    """Three rings, moved by the plate's points; counted on a grid of 2 mm."""
    base = [Fixed(f"B{i}", at=at) for i, at in enumerate([(0, 0), (1, 0), (0.5, 0.9)])]
    plate = Plate("P", mass=1.0)
    own = [(0.0, 0.0), (0.3, 0.0), (0.15, 0.25)]
    tips = [plate.point(f"T{i}", at=at) for i, at in enumerate(own)]
    legs = tuple(Telescope(f"r{i}", b, t, limits=(0.25, 0.75)) for i, (b, t) in enumerate(zip(base, tips, strict=True)))
    robot = cc.load(Recipe(Mechanism("rpr", drives=legs, output=plate)))
    found = workspace(robot, orientation=0.3)
    c, s = np.cos(0.3), np.sin(0.3)
    x, y = np.meshgrid(np.linspace(-1, 2, 1501), np.linspace(-1, 2, 1501))
    inside = np.ones_like(x, bool)
    for (bx, by), (u, v) in zip([(0, 0), (1, 0), (0.5, 0.9)], own, strict=True):
        length = np.hypot(x + c * u - s * v - bx, y + s * u + c * v - by)
        inside &= (length >= 0.25) & (length <= 0.75)
    assert found.area.method == "arcs"
    assert found.area.value == pytest.approx(inside.sum() * 4e-6, rel=2e-3)


def limited_fivebar():
    """Cranks that turn a part of a circle, one elbow that bends one way."""
    A1, A2 = (
        Crank(f"q{i}", about=(x, 0.0), radius=0.1, limits=np.radians(limits))
        for i, x, limits in ((1, -0.06, (20.0, 200.0)), (2, 0.06, (-30.0, 160.0)))
    )
    C = Free("C", mass=1.0)
    readouts = (Angle("p1", A1, C, relative_to=A1, limits=(-np.pi, 0.3)),)
    bars = (Bar(A1, C, 0.1), Bar(A2, C, 0.12))
    return cc.load(Recipe(Mechanism("five", drives=(A1, A2), bars=bars, output=C, readouts=readouts)))


def test_a_map_has_values_exactly_where_the_inverse_has_solutions():
    """Mode by mode at every point of a grid: a value where `inverse` has that mode, 0 where it has not."""
    robot = limited_fivebar()
    found = map_grid(robot, (-0.25, 0.25, -0.25, 0.25), (41, 43), ("condition", "det_A"), dtype=np.float64)
    x, y = np.meshgrid(found.x, found.y)
    solved = cc.inverse(robot, np.stack([x, y], axis=-1))
    for mode in found.working:
        there = np.zeros(x.size, bool)
        there[solved.index[solved.rows(mode)]] = True
        np.testing.assert_array_equal((found.plane("det_A", mode) != 0.0).ravel(), there)
        assert 0 < there.sum() < there.size
    reached = np.zeros(x.size, bool)
    reached[solved.index] = True
    np.testing.assert_array_equal(found.reachable.ravel(), reached)


def test_aspects_end_at_limits():
    """Their areas in a mode add up to what the mode reaches."""
    robot = short_biglide()
    found = aspects(robot, working="++")
    assert sum(a.area for a in found.of("++")) == pytest.approx(area_of("++"), rel=1e-3)


@pytest.fixture
def short_file(tmp_path):
    """The same robot with its stroke as a parameter."""
    path = tmp_path / "short.toml"
    path.write_text(SHORT)
    return path


def test_a_longer_stroke_reaches_more(short_file):
    """The area of a sweep, by cells of the study's mode, against the integral."""
    made = study(
        short_file, {"stroke": "0.1:0.35"}, ("workspace_area",), points=1, sample="random", working="++", grid=400
    )
    ready = prepare(made)
    block = Block(ready.model, 0, {"stroke": np.array([0.35, 0.1])}, 2)
    values, _ = measured(ready, block, ("workspace_area",))
    assert values[0, 0] == pytest.approx(area_of("++"), rel=5e-3)  # cells of 1/400 of the window
    assert values[1, 0] < 0.5 * values[0, 0]
