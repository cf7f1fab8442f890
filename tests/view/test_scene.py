"""A scene puts every part where the robot has it."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Angle, Coordinate, Equations, Fixed, Mechanism, Parameter, Plate, Recipe, Telescope
from closedchain.errors import BadInput
from closedchain.view.scene import instants, stage
from tests.view.motions import EVERY, ellipse, near


def kinds(name: str) -> list[str]:
    """Return the sorted kinds of a robot's parts."""
    model, record = near(EVERY[name], 3)
    return sorted(part.kind for part in stage(model, record.q, record.x).parts)


def test_each_robot_is_made_of_the_parts_in_its_figure() -> None:
    """Counted by hand from the descriptions; the triplate's two cranks share one pivot."""
    assert kinds("biglide") == ["bar", "bar", "rail", "rail"]
    assert kinds("triplate") == ["bar", "bar", "crank", "crank", "ground", "ground", "plate", "telescope"]
    assert kinds("slidercrank") == ["bar", "crank", "ground", "rail"]
    assert kinds("rpr3") == ["ground"] * 3 + ["plate"] + ["telescope"] * 3
    assert kinds("furuta") == ["bar", "bar", "ground"]
    assert kinds("slotted_plate") == ["bar", "bar", "crank", "ground", "ground", "ground", "plate", "rail"]
    assert kinds("busy_fivebar") == ["bar", "bar", "crank", "crank", "damper", "ground", "ground", "ground", "spring"]
    assert kinds("delta") == ["bar"] * 3 + ["base"] + ["crank"] * 3 + ["ground"] * 3 + ["plate"]


def test_the_biglides_feet_and_tip_stand_where_q_and_x_say() -> None:
    """A1 = (−d/2, q1), A2 = (d/2, q2), C = x with d = 0.4: by hand from the description."""
    model, record = ellipse(7)
    scene = stage(model, record.q, record.x)
    at = {name: scene.points[:, i] for i, name in enumerate(scene.names) if name}
    np.testing.assert_allclose(at["A1"], np.stack([np.full(7, -0.2), record.q[:, 0]], axis=-1), atol=1e-15)
    np.testing.assert_allclose(at["A2"], np.stack([np.full(7, 0.2), record.q[:, 1]], axis=-1), atol=1e-15)
    np.testing.assert_array_equal(at["C"], record.x)
    np.testing.assert_array_equal(scene.path, record.x)


@pytest.mark.parametrize("name", EVERY)
def test_bars_keep_their_length_and_carriages_their_rail(name: str) -> None:
    """Drawn to scale: each bar and crank has one length at all instants, each carriage is between its rail's ends."""
    model, record = near(EVERY[name])
    scene = stage(model, record.q, record.x, record.q_ref, record.x_ref)
    assert scene.ghost is not None
    for points in (scene.points, scene.ghost):
        for part in scene.parts:
            a, b = points[:, part.points[0]], points[:, part.points[-1]]
            if part.kind in ("bar", "crank"):
                lengths = np.linalg.norm(b - a, axis=-1)
                assert np.ptp(lengths) <= 1e-11 * scene.size  # the loops close to 1e-13 of the robot's size
            elif part.kind == "rail":
                ends = points[:, part.points[1]] - a
                share = ((b - a) * ends).sum(axis=-1) / (ends**2).sum(axis=-1)
                assert (share > 0).all()
                assert (share < 1).all()
                assert np.abs(a + share[:, None] * ends - b).max() <= 1e-11 * scene.size


def test_a_cylinder_never_sticks_out_of_its_leg() -> None:
    """A telescope's outer tube is shorter than the leg at every instant."""
    model, record = near("rpr3")
    scene = stage(model, record.q, record.x)
    legs = [part for part in scene.parts if part.kind == "telescope"]
    for k, part in enumerate(legs):
        assert scene.cylinder(part) < record.q[:, k].min()


def test_a_plates_outline_does_not_cross_itself() -> None:
    """Four corners given crosswise are drawn round: the shoelace area is the unit square's, not zero."""
    plate = Plate("plate", mass=1.0, inertia=0.1)
    corners = [plate.point(f"P{i}", at=at) for i, at in enumerate(((0, 0), (1, 1), (1, 0), (0, 1)))]
    base = [Fixed(f"B{i}", at=at) for i, at in enumerate(((-2, -2), (3, 3), (4, -2)))]
    legs = tuple(Telescope(f"q{i}", b, p) for i, (b, p) in enumerate(zip(base, corners, strict=False)))
    seen = Angle("seen", corners[0], corners[3])
    model, record = near(Recipe(Mechanism("square", drives=legs, output=plate, readouts=(seen,))), 3)
    scene = stage(model, record.q, record.x)
    (part,) = [part for part in scene.parts if part.kind == "plate"]
    x, y = scene.points[0, list(part.points)].T
    area = 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    assert area == pytest.approx(1.0, rel=1e-12)


def test_a_robot_without_points_says_so() -> None:
    """Equations may leave out what a drawing needs."""
    th, m = Coordinate("th", "rad"), Parameter(1.0, "kg m^2", "chosen", name="m")
    bare = Equations("bare", parameters=(m,), q=(th,), driven=("th",), kinetic=m * th.rate**2 / 2)
    model = cc.load(Recipe(bare))
    with pytest.raises(BadInput, match="bare states no points"):
        stage(model, np.zeros((1, 1)), np.zeros((1, 0)))


def test_chosen_instants_keep_the_ends() -> None:
    """Evenly chosen, in order, first and last included."""
    chosen = instants(5000, 2000)
    assert (chosen[0], chosen[-1], len(chosen)) == (0, 4999, 2000)
    assert set(np.diff(chosen)) == {2, 3}
    np.testing.assert_array_equal(instants(3, 10), [0, 1, 2])
