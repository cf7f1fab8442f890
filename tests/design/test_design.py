"""Designs against an optimum in closed form, and fronts against a random search of equal cost."""

import math
from pathlib import Path

import numpy as np
import pytest

from closedchain.design.descent import descend
from closedchain.design.goals import Goal, NoDesign, problem, read_bound
from closedchain.design.several import dominated, pareto
from closedchain.design.single import optimise
from closedchain.errors import BadInput
from closedchain.sweep.block import Block
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.slopes import at_least

EXAMPLES = Path(__file__).parents[2] / "examples" / "12_design"
WINDOW = (-1.0, 1.0, -1.0, 1.0)
BOX = {"d": "0.1:0.9", "l": "0.2:0.5"}


def closed_form(k, l):
    """The biglide's rails for the largest square in mode ++ where 1/κ ≥ k, with bars no longer than l.

    At x the bars stand at α₁ and α₂, cos α = (x ± d/2)/l, and 1/κ = tan(θ/2) of the angle θ between them (its inverse
    beyond a right angle). θ is least in the middle, where sin(θ/2) = d/(2 l), and grows to arccos(1 − d/l) at the end
    of the reach, x = l − d/2. Nothing depends on y, so the square is as wide as the strip: 2 (l − d/2), the wider the
    closer the rails. They can come as close as the middle allows: tan(θ/2) = k there, d = 2 l k/√(1 + k²). The other
    bound, θ ≤ π − 2 arctan k, is met at the end if 1 − d/l ≥ −(1 − k²)/(1 + k²). All scales with l: the longest bar
    is best.
    """
    d = 2 * l * k / np.sqrt(1 + k * k)
    assert 1 - d / l >= -(1 - k * k) / (1 + k * k)
    return d, 2 * (l - d / 2)


@pytest.mark.parametrize("k", [0.3, 0.5])
def test_the_largest_square_of_the_biglide_is_the_closed_form(k):
    """Rails, bars and side to 1e-6: the measure falls to nothing beside the optimum, an edge that only is compared."""
    best = optimise(problem("biglide", BOX, maximise=["regular_workspace"], condition=k, window=WINDOW))
    d, side = closed_form(k, 0.5)
    assert best.dimensions["d"] == pytest.approx(d, abs=1e-6)
    assert best.dimensions["l"] == pytest.approx(0.5, abs=1e-6)
    assert best.values["regular_workspace"] == pytest.approx(side, abs=1e-6)


def test_the_same_with_the_conditioning_as_a_bound():
    """Smooth on both sides: the bound is met with equality."""
    asked = problem(
        "biglide", BOX, maximise=["regular_workspace"], subject_to=["centre_conditioning>=0.5"], window=WINDOW
    )
    best = optimise(asked)
    d, side = closed_form(0.5, 0.5)
    assert best.dimensions["d"] == pytest.approx(d, abs=1e-6)
    assert best.values["regular_workspace"] == pytest.approx(side, abs=1e-6)
    assert best.values["centre_conditioning"] >= 0.5 - 1e-8
    assert "centre_conditioning ≥ 0.5" in str(best)


@pytest.mark.parametrize("least", [0.0, 0.9])
def test_rails_for_the_least_effort_are_the_closed_form(least):
    """m_p t/2 + m_f/t, t = √(4 l²/d² − 1), is least at t = √(2 m_f/m_p); 1/κ = min(t, 1/t) may ask for a larger t."""
    l, m_p, m_f = 0.3606, 3.0, 1.0  # of the biglide
    asked = problem(
        "biglide", {"d": "0.1:0.7"}, minimise=["evaluate.tau.0"], subject_to=[f"centre_conditioning>={least}"],
        centre=(0.0, 0.25), state={"x": [0.0, 0.25], "x_ddot": [1.0, 0.0]},
    )  # fmt: skip
    best = optimise(asked, evaluations=500)
    t = max(math.sqrt(2 * m_f / m_p), least)
    assert best.dimensions["d"] == pytest.approx(2 * l / math.sqrt(1 + t**2), abs=1e-6)
    assert best.values["evaluate.tau.0"] == pytest.approx(m_p * t / 2 + m_f / t, abs=1e-6)


def test_a_seed_repeats_the_search():
    """The same designs, the same bits."""
    asked = problem(
        "biglide",
        BOX,
        maximise=["workspace_area"],
        subject_to=["min_conditioning>=0.4"],
        window=(-0.3, 0.3, -0.3, 0.3),
        grid=16,
        seed=5,
    )
    first, second = (optimise(asked, evaluations=600) for _ in range(2))
    np.testing.assert_array_equal(first.x, second.x)
    assert first.evaluations == second.evaluations


@pytest.fixture(scope="module")
def trade():
    """The biglide's square against its peak effort on a motion."""
    return problem(
        "biglide", {**BOX, "m_f": "0.2:2"}, maximise=["regular_workspace"], minimise=["peak_effort"], condition=0.3,
        window=WINDOW, scenario="biglide-computed-torque",
    )  # fmt: skip


def test_a_front_dominates_a_random_search_of_equal_cost(trade):
    """No random design beats one of the front; nearly every random design is beaten by one of it."""
    front = pareto(trade, evaluations=2000, population=50)
    low, high = trade.box.T
    random = trade.evaluate(np.random.default_rng(0).uniform(low, high, (2000, len(low))))
    there = random.there & (random.excess <= 0.0).all(axis=1)
    mine = trade.evaluate(front.x).costs
    theirs = random.costs[there]
    assert there.sum() > 500
    assert not dominated(mine, theirs).any()
    assert dominated(theirs, mine).mean() > 0.99
    assert not dominated(mine, mine).any()


def shares(asked, front, seed):
    """Which share of the best of 1000 random designs a front beats, and which share of the front they beat."""
    random = asked.evaluate(np.random.default_rng(seed).uniform(*asked.box.T, (1000, len(asked.box)))).costs
    best = random[~dominated(random, random)]
    return dominated(best, front).mean(), dominated(front, random).mean()


@pytest.mark.parametrize("name", ["prr3", "rpr3", "rrr3"])
def test_mass_against_workspace_beats_a_random_search_of_equal_cost(name):
    """The front beats much of what is best at random and is hardly beaten; another random search is no such front."""
    lengths = {"R": "0.3:1.5", "r": "0.05:0.6"} | ({} if name == "rpr3" else {"L": "0.1:1.5"})
    asked = problem(
        EXAMPLES / f"{name}.toml", lengths, minimise=["moving_mass"], maximise=["regular_workspace"], shape="disc",
        third=np.radians(30), working=None if name == "rpr3" else "+++", condition=0.3, window=(-1.5, 1.5, -1.5, 1.5),
    )  # fmt: skip
    front = asked.evaluate(pareto(asked, evaluations=1000, population=50).x).costs
    beats, beaten = shares(asked, front, 0)
    assert beats > 0.4
    assert beaten <= 0.1
    other = asked.evaluate(np.random.default_rng(10).uniform(*asked.box.T, (1000, len(asked.box)))).costs
    _, beaten = shares(asked, other[~dominated(other, other)], 0)
    assert beaten > 0.1  # what is asked of the front can fail


@pytest.mark.parametrize("evaluations", [7, 60, 250])
def test_a_front_takes_no_more_designs_than_it_may(trade, evaluations):
    """However few."""
    assert 0.5 * evaluations <= pareto(trade, evaluations=evaluations, population=50).evaluations <= evaluations


def test_a_front_is_in_the_order_of_its_first_goal(trade):
    """Each further design pays for one goal with the other, and its file has them all."""
    front = pareto(trade, evaluations=500, population=50)
    effort, side = front.column("peak_effort"), front.column("regular_workspace")
    assert (np.diff(effort) >= 0.0).all()
    assert (np.diff(side) >= 0.0).all()
    lines = front.csv().splitlines()
    assert lines[0] == "d_m,l_m,m_f_kg,peak_effort_SI,regular_workspace_m"
    assert len(lines) == len(front) + 1


def test_bounds_never_met_are_said_with_the_closest_design():
    """For one goal and for several."""
    words = {"subject_to": ["centre_conditioning>=0.9999999", "workspace_area<=0.1"], "window": (-0.3, 0.3, -0.3, 0.3)}
    with pytest.raises(NoDesign, match=r"none of .* designs keeps") as caught:
        optimise(problem("biglide", {"l": "0.35:0.4"}, maximise=["workspace_area"], **words), evaluations=300)
    assert "the closest, l =" in str(caught.value)
    with pytest.raises(NoDesign, match="none of 100 designs keeps"):
        pareto(
            problem("biglide", {"l": "0.35:0.4"}, maximise=["workspace_area"], minimise=["moving_mass"], **words),
            evaluations=100, population=50,
        )  # fmt: skip


def test_designs_that_cannot_be_computed_do_not_stop_the_search():
    """Bars shorter than half the rails' distance reach nothing: marked, and left."""
    asked = problem("biglide", {"l": "0.1:0.45"}, maximise=["min_conditioning"], window=(-0.3, 0.3, -0.3, 0.3), grid=16)
    assert optimise(asked, evaluations=300).dimensions["l"] > 0.2
    with pytest.raises(NoDesign, match="can be computed"):
        optimise(
            problem("biglide", {"l": "0.05:0.15"}, maximise=["min_conditioning"], window=(-0.3, 0.3, -0.3, 0.3)),
            evaluations=100,
        )


@pytest.mark.parametrize(
    "vary, options, words",
    [
        (BOX, {}, "what is the best"),
        ({}, {"maximise": ["workspace_area"]}, "which dimensions"),
        ({"d": "0.1:0.9:5"}, {"maximise": ["workspace_area"]}, "lies between two numbers"),
        (BOX, {"maximise": ["area"]}, "nothing is called 'area'"),
        (BOX, {"maximise": ["workspace_area"], "subject_to": ["d=3"]}, "is not understood"),
        ({"k": "0:1"}, {"maximise": ["workspace_area"]}, "unknown parameter"),
    ],
)
def test_a_problem_that_makes_no_sense_is_one_line(vary, options, words):
    """It says what to write."""
    with pytest.raises((BadStudy, ValueError), match=words):
        problem("biglide", vary, **options)


def test_bounds_are_read_both_ways():
    """>= and ≤ as one writes them."""
    bound = read_bound("moving_mass <= 4.5")
    assert (bound.name, bound.least, bound.value) == ("moving_mass", False, 4.5)
    np.testing.assert_array_equal(bound.excess(np.array([4.0, 5.0])), [-0.5, 0.5])
    assert str(read_bound("dexterity≥0.3")) == "dexterity ≥ 0.3"
    assert str(Goal("dexterity", True)) == "largest dexterity"


def test_dominated_needs_one_goal_better_and_none_worse():
    """An equal design does not dominate."""
    costs = np.array([[1.0, 1.0], [1.0, 2.0], [0.5, 3.0]])
    assert dominated(costs, costs).tolist() == [False, True, False]


@pytest.mark.parametrize("goals", [["regular_workspace"], ["regular_workspace", "centre_conditioning"]])
def test_a_goal_that_no_dimension_changes_chooses_no_design(goals):
    """No bar of 0.5 m reaches x = 0.9 between rails 0.1 m apart or more: every square is 0, and none is the largest."""
    asked = problem("biglide", BOX, maximise=goals, window=WINDOW, centre=(0.9, 0.0))
    search = optimise if len(goals) == 1 else pareto
    with pytest.raises(NoDesign, match=r"regular_workspace chooses nothing: it is 0 for each of \d+ designs"):
        search(asked, evaluations=600)


def test_a_goal_that_is_not_zero_is_flat_too():
    """The biglide's masses do not depend on where its rails are."""
    with pytest.raises(NoDesign, match="smallest moving_mass chooses nothing"):
        optimise(problem("biglide", {"d": "0.1:0.9"}, minimise=["moving_mass"]), evaluations=100)


def test_a_goal_that_is_flat_nearly_everywhere_is_looked_for_all_over_the_box():
    """About x = 0.44 only bars near 0.5 m on rails near 0.1 m reach, a half per mille of the box: 2 (l − d/2 − x)."""
    asked = problem("biglide", BOX, maximise=["regular_workspace"], window=WINDOW, centre=(0.44, 0.0), condition=0.05)
    best = optimise(asked)
    assert best.values["regular_workspace"] == pytest.approx(0.02, abs=1e-6)


def test_derivatives_lead_to_the_closed_form_in_few_designs():
    """The biglide's largest square, from its own dimensions: rails and bars to 1e-6, with a bound that is met."""
    words = {"condition": 0.5, "window": WINDOW}
    best = descend(problem("biglide", BOX, maximise=["regular_workspace"], **words))
    d, side = closed_form(0.5, 0.5)
    assert best.dimensions["d"] == pytest.approx(d, abs=1e-5)
    assert best.values["regular_workspace"] == pytest.approx(side, abs=1e-5)
    assert best.evaluations <= 60
    least = descend(
        problem(
            "biglide", {"d": "0.1:0.7"}, minimise=["evaluate.tau.0"], subject_to=["centre_conditioning>=0.9"],
            centre=(0.0, 0.25), state={"x": [0.0, 0.25], "x_ddot": [1.0, 0.0]},
        )
    )  # fmt: skip
    assert least.dimensions["d"] == pytest.approx(2 * 0.3606 / math.sqrt(1 + 0.9**2), abs=1e-6)


@pytest.mark.parametrize("name", ["regular_workspace", "centre_conditioning", "moving_mass", "evaluate.det_A"])
def test_conditions_move_as_differences_say(name):
    """By dimensions and by t, at a design that is not the best."""
    vary = {"d": "0.1:0.9", "l": "0.2:0.5", "m_f": "0.2:2"}
    asked = problem("biglide", vary, maximise=[name], condition=0.2, window=WINDOW, state={"x": [0.02, 0.25]})
    x, t, h = np.array([0.37, 0.41, 0.8]), 0.3, 1e-6

    def at(x, t):
        block = Block(asked.ready.model, 0, {f.name: x[i : i + 1] for i, f in enumerate(asked.study.factors)}, 1)
        return at_least(asked.ready, block, name, t)

    found = at(x, t)
    slopes = np.stack([(at(x + h * e, t).g - at(x - h * e, t).g) / (2 * h) for e in np.eye(3)], axis=-1)
    np.testing.assert_allclose(found.by_dimensions, slopes, atol=1e-8)
    np.testing.assert_allclose(found.by_t, (at(x, t + h).g - at(x, t - h).g) / (2 * h), atol=1e-8)
    assert np.abs(slopes).max() > 0.1


def test_what_has_no_derivative_is_said():
    """With what has one."""
    with pytest.raises(BadStudy, match="workspace_area has no derivative"):
        descend(problem("biglide", {"l": "0.3:0.4"}, maximise=["workspace_area"]))
    with pytest.raises(BadInput, match="can only be made large"):
        descend(problem("biglide", {"l": "0.3:0.4"}, minimise=["regular_workspace"], condition=0.2, window=WINDOW))
