"""Which bodies there are and which pairs count."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Crank, Fixed, Free, Mechanism, Pin, Plate, Recipe
from closedchain.errors import BadInput
from closedchain.planning import bodies, disc


def test_links_that_share_a_joint_are_no_pair(fivebar):
    """Arms and bars alternate around the loop of the five-bar: of six pairs, three share a joint."""
    made = bodies(fivebar)
    assert [b.name for b in made.every] == ["arm q11", "arm q21", "A1-C", "A2-C"]
    assert set(made.pair_names) == {"arm q11 and arm q21", "arm q11 and A2-C", "arm q21 and A1-C"}


def test_links_that_are_pinned_or_stand_on_one_fixed_point_share_a_joint():
    """A plate pinned to a crank's tip, and a bar from the fixed point that the crank turns about, hinge with it."""
    ground = Fixed("O", (0, 0))
    crank = Crank("q", about=ground, radius=0.3, mass=1, point="A")
    plate = Plate("plate", mass=1)
    corner = Free("C", mass=1)
    bars = (
        Bar(plate.point("b", (0.4, 0)), corner, 0.3),
        Bar(ground, corner, 0.5),
        Bar(Fixed("D", (1, 0)), corner, 0.6),
    )
    robot = Mechanism("pinned", drives=(crank,), pins=(Pin(crank, plate.point("a", (0, 0))),), bars=bars, output=plate)
    made = bodies(cc.load(Recipe(robot)))
    assert set(made.pair_names) == {"arm q and b-C", "arm q and D-C", "O-C and plate", "D-C and plate"}


def test_a_foot_on_a_circle_has_no_arm(triplate):
    """The triplate's cranks are feet with their whole mass at the tip; its plate touches every leg, legs no other."""
    made = bodies(triplate)
    assert [b.name for b in made.every] == ["d3", "B1-a1", "B2-a2", "plate"]
    assert set(made.pair_names) == {"d3 and B1-a1", "d3 and B2-a2", "B1-a1 and B2-a2"}


def test_a_bar_is_measured_from_its_skin(fivebar):
    """Cranks upright at ±d/2: their arms are d apart, less the width."""
    made = bodies(fivebar, width=0.01)
    q = np.array([[np.pi / 2, np.pi / 2]])
    points = made.points(q, np.array([[0.0, 0.15]]))
    column = made.pair_names.index("arm q11 and arm q21")
    assert made.gaps(points)[0, column] == pytest.approx(0.118 - 0.01, abs=1e-15)


def test_obstacles_count_against_every_body_and_what_is_ignored_does_not(fivebar):
    """Four bodies and one disc; one body left out; one pair left out."""
    stone = disc((0, 0.1), 0.01, name="stone")
    assert len(bodies(fivebar, obstacles=[stone]).pairs) == 3 + 4
    assert len(bodies(fivebar, obstacles=[stone], ignore=["arm q11"]).pairs) == 1 + 3
    assert len(bodies(fivebar, obstacles=[stone], ignore=["stone|A1-C"]).pairs) == 3 + 3
    with pytest.raises(BadInput, match="arm q11"):
        bodies(fivebar, ignore=["q11"]).pairs  # noqa: B018 (found when first needed)


def test_a_plate_in_line_is_a_segment_and_a_robot_in_space_is_refused():
    """The general 3-RPR's plate has its three joints in line; the Delta is not of the plane."""
    plate = next(b for b in bodies(cc.load("rpr3")).every if b.name == "plate")
    assert len(plate.corners) == 2
    assert len(plate.joints) == 3
    with pytest.raises(BadInput, match="plane"):
        bodies(cc.load("delta")).pairs  # noqa: B018
