"""Known configurations and outputs of several bodies on the command line."""

import numpy as np
import pytest

import closedchain as cc

CAM = """
name = "cam"
[parameters]
m = { value = 2, unit = "kg" }
a = { value = 1, unit = "m" }
[equations]
q = { q1 = "rad" }
x = { X = "m", Y = "m" }
driven = ["q1"]
kinetic = "m*(X_dot**2 + Y_dot**2)/2 + q1_dot**2/2"
closures = [
    { name = "arm", residual = "X + Y/4 - cos(q1)" },
    { name = "profile", residual = "Y - exp(X/a)/5 - sin(q1)/10" },
]
"""
ARM = """
name = "arm"
output = "P"
[points]
C = { free = true, mass = 1 }
[drives.q1]
crank = { about = [0, 0], radius = 0.4 }
point = "A1"
mass = 1
[drives.q2]
crank = { about = [0.3, 0], radius = 0.3 }
point = "A2"
mass = 1
[[bars]]
between = ["A1", "C"]
length = 0.35
points = { P = [0.6, 0.1] }
[[bars]]
between = ["A2", "C"]
length = 0.4
"""
RUN = """
robot = "cam.toml"
interval = "1 ms"
duration = 0.01
[controller]
kind = "constant"
value = 0
[start]
q = [0]
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A cam whose profile no polynomial closes, an arm with a tip on a bar's extension, and a run of the cam."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("cam.toml", CAM), ("arm.toml", ARM), ("run.toml", RUN)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return cc.assemble(cc.load("cam.toml"), {"q1": 0.7, "X": 0.6, "Y": 0.4}, held=("q1",)).unwrap()


def test_q_and_x_together_need_no_closed_form(run, files):
    """Typed with six digits they are closed to rounding by evaluate, singular and simulate."""
    x = ",".join(f"{v:.6f}" for v in files[1:])
    alone = run("evaluate", "cam.toml", "--q", "0.7")
    assert alone.code == 5
    assert "--q and --x" in alone.err
    evaluated = run("evaluate", "cam.toml", "--q", "0.7", "--x", x, "--json").json
    np.testing.assert_allclose(evaluated["x"], files[1:], atol=1e-13)
    singular = run("singular", "cam.toml", "--q", "0.7", "--x", x, "--json").json
    np.testing.assert_allclose(singular["x"], files[1:], atol=1e-13)
    done = run("simulate", "run.toml", "--q", "0.7", "--x", x, "--json")
    assert done.code == 0
    assert done.json["closure_residual"] < 1e-12
    np.testing.assert_allclose(done.json["final_x"], files[1:], atol=1e-9)  # nothing acts on it


def test_what_does_not_close_is_refused_with_the_distance(run, files):
    """x is 0.2 m off."""
    done = run("evaluate", "cam.toml", "--q", "0.7", "--x", f"{files[1]:.6f},{files[2] + 0.2:.6f}")
    assert done.code == 4
    assert "0.2 m away" in done.err


def test_the_outputs_own_coordinates_are_enough(run, files):
    """Two numbers for a robot of four coordinates: every solution with the knee beside the drives."""
    solved = run("solve", "inverse", "arm.toml", "--x", "0.35,0.75", "--json").json
    assert solved["count"] == 4
    assert all(len(s["x"]) == 4 for s in solved["solutions"])
    assert "x_C [m]" in run("solve", "inverse", "arm.toml", "--x", "0.35,0.75").out
    mode = solved["solutions"][1]["mode"]
    state = run("evaluate", "arm.toml", "--x", "0.35,0.75", f"--working={mode}", "--json").json
    assert state["q"] == solved["solutions"][1]["q"]
    assert state["working"] == mode
    wrong = run("solve", "inverse", "arm.toml", "--x", "0.35")
    assert wrong.code == 2
    assert "2 wanted, with commas: x [m], y [m]" in wrong.err
    made = run("plan", "arm.toml", "--from", "0.35,0.75", "--to", "0.3,0.6", "--margin", "0.01", "--json").json
    assert made["found"]
    assert made["proven"] is False
