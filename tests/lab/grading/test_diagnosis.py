"""The formulas that are changed, and that a change is recognised by its numbers; the states; the words."""

import numpy as np
import pytest

from closedchain_lab.grading.answers import Answers, compare, read
from closedchain_lab.grading.constants import LAB, SEEDS
from closedchain_lab.grading.diagnosis import Diagnosis, diagnose
from closedchain_lab.grading.functions import describe, grade_function
from closedchain_lab.grading.mutation import Formulas, formulas
from closedchain_lab.grading.states import FUNCTIONS, exercise
from closedchain_lab.grading.words import summary

ROBOTS = {"lab's biglide": LAB["biglide"], "reports' biglide": SEEDS["biglide"], "five-bar": LAB["fivebar"]}


def answered(values):
    """Answers as the sandbox would give them, one row each."""
    finite = np.isfinite(values).all(axis=1)
    return Answers(values[:, None], tuple("" if good else "raised ValueError" for good in finite))


@pytest.mark.parametrize("k", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_closed_forms_agree_with_the_compiled_models(k, name):
    """Two derivations, bars' directions here and closures there, at every state; not a number where out of reach."""
    asked = exercise(k, 0).questions[name]
    found, expected = formulas(k.robot).answers(name, asked.inputs, k.named), asked.expected[:, 0]
    off = np.abs(asked.apart(found, expected))[asked.reachable]
    assert (off <= 1e-11 * (1 + np.abs(expected[asked.reachable]))).all()  # conditioning 1e3 close to the border
    assert not np.isfinite(found[~asked.reachable]).all(axis=1).any()


@pytest.mark.parametrize("k", ROBOTS.values(), ids=ROBOTS)
def test_the_states_visit_every_branch_both_signs_and_the_outside(k):
    """Both assembly modes, all four working modes, all four gammas, poses out of reach, motion and rest."""
    asked = exercise(k, 0).questions
    for name, one in asked.items():
        assembly, gammas = zip(*(m for m, inside in zip(one.modes, one.reachable, strict=True) if inside), strict=True)
        assert set(assembly) == {"-1", "+1"}, name
        assert set(gammas) >= {"(+1, +1)", "(+1, -1)", "(-1, +1)", "(-1, -1)"}, name
        assert (~one.reachable).sum() == (12 if name in ("dgm", "igm", "dgm_passive") else 0), name
    assert len(np.unique(asked["igm"].inputs[:, 2:], axis=0)) == 4
    still = (asked["dkm"].inputs[:, 4:] == 0).all(axis=1)
    assert 0 < still.sum() < len(still) / 4


@pytest.mark.parametrize("k", ROBOTS.values(), ids=ROBOTS)
def test_level_feet_make_an_isosceles_triangle(k):
    """Expected values by hand: with both drives alike, the tip is above the middle at Pythagoras' height."""
    above = formulas(k.robot).answers("dgm", np.array([[0.3, 0.3, -1.0]]), k.named)[0]
    l, d = k.named["l"], k.named["d"]
    shift, lift = (l * np.cos(0.3), l * np.sin(0.3)) if k.turns else (0.0, 0.3)
    np.testing.assert_allclose(above, [shift, lift + np.sqrt(l**2 - d**2 / 4)], atol=1e-15)


@pytest.mark.parametrize("k", LAB.values(), ids=list(LAB))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_change_is_recognised_by_its_numbers(k, name):
    """Some changes of each function: its own answers are wrong, and one change that gives them is told."""
    lab, right = exercise(k, 0), formulas(k.robot)
    asked = lab.questions[name]
    tried = 0
    for mutant in right.mutants(name, tuple(k.named))[::150]:
        values = right.answers(name, asked.inputs, k.named, mutant)
        if values is None or values.shape != asked.expected[:, 0].shape or np.isfinite(values).all(axis=1).mean() < 0.5:
            continue
        found = compare(asked, answered(values), asked.expected)
        if found.wrong.any() and found.bad[asked.reachable & found.answers.finite].any():
            assert diagnose(lab, found).whole, mutant.name
            tried += 1
    assert tried


def test_formulas_of_any_robot_are_changed_alike():
    """A leg of a 3-RRR by its text: a sine for a cosine is found among the changes of it."""
    text = "def leg(x, y, a):\n    b = sqrt((x - r * cos(a)) ** 2 + (y - r * sin(a)) ** 2)\n    return b, a\n"
    right, inputs = Formulas(text), np.random.default_rng(0).uniform(0.2, 1.0, (20, 3))
    wrong = Formulas(text.replace("cos(a)", "sin(a)")).answers("leg", inputs, {"r": 0.3})
    made = {m.name: right.answers("leg", inputs, {"r": 0.3}, m) for m in right.mutants("leg", ("r",))}
    found = [name for name, values in made.items() if values is not None and np.allclose(values, wrong)]
    assert "cos(a) → sin(a)" in found


def test_numbers_that_no_change_gives_are_described():
    """A ratio, the output that is wrong, the modes in which it is right, and that rest is right."""
    lab = exercise(LAB["biglide"], 0)
    asked = lab.questions["dkm2"]
    right = asked.expected[:, 0]
    scaled = compare(asked, answered(right * (1.0, 0.7)), asked.expected)
    assert diagnose(lab, scaled) == Diagnosis()
    assert describe(scaled) == (
        "yDD is wrong; xDD is right everywhere.",
        "yDD is always 0.7 times what it should be.",
    )
    above = np.array([mode[0] == "-1" for mode in asked.modes])
    half = compare(asked, answered(np.where(above[:, None], right, 0.1)), asked.expected)
    assert "Right in assembly mode -1, wrong in +1." in describe(half)
    velocity = compare(asked, answered(right + 0.3 * asked.inputs[:, [5, 7]] ** 2), asked.expected)
    assert "Right when nothing moves and wrong otherwise: look at the terms with velocities." in describe(velocity)


def test_a_function_that_always_raises_has_nothing_right():
    """Not even out of reach, where an error is right of a function that answers elsewhere."""
    lab = exercise(LAB["biglide"], 0)
    asked = lab.questions["igm"]
    never = Answers(
        np.full(asked.expected.shape, np.nan), ("raised NameError: name 'sqr' is not defined",) * len(asked.inputs)
    )
    found = grade_function(lab, asked, never)
    assert (found.verdict, found.right, found.states, found.score) == ("wrong", 0, len(asked.inputs), 0.0)
    assert summary(found) == f"wrong: 0 of {len(asked.inputs)} answers are right"
    count = int(asked.reachable.sum())
    assert found.says[0] == f"At {count} of {count} reachable states it raised NameError: name 'sqr' is not defined."


@pytest.mark.parametrize("k", LAB.values(), ids=list(LAB))
def test_one_wrong_working_mode_of_four_is_counted_and_named_by_its_gammas(k):
    """A quarter of what is in reach is wrong; the rest, and silence out of reach, is right."""
    lab = exercise(k, 0)
    asked, right = lab.questions["igm"], lab.questions["igm"].expected[:, 0]
    both = (asked.inputs[:, 2:] == 1.0).all(axis=1)
    values = np.where((both & asked.reachable)[:, None], right + np.array([0.01, 0.0]), right)
    found = grade_function(lab, asked, answered(values))
    assert found.states - found.right == asked.reachable.sum() / 4
    assert "Right with (gamma1, gamma2) = (+1, -1), (-1, +1) and (-1, -1), wrong with (+1, +1)." in found.says


def test_a_small_error_is_wrong_and_rounding_is_not():
    """The line is at one millionth of a quantity's size."""
    lab = exercise(LAB["fivebar"], 0)
    asked = lab.questions["dkm"]
    for share, verdict in ((1e-8, "right"), (1e-5, "close"), (1e-2, "wrong")):
        assert grade_function(lab, asked, answered(asked.expected[:, 0] * (1 + share))).verdict == verdict


def test_two_changes_that_give_the_same_numbers_are_both_told():
    """d / 2 → d / 4 and d → d / 2 cannot be told apart, and the sentence says so; a change of one place comes first."""
    lab = exercise(LAB["biglide"], 0)
    asked = lab.questions["dgm_passive"]
    halved = formulas("biglide").answers("dgm", asked.inputs, LAB["biglide"].named)
    x, y = halved.T
    feet = asked.inputs[:, 0], asked.inputs[:, 1]
    wrong = [np.arctan2(y - feet[0], x + 0.4 / 4), np.arctan2(y - feet[1], x - 0.4 / 2)]
    found = grade_function(lab, asked, answered(np.stack(wrong, -1)))
    assert found.mistakes == ("d → 0.5 * d or 2 → 4",)
    assert found.says[-1].startswith("The answers cannot tell it from the same formula with `4` in place of `2`")


def test_another_seed_asks_other_states_of_the_same_kinds():
    """Numbers cannot be learnt by heart."""
    one, two = (exercise(LAB["biglide"], seed).questions["dgm"] for seed in (0, 1))
    assert not np.isin(one.inputs[:, 0], two.inputs[:, 0]).any()


def test_an_answer_that_never_changes_is_told_as_that():
    """Many changes of the formula give zero everywhere; none of them is named."""
    lab = exercise(LAB["biglide"], 0)
    asked = lab.questions["dgm"]
    replies = [{"value": [0.0, y]} for y in (0.1 + 0.001 * np.arange(len(asked.inputs))).tolist()]
    found = grade_function(lab, asked, read(asked, replies))
    assert found.mistakes == ()
    assert "x is always 0, whatever is asked." in " ".join(found.says)
