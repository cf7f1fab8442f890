"""`closedchain lab`: whose words are whose, exit codes, where things go, Ctrl-C."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from closedchain.cli.lab_options import split

OSCILLATE = """
import sys
from lab_amoro.parallel_robot import *
robot = Robot("biglide")
robot.start_oscillate()
try:
    print(sys.argv[1:], round(robot.end_effector.position_y, 6), flush=True)
    while True:
        robot.continue_oscillations()
except KeyboardInterrupt:
    print("closing", round(robot.get_time(), 2), flush=True)
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A script in the folder that the command runs in."""
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text(OSCILLATE, encoding="utf-8")
    return "script.py"


@pytest.mark.parametrize(
    "given, ours, theirs",
    [
        ("s.py", "s.py", ""),
        ("--duration 5 s.py -1 --q -3", "--duration 5 s.py", "-1 --q -3"),
        ("s.py --duration 5 x --live", "s.py --duration 5 --live", "x"),
        ("s.py -- --duration 5", "s.py", "--duration 5"),
        ("--set l=1 -- s.py --out x", "--set l=1 s.py", "--out x"),
        ("--clock=wall s.py --clock=wall -h", "--clock=wall s.py --clock=wall", "-h"),
        ("-h", "-h", ""),
        ("s.py --duration", "s.py --duration", ""),
    ],
)
def test_words_before_the_script_are_ours_and_unknown_ones_after_it_its_own(given, ours, theirs):
    """After `--` everything is the script's, untouched."""
    found = split(["lab", "run", *given.split()])
    assert found == (["lab", "run", *ours.split()], theirs.split())


def test_other_commands_keep_all_their_words():
    """Only `lab run` has a script."""
    assert split(["solve", "direct", "--q", "-1,2"]) == (["solve", "direct", "--q", "-1,2"], [])


def test_a_script_runs_and_its_page_is_written_where_it_is_said(run, script):
    """Folders are numbered, so that no run is lost."""
    for number in (1, 2):
        done = run("lab", "run", script, "--duration", "300ms", "--gain", "-5", "--", "--out", "mine")
        assert done.code == 0
        assert done.out.splitlines() == ["['--gain', '-5', '--out', 'mine'] 0.2", "closing 0.3"]
        assert f"the page is {Path('lab-runs', f'script-{number}', 'index.html')}" in done.err
        assert Path("lab-runs", f"script-{number}", "index.html").is_file()


def test_parameters_and_outputs(run, script):
    """Other lengths; a page alone; a folder; nothing."""
    done = run("lab", "run", "--robot-param", "l=360.6mm", "--html", "page.html", "--duration", "0.1", script)
    assert done.out.startswith("[] 0.300054")
    assert Path("page.html").is_file()
    run("lab", "run", "--out", "here/there", "--duration", "0.1", script)
    assert Path("here/there/index.html").is_file()
    run("lab", "run", "--no-page", "--duration", "0.1", script)
    assert not Path("lab-runs").exists()


@pytest.mark.parametrize(
    "words, said",
    [
        (("--out", "a", "--html", "b.html"), "one of them"),
        (("--html", "b.pdf"), ".html"),
        (("--out", "script.py"), "is a file"),
        (("--duration", "-3"), "duration"),
        (("--duration", "3kg"), "--duration"),
        (("--robot-param", "l"), "has no value"),
        (("--engine", "gazebo"), "invalid choice"),
    ],
)
def test_what_cannot_be_is_refused_before_the_script_runs(run, script, words, said):
    """Exit code 2, one line, nothing printed by the script."""
    done = run("lab", "run", *words, script)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_the_exit_code_is_the_scripts(run, script):
    """sys.exit, errors, a script that is not there."""
    Path("leave.py").write_text("raise SystemExit(7)\n")
    assert run("lab", "run", "leave.py").code == 7
    Path("fail.py").write_text("1 / 0\n")
    done = run("lab", "run", "fail.py")
    assert done.code == 1
    assert done.err.endswith("ZeroDivisionError: division by zero\n")
    done = run("lab", "run", "nowhere.py")
    assert done.code == 2
    assert "no script 'nowhere.py'" in done.err


def test_a_page_is_written_also_for_a_script_that_fails(run, script):
    """With what there was until then."""
    Path("fail.py").write_text(OSCILLATE.replace("while True:", "for _ in range(5):") + "1 / 0\n")
    done = run("lab", "run", "fail.py")
    assert done.code == 1
    assert "failed: ZeroDivisionError" in Path("lab-runs/fail-1/index.html").read_text(encoding="utf-8")


def test_a_group_starts_with_fresh_files(run, tmp_path, monkeypatch):
    """Their paths are printed; the second time is refused."""
    monkeypatch.chdir(tmp_path)
    done = run("lab", "new", "fivebar", "group")
    assert done.code == 0
    assert str(Path("group", "five_bar_models.py")) in done.out.splitlines()
    done = run("lab", "new", "fivebar", "group")
    assert (done.code, done.out) == (2, "")
    assert "not empty" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to one process there")
@pytest.mark.parametrize("times, code", [(1, 0), (2, 130)])
def test_ctrl_c_reaches_the_script(script, times, code):
    """Its closing code runs; a second Ctrl-C ends that, too. The page is written with what there was."""
    if times == 2:
        Path(script).write_text(OSCILLATE + "    import time\n    for _ in range(600): time.sleep(0.1)\n")
    command = [sys.executable, "-m", "closedchain", "lab", "run", "--clock", "wall", script]
    source = str(Path(__file__).parents[2] / "src")
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": source}
    )
    assert child.stdout is not None
    assert child.stdout.readline().startswith("[] 0.2")
    child.send_signal(signal.SIGINT)
    closing = child.stdout.readline()
    if times == 2:
        child.send_signal(signal.SIGINT)
    with child:
        err = child.communicate(timeout=120)[1]
    assert closing.startswith("closing")
    assert child.returncode == code, err
    assert Path("lab-runs/script-1/index.html").is_file()
