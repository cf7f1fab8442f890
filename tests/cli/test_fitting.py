"""`calibrate` and `identify` from the command line: text, JSON, pictures, files."""

import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.cli import main

FOLDER = Path(__file__).parents[2] / "examples/14_calibration"
PRINTER = str(FOLDER / "klipper_delta.toml")


@pytest.fixture
def heights(tmp_path):
    """Probe heights of a printer whose arms at tower a are 0.4 mm longer than described, in mm."""
    robot = cc.load(PRINTER)
    turns = [(r, 2 * np.pi * k / n) for r, n in ((0.0, 1), (0.06, 6), (0.1, 12)) for k in range(n)]
    points = np.array([(r * np.cos(a), r * np.sin(a), 0.0) for r, a in turns])
    q = cc.state(robot, x=points, working="+++").q
    z = cc.state(robot.with_values(arm_a=0.2504), q=q).x[:, 2]
    path = tmp_path / "heights.csv"
    np.savetxt(path, np.column_stack([q, z]) * 1e3, "%.9f", ",", header="a_mm,b_mm,c_mm,z_mm", comments="")
    return path


def test_calibrate_answers_with_values_and_what_it_cannot_see(heights, capsys):
    """One JSON document: the arm is found, the common turn of the towers is named as unseen."""
    assert main(["calibrate", PRINTER, str(heights), "--sd", "z=0.01mm", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "closedchain.calibrate/1"
    found = {row["name"]: row for row in answer["found"]}
    assert found["arm_a"]["value"] == pytest.approx(0.2504, abs=1e-9)
    assert found["angle_a"]["sd"] is None
    assert answer["unseen"] == ["angle_a + angle_b + angle_c"]
    assert answer["rank"] == 9


def test_calibrate_writes_the_robot_the_picture_and_suggestions(heights, tmp_path, capsys):
    """The calibrated robot is a mechanism file like any other; further poses are told with the weakest direction."""
    out, plot = tmp_path / "found.toml", tmp_path / "residuals.png"
    words = ["--hold", "angle_c", "--robust", "huber", "--lever", "124mm", "--suggest", "2", "--out", str(out)]
    assert main(["calibrate", PRINTER, str(heights), *words, "--plot", str(plot)]) == 0
    told = capsys.readouterr().out
    assert "2 further measurements" in told
    assert "seen weakly" in told
    assert plot.read_bytes()[:4] == b"\x89PNG"
    assert cc.load(out).values["arm_a"] == pytest.approx(0.2504, abs=1e-9)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--prior", "arm_a=250mm"], "standard deviation"),
        (["--start", "arm_a"], "has no value"),
        (["--sd", "colour=1"], "neither a parameter nor"),
        (["--vary", "arm_d"], "unknown parameter"),
        (["--plot", "picture.txt"], "must end in"),
    ],
)
def test_calibrate_says_what_an_option_lacks(heights, capsys, words, problem):
    """Exit code 2, one line."""
    assert main(["calibrate", PRINTER, str(heights), *words]) == 2
    assert problem in capsys.readouterr().err


def test_identify_tells_base_parameters_without_readings(capsys):
    """Ranks by two methods and each combination."""
    assert main(["identify", "biglide", "--drives", "none", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["rank"]["svd"] == answer["rank"]["qr"] == 5
    assert answer["base"][0]["combination"].startswith("q1.m + A1-C.m")


def test_identify_makes_a_motion_and_reads_what_was_measured_on_it(tmp_path, capsys):
    """The exciting motion is a table; with efforts beside it the tip's mass comes out, and a picture is drawn."""
    motion, data, plot = (tmp_path / name for name in ("motion.csv", "data.csv", "efforts.svg"))
    limits = ["--q-limit", "q11=1.2:2.0", "--q-limit", "q21=1.1:1.9", "--period", "2s", "--evaluations", "60"]
    assert main(["identify", "fivebar", "--excite", str(motion), *limits, "--assembly", "+"]) == 0
    assert "condition number" in capsys.readouterr().out
    robot = cc.load("fivebar")
    head, *rows = motion.read_text().splitlines()
    values = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    q, q_dot, q_ddot = values[:, 1:3], values[:, 3:5], values[:, 5:7]
    tau = cc.inverse_dynamics(robot, cc.state(robot, q=q, q_dot=q_dot, assembly="+"), q_ddot)
    table = np.column_stack([values, tau])
    np.savetxt(data, table, "%.17g", ",", header=f"{head},tau_q11,tau_q21", comments="")
    assert main(["identify", "fivebar", str(data), "--assembly", "+", "--plot", str(plot), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "closedchain.identify/1"
    found = {row["name"]: row["value"] for row in answer["found"]}
    assert found["C.m"] == pytest.approx(0.5, abs=1e-10)
    assert answer["physical"]["consistent"]
    assert plot.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--excite", "m.csv"], "between which values"),
        (["--excite", "m.csv", "--q-limit", "q9=0:1"], "write DRIVE=LOW:HIGH"),
        (["--plot", "p.png"], "give readings"),
        (["--drives", "springs"], "a drive has no"),
    ],
)
def test_identify_says_what_is_missing(tmp_path, monkeypatch, capsys, words, problem):
    """Exit code 2, one line."""
    monkeypatch.chdir(tmp_path)
    assert main(["identify", "fivebar", *words]) == 2
    assert problem in capsys.readouterr().err
