"""Model files: right ones pass however they are written, each known mistake is found and named."""

from pathlib import Path

import pytest

from closedchain_lab.grading.models import grade_models

RIGHT = sorted(path.stem for path in (Path(__file__).parent / "right").glob("*_*.txt"))

# What is replaced in biglide_vectors or fivebar_vectors, by what; the function it spoils; the mistake's name.
BIGLIDE = [
    ("gamma2 * sqrt(l**2 - (x - d / 2)", "gamma1 * sqrt(l**2 - (x - d / 2)", "igm", "gamma2 → gamma1"),
    ("gamma1 * sqrt(l**2 - (x + d / 2)", "gamma2 * sqrt(l**2 - (x + d / 2)", "igm", "gamma1 → gamma2"),
    ("return q11, q21\n\n\ndef dgm_passive", "return q21, q11\n\n\ndef dgm_passive", "igm", "(q11, q21) → (q21, q11)"),
    ("a2h + assembly_mode * h", "a2h - assembly_mode * h", "dgm", "assembly_mode → -assembly_mode"),
    ("a2h + assembly_mode * h", "a2h - h", "dgm", "assembly_mode → -1.0"),
    ("sqrt(l**2 - a**2)", "sqrt(max(0.0, l**2 - a**2))", "dgm", "clamped(l ** 2 - a ** 2)"),
    ("sqrt(l**2 - a**2)", "sqrt(l**2 + a**2)", "dgm", "l ** 2 - a ** 2 → l ** 2 + a ** 2"),
    ("atan2(y - q21, x - d / 2)", "np.arctan((y - q21) / (x - d / 2))", "dgm_passive", "→ arctan("),
    ("return q12, q22\n\n\ndef dir", "return np.degrees([q12, q22])\n\n\ndef dir", "dgm_passive", "→ degrees("),
    ("xD, yD = np.linalg.inv(A) @ B", "xD, yD = -np.linalg.inv(A) @ B", "dkm", "→ -"),
    ("xD, yD = np.linalg.inv(A) @ B", "xD, yD = np.linalg.inv(B) @ A", "dkm", "→ "),
    ("q11D, q21D = np.linalg.inv(B) @ A", "q11D, q21D = np.linalg.inv(B) @ A.T", "ikm", "→ "),
    ("[q11D, q21D])) / l\n    return q12D", "[q11D, q21D]))\n    return q12D", "dkm_passive", "/ l → "),
    ("([q11DD, q21DD]) + compute_d(q12D, q22D))", "([q11DD, q21DD]))", "dkm2", " + v → "),
    ("yDD]) - compute_d(q12D, q22D)", "yDD]) + compute_d(q12D, q22D)", "ikm2", "- v → apply(A, vector(xDD, yDD)) + v"),
    ("q21DD]) + compute_d(q12D, q22D)", "q21DD]) + compute_d(q12D, q22D) / 2", "dkm2", "0.5 * v"),
    ("([q11DD, q21DD])) / l", "([q11D, q21D])) / l", "dkm2_passive", "q11DD → q11D"),
    ("mp * J.T @ J\n    c = mp * J.T", "mp * J @ J\n    c = mp * J", "dynamic_model", "transpose(J) → J"),
    ("c = mp * J.T @ b", "c = -mp * J.T @ b", "dynamic_model", "→ -"),
    ("c = mp * J.T @ b", "c = 2 * l * mp * J.T @ b", "dynamic_model", "2.0 * l * "),
    ("mf * np.eye(2) + mp", "mp", "dynamic_model", " → m"),
    ("c = mp * J.T @ b", "c = 0.3 * mp * J.T @ b", "dynamic_model", ""),
    ("sqrt(l**2 - (x - d / 2) ** 2)", "sqrt(l*2 - (x - d / 2) ** 2)", "igm", "l ** 2 → l * 2"),
    ("atan2(y - q21, x - d / 2)", "atan2(y - q21, x + d / 2)", "dgm_passive", "x - d / 2 → x + d / 2"),
]  # fmt: skip
FIVEBAR = [
    ("gamma2)\n    return q11", "gamma1)\n    return q11", "igm", "gamma2 → gamma1"),
    ("return atan2(y, x) + gamma", "return np.arctan(y / x) + gamma", "igm", "→ arctan("),
    ("- l * cos(q21)) - q21\n", "- l * cos(q21))\n", "dgm_passive", "… - q21 → …"),  # one leg only
    ("return q12, q22\n\n\ndef a", "return q12 + q11, q22 + q21\n\n\ndef a", "dgm_passive", "… - q11 → … in every leg"),
    ("/ l - q11D\n    q22D = across(phi2) @ (v - l * q21D * across(q21)) / l - q21D",
     "/ l\n    q22D = across(phi2) @ (v - l * q21D * across(q21)) / l", "dkm_passive", "… - q11D → … in every leg"),
    ("np.diag([ZZ1R, ZZ2R]) + mR", "mR", "dynamic_model", " → m"),
]  # fmt: skip
SHARED = [  # a mistake in a helper shows in every function that uses it, under one name
    ("return q11 + q12, q21 + q22", "return q12, q22", " → ",
     {"dkm", "ikm", "dkm_passive", "dkm2", "ikm2", "dkm2_passive", "dynamic_model"}),
    ("spin = np.array([(q11D + q12D) ** 2, (q21D + q22D) ** 2])", "spin = np.array([q12D**2, q22D**2])",
     "q1D + q2D → q2D", {"dkm2", "ikm2", "dynamic_model"}),
    ("return -l * swing - l * spin", "return -l * spin", "→ -(l * phi1D ** 2) in every leg",
     {"dkm2", "ikm2", "dynamic_model"}),
    ("np.diag([l * along(phi1) @ across(q11), l * along(phi2)", "np.diag([along(phi1) @ across(q11), along(phi2)",
     "B → B / l", {"dkm", "ikm", "dkm2", "ikm2", "dynamic_model"}),
]  # fmt: skip


def spoil(text, old, new):
    """The text with one thing replaced; the thing must be there once."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_file_gets_every_point(name, right, hand_in):
    """Ten ways to write the same models, both robots: vectors, matrices, complex numbers, loops, other digits."""
    robot = name.partition("_")[0]
    grade = grade_models(*hand_in(robot, right(name)), robot)
    assert [f.name for f in grade.functions if f.verdict != "right"] == []
    assert grade.score == pytest.approx(100.0, abs=1e-9)
    assert grade.ok


def test_a_model_file_may_import_what_a_script_does_but_has_no_robot(right, hand_in):
    """ROS, Qt and the lab's names are there; to make a robot is an error of the file's own."""
    head = "from lab_amoro.parallel_robot import *\nfrom lab_amoro.plot_tools import *\nimport rclpy, PyQt5.QtCore\n"
    assert grade_models(*hand_in("biglide", head + right("biglide_vectors")), "biglide").ok
    made = grade_models(*hand_in("biglide", head + right("biglide_vectors") + "\nRobot('biglide')\n"), "biglide")
    assert "a model file has no robot" in made.verdict


@pytest.mark.parametrize("old, new, function, mistake", BIGLIDE, ids=[f"{m[2]}: {m[3]}: {m[1][-20:]}" for m in BIGLIDE])
def test_a_mistake_in_the_biglides_models_is_found_and_named(old, new, function, mistake, right, hand_in):
    """Only the function that was spoilt is wrong, and the mistake that was planted is the one that is told."""
    text = spoil(right("biglide_vectors"), old, new)
    if function == "dgm":  # which calls dgm
        text = text.replace("x, y = dgm(q11, q21, assembly_mode)", RIGHT_DGM)
    grade = grade_models(*hand_in("biglide", text), "biglide")
    assert [f.name for f in grade.functions if f.verdict != "right"] == [function]
    found = next(f for f in grade.functions if f.name == function)
    assert any(mistake in name for name in found.mistakes) if mistake else "c1 is always 0.3 times" in found.says[1]
    assert found.score < 1.0
    assert found.failure is not None


RIGHT_DGM = """a, D = np.hypot(d, q11 - q21) / 2, q11 - q21
    h = sqrt(l**2 - a**2)
    x, y = -assembly_mode * h / (2 * a) * D, (q11 + q21) / 2 - assembly_mode * h / (2 * a) * d"""


@pytest.mark.parametrize("old, new, function, mistake", FIVEBAR, ids=[f"{m[2]}: {m[3]}" for m in FIVEBAR])
def test_a_mistake_in_the_five_bars_models_is_found_and_named(old, new, function, mistake, right, hand_in):
    """The same for the five-bar."""
    grade = grade_models(*hand_in("fivebar", spoil(right("fivebar_vectors"), old, new)), "fivebar")
    assert [f.name for f in grade.functions if f.verdict != "right"] == [function]
    found = next(f for f in grade.functions if f.name == function)
    (name,) = found.mistakes
    assert mistake in name
    before, _, after = name.removesuffix(" in every leg").partition(" → ")
    assert f"`{after}` in place of `{before}`" in found.says[0]


@pytest.mark.parametrize("old, new, mistake, functions", SHARED, ids=[m[2] for m in SHARED])
def test_a_mistake_in_a_helper_has_one_name_in_all_functions(old, new, mistake, functions, right, hand_in):
    """A reader sees at once that it is one thing."""
    grade = grade_models(*hand_in("fivebar", spoil(right("fivebar_vectors"), old, new)), "fivebar")
    wrong = {f.name: f.mistakes for f in grade.functions if f.verdict != "right"}
    assert set(wrong) == functions
    assert len(set(wrong.values())) == 1
    assert mistake in wrong["dkm2"][0]


def test_two_mistakes_in_one_function_are_told_apart(right, hand_in):
    """M without the feet's mass, and c with the wrong sign."""
    text = spoil(right("biglide_vectors"), "mf * np.eye(2) + mp", "mp")
    text = spoil(text, "c = mp * J.T @ b", "c = -mp * J.T @ b")
    grade = grade_models(*hand_in("biglide", text), "biglide")
    says = grade.functions[-1].says
    assert [words.partition(":")[0] for words in says] == ["M11, M22", "c1, c2"]


def test_the_first_failing_state_can_be_checked_by_hand(right, hand_in):
    """gamma1 in place of gamma2: the answer that is called right closes the right leg, the one given does not."""
    old, new, *_ = BIGLIDE[0]
    grade = grade_models(*hand_in("biglide", spoil(right("biglide_vectors"), old, new)), "biglide")
    failure = grade.functions[1].failure
    x, y = failure.inputs["x"], failure.inputs["y"]
    length = ((x - 0.2) ** 2 + (y - failure.expected["q21"]) ** 2) ** 0.5
    assert length == pytest.approx(0.2828427, abs=1e-12)
    assert failure.inputs["gamma1"] == -failure.inputs["gamma2"]
    assert failure.got["q21"] != pytest.approx(failure.expected["q21"], abs=1e-3)


def test_the_reports_length_is_accepted_and_told(right, hand_in):
    """l = 0.3606 m everywhere in a file is another robot, not a mistake."""
    text = right("biglide_vectors").replace("l = 0.2828427", "l = 0.3606")
    grade = grade_models(*hand_in("biglide", text), "biglide")
    assert grade.ok
    assert grade.parameters["l"] == 0.3606
    assert "0.3606" in grade.notes[0]


CONSTANTS = [
    ("biglide", "mp = 3.0", "mp = 2.0", "mp = 2 kg where it is 3 kg", 1),
    ("biglide", "d = 0.4", "d = 0.2", "d = 0.2 m where it is 0.4 m", 8),
    ("biglide", "l = 0.2828427", "l = 0.28", "l = 0.28 m where it is 0.2828427 m", 8),
    ("fivebar", "mR = 0.5", "mR = 0.25", "mR = 0.25 kg where it is 0.5 kg", 1),
    ("fivebar", "d = 0.118", "d = 0.12", "d = 0.12 m where it is 0.118 m", 3),
]


@pytest.mark.parametrize("robot, old, new, words, spoilt", CONSTANTS, ids=[c[2] for c in CONSTANTS])
def test_a_wrong_constant_is_named_once_and_spoils_no_function(robot, old, new, words, spoilt, right, hand_in):
    """Every function is right with it; it costs a tenth, and the file is not all right."""
    grade = grade_models(*hand_in(robot, spoil(right(f"{robot}_vectors"), old, new)), robot)
    assert [f.name for f in grade.functions if f.verdict != "right"] == []
    (said,) = grade.constants
    assert said.startswith(f"It uses {words}; with that ")
    assert grade.score == pytest.approx(90.0)
    assert not grade.ok


def test_a_length_that_is_wrong_in_one_function_is_a_wrong_formula(right, hand_in):
    """Bars of half a metre in igm alone."""
    text = spoil(right("biglide_vectors"), "gamma1 * sqrt(l**2", "gamma1 * sqrt(0.5**2")
    grade = grade_models(*hand_in("biglide", text), "biglide")
    assert grade.constants == ()
    assert [f.name for f in grade.functions if f.verdict != "right"] == ["igm"]


def test_finite_differences_are_nearly_right(right, hand_in):
    """A rate by a difference over 1 ms: the report says to how many digits it is right, and blames no formula."""
    text = (
        right("biglide_vectors")
        + """

def dkm_passive(q11, q12, q21, q22, q11D, q21D, xD, yD):
    h = 1e-3
    made = []
    for x0, q, p, qD in ((-d / 2, q11, q12, q11D), (d / 2, q21, q22, q21D)):
        foot, tip = np.array([x0, q]), np.array([x0 + l * cos(p), q + l * sin(p)])
        bar = tip + h * np.array([xD, yD]) - foot - h * np.array([0.0, qD])
        made.append((atan2(bar[1], bar[0]) - p + np.pi) % (2 * np.pi) - np.pi)
    return made[0] / h, made[1] / h
"""
    )
    grade = grade_models(*hand_in("biglide", text), "biglide")
    (found,) = (f for f in grade.functions if f.verdict != "right")
    assert (found.name, found.verdict, found.mistakes) == ("dkm_passive", "close", ())
    assert found.says[0].startswith("Right to ")


def test_an_exception_has_its_line(right, hand_in):
    """The line of the group's own file."""
    text = right("biglide_vectors") + "\n\ndef dkm(*given):\n    return undefined\n"
    grade = grade_models(*hand_in("biglide", text), "biglide")
    line = text.rstrip().count("\n") + 1
    (found,) = (f for f in grade.functions if f.verdict != "right")
    assert f"name 'undefined' is not defined (biglide_models.py, line {line})" in found.says[0]


@pytest.mark.parametrize(
    "body, verdict, words",
    [
        ("return 0, 0", "not written", "Not written"),
        ("raise NotImplementedError", "not written", "Not written"),
        ("return None", "not written", "Not written"),
        ("return 'right', 'left'", "wrong", "returned str among its values"),
        ("return 1.0, 2.0, 3.0", "wrong", "returned 3 values"),
        ("return float('nan'), 1.0", "wrong", "returned nan"),
        ("return 1.0", "wrong", "returned one number"),
        ("return {'x': 1}", "wrong", "returned dict"),
        ("return 1j, 2j", "wrong", "a complex number"),
        ("return undefined_name, 1", "wrong", "NameError"),
        ("return list(range(1000))", "wrong", "returned 512 values"),
    ],
)  # fmt: skip
def test_an_answer_that_is_no_pair_of_numbers_is_told_as_what_it_is(body, verdict, words, three, hand_in):
    """The other functions keep their points."""
    text = three + f"\n\ndef dkm(q11, q12, q21, q22, q11D, q21D):\n    {body}\n"
    grade = grade_models(*hand_in("biglide", text), "biglide")
    found = next(f for f in grade.functions if f.name == "dkm")
    assert (found.verdict, found.score) == (verdict, 0.0)
    assert words in " ".join(found.says)
    assert grade.score == pytest.approx(20.0)


def test_a_file_without_a_function_loses_that_function_only(right, hand_in):
    """Skeletons are filled from the top."""
    grade = grade_models(
        *hand_in("biglide", right("biglide_vectors").replace("def dynamic_model", "def dynamic")), "biglide"
    )
    assert grade.functions[-1].verdict == "missing"
    assert grade.score == pytest.approx(90.0)


def test_the_robot_is_found_where_the_name_does_not_tell(right, hand_in):
    """A five-bar's file under the biglide's name: what it answers decides."""
    grade = grade_models(*hand_in("biglide", right("fivebar_vectors")))
    assert (grade.robot, grade.score) == ("fivebar", pytest.approx(100.0))


def test_the_failing_state_that_is_shown_is_the_simplest(right, hand_in):
    """Every moving answer of dkm is wrong: of many states, some with a turn more or less, a small one is told."""
    text = spoil(right("fivebar_vectors"), "xD, yD = np.linalg.solve(A, B", "xD, yD = 2 * np.linalg.solve(A, B")
    grade = grade_models(*hand_in("fivebar", text), "fivebar")
    failure = next(f for f in grade.functions if f.name == "dkm").failure
    assert max(abs(failure.inputs[name]) for name in ("q11", "q12", "q21", "q22")) < 3.15


def test_a_file_that_is_not_written_has_no_length(hand_in):
    """Zeros are right where nothing moves, for whichever bars: nothing is said of them."""
    text = "def dgm(q11, q21, assembly_mode):\n    return 0.0, 0.0\n"
    text += "def dkm(q11, q12, q21, q22, q11D, q21D):\n    return 0.0, 0.0\n"
    for seed in range(3):
        grade = grade_models(*hand_in("biglide", text), "biglide", seed=seed)
        assert (grade.score, grade.notes) == (0.0, ())
