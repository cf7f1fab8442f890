"""`transmission`, and `export` of code for a target, as they are typed."""

import json
from pathlib import Path

import numpy as np
import pytest

WALKER = str(Path(__file__).parents[2] / "examples/08_exchange/ankle.xml")
RANGES = ("--range", "pitch=-20deg:20deg", "--range", "roll=-10deg:10deg")


def test_the_answer_has_both_sides_and_its_limits(run):
    """Motors of a G1 to the pose that two other programs have, corners of what they can hold there."""
    words = ("transmission", "ankle:g1", "--q", "0.3,-0.3", "--q-dot", "1,2", "--most-torque", "40,40")
    answer = run(*words, "--json").json
    assert answer["schema"] == "closedchain.transmission/1"
    np.testing.assert_allclose(answer["y"], [-0.216037617, 0.000612785], atol=1e-9)
    np.testing.assert_allclose(np.array(answer["J"]) @ answer["K"], np.eye(2), atol=1e-12)
    np.testing.assert_allclose(answer["torques"][0], np.array(answer["K"]).T @ [40.0, 40.0], rtol=1e-12)
    assert "speeds" not in answer
    text = run(*words).out
    assert "pitch -0.216037617 rad" in text
    assert "its rate" in text


def test_a_published_file_is_read(run):
    """A part of an MJCF model, by its joints."""
    part = ("--part", "shank", "--output", "foot")
    done = run("transmission", WALKER, *part, "--x", "5deg,3deg", "--rotor", "1e-3,1e-3", "--json")
    np.testing.assert_allclose(done.json["y"], np.radians([5, 3]))
    K = np.array(done.json["K"])
    np.testing.assert_allclose(done.json["reflected"], 1e-3 * K.T @ K, rtol=1e-12)


@pytest.mark.parametrize(
    "words, code, told",
    [
        (("ankle:g1", "--q", "3,3"), 4, "not sure beyond"),
        (("ankle:g1", "--q", "0,0", "--x", "0,0"), 2, "the other follows"),
        (("ankle:g1", "--part", "shank"), 2, "is for a model file"),
        (("fivebar",), 4, "Type 2 singularity"),
        ((WALKER,), 5, "is a linkage"),
        (("ankle:g1", "--most-torque", "0,1"), 2, "positive"),
    ],
)
def test_what_cannot_be_told_is_one_line(run, words, code, told):
    """With the exit code that the help promises."""
    done = run("transmission", *words)
    assert (done.code, done.out) == (code, "")
    assert told in done.err


def test_a_header_comes_with_its_self_test(run, tmp_path):
    """Three files, named after --out; the JSON counts operations."""
    done = run("export", "ankle:g1", "--to", "header", *RANGES, "--out", str(tmp_path / "ankle.h"), "--json")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ankle.h", "ankle.hpp", "ankle.selftest.c"]
    assert '#include "ankle.h"' in (tmp_path / "ankle.selftest.c").read_text()
    assert done.json["operations"]["joint_to_motor"]["roots"] == 2
    assert any("reaches 100.0 %" in note for note in done.json["notes"])


def test_objects_come_with_their_bounds(run, tmp_path):
    """Those of the named targets, with prototypes; instructions and stack of each function."""
    words = ("--to", "object", "--kernels", "inverse", "--target", "riscv32", "--target", "wasm32")
    done = run("export", "biglide", *words, "--out", str(tmp_path / "b.h"), "--json")
    assert [Path(p).name for p in done.json["written"]] == ["b.h", "b.selftest.c", "b.riscv32.o", "b.wasm32.wasm"]
    assert done.json["bounds"]["riscv32"]["functions"]["biglide_inverse"]["instructions"] > 10
    assert (tmp_path / "b.wasm32.wasm").read_bytes()[:4] == b"\0asm"
    json.dumps(done.json)


@pytest.mark.parametrize(
    "words, told",
    [
        (("--to", "c", *RANGES), "--range is for --to header"),
        (("--to", "header", "--range", "pitch=-20deg:20deg"), "roll has none"),
        (("--to", "header", "--range", "yaw=0:1"), "the joints are pitch, roll"),
        (("--to", "header", "--home", "0,0"), "give --range"),
        (("--to", "header", "--target", "wasm32"), "--target is for --to object"),
        (("--to", "object", "--target", "z80", "--kernels", "inverse_dynamics"), "no target 'z80'"),
        (("--to", "header", *RANGES, "--kernels", "inverse"), "give one of them"),
        (("--to", "header", "--scenario", "furuta-fall"), "takes no --scenario"),
    ],
)
def test_wrong_words_about_targets_are_refused(run, words, told):
    """Before anything is derived, as far as that can be."""
    done = run("export", "ankle:g1", *words, "--out", "x.h")
    assert done.code == 2
    assert told in done.err
