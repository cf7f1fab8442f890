"""start.py on a tiny project of its own, without any network: locks that are empty, and a package that tells."""

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from closedchain.cli.parser import COMMANDS

SOURCE = Path(__file__).parents[1] / "start.py"
PROJECT = """
[project]
name = "closedchain"
version = "0"
[project.optional-dependencies]
pictures = []
verify = []
"""
TELL = """
import json, os, sys
def main(code):
    path, index = os.environ.get("PYTHONPATH"), os.environ.get("PIP_NO_INDEX")
    print(json.dumps({"words": sys.argv[1:], "cwd": os.getcwd(), "path": path, "index": index}))
    sys.exit(code)
"""


def plant(folder: Path) -> Path:
    """Lay out a project that start.py can set up from nothing; its command ends with 7, its pytest with 5."""
    (folder / "src" / "closedchain").mkdir(parents=True)
    shutil.copy(SOURCE, folder)
    for lock in ("requirements.lock", "requirements-dev.lock"):
        (folder / lock).write_text("# nothing\n")
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "src" / "tell.py").write_text(TELL)
    (folder / "src" / "pytest.py").write_text("import tell; tell.main(5)")
    (folder / "src" / "closedchain" / "__main__.py").write_text("import tell; tell.main(7)")
    (folder / "bin").mkdir()
    return folder


def launch(project: Path, *words: str, cwd: Path | None = None) -> subprocess.Popen[str]:
    """Start start.py with no uv but what project/bin holds, no index, and a PYTHONPATH that must not come through."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    env |= {"PATH": str(project / "bin"), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PYTHONPATH": "elsewhere"}
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [sys.executable, str(project / "start.py"), *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=cwd or project, env=env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True
    )


def start(project: Path, *words: str, cwd: Path | None = None) -> tuple[int, str, str]:
    """Run start.py to its end: exit code, stdout, stderr."""
    process = launch(project, *words, cwd=cwd)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def module_at(folder: Path) -> ModuleType:
    """Import the copy of start.py in a folder, so that its paths point there."""
    spec = importlib.util.spec_from_file_location("start_under_test", folder / "start.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tiny project that start.py has set up."""
    folder = plant(tmp_path_factory.mktemp("a place") / "with spaces")
    code, _, err = start(folder)
    assert code == 0, err
    return folder


def test_the_words_the_folder_and_the_exit_code_are_the_commands_own(project: Path, tmp_path: Path) -> None:
    """Words with spaces arrive whole, relative paths mean the caller's folder, stdout holds only the command's text."""
    code, out, err = start(project, "solve", "two words", "--json", cwd=tmp_path)
    said = json.loads(out)
    assert (code, said["words"], Path(said["cwd"])) == (7, ["solve", "two words", "--json"], tmp_path.resolve())
    assert err == ""  # set up already: not a word, no installer


def test_pythonpath_stays_outside_and_pip_settings_come_through(project: Path) -> None:
    """Another project's packages are not seen; how the machine reaches its packages is."""
    said = json.loads(start(project, "list")[1])
    assert (said["path"], said["index"]) == (None, "1")


def test_compiled_modules_are_kept_although_the_shell_says_not_to(project: Path) -> None:
    """Packages are installed without them: each command would compile hundreds of modules again."""
    start(project, "list")
    assert list((project / "src" / "__pycache__").glob("tell.*.pyc"))


def test_test_hands_the_rest_to_pytest_in_the_checkout(project: Path, tmp_path: Path) -> None:
    """From any folder, pytest runs at the project's root and its exit code is ours."""
    code, out, _ = start(project, "test", "-k", "a and b", cwd=tmp_path)
    said = json.loads(out)
    assert (code, said["words"], Path(said["cwd"])) == (5, ["-k", "a and b"], project.resolve())


def test_the_environment_has_the_command(project: Path, tmp_path: Path) -> None:
    """For those who activate it, from any folder and with spaces in the path."""
    script = next(path for path in project.glob(".venv/*/closedchain*") if path.is_file())
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [str(script), "list", "two words"]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["words"]) == (7, ["list", "two words"])


def test_a_stamp_made_elsewhere_is_not_believed(project: Path, tmp_path: Path) -> None:
    """Scripts hold the folder's path, so a moved or copied checkout is not ready; nor is one whose lock changed."""
    moved = shutil.copytree(project, tmp_path / "moved", symlinks=True)
    assert module_at(project).is_ready(set())
    assert not module_at(moved).is_ready(set())
    here = module_at(project)
    before = here.fingerprint()
    here.LOCK = tmp_path / "other.lock"
    here.LOCK.write_text("# something\n")
    assert here.fingerprint() != before


@pytest.mark.slow
def test_two_first_runs_at_once_set_up_once(tmp_path: Path) -> None:
    """The second waits for the first and uses what it made."""
    project = plant(tmp_path / "twice")
    runs = [launch(project, "list"), launch(project, "list")]
    texts = [run.communicate(timeout=300)[1] for run in runs]
    assert [run.returncode for run in runs] == [7, 7]
    assert sum("Installing" in text for text in texts) == 1


@pytest.mark.slow
def test_a_failed_set_up_says_what_to_do_and_the_next_run_mends_it(tmp_path: Path) -> None:
    """A package that cannot be had: exit code 1 and one hint; with a good lock the half-made folder is made again."""
    project = plant(tmp_path / "mended")
    lock = project / "requirements-dev.lock"
    good = lock.read_text()
    lock.write_text("no-such-package==1 --hash=sha256:" + "0" * 64 + "\n")
    code, out, err = start(project, "setup")
    assert (code, out) == (1, "")
    assert "no-such-package" in err
    assert "run the same command again" in err.splitlines()[-1]
    assert (project / ".venv").is_dir()
    assert not (project / ".venv" / "closedchain.stamp").exists()
    (project / ".venv" / "leftover").touch()
    lock.write_text(good)
    assert start(project, "setup")[0] == 0
    assert not (project / ".venv" / "leftover").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the uv that fails is a shell script")
def test_where_uv_fails_pip_takes_over(tmp_path: Path) -> None:
    """uv does not read pip's settings: where only pip knows the index, the set-up still succeeds and says so."""
    project = plant(tmp_path / "uv fails")
    uv = project / "bin" / "uv"
    uv.write_text("#!/bin/sh\nexit 9\n")
    uv.chmod(0o755)
    code, _, err = start(project, "list")
    assert code == 7
    assert "uv venv" in err
    assert "ended with code 9" in err


def test_uv_installs_with_hashes_into_our_folder_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment is ours, the install names its interpreter, and what is not hashed is refused."""
    start_module = module_at(plant(tmp_path / "uv"))
    calls: list[list[str]] = []
    monkeypatch.setattr(start_module, "call", lambda *words: calls.append([str(word) for word in words]))
    start_module.install_with_uv("uv", tmp_path / "pins")
    make, install = calls
    assert make[-1] == str(tmp_path / "uv" / ".venv")
    assert install[install.index("--python") + 1] == str(start_module.PYTHON)
    assert install[-3:] == ["--require-hashes", "-r", str(tmp_path / "pins")]


# What a command needs -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ours() -> ModuleType:
    """The start.py of this checkout, with its locks."""
    return module_at(SOURCE.parent)


def test_the_core_is_three_packages(ours: ModuleType) -> None:
    """`list`, `check`, `evaluate` and the like install no more."""
    assert ours.wanted_names(()) == {"numpy", "casadi", "llvmlite"}


def test_an_extra_brings_what_its_packages_need_and_nothing_else(ours: ModuleType) -> None:
    """By the remarks of the lock: Matplotlib needs Pillow; nothing of the demo needs SciPy, SymPy or a server."""
    demo = ours.wanted_names(ours.NEEDS["demo"])
    assert {"matplotlib", "pillow", "contourpy", "mujoco", "glfw"} < demo
    assert not demo & {"scipy", "sympy", "starlette", "pin", "pytest"}
    assert {"starlette", "anyio", "sympy", "mpmath"} < ours.wanted_names(["studio"])  # an extra that contains others


def test_the_pins_of_a_command_are_those_of_the_lock(ours: ModuleType) -> None:
    """Text for text, with all their hashes and markers."""
    some = ours.selection({"numpy", "casadi"})
    lock = ours.LOCK.read_text(encoding="utf-8")
    assert [block.partition("==")[0] for block in some.split("\n\n")[0].splitlines() if block[0].isalpha()]
    assert all(line in lock for line in some.splitlines())
    assert some.count("numpy==") == lock.count("\nnumpy==")


def test_development_is_everything(ours: ModuleType) -> None:
    """Every extra is in it."""
    every = ours.wanted_names(["dev"])
    assert ours.wanted_names(["all"]) < every
    assert {"pytest", "ruff", "mypy", "sphinx"} < every


def test_every_command_is_known_and_every_need_is_an_extra(ours: ModuleType) -> None:
    """A command that was renamed, or an extra, is seen here."""
    assert set(ours.NEEDS) <= set(COMMANDS)
    for extras in (*ours.NEEDS.values(), *ours.DRAWN.values()):
        ours.wanted_names(extras)


def test_a_picture_is_an_option_that_brings_its_packages(ours: ModuleType) -> None:
    """`solve` needs the core; with --plot it draws."""
    assert ours.needs(["solve", "inverse", "biglide", "--x", "0.03,0.25"]) == []
    assert ours.needs(["solve", "inverse", "biglide", "--plot=a.png"]) == ["pictures"]
    assert ours.needs(["simulate", "furuta-swingup", "--animate", "up.mp4"]) == ["numerics", "video"]


def test_an_extra_that_there_is_not_is_told_with_those_that_there_are(ours: ModuleType) -> None:
    """One sentence."""
    with pytest.raises(ours.SetupFailed, match=r"no extra 'pitcures'; there are all, .*pictures"):
        ours.wanted_names(["pitcures"])


def test_what_is_there_is_not_installed_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that needs more adds it; one that needs less installs nothing."""
    here = module_at(project)
    pins: list[str] = []
    monkeypatch.setattr(here, "wanted_names", lambda extras: {"numpy"} if extras else set())
    monkeypatch.setattr(here, "selection", lambda names: " ".join(sorted(names)))
    monkeypatch.setattr(here, "installers", lambda: iter([lambda path: pins.append(path.read_text())]))
    before = here.STAMP.read_text()
    try:
        here.set_up([])
        assert pins == []
        here.set_up(["numerics"])
        here.set_up(["numerics"])
        assert pins == ["numpy"]
    finally:
        here.STAMP.write_text(before)


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_python_without_venv_gets_one_clear_sentence(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Debian ships Python in pieces: the message names the piece and the package that holds it."""
    start_module = module_at(plant(tmp_path / "pieces"))
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == missing else find_spec(name))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert start_module.main(["demo"]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert f"`{missing}`" in last
    assert "apt install python3-venv" in last


def test_a_folder_that_is_no_environment_is_never_deleted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody's .venv full of something else stays as it is, and the message says to move it."""
    start_module = module_at(plant(tmp_path / "precious"))
    keep = tmp_path / "precious" / ".venv" / "thesis.txt"
    keep.parent.mkdir()
    keep.write_text("words")
    assert start_module.main(["demo"]) == 1
    assert keep.read_text() == "words"
    assert "move it away" in capsys.readouterr().err


def test_an_old_python_is_told_so() -> None:
    """The file parses as Python 3.7, and its first act is to compare versions."""
    text = SOURCE.read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 7))
    pretend = f"import runpy, sys; sys.version_info = (3, 8, 0); runpy.run_path({str(SOURCE)!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", pretend], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("closedchain needs Python 3.11 or newer; this is Python 3.8.")
