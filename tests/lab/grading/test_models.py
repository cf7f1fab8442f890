"""Model files: right ones pass however they are written, each known mistake is found and named."""

from pathlib import Path

import pytest

from closedchain.lab.grading.models import grade_models

RIGHT = sorted(path.stem for path in (Path(__file__).parent / "right").glob("*.txt"))

# What is replaced in biglide_vectors or fivebar_vectors, by what; the function it spoils; the mistake's name.
BIGLIDE = [
    ("gamma2 * sqrt(l**2 - (x - d / 2)", "gamma1 * sqrt(l**2 - (x - d / 2)", "igm", "gamma1-for-both-legs"),
    ("gamma1 * sqrt(l**2 - (x + d / 2)", "gamma2 * sqrt(l**2 - (x + d / 2)", "igm", "gamma2-for-both-legs"),
    ("return q11, q21\n\n\ndef dgm_passive", "return q21, q11\n\n\ndef dgm_passive", "igm", "results-exchanged"),
    ("a2h + assembly_mode * h", "a2h - assembly_mode * h", "dgm", "assembly-sign-reversed"),
    ("a2h + assembly_mode * h", "a2h - h", "dgm", "assembly-ignored"),
    ("sqrt(l**2 - a**2)", "sqrt(max(0.0, l**2 - a**2))", "dgm", "root-clamped"),
    ("sqrt(l**2 - a**2)", "sqrt(l**2 + a**2)", "dgm", "plus-under-the-root"),
    ("atan2(y - q21, x - d / 2)", "np.arctan((y - q21) / (x - d / 2))", "dgm_passive", "arctan-instead-of-arctan2"),
    ("return q12, q22\n\n\ndef dir", "return np.degrees([q12, q22])\n\n\ndef dir", "dgm_passive", "degrees"),
    ("xD, yD = np.linalg.inv(A) @ B", "xD, yD = -np.linalg.inv(A) @ B", "dkm", "sign-between-A-and-B"),
    ("xD, yD = np.linalg.inv(A) @ B", "xD, yD = np.linalg.inv(B) @ A", "dkm", "J-inverted"),
    ("q11D, q21D = np.linalg.inv(B) @ A", "q11D, q21D = np.linalg.inv(B) @ A.T", "ikm", "A-transposed"),
    ("[q11D, q21D])) / l\n    return q12D", "[q11D, q21D]))\n    return q12D", "dkm_passive", "division-by-l-missing"),
    ("([q11DD, q21DD]) + compute_d(q12D, q22D))", "([q11DD, q21DD]))", "dkm2", "velocity-terms-missing"),
    ("yDD]) - compute_d(q12D, q22D)", "yDD]) + compute_d(q12D, q22D)", "ikm2", "velocity-terms-sign"),
    ("q21DD]) + compute_d(q12D, q22D)", "q21DD]) + compute_d(q12D, q22D) / 2", "dkm2", "velocity-terms-halved"),
    ("([q11DD, q21DD])) / l", "([q11D, q21D])) / l", "dkm2_passive", "rates-instead-of-accelerations"),
    ("mp * J.T @ J\n    c = mp * J.T", "mp * J @ J\n    c = mp * J", "dynamic_model", "J-instead-of-Jt"),
    ("c = mp * J.T @ b", "c = -mp * J.T @ b", "dynamic_model", "coriolis-sign"),
    ("c = mp * J.T @ b", "c = 2 * l * mp * J.T @ b", "dynamic_model", "coriolis-off-by-2l"),
    ("mf * np.eye(2) + mp", "mp", "dynamic_model", "drive-mass-missing"),
    ("mp = 3.0", "mp = 1.5", "dynamic_model", "tip-mass-halved"),
]  # fmt: skip
FIVEBAR = [
    ("gamma2)\n    return q11", "gamma1)\n    return q11", "igm", "gamma1-for-both-legs"),
    ("return atan2(y, x) + gamma", "return np.arctan(y / x) + gamma", "igm", "arctan-instead-of-arctan2"),
    ("- l * cos(q21)) - q21\n", "- l * cos(q21))\n", "dgm_passive", ""),  # one leg only: no formula of ours, but words
    ("return q12, q22\n\n\ndef a", "return q12 + q11, q22 + q21\n\n\ndef a", "dgm_passive", "passive-angle-absolute"),
    ("/ l - q11D\n    q22D = across(phi2) @ (v - l * q21D * across(q21)) / l - q21D",
     "/ l\n    q22D = across(phi2) @ (v - l * q21D * across(q21)) / l", "dkm_passive", "passive-rate-absolute"),
    ("np.diag([ZZ1R, ZZ2R]) + mR", "mR", "dynamic_model", "drive-mass-missing"),
]  # fmt: skip
SHARED = [  # a mistake in a helper shows in every function that uses it, under one name
    ("return q11 + q12, q21 + q22", "return q12, q22", "passive-angle-absolute",
     {"dkm", "ikm", "dkm_passive", "dkm2", "ikm2", "dkm2_passive", "dynamic_model"}),
    ("spin = np.array([(q11D + q12D) ** 2, (q21D + q22D) ** 2])", "spin = np.array([q12D**2, q22D**2])",
     "relative-rate-in-velocity-terms", {"dkm2", "ikm2", "dynamic_model"}),
    ("return -l * swing - l * spin", "return -l * spin", "driven-bar-velocity-term-missing",
     {"dkm2", "ikm2", "dynamic_model"}),
    ("np.diag([l * along(phi1) @ across(q11), l * along(phi2)", "np.diag([along(phi1) @ across(q11), along(phi2)",
     "driven-bar-length-missing", {"dkm", "ikm", "dkm2", "ikm2", "dynamic_model"}),
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
    assert mistake in found.mistakes
    assert len(found.mistakes) == 1
    assert found.score < 1.0
    assert found.failure is not None


RIGHT_DGM = """a, D = np.hypot(d, q11 - q21) / 2, q11 - q21
    h = sqrt(l**2 - a**2)
    x, y = -assembly_mode * h / (2 * a) * D, (q11 + q21) / 2 - assembly_mode * h / (2 * a) * d"""


@pytest.mark.parametrize("old, new, function, mistake", FIVEBAR, ids=[f"{m[2]}: {m[3]}" for m in FIVEBAR])
def test_a_mistake_in_the_five_bars_models_is_found_and_named(old, new, function, mistake, right, hand_in):
    """The same for the five-bar; where no known mistake fits there are words about where it departs."""
    grade = grade_models(*hand_in("fivebar", spoil(right("fivebar_vectors"), old, new)), "fivebar")
    assert [f.name for f in grade.functions if f.verdict != "right"] == [function]
    found = next(f for f in grade.functions if f.name == function)
    assert found.mistakes == ((mistake,) if mistake else ())
    assert found.says
    if not mistake:
        assert found.says[0] == "q22 is wrong; q12 is right everywhere."


@pytest.mark.parametrize("old, new, mistake, functions", SHARED, ids=[m[2] for m in SHARED])
def test_a_mistake_in_a_helper_has_one_name_in_all_functions(old, new, mistake, functions, right, hand_in):
    """A reader sees at once that it is one thing."""
    grade = grade_models(*hand_in("fivebar", spoil(right("fivebar_vectors"), old, new)), "fivebar")
    wrong = {f.name: f.mistakes for f in grade.functions if f.verdict != "right"}
    assert wrong == dict.fromkeys(functions, (mistake,))


def test_two_mistakes_in_one_function_are_told_apart(right, hand_in):
    """M without the feet's mass, and c with the wrong sign."""
    text = spoil(right("biglide_vectors"), "mf * np.eye(2) + mp", "mp")
    text = spoil(text, "c = mp * J.T @ b", "c = -mp * J.T @ b")
    grade = grade_models(*hand_in("biglide", text), "biglide")
    assert set(grade.functions[-1].mistakes) == {"drive-mass-missing", "coriolis-sign"}


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


def test_another_length_is_a_mistake(right, hand_in):
    """Bars of half a metre are neither the lab's nor the reports', and the sentence says by how much."""
    text = right("biglide_vectors").replace("l = 0.2828427", "l = 0.5")
    grade = grade_models(*hand_in("biglide", text), "biglide")
    assert not grade.ok
    assert grade.functions[0].verdict == "wrong"


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
        ("return list(range(1000))", "wrong", "returned 64 values"),
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


@pytest.mark.parametrize(("l", "whose"), [("0.28", "0.2828427 m, the lab's"), ("0.35", "0.3606 m, the reports'")])
def test_a_length_that_is_nearly_one_in_use_is_graded_with_that_one(right, hand_in, l, whose):
    """Not with the other one: the ratio that is told is l over the length meant."""
    grade = grade_models(*hand_in("biglide", right("biglide_vectors").replace("l = 0.2828427", f"l = {l}")), "biglide")
    assert grade.notes == (f"dgm or igm shows bars of {l} m, which is neither length in use; graded with {whose}.",)
    (passive,) = (f for f in grade.functions if f.name == "dkm_passive")
    assert f"q12D is always {float(whose.split()[0]) / float(l):.6g} times what it should be." in passive.says[0]
    assert not any("nothing moves" in words for words in passive.says)  # at rest a rate is zero, right or wrong


def test_lengths_exchanged_are_named_in_every_function_that_has_them(right, hand_in):
    """l for d and d for l at the head of the file."""
    text = right("biglide_vectors").replace("l = 0.2828427", "l = 0.4").replace("d = 0.4", "d = 0.2828427")
    grade = grade_models(*hand_in("biglide", text), "biglide")
    named = {f.name for f in grade.functions if f.mistakes == ("l-and-d-exchanged",)}
    assert named == {f.name for f in grade.functions if f.verdict == "wrong"}
    assert {"dgm", "igm", "dkm_passive", "dkm2", "dynamic_model"} <= named
