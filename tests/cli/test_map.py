"""`closedchain map`: the file holds what the models say, and the answer tells what it spans."""

import json

import numpy as np
import pytest
from PIL import Image

from closedchain.model.evaluation import evaluate
from closedchain.model.loading import load

WINDOW = ("--window", "-0.1,0.1,0.2,0.4")


def width(path):
    """Of a picture [pixels]."""
    with Image.open(path) as image:
        return image.width


def test_the_numbers_are_those_of_the_models_at_each_point(run, tmp_path):
    """det A and det B at a grid point, by `evaluate` there; float32, so to 1e-6 of the largest."""
    path = tmp_path / "map.npz"
    done = run("map", "biglide", *WINDOW, "--shape", "11,21", "--out", str(path), "--json")
    assert done.code == 0
    answer = done.json
    assert (answer["schema"], answer["shape"], answer["reachable"]) == ("closedchain.map/1", [11, 21], 1.0)
    with np.load(path, allow_pickle=False) as data:
        header = json.loads(bytes(data["header"]).decode())
        assert header["working"] == answer["working"] == ["++", "+-", "-+", "--"]
        x, y = data["x"][5], data["y"][7]
        for k, mode in enumerate(header["working"]):
            there = evaluate(load("biglide"), x=[x, y], working=mode)
            assert data["det_A"][k, 7, 5] == pytest.approx(float(there.det_A), abs=1e-6)
            assert data["det_B"][k, 7, 5] == pytest.approx(float(there.det_B), abs=1e-6)
    assert header["parameters"]["l"] == 0.3606


def test_only_what_is_asked_for_is_computed(run, tmp_path):
    """One quantity, one mode."""
    path = tmp_path / "map.npz"
    words = ("--quantity", "condition", "--working", "--", "--shape", "9,9")
    answer = run("map", "biglide", *WINDOW, *words, "--out", str(path), "--json").json
    assert (answer["working"], answer["quantities"]) == (["--"], ["condition"])
    low, high = answer["ranges"]["condition"]["--"]
    assert 0.0 < low < high <= 1.0
    with np.load(path, allow_pickle=False) as data:
        assert set(data) == {"header", "x", "y", "slack", "condition"}


def test_a_npy_file_is_streamed_with_a_note_beside_it(run, tmp_path):
    """Planes × rows × columns, and a .json that says what they are."""
    assert run("map", "biglide", *WINDOW, "--shape", "9,10", "--out", str(tmp_path / "m.npy")).code == 0
    assert np.load(tmp_path / "m.npy", allow_pickle=False).shape == (1 + 4 * 4, 9, 10)
    assert json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))["robot"] == "biglide"


def test_a_plate_is_mapped_at_an_orientation_with_a_unit(run, tmp_path):
    """10deg is 0.1745 rad; the reach has an end, so no window is needed."""
    words = ("--orientation", "10deg", "--shape", "40,40", "--quantity", "det_A", "--out", str(tmp_path / "m.png"))
    answer = run("map", "triplate", *words, "--json").json
    assert answer["third"] == pytest.approx(np.radians(10), rel=1e-15)
    assert 0.5 < answer["reachable"] < 1.0
    assert width(tmp_path / "m.png") > 1000


@pytest.mark.parametrize(
    "argv, words",
    [
        (("biglide", "--out", "m.npz"), "its reach has no end"),
        (("biglide", *WINDOW), "--out"),
        (("biglide", *WINDOW, "--out", "m.txt"), "must end in .npz or .npy or .png"),
        (("biglide", *WINDOW, "--out", "nowhere/m.npz"), "no folder"),
        (("biglide", "--window", "0,1,0", "--out", "m.npz"), "4 wanted"),
        (("biglide", "--window", "1,0,0,1", "--out", "m.npz"), "window is"),
        (("biglide", *WINDOW, "--shape", "9", "--out", "m.npz"), "two whole numbers"),
        (("biglide", *WINDOW, "--shape", "1,9", "--out", "m.npz"), "at least 2"),
        (("biglide", *WINDOW, "--quantity", "beauty", "--out", "m.npz"), "det_A"),
        (("biglide", *WINDOW, "--working", "+*", "--out", "m.npz"), "no working mode"),
        (("triplate", "--out", "m.npz"), "orientation"),
        (("biglide", *WINDOW, "--orientation", "10deg", "--out", "m.npz"), "takes neither"),
    ],
)
def test_what_cannot_be_mapped_is_one_line(run, argv, words, tmp_path, monkeypatch):
    """Exit code 2, the reason, no file."""
    monkeypatch.chdir(tmp_path)
    done = run("map", *argv)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("robot", "option"), [("triplate", "--orientation"), ("delta", "--height")])
@pytest.mark.parametrize("command", ["map", "workspace"])
def test_a_missing_third_coordinate_is_named_as_the_option_it_is(run, tmp_path, command, robot, option):
    """A plate needs its angle, a point in space its height."""
    out = ("--out", str(tmp_path / "map.npz")) if command == "map" else ()
    done = run(command, robot, *out)
    assert done.code == 2
    assert f"write {option} on the command line" in done.err


def test_a_slice_of_a_body_in_space(run, tmp_path):
    """Two coordinates vary in their own units, the others are held."""
    hold = ("--hold", "x=0,y=0,z=5mm,roll=0", "--window=-30deg,30deg,-100deg,100deg", "--shape", "20,30")
    answer = run("map", "hexa:reachy-mini", *hold, "--out", str(tmp_path / "m.npz"), "--json").json
    assert answer["axes"] == ["pitch [rad]", "yaw [rad]"]
    assert answer["held"]["z"] == 0.005
    assert answer["shape"] == [20, 30]
    assert run("map", "hexa:reachy-mini", "--hold", "phi=0", "--out", str(tmp_path / "m.npz")).code == 2
