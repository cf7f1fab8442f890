"""`closedchain simulate`: answers, files, exit codes, Ctrl-C and kill -9."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from closedchain import scenarios
from closedchain.simulation.run import read_header

KEYS = {"max_error", "final_error", "max_effort", "energy_residual", "closure_residual", "duration", "ended"}
LONG = """\
schema = "closedchain.scenario/1"
robot = "biglide:lab"
interval = 0.01
duration = 40000
[start]
q = [0, 0]
[controller]
kind = "oscillate"
effort = 0.01
reach = 0.01
"""


def test_the_answer_is_the_runs_summary(run):
    """Every key that is promised, in SI, with the values of the axes."""
    done = run("simulate", "biglide-computed-torque", "--json")
    assert done.code == 0
    answer = done.json
    assert answer["schema"] == "closedchain.simulate/1"
    assert set(answer) >= KEYS | {"scenario", "robot", "parameters", "controller", "interval", "method", "step"}
    summary = scenarios.run("biglide-computed-torque").summary
    assert {key: answer[key] for key in summary} == summary
    assert answer["max_error"] == max(answer["max_error_axes"])
    assert len(answer["max_effort_axes"]) == 2


def test_people_get_a_few_lines(run):
    """What was simulated, how it ended, the error, the effort, how far to trust it."""
    done = run("simulate", "biglide-kinematic")
    assert done.code == 0
    for words in ("biglide-kinematic", "3 s simulated", "largest error 3.562e-04 m", "energy balance", "closure gap"):
        assert words in done.out


def test_the_scenarios_are_listed(run):
    """Every one, for people and as a document."""
    shown, answer = run("simulate", "--list"), run("simulate", "--list", "--json").json
    assert [row["name"] for row in answer["scenarios"]] == list(scenarios.names())
    assert all(name in shown.out for name in scenarios.names())


def test_a_run_that_ends_early_prints_its_result_and_why(run):
    """Exit code 4, one line on stderr, the document on stdout."""
    done = run("simulate", "fivebar-lab-singular", "--json")
    assert done.code == 4
    assert "Type 2 singularity" in done.json["ended"]
    lines = [line for line in done.err.splitlines() if "compiling" not in line]
    assert lines == [f"closedchain: fivebar-lab-singular: {done.json['ended']}"]


@pytest.mark.parametrize(
    "argv, code, words",
    [
        (("biglide-kinematik",), 2, "did you mean 'biglide-kinematic'?"),
        ((), 2, "which scenario?"),
        (("none.toml",), 3, "none.toml: cannot be read"),
        (("biglide-kinematic", "--interval", "-1"), 2, "interval: -1 s is not above 0"),
        (("biglide-kinematic", "--interval", "4"), 2, "longer than the run of 3 s"),
        (("biglide-kinematic", "--duration", "0"), 2, "duration: 0 s is not above 0"),
        (("biglide-kinematic", "--method", "euler"), 2, "method: there is no 'euler'"),
        (("biglide-kinematic", "--method", "dop853"), 2, "method: dop853 integrates efforts"),
        (("biglide-kinematic", "--set", "l"), 2, "has no value"),
        (("biglide-kinematic", "--set", "ll=1"), 2, "did you mean 'l'?"),
        (("biglide-kinematic", "--set", "controller.gain=-1"), 2, "controller.gain: -1 is negative"),
        (("biglide-computed-torque", "--set", "trajectory.to=[0.5, 0.5]"), 4, "Type 1 singularity"),
        (("biglide-kinematic", "--out", "run.txt"), 2, "must end in .npz"),
        (("biglide-kinematic", "--plot", "nowhere/run.png"), 2, "there is no folder 'nowhere'"),
    ],
)
def test_what_cannot_be_run_is_one_line(run, argv, code, words):
    """And nothing on stdout."""
    done = run("simulate", *argv)
    lines = [line for line in done.err.splitlines() if "compiling" not in line]
    assert (done.code, done.out) == (code, "")
    assert len(lines) == 1
    assert words in lines[0]


def test_a_broken_file_is_exit_code_3_with_its_line(run, tmp_path):
    """path:line: place: problem."""
    path = tmp_path / "run.toml"
    path.write_text(LONG.replace("effort = 0.01", "effort = -0.01"))
    done = run("simulate", str(path))
    assert (done.code, done.out) == (3, "")
    assert f"{path}:9: controller.effort: -0.01 N is not above 0" in done.err


def test_a_law_that_does_not_fit_the_robot_is_the_files_fault(run, tmp_path):
    """Nothing drives the pendulum's joint, so that PD cannot command it: known only when the loop is built."""
    path = tmp_path / "run.toml"
    text = LONG.replace("biglide:lab", "furuta").replace("duration = 40000\n", "").partition("[controller]")[0]
    follow = '[trajectory]\nkind = "rest"\nat = [0, 0]\nduration = 1\n[controller]\nkind = "pd"\n'
    path.write_text(text + follow)
    done = run("simulate", str(path))
    lines = [line for line in done.err.splitlines() if "compiling" not in line]
    assert (done.code, done.out, len(lines)) == (3, "", 1)
    assert lines[0].startswith(f"closedchain: {path}: furuta: nothing drives q2")


def test_options_change_the_scenario(run):
    """--set names a parameter or a place in the file; --interval, --duration and --method are the file's own keys."""
    argv = ("--set", "l=400mm", "--set", "controller.kp=50", "--interval", "10ms", "--duration", "1", "--method", "rk6")
    answer = run("simulate", "biglide-computed-torque", *argv, "--json").json
    assert answer["parameters"]["l"] == 0.4
    assert (answer["interval"], answer["duration"], answer["method"]) == (0.01, 1.0, "rk6")


def test_the_files_hold_the_run(run, tmp_path):
    """NPZ and CSV have the same numbers; pictures and animation are there, each one file that stands alone."""
    names = {"out": "run.npz", "csv": "run.csv", "plot": "run.svg", "animate": "run.html"}
    argv = [word for option, name in names.items() for word in (f"--{option}", str(tmp_path / name))]
    assert run("simulate", "biglide-kinematic-slow", *argv).code == 0
    header = read_header(tmp_path / "run.npz")
    assert header["title"] == "biglide-kinematic-slow"
    with np.load(tmp_path / "run.npz", allow_pickle=False) as data:
        table = np.genfromtxt(tmp_path / "run.csv", delimiter=",", names=True, deletechars="")
        np.testing.assert_array_equal(table["x_m"], data["x"][:, 0])
    for name in ("run.svg", "run-efforts.svg", "run-energy.svg"):
        assert (tmp_path / name).read_text(encoding="utf-8").rstrip().endswith("</svg>")
    page = (tmp_path / "run.html").read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert "://" not in page
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*names.values(), "run-efforts.svg", "run-energy.svg"])


def test_a_scenario_beside_its_own_robot(run, tmp_path):
    """The mechanism file's path is relative to the scenario, not to the current folder."""
    (tmp_path / "mine.toml").write_text(run("show", "biglide", "--toml").out)
    text = LONG.replace("biglide:lab", "mine.toml").replace("40000", "1")
    (tmp_path / "run.toml").write_text(text)
    done = run("simulate", str(tmp_path / "run.toml"), "--json")
    assert done.code == 0
    assert done.json["scenario"] == "run"


def test_a_mechanism_file_is_a_robot_without_a_schema_and_with_a_parameter_set(run, tmp_path):
    """The schema may be left out of a mechanism file; `file.toml:lab` has the bars of that set."""
    whole = run("show", "biglide", "--toml").out
    (tmp_path / "mine.toml").write_text(whole.replace('schema = "closedchain.mechanism/1"\n', ""))
    drive = ["--effort", "0, 0", "--duration", "0.01", "--json"]
    for name, length in (("mine.toml", 0.3606), ("mine.toml:lab", 0.2828427)):
        done = run("simulate", str(tmp_path / name), *drive)
        assert done.code == 0
        assert done.json["parameters"]["l"] == pytest.approx(length, abs=1e-4)


def wait_for(condition, seconds=120.0):
    """Poll until it holds; give up after a time that no machine needs."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to one child alone")
def test_ctrl_c_leaves_a_readable_partial_result(tmp_path):
    """The run ends at its next stop: exit code 130, a whole file that says where it was cancelled."""
    (tmp_path / "long.toml").write_text(LONG)
    code = (
        "import sys, signal, os\n"
        "from closedchain.cli import main, watch\n"
        "told = watch.Watch.__call__\n"
        "def call(self, t):\n"
        "    if self.begun: os.kill(os.getpid(), signal.SIGINT)\n"
        "    told(self, t)\n"
        "watch.Watch.__call__ = call\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    argv = [sys.executable, "-c", code, "simulate", "long.toml", "--out", "run.npz"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 130, done.stderr
    assert "cancelled at t = " in done.stderr
    header = read_header(tmp_path / "run.npz")
    assert header["ended"].startswith("cancelled at t = ")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as data:
        assert 100 < data["t"][-1] < 40000
        assert all(len(data[name]) == len(data["t"]) for name in ("q", "x", "q_dot", "x_dot", "command", "work"))


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is of POSIX")
def test_kill_9_while_writing_never_leaves_a_torn_file(tmp_path):
    """A child rewrites one file for ever and is killed at odd moments: the file is always whole, old or new."""
    target = tmp_path / "run.npz"
    code = (
        "import sys\n"
        "from closedchain import scenarios\n"
        "run = scenarios.run('biglide-kinematic')\n"
        "while True: run.save(sys.argv[1])\n"
    )
    for pause in (0.0, 0.003, 0.007, 0.013, 0.029):
        target.unlink(missing_ok=True)
        child = subprocess.Popen([sys.executable, "-c", code, str(target)])
        try:
            wait_for(target.exists)
            time.sleep(pause)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
        assert read_header(target)["title"] == "biglide-kinematic"
        with np.load(target, allow_pickle=False) as data:
            assert len(data["t"]) == 3001
            assert np.isfinite(data["q"]).all()


def test_the_schema_is_printed(run):
    """As it is in the package; the mechanism's is the default."""
    here = Path(scenarios.__file__).with_name("scenario.schema.json")
    assert run("schema", "scenario").out == here.read_text(encoding="utf-8")
    assert run("schema").out == run("schema", "mechanism").out


def test_an_animation_may_be_a_picture_that_moves(run, tmp_path):
    """.gif by its name; the file begins as GIFs do."""
    target = tmp_path / "run.gif"
    assert run("simulate", "biglide-kinematic-slow", "--duration", "0.5", "--animate", str(target)).code == 0
    assert target.read_bytes()[:6] == b"GIF89a"


def test_a_push_from_the_command_line(run):
    """It does work, and the loop gives way to it."""
    words = ("simulate", "biglide-computed-torque", "--duration", "0.2", "--json")
    pushed = run(*words, "--force", "C=1,2*sin(3*t)", "--torque", "A1-C=0.1").json
    assert pushed["external_work"] != 0.0
    assert pushed["max_error"] > 10 * run(*words).json["max_error"]
    assert pushed["energy_residual"] < 1e-12


def test_a_voltage_as_a_function_of_time_drives_a_robot_without_a_file(run):
    """5 V from hanging ends after 2 s where seed 003's machine does (TRUTH.md §4, made with other code)."""
    done = run("simulate", "furuta:hanging", "--voltage", "5 + 0*t", "--duration", "2", "--json").json
    reached = [done["final_q"][0], done["final_q_dot"][0], done["final_q"][1], done["final_q_dot"][1]]
    np.testing.assert_allclose(reached, [15.59628044, 8.14198915, -0.83807930, 0.56322022], rtol=0, atol=1e-7)
    assert (done["commands"], done["controller"]) == ("voltage", "formula")


def test_a_formula_replaces_the_law_and_the_start_of_a_scenario(run):
    """Of every drive by name, by order, or of all; efforts as well as voltages."""
    done = run("simulate", "furuta-step", "--voltage", "q1 = -2*t", "--q", "0,10deg", "--duration", "1", "--json").json
    assert done["max_effort"] == pytest.approx(2 * 0.999)
    done = run("simulate", "biglide", "--effort", "0.01*sin(t), atan2(t, 2)", "--duration", "1", "--json").json
    assert done["max_effort_axes"][1] == pytest.approx(np.arctan2(0.999, 2))


@pytest.mark.parametrize(
    "argv, words",
    [
        (("furuta",), "say what drives it with --voltage or --effort"),
        (("furuta", "--voltage", "t", "--effort", "t", "--duration", "1"), "one of them"),
        (("furuta", "--voltage", "import os", "--duration", "1"), "not an arithmetic expression"),
        (("furuta", "--voltage", "t"), "duration: is missing"),
        (("furuta", "--voltage", "1/(t - 0.5)", "--duration", "1"), "no finite value at t = 0.5 s"),
        (("biglide", "--voltage", "t", "--duration", "1"), "no motor that takes a voltage"),
        (("furuta", "--voltage", "t", "--duration", "1", "--q", "1"), "2 are needed"),
        (("pendulum", "--effort", "0", "--duration", "1"), "nothing drives pendulum"),
    ],
)
def test_a_command_line_that_drives_nothing_is_refused_in_one_line(run, argv, words):
    """Exit code 2."""
    done = run("simulate", *argv)
    assert done.code == 2
    assert words in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("ending", ["html", "gif"])
def test_an_animation_says_what_it_wrote(run, tmp_path, ending):
    """Also the tables; on a terminal the frames are counted while they are drawn."""
    files = [str(tmp_path / f"run.{each}") for each in ("npz", "csv", ending)]
    words = ("--out", files[0], "--csv", files[1], "--animate", files[2], "--duration", "0.2")
    done = run("simulate", "biglide-computed-torque", *words)
    assert done.code == 0
    assert done.err.splitlines() == [f"closedchain: wrote {file}" for file in files]
    assert all(Path(file).stat().st_size > 100 for file in files)


@pytest.mark.parametrize("force", ["C=1/0,0", "C=sqrt(-1-t),0", "C=1e400*t,0", "C=10**999,0"])
def test_a_push_that_is_no_number_is_refused(run, force):
    """One line with what it is and when, and no run."""
    done = run("simulate", "biglide-computed-torque", "--duration", "0.1", "--force", force)
    assert done.code == 2
    assert done.out == ""
    assert "force" in done.err
    assert "bug" not in done.err
