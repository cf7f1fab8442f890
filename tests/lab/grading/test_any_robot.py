"""Model files written by hand for robots that are not the lab's: right everywhere, and their mistakes are named."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import lab_mistakes
from closedchain_lab.grading.answers import read
from closedchain_lab.grading.functions import STRICT, grade_function
from closedchain_lab.grading.models import Reading, exercises, grade_reading

FILES = {Path(robot).stem: (robot, path) for robot, path in lab_mistakes.FILES.items() if path.parent.name == "others"}


def graded(robot, function, *change):
    """The grade of a function of the hand-written file, some of its text replaced."""
    name, path = FILES[robot]
    text = path.read_text(encoding="utf-8")
    for old, new in zip(change[::2], change[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    names = {"__name__": "models"}
    exec(text, names)  # noqa: S102 (our own text)
    exercise = exercises(name, 0)[0]
    question = exercise.questions[function]
    replies = [lab_mistakes.reply(names[function], row) for row in question.inputs]
    return grade_function(exercise, question, read(question, replies))


WRITTEN = [
    (robot, function)
    for robot, (_, path) in FILES.items()
    for function in ("inverse", "jacobians", "velocities", "mass_matrix", "bias")
    if f"def {function}(" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize(("robot", "function"), WRITTEN)
def test_a_derivation_by_hand_is_right_everywhere(robot, function):
    """Laws of cosines, half angles, bars that do not stretch, uniform bars by the velocities of their ends."""
    assert graded(robot, function).verdict == "right"


NAMED = [
    ("rrr3", "inverse", "[x, y]) + turned(phi, p) - foot", "[x, y]) + turned(-phi, p) - foot", "phi → -phi"),
    ("rrr3", "inverse", "far**2 - l2**2", "far**2 - (2 * l2)**2", "l2 → 2.0 * l2 everywhere"),
    ("rrr3", "jacobians", "np.array([np.cos(a), np.sin(a)])", "np.array([np.cos(a), np.cos(a)])", "sin(theta1) → cos("),
    ("rpr3", "inverse", "phi)[0] ** 2 +", "phi)[0] * 2 +", "leg1_x ** 2 → leg1_x * 2 in every leg"),
    ("rpr3", "jacobians", "[-rho1, -rho2", "[-rho1, rho2", "rho2 → -rho2"),
    ("rpr3", "velocities", "return -np.linalg", "return np.linalg", "→ apply(inverse("),
    ("delta", "inverse", "L**2 - l**2", "L**2 - l", "l ** 2 → l everywhere"),
    (
        "rrr3",
        "inverse",
        "np.arctan2(dy, dx)",
        "np.arctan2(dx, dy)",
        "arctan2(leg1_y, leg1_x) → arctan2(leg1_x, leg1_y)",
    ),
    ("rrr3", "inverse", "l1**2 + far**2", "l1**2 - far**2", "l1 ** 2 + far1 ** 2 → l1 ** 2 - far1 ** 2 in every leg"),
    ("rrr3", "inverse", "np.arccos", "np.arcsin", "arccos(cosine1) → arcsin(cosine1) in every leg"),
    ("rrr3", "jacobians", "arm[0] - bar[0]", "arm[0] + bar[0]", "leg2_y * arm2_x + leg2_x * arm2_y in every leg"),
    ("delta", "inverse", "2 * np.arctan2", "np.arctan2", "→ arctan2(-F1 + sign * root1, G1 - E1) in every leg"),
    ("delta", "inverse", "out**2", "out", "out1 ** 2 → out1 in every leg"),
    ("gough", "inverse", "[[c, 0, s], [0, 1, 0], [-s", "[[c, 0, -s], [0, 1, 0], [s", "pitch → -pitch"),
    ("gough", "velocities", "[l1D, l2D", "[l1D, l1D", "l2D → l1D"),
    ("prr3", "inverse", "a + phi", "a - phi", "phi → -phi"),
    ("prr3", "jacobians", "arm - R *", "arm - 2 * R *", "R → 2.0 * R everywhere"),
]


QUICK = {("rrr3", "inverse"), ("rpr3", "inverse"), ("prr3", "inverse")}


@pytest.mark.parametrize(
    ("robot", "function", "old", "new", "mistake"),
    [
        pytest.param(*m, marks=[] if m[:2] in QUICK else [pytest.mark.slow], id=f"{m[0]} {m[1]} {m[3][-20:]}")
        for m in NAMED
    ],
)
def test_a_mistake_in_a_file_of_ones_own_is_named(robot, function, old, new, mistake):
    """A sign, an index, a factor, a power, sine for cosine, a leg, a constant, at one place or in every leg."""
    grade = graded(robot, function, old, new)
    assert grade.verdict == "wrong"
    assert any(mistake in name for name in grade.mistakes), (grade.mistakes, grade.says)
    assert lab_mistakes.whole(grade)


def test_what_is_wrong_by_another_function_is_told_as_its_consequence():
    """Jacobians wrong at two places have no name of their own; rates and masses that use them follow from them."""
    name, path = FILES["rrr3"]
    names = {"__name__": "models"}
    exec(path.read_text(encoding="utf-8").replace("bar[1] * arm[0] - bar", "3 * bar[1] * arm[0] - 2 * bar"), names)  # noqa: S102 (our own text)
    asked = exercises(name, 0)[0]
    chosen = {f: asked.questions[f] for f in ("jacobians", "velocities", "mass_matrix")}
    answers = {f: (read(q, [lab_mistakes.reply(names[f], row) for row in q.inputs]), "") for f, q in chosen.items()}
    found = grade_reading("rrr3_models.py", Reading(replace(asked, questions=chosen), answers), tuple(chosen), STRICT)
    assert [one.verdict for one in found.functions] == ["wrong"] * 3
    assert [one.mistakes for one in found.functions] == [(), *[("follows from jacobians",)] * 2]


@pytest.mark.slow
def test_one_mistake_is_not_told_as_three():
    """A factor in the cranks alone spoils M11, M22, M33; changes that would spoil right entries are no names."""
    found = graded("rrr3", "mass_matrix", "m_1 * l1**2 / 3", "m_1 * l1 * 2 / 3").mistakes
    assert len(found) <= 1
    assert all("m_1 → 2.0 * m_1 everywhere" in words for words in found)  # or another that gives the same numbers


def test_formulas_that_are_not_all_of_a_robot_name_nothing():
    """Where right formulas and right answers differ, as by forces that they do not know, no change of them is told."""
    exercise = exercises("delta", 0)[0]
    question = exercise.questions["bias"]
    other = question.expected + 0.3
    moved = type(question)(question.name, question.arguments, question.outputs, question.inputs, other)
    found = grade_function(exercise, moved, read(moved, [{"value": row[0].tolist()} for row in 1.5 * other]))
    assert found.mistakes == ()
    assert np.isfinite(found.largest)
