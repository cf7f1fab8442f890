"""start.py on a tiny project of its own, without any network: an empty lock and a build backend in the tree."""

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

SOURCE = Path(__file__).parents[1] / "start.py"
PROJECT = """
[project]
name = "closedchain"
version = "0"
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
BACKEND = '''
"""Builds a wheel with a command that tells how it was called and ends with 7, and a pytest that ends with 5."""
import zipfile
TELL = """
import json, os, sys
def main(code=7):
    path, index = os.environ.get("PYTHONPATH"), os.environ.get("PIP_NO_INDEX")
    print(json.dumps({"words": sys.argv[1:], "cwd": os.getcwd(), "path": path, "index": index}))
    return code
"""
def build_editable(folder, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(folder + "/closedchain-0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tell.py", TELL)
        wheel.writestr("pytest.py", "import sys, tell; sys.exit(tell.main(5))")
        info = "closedchain-0.dist-info/"
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: closedchain\\nVersion: 0\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "entry_points.txt", "[console_scripts]\\nclosedchain = tell:main\\n")
        wheel.writestr(info + "RECORD", "")
    return "closedchain-0-py3-none-any.whl"
'''


def plant(folder: Path) -> Path:
    """Lay out a project that start.py can set up from nothing."""
    folder.mkdir(parents=True)
    shutil.copy(SOURCE, folder)
    (folder / "requirements.lock").write_text("# nothing\n")
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "backend.py").write_text(BACKEND)
    (folder / "bin").mkdir()
    return folder


def launch(project: Path, *words: str, cwd: Path | None = None) -> subprocess.Popen[str]:
    """Start start.py with no uv but what project/bin holds, no index, and a PYTHONPATH that must not come through."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    env |= {"PATH": str(project / "bin"), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PYTHONPATH": "elsewhere"}
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


def test_test_hands_the_rest_to_pytest_in_the_checkout(project: Path, tmp_path: Path) -> None:
    """From any folder, pytest runs at the project's root and its exit code is ours."""
    code, out, _ = start(project, "test", "-k", "a and b", cwd=tmp_path)
    said = json.loads(out)
    assert (code, said["words"], Path(said["cwd"])) == (5, ["-k", "a and b"], project.resolve())


def test_a_stamp_made_elsewhere_is_not_believed(project: Path, tmp_path: Path) -> None:
    """Scripts hold the folder's path, so a moved or copied checkout is not ready; nor is one whose lock changed."""
    moved = shutil.copytree(project, tmp_path / "moved", symlinks=True)
    assert module_at(project).is_ready()
    assert not module_at(moved).is_ready()
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
    assert sum("Setting up" in text for text in texts) == 1


@pytest.mark.slow
def test_a_failed_set_up_says_what_to_do_and_the_next_run_mends_it(tmp_path: Path) -> None:
    """A package that cannot be had: exit code 1 and one hint; with a good lock the half-made folder is made again."""
    project = plant(tmp_path / "mended")
    lock = project / "requirements.lock"
    good = lock.read_text()
    lock.write_text("no-such-package==1 --hash=sha256:" + "0" * 64 + "\n")
    code, out, err = start(project, "list")
    assert (code, out) == (1, "")
    assert "no-such-package" in err
    assert "run the same command again" in err.splitlines()[-1]
    assert (project / ".venv").is_dir()
    assert not (project / ".venv" / "closedchain.stamp").exists()
    (project / ".venv" / "leftover").touch()
    lock.write_text(good)
    assert start(project, "list")[0] == 7
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
    """Every uv install names our interpreter; the lock is hash-checked; the project comes without dependencies."""
    start_module = module_at(plant(tmp_path / "uv"))
    calls: list[list[str]] = []
    monkeypatch.setattr(start_module, "call", lambda *words: calls.append([str(word) for word in words]))
    start_module.make_with_uv("uv")
    make, lock, project = calls
    assert make[-1] == str(tmp_path / "uv" / ".venv")
    for install in (lock, project):
        assert install[install.index("--python") + 1] == str(start_module.PYTHON)
    assert lock[-3:] == ["--require-hashes", "-r", str(start_module.LOCK)]
    assert {"--no-deps", "--no-build-isolation"} < set(project)


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
