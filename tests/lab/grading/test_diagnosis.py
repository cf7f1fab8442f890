"""The formulas that are changed, and that a change is recognised by its numbers; the states; the words."""

import numpy as np
import pytest

from closedchain.lab.grading.answers import Answers
from closedchain.lab.grading.comparing import compare, difference
from closedchain.lab.grading.constants import LAB, SEEDS
from closedchain.lab.grading.departure import describe
from closedchain.lab.grading.diagnosis import Diagnosis, diagnose
from closedchain.lab.grading.functions import grade_function
from closedchain.lab.grading.mutation import Formulas, formulas
from closedchain.lab.grading.signatures import SIGNATURES
from closedchain.lab.grading.states import cases
from closedchain.lab.grading.words import summary

ROBOTS = {"lab's biglide": LAB["biglide"], "reports' biglide": SEEDS["biglide"], "five-bar": LAB["fivebar"]}


def answered(values):
    """Answers as the sandbox would give them."""
    finite = np.isfinite(values).all(axis=1)
    return Answers(values, tuple("" if good else "raised ValueError" for good in finite))


@pytest.mark.parametrize("k", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("name", SIGNATURES)
def test_the_closed_forms_agree_with_the_compiled_models(k, name):
    """Two derivations, bars' directions here and closures there, at every state; not a number where out of reach."""
    asked = cases(k, 0)[name]
    found = formulas(k.robot).answers(name, asked.inputs, k.named)
    off = np.abs(difference(k.robot, SIGNATURES[name], found, asked.expected))[asked.reachable]
    assert (off <= 1e-11 * (1 + np.abs(asked.expected[asked.reachable]))).all()  # conditioning 1e3 close to the border
    assert not np.isfinite(found[~asked.reachable]).all(axis=1).any()


@pytest.mark.parametrize("k", ROBOTS.values(), ids=ROBOTS)
def test_the_states_visit_every_branch_both_signs_and_the_outside(k):
    """Both assembly modes, all four working modes, all four gammas, poses out of reach, motion and rest."""
    asked = cases(k, 0)
    for name, one in asked.items():
        assembly, gammas = zip(*(m for m, inside in zip(one.modes, one.reachable, strict=True) if inside), strict=True)
        assert set(assembly) == {"-1", "+1"}, name
        assert set(gammas) >= {"(+1, +1)", "(+1, -1)", "(-1, +1)", "(-1, -1)"}, name
        assert (~one.reachable).sum() == (12 if SIGNATURES[name].may_be_unreachable else 0), name
    assert len(np.unique(asked["igm"].inputs[:, 2:], axis=0)) == 4
    still = (asked["dkm"].inputs[:, 4:] == 0).all(axis=1)
    assert 0 < still.sum() < len(still) / 4


@pytest.mark.parametrize("k", ROBOTS.values(), ids=ROBOTS)
def test_level_feet_make_an_isosceles_triangle(k):
    """Expected values by hand: with both drives alike, the tip is above the middle at Pythagoras' height."""
    above = formulas(k.robot).answers("dgm", np.array([[0.3, 0.3, -1.0]]), k.named)[0]
    shift, lift = (k.crank * np.cos(0.3), k.crank * np.sin(0.3)) if k.turns else (0.0, 0.3)
    np.testing.assert_allclose(above, [shift, lift + np.sqrt(k.l**2 - k.d**2 / 4)], atol=1e-15)


@pytest.mark.parametrize("k", LAB.values(), ids=list(LAB))
@pytest.mark.parametrize("name", SIGNATURES)
def test_every_change_is_recognised_by_its_numbers(k, name):
    """Some changes of each function: its own answers are wrong, and one change that gives them is told."""
    signature, asked, right = SIGNATURES[name], cases(k, 0)[name], formulas(k.robot)
    tried = 0
    for mutant in right.mutants(name, tuple(k.named))[::150]:
        values = right.answers(name, asked.inputs, k.named, mutant)
        if values is None or values.shape != asked.expected.shape or np.isfinite(values).all(axis=1).mean() < 0.5:
            continue
        found = compare(k.robot, signature, asked, answered(values), asked.expected)
        if found.wrong.any() and found.bad[found.cases.reachable & found.answers.finite].any():
            assert diagnose(k, signature, found).whole, mutant.name
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


def test_a_mistake_that_puts_everything_out_of_reach_is_guessed():
    """Drives 0.8 m apart: no bar of the biglide reaches the other, and the sentence says what would do that."""
    k, asked = LAB["biglide"], cases(LAB["biglide"], 0)["igm"]
    lost = Answers(np.full_like(asked.expected, np.nan), ("raised ValueError: math domain error",) * len(asked.inputs))
    grade = grade_function(k, "igm", lost, 0)
    assert (grade.verdict, grade.score, grade.mistakes) == ("wrong", 0.0, ())
    assert grade.says[1].startswith("This would do it: ")


def test_numbers_that_no_change_gives_are_described():
    """A ratio, the output that is wrong, the modes in which it is right, and that rest is right."""
    k, name = LAB["biglide"], "dkm2"
    signature, asked = SIGNATURES[name], cases(k, 0)[name]
    scaled = compare(k.robot, signature, asked, answered(asked.expected * (1.0, 0.7)), asked.expected)
    assert diagnose(k, signature, scaled) == Diagnosis()
    assert describe(signature, scaled) == (
        "yDD is wrong; xDD is right everywhere.",
        "yDD is always 0.7 times what it should be.",
    )
    above = np.array([mode[0] == "-1" for mode in asked.modes])
    half = compare(k.robot, signature, asked, answered(np.where(above[:, None], asked.expected, 0.1)), asked.expected)
    assert "Right in assembly mode -1, wrong in +1." in describe(signature, half)
    moving = asked.expected + 0.3 * asked.inputs[:, [5, 7]] ** 2
    velocity = compare(k.robot, signature, asked, answered(moving), asked.expected)
    assert "Right when nothing moves and wrong otherwise: look at the terms with velocities." in describe(
        signature, velocity
    )


def test_a_function_that_always_raises_has_nothing_right():
    """Not even out of reach, where an error is right of a function that answers elsewhere."""
    k, asked = LAB["biglide"], cases(LAB["biglide"], 0)["igm"]
    never = Answers(
        np.full(asked.expected.shape, np.nan), ("raised NameError: name 'sqr' is not defined",) * len(asked.inputs)
    )
    found = grade_function(k, "igm", never, 0)
    assert (found.verdict, found.right, found.states, found.score) == ("wrong", 0, len(asked.inputs), 0.0)
    assert summary(found) == f"wrong: 0 of {len(asked.inputs)} answers are right"
    count = int(asked.reachable.sum())
    assert found.says[0] == f"At {count} of {count} reachable states it raised NameError: name 'sqr' is not defined."


@pytest.mark.parametrize("k", LAB.values(), ids=list(LAB))
def test_one_wrong_working_mode_of_four_is_counted_and_named_by_its_gammas(k):
    """A quarter of what is in reach is wrong; the rest, and silence out of reach, is right."""
    asked = cases(k, 0)["igm"]
    both = (asked.inputs[:, 2:] == 1.0).all(axis=1)
    values = np.where((both & asked.reachable)[:, None], asked.expected + np.array([0.01, 0.0]), asked.expected)
    found = grade_function(k, "igm", answered(values), 0)
    assert found.states - found.right == asked.reachable.sum() / 4
    assert "Right with (gamma1, gamma2) = (+1, -1), (-1, +1) and (-1, -1), wrong with (+1, +1)." in found.says


def test_a_small_error_is_wrong_and_rounding_is_not():
    """The line is at one millionth of a quantity's size."""
    k, name = LAB["fivebar"], "dkm"
    asked = cases(k, 0)[name]
    assert grade_function(k, name, answered(asked.expected * (1 + 1e-8)), 0).verdict == "right"
    assert grade_function(k, name, answered(asked.expected * (1 + 1e-5)), 0).verdict == "close"
    assert grade_function(k, name, answered(asked.expected * (1 + 1e-2)), 0).verdict == "wrong"


def test_another_seed_asks_other_states_of_the_same_kinds():
    """Numbers cannot be learnt by heart."""
    one, two = (cases(LAB["biglide"], seed)["dgm"] for seed in (0, 1))
    assert not np.isin(one.inputs[:, 0], two.inputs[:, 0]).any()
