"""The way in: exit codes, one line per error, nothing heavy for --help and --version."""

import keyword
import os
import random
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import closedchain
from closedchain import robots
from closedchain.cli import main as cli_main
from closedchain.cli import solve, values
from closedchain.cli.parser import COMMANDS, build, join_values

SOURCE = str(Path(closedchain.__file__).parents[1])
HEAVY = ("numpy", "casadi", "scipy", "sympy", "llvmlite", "mujoco", "rich", "matplotlib")


def fresh(*argv, **options):
    """`python -m closedchain` in a new process."""
    environment = os.environ | {"PYTHONPATH": SOURCE} | options.pop("environment", {})
    command = [sys.executable, "-m", "closedchain", *argv]
    return subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False, **options)


def test_version_is_printed_on_stdout_by_a_real_process():
    """`python -m closedchain --version` answers with the package's version and nothing on stderr."""
    done = fresh("--version", text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"closedchain {closedchain.__version__}\n", "")


@pytest.mark.parametrize("argv", [["--version"], ["--help"], ["solve", "--help"], ["evaluate", "--help"], ["nonsense"]])
def test_help_and_version_import_nothing_heavy(argv):
    """None of the numerical libraries is loaded to answer a question about the command line itself."""
    code = (
        f"import sys; from closedchain.cli import main; main({argv!r}); print([m for m in {HEAVY} if m in sys.modules])"
    )
    environment = os.environ | {"PYTHONPATH": SOURCE}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_names_every_command(run):
    """The list of commands in --help is the list of commands there are, each with a file of its own."""
    done = run("--help")
    assert done.code == 0
    for name, (question, _) in COMMANDS.items():
        assert f"\n    {name}" in done.out  # a long name stands on a line of its own
        assert question in " ".join(done.out.split())  # lines break elsewhere in other Pythons
        file = f"{name}_.py" if keyword.iskeyword(name) else f"{name}.py"
        assert (Path(cli_main.__code__.co_filename).parent / file).is_file()


@pytest.mark.parametrize(
    "argv, wanted",
    [
        ((), "which command"),
        (("slove",), "did you mean 'solve'"),
        (("frobnicate",), "doctor"),
        (("solve", "sideways", "biglide"), "inverse"),
        (("solve", "inverse", "biglide"), "--x"),
        (("solve", "inverse", "biglid", "--x", "0,0"), "did you mean 'biglide'"),
        (("solve", "inverse", "zzz", "--x", "0,0"), "triplate"),
        (("show", "biglide:lba"), "biglide:lab"),
        (("show", "biglide", "--set", "ll=1"), "did you mean 'l'"),
        (("show", "biglide", "--set", "zzz=1"), "m_p"),
        (("show", "biglide", "--set", "l"), "name=value"),
        (("show", "biglide", "--set", "l=1kg"), "m is needed"),
        (("show", "biglide", "--set", "l=1parsec"), "unknown unit"),
        (("show", "biglide", "--set", "l=-1"), "positive"),
        (("show", "biglide", "--set", "l=1e999"), "range"),
        (("show", "biglide", "--frobnicate"), "--frobnicate"),
        (("solve", "inverse", "biglide", "--x", "0"), "x [m], y [m]"),
        (("solve", "inverse", "biglide", "--x", "0,0,0"), "2 wanted"),
        (("solve", "inverse", "biglide", "--x", "0,north"), "'north'"),
        (("solve", "inverse", "biglide", "--x", "0,nan"), "'nan'"),
        (("solve", "inverse", "biglide", "--x", "-inf,0"), "'-inf'"),
        (("solve", "inverse", "biglide", "--x", "0,45deg"), "m is needed"),
        (("solve", "inverse", "biglide", "--x", ""), "2 wanted"),
        (("solve", "inverse", "furuta", "--x", "0,0"), "no closures"),
        (("evaluate", "biglide"), "needs q or x"),
        (("evaluate", "biglide", "--q", "0,0", "--voltage", "1,1"), "--voltage"),
        (("evaluate", "biglide", "--q", "0,0", "--tau", "1,1", "--q-ddot", "0,0"), "tau"),
        (("check", "biglide", "--states", "0"), "between 1 and"),
        (("check", "biglide", "--states", "-5"), "whole number"),
        (("equations", "biglide", "--format", "word"), "markdown"),
        (("bench", "singel_call"), "did you mean 'single_call'"),
        (("show", "biglide", "--set", "l=200g"), "--set l: '200g' is in kg, but m is needed"),
        (("show", "biglide", "--set", "l=200 furlong"), "unknown unit 'furlong'"),
        (("show", "furuta", "--set", "k_r=30deg"), "is in rad, but a plain number is needed"),
        (("evaluate", "biglide", "--q", "0,0", "--q-dot", "1 m,0"), "is in m, but m/s is needed"),
        (("evaluate", "biglide", "--q", "0,0", "--tau", "1 N m,0"), "is in N m, but N is needed"),
        (("simulate", "biglide-document", "--duration", "3 m"), "is in m, but s is needed"),
        (("workspace", "biglide", "--window", "0 kg,1,0,1"), "is in kg, but m is needed"),
        (("workspace", "triplate", "--orientation", "3 m"), "is in m, but rad is needed"),
        (("workspace", "squeezer", "--window=1,-1,1,-1", "--working=+1", "--orientation=--"), "'--' is none"),
        (("plan", "biglide", "--from", "0,0.3", "--to", "0,0.4", "--obstacle", "disc:0.3,0.1,1kg"), "but m is needed"),
        (("plan", "biglide", "--from", "0,0.3", "--to", "0,0.4", "--width", "1 s"), "is in s, but m is needed"),
        (("sweep", "biglide", "--param", "l=0.3kg:0.5:3", "--compute", "workspace_area"), "is in kg, but m is needed"),
        (("sweep", "biglide", "--param", "l=normal(0.3, 1deg)", "--compute", "workspace_area"), "but m is needed"),
        (("design", "biglide", "--param", "l=0.3:1 N", "--maximise", "workspace_area"), "is in N, but m is needed"),
        (("singular", "biglide", "--from", "0,0.3", "--to", "0,0.4 rad"), "is in rad, but m is needed"),
        (
            ("crossing", "biglide", "--from", "0,0.5", "--to", "0,-0.5", "--duration", "6", "--push", "1 m"),
            "N is needed",
        ),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line_and_code_2(run, argv, wanted):
    """What is wrong and what there is instead, on stderr, without a traceback; stdout stays empty."""
    done = run(*argv)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("closedchain: ")
    assert done.err.count("\n") == 1
    assert wanted in done.err


@pytest.mark.parametrize(
    "source, wanted",
    [
        (None, "no such file"),
        ("not toml [", "not TOML"),
        ('schema = "closedchain.mechanism/1"\nname = "r"\n', "robot.toml"),
    ],
)
def test_a_bad_file_is_one_line_and_code_3(run, tmp_path, source, wanted):
    """The line names the file and what is wrong in it."""
    path = tmp_path / "robot.toml"
    if source is not None:
        path.write_text(source, encoding="utf-8")
    done = run("show", str(path))
    assert (done.code, done.out) == (3, "")
    assert str(path) in done.err
    assert wanted in done.err
    assert done.err.count("\n") == 1


def test_a_value_that_breaks_a_good_file_is_the_command_line_s_fault(run, tmp_path):
    """The file is in order, `--set l=-1` is not: code 2."""
    path = tmp_path / "mine.toml"
    path.write_text(run("show", "biglide", "--toml").out, encoding="utf-8")
    assert run("show", str(path)).code == 0
    assert run("show", str(path), "--set", "l=-1").code == 2


@pytest.mark.parametrize(
    "argv",
    [
        ("evaluate", "biglide", "--q", "0,5"),
        ("evaluate", "biglide", "--q", "0,0", "--assembly", "+7"),
        ("evaluate", "biglide", "--q", "0,0.6001078569723945"),
        ("evaluate", "furuta", "--q", "0,0.1", "--q-ddot", "1,1"),
    ],
)
def test_what_does_not_exist_or_is_singular_is_code_4(run, argv):
    """Out of reach, an unknown mode, a Type 2 singularity, an effort that nothing gives."""
    done = run(*argv)
    assert (done.code, done.out, done.err.count("\n")) == (4, "", 1)


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_answer_beyond_double_precision_is_code_5(run, form):
    """A velocity of 1e200 m/s squared has no double; no Infinity is passed off as an answer."""
    done = run("evaluate", "biglide", "--q", "0,0", "--q-dot", "1e200,-1e200", *form)
    assert (done.code, done.out) == (5, "")
    assert "double precision" in done.err


@pytest.mark.parametrize(
    "error, words",
    [(np.linalg.LinAlgError("SVD"), "double precision"), (MemoryError(), "memory"), (OverflowError(), "double")],
)
def test_a_limit_of_the_machine_is_code_5(run, monkeypatch, error, words):
    """Not a bug to report, but numbers that do not fit."""

    def beyond(args):
        raise error

    monkeypatch.setattr(solve, "run", beyond)
    done = run("solve", "inverse", "biglide", "--x", "0,0.3")
    assert (done.code, done.out, done.err.count("\n")) == (5, "", 1)
    assert words in done.err


def test_a_warning_is_one_line_and_numpy_s_are_left_out(run, monkeypatch):
    """A cache that cannot be used is worth a line; an overflow on the way to a checked answer is not."""

    def warned(args):
        warnings.warn("the cache\nis not yours", UserWarning, stacklevel=1)
        np.float64(1e300) * np.float64(1e300)
        return 0

    monkeypatch.setattr(solve, "run", warned)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        done = run("solve", "inverse", "biglide", "--x", "0,0.3")
    assert (done.code, done.err) == (0, "closedchain: warning: the cache is not yours\n")


def test_ctrl_c_is_one_line_and_code_130(run, monkeypatch):
    """An interrupt anywhere in a command ends it without a traceback."""

    def interrupted(args):
        raise KeyboardInterrupt

    monkeypatch.setattr(solve, "run", interrupted)
    done = run("solve", "inverse", "biglide", "--x", "0,0.3")
    assert (done.code, done.out, done.err) == (130, "", "closedchain: cancelled\n")


def test_an_unexpected_error_asks_for_a_report(run, monkeypatch):
    """One line and code 70; the traceback is shown only with CLOSEDCHAIN_DEBUG."""

    def broken(args):
        raise ZeroDivisionError("of\nsorts")

    monkeypatch.setattr(solve, "run", broken)
    argv = ("solve", "inverse", "biglide", "--x", "0,0.3")
    monkeypatch.delenv("CLOSEDCHAIN_DEBUG", raising=False)
    done = run(*argv)
    assert (done.code, done.out, done.err.count("\n")) == (70, "", 1)
    assert "ZeroDivisionError: of sorts" in done.err
    assert "report" in done.err
    monkeypatch.setenv("CLOSEDCHAIN_DEBUG", "1")
    assert "Traceback" in run(*argv).err


def test_a_package_that_cannot_be_imported_is_told_in_one_line(run, monkeypatch):
    """A damaged installation is no traceback, but the advice to run the doctor."""
    monkeypatch.delitem(sys.modules, "closedchain.cli.list", raising=False)
    monkeypatch.delattr(robots, "names")
    monkeypatch.setitem(sys.modules, "closedchain.cli.output", None)
    done = run("list")
    assert (done.code, done.err.count("\n")) == (70, 1)
    assert "closedchain doctor" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX")
def test_a_reader_that_leaves_early_ends_it_quietly():
    """`closedchain … | head -1`: no message, no traceback."""
    command = f'"{sys.executable}" -m closedchain show furuta --toml --json | head -c 1'
    environment = os.environ | {"PYTHONPATH": SOURCE}
    environment.pop("PYTHONUNBUFFERED", None)  # what is left in the buffer is what would complain at exit
    done = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("{", "")
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "closedchain", "list"],
            env=environment,
            stdout=gone,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_disk_is_told_in_one_line():
    """The answer is lost, so the code is not 0."""
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "closedchain", "list"],
            env=os.environ | {"PYTHONPATH": SOURCE},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 5
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX")
def test_a_real_interrupt_ends_a_real_process_with_130(tmp_path):
    """SIGINT once the process has said on stderr that it compiles, which it does with an empty cache."""
    process = subprocess.Popen(
        [sys.executable, "-m", "closedchain", "check", "rrr3", "--states", "1000000"],
        env=os.environ | {"PYTHONPATH": SOURCE, "CLOSEDCHAIN_CACHE": str(tmp_path / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "compiling" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", "closedchain: cancelled\n")


def test_the_first_use_says_that_it_compiles_and_the_second_says_nothing(tmp_path):
    """On stderr, so that the answer on stdout is the same to the byte."""
    environment = {"CLOSEDCHAIN_CACHE": str(tmp_path / "cache")}
    argv = ("solve", "direct", "biglide", "--q", "0,0", "--json")
    first, second = (fresh(*argv, text=True, environment=environment) for _ in range(2))
    assert "compiling" in first.stderr
    assert second.stderr == ""
    assert first.stdout == second.stdout != ""


def test_a_terminal_without_unicode_still_gets_an_answer():
    """On an ASCII terminal λ and φ become question marks, nothing fails."""
    done = fresh("check", "biglide", "--states", "20", environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert done.stdout.count(b"ok ") >= 10


def test_minus_signs_survive_every_spelling():
    """A value that begins with a minus, a mode of two minus signs, an option that has no value."""
    assert join_values(["--q", "-1,2", "--json"]) == ["--q=-1,2", "--json"]
    assert join_values(["--q", "-.5,2"]) == ["--q=-.5,2"]
    assert join_values(["--q=-1,2"]) == ["--q=-1,2"]
    assert join_values(["--x", "--json"]) == ["--x", "--json"]
    assert join_values(["--x", "-h"]) == ["--x", "-h"]
    for words in (["--working", "--"], ["--working=--"]):
        args = build().parse_args(join_values(["evaluate", "biglide", "--x", "-1,0", *words]))
        assert (args.working, args.x) == ("--", "-1,0")


COMMAND_WORDS = ["solve", "inverse", "direct", "evaluate", "check", "show", "list", "equations", "schema"]
OPTION_WORDS = ["--q", "--x", "--q-dot", "--tau", "--set", "--json", "--assembly", "--working", "--states", "--format"]
ROBOT_WORDS = ["biglide", "furuta", "triplate", "biglide:", ":", "a:b:c", "/", ".toml", "é😀", "\x00", "", " "]
VALUE_WORDS = ["0,0", "-1,2,3", "0.1", "1", "1e400,0", "[0,1]", "0,,0", "nan,nan", "9" * 20, "l=1", "l=", "=1", "latex"]
WORDS = [*COMMAND_WORDS, *OPTION_WORDS, *ROBOT_WORDS, *VALUE_WORDS, "--", "-", "+", "-h", "'"]


@pytest.mark.parametrize("seed", range(40))
def test_no_command_line_gives_a_traceback(run, seed):
    """Words thrown together at random: an answer or one line, and one of the codes that are documented."""
    rng = random.Random(seed)
    argv = [rng.choice(COMMAND_WORDS), *rng.choices(WORDS, k=rng.randint(0, 6))]
    done = run(*argv)
    assert done.code in (0, 1, 2, 3, 4, 5), (argv, done)
    assert "Traceback" not in done.err
    assert len(done.err.splitlines()) == (0 if done.code in (0, 1) or done.out else 1), (argv, done)


def test_what_takes_a_while_is_announced_once(capsys):
    """A robot's equations are compiled in parts; the words are the same for each."""
    values.announce.cache_clear()
    for _ in range(3):
        values.announce("biglide: compiling")
    values.announce("delta: compiling")
    assert capsys.readouterr().err == "closedchain: biglide: compiling\nclosedchain: delta: compiling\n"
