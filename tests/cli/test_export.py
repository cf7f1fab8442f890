"""`export` and `import`: files of other programs, there and back."""

import tomllib

import numpy as np
import pytest

from closedchain.cli.export import WRITERS


def test_a_text_goes_to_stdout_and_what_it_lacks_to_stderr(run):
    """One MJCF document, and a note on the readouts."""
    done = run("export", "biglide", "--to", "mjcf", "--set", "m_p=5")
    assert done.code == 0
    assert done.out.startswith('<mujoco model="biglide">')
    assert 'mass="2.5"' in done.out
    assert "phi1, phi2 are left out" in done.err


@pytest.mark.parametrize("form, endings", [("mjcf", [".xml"]), ("sdf", [".sdf"]), ("urdf", [".urdf", ".yaml"])])
def test_files_are_written_and_come_back_as_the_same_robot(run, tmp_path, form, endings):
    """--out names the main file; import of it writes a mechanism file that solves as the robot does."""
    place = tmp_path / f"rrr3{endings[0]}"
    done = run("export", "rrr3", "--to", form, "--out", str(place), "--json")
    assert done.code == 0
    assert done.json["written"] == [str(tmp_path / f"rrr3{ending}") for ending in endings]
    back = run("import", str(place), "--out", str(tmp_path / "back.toml"), "--json").json
    assert back["schema"] == "closedchain.import/1"
    assert (back["mobility"], back["drives"], back["reason"]) == (3, ["theta1", "theta2", "theta3"], None)
    assert back["joints_in_file"] >= 7
    assert tomllib.loads(back["mechanism"])["name"] == "rrr3"
    x = "1.2,1.1,0.1"
    ours = run("solve", "inverse", "rrr3", "--x", x, "--json").json
    theirs = run("solve", "inverse", str(tmp_path / "back.toml"), "--x", x, "--json").json
    assert theirs["count"] == ours["count"] == 8
    np.testing.assert_allclose([s["q"] for s in theirs["solutions"]], [s["q"] for s in ours["solutions"]], atol=1e-12)


def test_two_files_need_a_place(run, tmp_path):
    """URDF has a YAML beside it: stdout cannot hold both; an ending that is the YAML's is refused."""
    done = run("export", "biglide", "--to", "urdf")
    assert done.code == 2
    assert "--out NAME.urdf" in done.err
    assert run("export", "biglide", "--to", "urdf", "--out", str(tmp_path / "a.yaml")).code == 2
    assert run("export", "biglide", "--to", "mjcf", "--out", str(tmp_path / "none" / "a.xml")).code == 2


def test_an_unknown_format_is_told_the_known_ones(run):
    """Every writer that there is, by its name."""
    done = run("export", "biglide", "--to", "dxf")
    assert done.code == 2
    for form in WRITERS:
        assert form in done.err


def test_what_stands_in_space_is_read_again_as_a_robot(run, tmp_path):
    """The delta: counts, and a mechanism file of bodies."""
    place = tmp_path / "delta.xml"
    run("export", "delta", "--to", "mjcf", "--out", str(place))
    done = run("import", str(place))
    assert done.code == 0
    assert "a robot of ours" in done.out
    assert "mobility" in done.out


@pytest.mark.parametrize("text", ["<a/>", "no xml", "<!DOCTYPE a><mujoco/>", ""])
def test_a_bad_file_is_exit_code_3_and_one_line(run, tmp_path, text):
    """Its name and what is wrong."""
    place = tmp_path / "bad.xml"
    place.write_text(text, encoding="utf-8")
    done = run("import", str(place))
    assert done.code == 3
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert "bad.xml" in done.err
    assert run("import", str(tmp_path / "missing.xml")).code == 3


@pytest.mark.parametrize("command", [("export", "biglide", "--to", "mjcf"), ("import", "robot.urdf"), ("demo",)])
def test_a_place_that_cannot_be_is_refused_before_the_work(run, tmp_path, command):
    """No folder there, or a folder in its place: exit code 2 and one line, before anything is read or noted."""
    (tmp_path / "made.html").mkdir()
    for name, words in (
        ("nowhere/x.html", "there is no folder"),
        ("made.html", "is a folder; give a file's name in it"),
    ):
        done = run(*command, "--out", str(tmp_path / name))
        assert (done.code, done.out) == (2, "")
        assert words in done.err
        assert done.err.count("\n") == 1


@pytest.mark.parametrize("form, endings", [("c", [".c", ".h"]), ("fmu", [".fmu"])])
def test_the_controller_of_a_scenario_is_exported_by_itself(run, tmp_path, form, endings):
    """--controller names the scenario; its gains are in the C, and other formats say that they have none."""
    place = tmp_path / f"law{endings[0]}"
    words = ("export", "biglide", "--controller", "biglide-computed-torque", "--set", "controller.kp=77", "--json")
    done = run(*words, "--to", form, "--out", str(place))
    assert done.code == 0
    assert done.json["written"] == [str(tmp_path / f"law{ending}") for ending in endings]
    if form == "c":
        assert "_gains[2] = {77.0, 100.0};" in place.read_text()
    assert run(*words, "--to", "js").code == 2
    assert run("export", "fivebar", *words[2:], "--to", form, "--out", str(place)).code == 2


def test_forces_are_inputs_of_the_formats_that_have_any(run):
    """C names them in its header; MJCF has none."""
    header = run("export", "biglide", "--to", "c", "--force", "C=0,0", "--json").json["files"][".h"]
    assert "BIGLIDE_P_force_C_x" in header
    refused = run("export", "biglide", "--to", "mjcf", "--force", "C=0,0")
    assert refused.code == 2
    assert "are inputs of --to c, fmu, casadi, js" in refused.err


def test_keyframes_and_couplings_are_told_and_chosen(run, tmp_path):
    """A gripper: one freedom of two, its keyframes by name; --key begins there, another name is refused."""
    body = '<body name="{0}"><joint name="{0}" axis="0 0 1"/><geom size="0.1" pos="{1} 0 0" mass="1"/></body>'
    place = tmp_path / "gripper.xml"
    place.write_text(
        f"<mujoco><worldbody>{body.format('left', -1)}{body.format('right', 1)}</worldbody>"
        "<equality><joint joint1='right' joint2='left' polycoef='0.5 -1 0 0 0'/></equality>"
        "<actuator><motor joint='left'/></actuator><keyframe><key name='open' qpos='0.7 -0.2'/></keyframe></mujoco>",
        encoding="utf-8",
    )
    said = run("import", str(place))
    assert "keyframes (--key NAME starts from one): open" in said.out
    assert "from 5.0e-01 as written" in said.out
    back = run("import", str(place), "--key", "open", "--json").json
    assert (back["mobility"], back["couplings"], back["keys"]) == (1, 1, ["open"])
    assert back["residual"] < 1e-15
    assert "[[couplings]]" in back["mechanism"]
    wrong = run("import", str(place), "--key", "shut")
    assert wrong.code == 3
    assert "no keyframe 'shut'; there are open" in wrong.err
