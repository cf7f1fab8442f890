"""`closedchain crossing`: the motion of TRUTH.md §3.3, broken on purpose, and scenarios checked."""

import numpy as np
import pytest
from PIL import Image

MOTION = (
    "biglide",
    "--from",
    "0,0.3",
    "--to",
    "-0.1,-0.15",
    "--duration",
    "6",
    "--working",
    "++",
    "--end-working",
    "-+",
)

APART = ("fivebar", "--set", "l2=0.02", "--from", "0,0.09", "--to", "0,-0.09", "--duration", "2")


def test_the_crossing_of_truth_3_3(run):
    """t_m = 2.7831688244, t_s = 4.3328525086, max |τ| = 0.9124, the efforts' limit at t_s; ten printed digits."""
    done = run("crossing", *MOTION, "--json")
    answer = done.json
    assert (done.code, answer["schema"], answer["bounded"]) == (0, "closedchain.crossing/1", True)
    assert answer["t_singular"] == pytest.approx([4.3328525086], abs=1e-10)
    assert answer["t_type_1"] == [{"t": pytest.approx(2.7831688244, abs=1e-10), "leg": "A1-C"}]
    assert answer["max_effort"] == pytest.approx(0.9124, abs=5e-5)
    assert answer["effort_at_singularity"][0] == pytest.approx([0.0442350203568608, -0.569500500024304], abs=1e-10)
    assert 0.0 < answer["margin"] < 1.0
    assert answer["margin"] == pytest.approx(1 - answer["max_effort_near"] / answer["max_effort_elsewhere"], rel=1e-14)


def test_one_crossing_has_no_passing_pose(run):
    """The fields of a motion in one stretch: two modes, one instant, no pose between."""
    answer = run("crossing", *MOTION, "--json").json
    assert (answer["working"], answer["passing"], len(answer["t_singular"])) == (["++", "-+"], [], 1)
    assert {"max_effort", "t_singular", "effort_at_singularity", "margin"} <= answer.keys()


def test_modes_need_not_be_named(run):
    """From (0.05, 0.3) to (−0.1, −0.15) `+-` and `-+` both lead through x = 0; the answer says which was taken."""
    words = ("biglide", "--from", "0.05,0.3", "--to", "-0.1,-0.15", "--duration", "2", "--json")
    answer = run("crossing", *words).json
    assert answer["working"] in (["+-", "+-"], ["-+", "-+"])
    assert answer["x_singular"][0][0] == pytest.approx(0.0, abs=1e-12)
    assert answer["max_effort_near"] <= 1.1 * answer["max_effort_elsewhere"]


def test_both_legs_change_through_a_passing_pose(run):
    """The modes one after another, both Type 1 instants, the pose between; told to people too."""
    words = ("biglide", "--from", "0.05,0.3", "--to", "-0.1,-0.15", "--duration", "6", "--working", "++")
    answer = run("crossing", *words, "--end-working", "--", "--json").json
    assert (answer["bounded"], answer["working"][0], answer["working"][-1]) == (True, "++", "--")
    assert sorted(event["leg"] for event in answer["t_type_1"]) == ["A1-C", "A2-C"]
    (between,) = answer["passing"]
    assert answer["t_type_1"][0]["t"] < between["t"] < answer["t_type_1"][1]["t"]
    assert between["working"] == answer["working"][1]
    assert len(answer["effort_at_singularity"]) == len(answer["t_singular"]) == 1  # det A + in ++, - in --
    assert "at rest at" in run("crossing", *words, "--end-working", "--").out


def test_people_read_when_and_how_large(run):
    """Instants, efforts, units."""
    out = run("crossing", *MOTION).out
    for words in ("from ++ to -+ in 6 s", "Type 1 at 2.783168824 s", "Type 2 at 4.332852509 s", "tau_q1 [N]"):
        assert words in out


def test_a_push_leaves_the_efforts_without_a_bound(run):
    """Null in JSON where they have none; the criterion tells the force; the growth is told to people."""
    done = run("crossing", *MOTION, "--push", "0.05", "--json")
    answer = done.json
    assert (done.code, answer["bounded"], answer["max_effort"], answer["margin"]) == (0, False, None, None)
    assert answer["effort_at_singularity"] == [None]
    assert answer["criterion"][0]["push"] == pytest.approx(0.05, rel=1e-6)
    assert "grow as" in run("crossing", *MOTION, "--push", "0.05").out


def test_without_a_singularity_on_the_way_there_is_none_to_tell(run):
    """From above to above the feet: no Type 2, so no margin."""
    words = ("biglide", "--from", "0,0.3", "--to", "0.05,0.35", "--duration", "1", "--working", "++", "--json")
    answer = run("crossing", *words).json
    assert (answer["t_singular"], answer["margin"], answer["bounded"]) == ([], None, True)
    assert answer["max_effort"] > 0.0


def test_a_scenario_is_checked_with_its_own_trajectory(run):
    """The planned one is bounded; seed 000's breaks the criterion: exit code 4 and the document."""
    good = run("crossing", "--scenario", "biglide-crossing", "--json")
    assert (good.code, good.json["bounded"]) == (0, True)
    assert good.json["t_singular"] == pytest.approx([4.3328525086], abs=1e-9)
    bad = run("crossing", "--scenario", "biglide-crossing-document", "--json")
    assert (bad.code, bad.json["bounded"], bad.json["effort_at_singularity"]) == (4, False, [None])
    assert "not bounded" in bad.err


@pytest.mark.parametrize("push", [(), ("--push", "0.05")])
def test_the_picture_shows_efforts_whether_bounded_or_not(run, tmp_path, push):
    """As PNG."""
    path = tmp_path / "efforts.png"
    assert run("crossing", *MOTION, *push, "--plot", str(path)).code == 0
    with Image.open(path) as image:
        assert np.asarray(image).std() > 1.0


@pytest.mark.parametrize(
    "argv, code, words",
    [
        ((), 2, "crossing needs ROBOT, --from"),
        (("biglide",), 2, "crossing needs --from"),
        ((*MOTION[:-2], "--end-working", "+0"), 2, "no working mode"),
        ((*APART, "--working", "++", "--end-working", "--"), 4, "0.022 m apart"),
        (("biglide", "--from", "0,0.3", "--to", "0.7,0", "--duration", "6", "--working", "++"), 4, "misses"),
        (("biglide", "--from", "0,0.3", "--to", "0,0.2", "--duration", "0", "--working", "++"), 2, "duration"),
        (("triplate", "--from", "0,0,0", "--to", "1,0,0", "--duration", "6", "--working", "++"), 2, "two bars"),
        (("biglide", "--scenario", "biglide-crossing"), 2, "brings its own robot"),
        (("--scenario", "biglide-cros"), 2, "did you mean"),
    ],
)
def test_what_cannot_be_crossed_is_one_line(run, argv, code, words):
    """Exit code and reason."""
    done = run("crossing", *argv)
    assert (done.code, done.out) == (code, "")
    assert words in done.err


def test_the_drives_of_a_crossing_are_written_as_a_table(run, tmp_path):
    """Every 2 ms unless told, named like the drives; of a scenario's own trajectory, too, bounded or not."""
    file = tmp_path / "drives.csv"
    done = run("crossing", *MOTION, "--table", str(file))
    assert (done.code, done.err) == (0, f"closedchain: wrote {file}\n")
    head, *rows = file.read_text(encoding="utf-8").splitlines()
    assert (head, len(rows)) == ("t,q1,q2", 3001)
    first, last = (np.array(row.split(","), dtype=float) for row in (rows[0], rows[-1]))
    np.testing.assert_allclose(
        first, [0.0, 0.3 - np.sqrt(0.3606**2 - 0.04), 0.3 - np.sqrt(0.3606**2 - 0.04)], atol=1e-14
    )
    np.testing.assert_allclose(last[1], -0.15 + np.sqrt(0.3606**2 - 0.01), atol=1e-13)
    done = run("crossing", "--scenario", "biglide-crossing-document", "--table", str(file), "--interval", "10ms")
    assert done.code == 4  # its efforts have no bound
    assert len(file.read_text(encoding="utf-8").splitlines()) == 1 + 396  # 3.95 s every 10 ms
    assert run("crossing", *MOTION, "--table", "drives.png").code == 2
