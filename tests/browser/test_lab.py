"""The Lab screen in a real browser: a group's file is run only when a person confirms it."""

from pathlib import Path

import pytest

from tests.browser.violations import violations

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "examples/11_lab/biglide_models.py"
RIGHT = {"biglide": MODELS, "fivebar": ROOT / "tests/lab/grading/right/fivebar_vectors.txt"}


@pytest.fixture
def faulty(tmp_path):
    """The example's models with the sign of ẏ turned round in the inverse kinematics."""
    right = MODELS.read_text(encoding="utf-8")
    wrong = right.replace("u @ [xD, yD] / u[:, 1]", "u @ [xD, -yD] / u[:, 1]")
    assert wrong != right
    path = tmp_path / "biglide_models.py"
    path.write_text(wrong, encoding="utf-8")
    return path


def grade(page, path):
    """Load a file, confirm, grade."""
    page.set_input_files("#group-file", path)
    page.get_by_label("I want this code to run").check()
    page.get_by_role("button", name="Grade it").click()
    page.wait_for_selector(".file-grade", timeout=90_000)


def test_nothing_is_graded_before_it_is_confirmed(walk):
    """With a file but without the tick, the button is off; each new file must be confirmed anew."""
    page = walk.open("lab", "biglide")
    assert page.get_by_label("I want this code to run").is_disabled()
    page.set_input_files("#group-file", MODELS)
    page.wait_for_selector(".source:not([hidden])")
    assert page.get_by_role("button", name="Grade it").is_disabled()
    page.get_by_label("I want this code to run").check()
    assert page.get_by_role("button", name="Grade it").is_enabled()
    page.set_input_files("#group-file", {"name": "other.py", "mimeType": "text/x-python", "buffer": b"x = 1\n"})
    page.wait_for_selector("text=other.py")
    assert page.get_by_role("button", name="Grade it").is_disabled()


@pytest.mark.parametrize("robot", RIGHT)
def test_right_models_have_all_points(walk, tmp_path, robot):
    """A right file's ten functions are right, and nothing of the group's is drawn beside the robot."""
    page = walk.open("lab", robot)
    path = tmp_path / f"{robot}_models.py"
    path.write_text(RIGHT[robot].read_text(encoding="utf-8"), encoding="utf-8")
    grade(page, path)
    assert page.locator(".score").inner_text().startswith("100")
    assert page.locator(".grades td .good").count() == 10
    page.wait_for_selector(".lab-right .stage .linkage.robot")
    assert page.locator(".lab-right .marks .mark").count() == 0
    assert page.locator(".lab-right .linkage.other").get_attribute("display") == "none"


def test_a_wrong_sign_is_shown_where_it_departs(walk, faulty):
    """ikm is wrong and chosen; both drives' rates are off by the same −2 ẏ, and each has its two arrows."""
    page = walk.open("lab", "biglide")
    grade(page, faulty)
    page.wait_for_selector(".lab-right .stage .mark.arrow.got >> nth=1")
    assert page.locator(".words h2").inner_text() == "ikm: wrong"
    assert page.locator(".lab-right .marks .mark.arrow.right").count() == 2  # one for each drive
    rows = page.locator(".words tbody tr")
    apart = [float(t.replace("\u2212", "-")) for t in rows.locator("td:nth-child(4)").all_inner_texts()]
    assert apart[0] == pytest.approx(apart[1], rel=5e-3)  # u·(0, −2ẏ)/u_y = −2ẏ for each bar, three digits shown
    assert violations(page) == []
