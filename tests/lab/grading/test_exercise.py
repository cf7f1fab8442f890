"""The exercises of seeds 002 and 003: right files, the documents' own mistakes, and skeletons."""

from pathlib import Path

import numpy as np
import pytest

from closedchain.errors import BadInput
from closedchain_lab import skeletons
from closedchain_lab.grading import Options, grade
from closedchain_lab.grading.answers import read
from closedchain_lab.grading.functions import grade_function
from closedchain_lab.grading.models import exercises
from closedchain_lab.sandbox.child.desk import plain

SOLVED = {
    "triplate": Path(__file__).parent / "triplate_models.txt",
    "furuta": Path(__file__).parents[3] / "examples/11_lab/furuta_models.py",
    "rrr3": Path(__file__).parents[3] / "examples/11_lab/rrr3_models.py",
}


def graded(tmp_path, robot, *changes):
    """The solved file of a robot with some of its text replaced, graded."""
    text = SOLVED[robot].read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) >= 1
        text = text.replace(old, new)
    file = tmp_path / f"{robot}_models.py"
    file.write_text(text, encoding="utf-8")
    (submission,) = grade([file], Options(seed=0))
    return submission.files[0], {f.name: f for f in submission.files[0].functions}


def solutions(question):
    """The right ones of each row."""
    return [rows[np.isfinite(rows).all(axis=-1)] for rows in question.expected]


@pytest.mark.parametrize("robot", ["triplate", "furuta"])
def test_formulas_by_hand_are_right_everywhere(tmp_path, robot):
    """A derivation by hand (a polynomial of degree 6, Lagrange by hand) agrees with the models at every state."""
    file, _ = graded(tmp_path, robot)
    assert (file.robot, file.score, file.ok) == (robot, 100.0, True), file


def test_the_documents_singular_points_are_asked_for():
    """TRUTH.md's true ones for y = 0, φ = 10°: one each in (+,+) and (−,+), none in the other modes."""
    (exercise,) = exercises("triplate", 0)
    asked = exercise.questions["singular_x"]
    found = {tuple(row[2:4]): x[:, 0].tolist() for row, x in zip(asked.inputs[:4], solutions(asked)[:4], strict=True)}
    assert found[1.0, 1.0] == pytest.approx([0.5367791975326369], abs=1e-12)
    assert found[-1.0, 1.0] == pytest.approx([0.5235910897985386], abs=1e-12)
    assert found[1.0, -1.0] == found[-1.0, -1.0] == []
    counts = [len(rows) for rows in solutions(exercise.questions["direct"])]
    assert min(counts) == 0
    assert max(counts) >= 4
    modes = [len(rows) for rows in solutions(exercise.questions["open_modes"])]
    assert modes[:2] == [3, 3]  # TRUTH.md row 2-13: only (+,−) meets a singularity on the document's lines


FOLLOWS = {"singular_x", "open_modes", "direct"}  # these use the Jacobians


@pytest.mark.parametrize(
    ("old", "new", "wrong", "others"),
    [
        ("B3 = np.array([0.0, -R])", "B3 = np.array([0.0, R])", "inverse", {"jacobians", *FOLLOWS}),
        ("for s in (1, -1) for p in (1, -1)", "for s in (1,) for p in (1, -1)", "inverse", set()),
        ("    return poses\n", "    return poses[:1]\n", "direct", set()),
        ("[*(2 * leg), 2 * leg @ t]", "[*(2 * leg), -2 * leg @ t]", "jacobians", FOLLOWS),
        ("        return []", "        return [(0.0, 0.0, 0.0)]", "inverse", set()),
    ],
)
def test_a_mistake_in_the_triplate_costs_the_functions_that_have_it(tmp_path, old, new, wrong, others):
    """The document's sign of b3, solutions left out, a sign in J_x, an answer out of reach."""
    _, functions = graded(tmp_path, "triplate", (old, new))
    bad = {name for name, f in functions.items() if f.verdict != "right"}
    assert wrong in bad
    assert bad <= {wrong, *others}
    assert functions[wrong].verdict == "wrong"
    assert functions[wrong].failure is not None
    if "for s in" in old:
        assert functions[wrong].says[0].startswith("At 24 of 32 states solutions are missing")


NAMED = [
    ("triplate", "B3 = np.array([0.0, -R])", "B3 = np.array([0.0, R])", "inverse", "+ R → y + arm3_y - R"),
    ("triplate", "B3 = np.array([0.0, -R])", "B3 = np.array([0.0, R])", "jacobians", "+ R → y + arm3_y - R"),
    (
        "rrr3",
        "corners(x, y, phi), BASE, strict=True):\n        away",
        "corners(x, y, -phi), BASE):\n        away",
        "inverse",
        "phi → -phi",
    ),
    ("rrr3", "[x2, 0.0], [x3, y3]", "[-x2, 0.0], [x3, y3]", "jacobians", "x + arm2_x - x2 → x + arm2_x + x2"),
    ("rrr3", "(0.0, np.pi / 3)", "(0.0, -np.pi / 3)", "velocities", "h → -h"),
    ("rrr3", "return -np.linalg.solve", "return np.linalg.solve", "velocities", "→ apply(inverse("),
    ("furuta", "2 * ABOUT * s * c * q1D * q2D", "ABOUT * s * c * q1D * q2D", "bias", "2 * spin → spin"),
    ("furuta", "- kr * kv * q1D", "- kv * q1D", "motor_torque", "kr * kv → kv"),
    ("furuta", "m * l1 * lc * s * q2D**2", "m * l1 * lc * s * q2D * 2", "bias", "q2D ** 2 → q2D * 2"),
    ("furuta", "+ b2 * q2D - m * g", "- m * g", "accelerations", "+ b2 * q2D → "),
    ("furuta", "l1 * np.sin(q1) + side", "l1 * np.sin(q1) - side", "tip", "side * cos(q1) → l1 * sin(q1) - side"),
    ("furuta", "m * g * lc * np.cos(q2)", "m * g * lc * np.sin(q2)", "energies", "cos(q2) → sin(q2)"),
]


@pytest.mark.parametrize(
    "robot, old, new, function, mistake", NAMED, ids=[f"{m[0]} {m[3]} {m[2][-24:]}" for m in NAMED]
)
def test_a_mistake_on_any_robot_is_named(robot, old, new, function, mistake):
    """By the change of its own formulas, which come from its description, that gives all of the answers."""
    text = SOLVED[robot].read_text(encoding="utf-8")
    assert old in text
    names = {"__name__": "models"}
    exec(text.replace(old, new), names)  # noqa: S102 (our own text)
    asked = exercises(robot, 0)[0]
    question = asked.questions[function]
    found = grade_function(asked, question, read(question, [reply(names[function], row) for row in question.inputs]))
    assert found.verdict == "wrong"
    assert any(mistake in name for name in found.mistakes), found


def reply(function, row):
    """As the sandbox gives it."""
    return {"value": plain(function(*row.tolist()))}


def test_a_3_rrr_by_hand_is_right_in_what_it_answers(tmp_path):
    """Elbows by the law of cosines, bars that do not stretch: three of the six functions, and half of the points."""
    file, functions = graded(tmp_path, "rrr3")
    assert {name: f.verdict for name, f in functions.items()} == {
        "inverse": "right", "direct": "missing", "jacobians": "right", "velocities": "right", "mass_matrix": "missing",
        "bias": "missing",
    }  # fmt: skip
    assert file.score == pytest.approx(50.0)


@pytest.mark.parametrize("robot", ["rrr3", "rpr3", "delta"])
def test_any_robot_has_a_skeleton_and_an_exercise(tmp_path, robot):
    """What the core can answer is asked; a fresh skeleton is not written yet, and runs."""
    skeletons.create(robot, tmp_path / "group")
    (submission,) = grade([tmp_path / "group"], Options(seed=3))
    (file,) = submission.files
    assert file.robot == robot
    assert {f.verdict for f in file.functions} == {"not written"}
    assert {"mass_matrix", "bias"} <= {f.name for f in file.functions}


def test_a_linkage_is_no_exercise():
    """One clear error."""
    with pytest.raises(BadInput, match="cartpole is a linkage"):
        exercises("cartpole", 0)


def test_a_robot_of_a_file_is_an_exercise_too(tmp_path):
    """By --robot: its own closures are the right formulas."""
    text = "from math import sqrt\n\n\ndef direct(q1, q2):\n    return []\n"
    (tmp_path / "models.py").write_text(text)
    robot = Path(__file__).parents[3] / "examples/robots/klann.toml"
    (submission,) = grade([tmp_path / "models.py"], Options(robot=str(robot), seed=0))
    assert submission.files[0].robot == "klann"


def test_equations_may_be_scaled_and_jacobians_brought_across(tmp_path):
    """J_x ẋ = J_q q̇ with halved rows is a convention, and is noted."""
    change = ("return J_x, np.diag([-2", "return J_x / 2, np.diag([1 * -2")
    signs = (
        "legs[0] @ swing[0], -2 * legs[1] @ swing[1], -2 * d3])",
        "legs[0] @ swing[0], -2 * legs[1] @ swing[1], -2 * d3]) / -2",
    )
    file, functions = graded(tmp_path, "triplate", change, signs)
    assert functions["jacobians"].verdict == "right", file
    assert "J_x ẋ = J_q q̇" in functions["jacobians"].notes[0]


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("2 * ABOUT * s * c * q1D * q2D", "2 * ABOUT * s * c * q1D * q1D * q2D", {"bias", "accelerations", "simulate"}),
        ("- kr * kv * q1D", "- kv * q1D", {"motor_torque", "accelerations", "simulate"}),
        ("(2 * lc) ** 2 / 12", "(2 * lc) ** 2 / 3", {"mass_matrix", "bias", "accelerations", "energies", "simulate"}),
        ("steps = max(1, round(duration / 1e-3))", "steps = 1", {"simulate"}),
    ],
)
def test_a_mistake_in_the_furuta_shows_where_it_acts(tmp_path, old, new, wrong):
    """The document's extra q̇1 in C(1,1), a gearbox forgotten, a wrong inertia, one long step."""
    _, functions = graded(tmp_path, "furuta", (old, new))
    assert {name for name, f in functions.items() if f.verdict != "right"} == wrong


def test_a_pendulum_counted_from_hanging_is_a_convention(tmp_path):
    """The document's eq 7: right by itself, with a note; only the picture's tip and the height turn over with it."""
    changes = [("- m * g * lc * s", "+ m * g * lc * s"), ("m * g * lc * np.cos(q2)", "-m * g * lc * np.cos(q2)")]
    file, _ = graded(tmp_path, "furuta", *changes, ("2 * lc * np.cos(q2)", "-2 * lc * np.cos(q2)"))
    assert file.ok, file
    assert "hangs" in file.notes[0]
    assert not exercises("furuta", 0)[0].note


@pytest.mark.parametrize("robot", ["triplate", "furuta"])
def test_a_skeleton_is_graded_as_not_written_and_its_signatures_are_those_asked(tmp_path, robot):
    """Every function, and none more; the folder is found as a submission."""
    skeletons.create(robot, tmp_path / "group")
    (submission,) = grade([tmp_path / "group"], Options(seed=3))
    (file,) = submission.files
    assert {f.verdict for f in file.functions} == {"not written"}
    assert file.score == 0.0
    (exercise, *_) = exercises(robot, 0)
    text = (tmp_path / "group" / f"{robot}_models.py").read_text(encoding="utf-8")
    for each in exercise.questions.values():
        assert f"def {each.name}({', '.join(each.arguments)}):" in text


def test_an_endless_function_is_stopped_and_the_others_are_graded(tmp_path):
    """In the same sandbox as the lab's."""
    text = SOLVED["furuta"].read_text(encoding="utf-8")
    file = tmp_path / "furuta_models.py"
    file.write_text(text.replace("    side = 2 * lc", "    while True: pass\n    side = 2 * lc"), encoding="utf-8")
    (submission,) = grade([file], Options(timeout=2.0))
    functions = {f.name: f.verdict for f in submission.files[0].functions}
    assert functions["tip"] == "stopped"
    assert {v for n, v in functions.items() if n != "tip"} == {"right"}
    assert np.isfinite(submission.files[0].score)


def test_forty_poses_of_a_platform_are_one_answer():
    """As an array or as a list, nothing is cut off; what is far too large is named as no number."""
    poses = np.arange(240.0).reshape(40, 6)
    assert plain(poses) == plain(poses.tolist()) == poses.tolist()
    assert plain(np.zeros(10**6)) == {"type": "NoneType"}
