"""The built wheel, in an environment that has its dependencies and nothing else of this checkout."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from closedchain import __version__, robots

ROOT = Path(__file__).parents[1]
SCRIPTS = "Scripts" if sys.platform == "win32" else "bin"


def call(*words, cwd):
    """Run a command without what would lead Python back to the checkout; its stdout."""
    stray = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    env = {name: value for name, value in os.environ.items() if name not in stray}
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=env, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A new virtual environment with the wheel in it, installed without any index.

    The dependencies are those of the Python that runs the tests: their folder is on the path, and of its .pth files
    all but the one by which the checkout is installed there.
    """
    folder = tmp_path_factory.mktemp("wheel")
    wheel = next(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"]))
    python = folder / "env" / SCRIPTS / "python"
    uv = shutil.which("uv")
    if uv is not None:
        call(uv, "venv", "--quiet", "--no-project", "--python", sys.executable, folder / "env", cwd=folder)
        call(uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python, wheel, cwd=folder)
    else:
        call(sys.executable, "-m", "venv", folder / "env", cwd=folder)
        call(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=folder)
    site = call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    theirs = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    Path(site, "a0_dependencies.pth").write_text("\n".join(theirs) + "\n", encoding="utf-8")  # they are read in order
    for path in (path for place in theirs for path in Path(place).glob("*.pth")):
        if str(ROOT) not in path.read_text(encoding="utf-8"):
            shutil.copy(path, site)
    return folder


def closedchain(home, *words):
    """The installed command, in a folder that is not the checkout."""
    return call(home / "env" / SCRIPTS / "closedchain", *words, cwd=home)


def test_the_package_is_the_wheels_own(home):
    """Not the checkout's, or the tests below would prove nothing."""
    place = call(home / "env" / SCRIPTS / "python", "-c", "import closedchain; print(closedchain.__file__)", cwd=home)
    assert Path(place.strip()).is_relative_to(home / "env")
    assert Path(place.strip()).with_name("py.typed").is_file()


def test_it_says_its_version(home):
    """The metadata of the wheel and the code agree."""
    assert closedchain(home, "--version").strip() == f"closedchain {__version__}"


def test_the_doctor_finds_it_in_order(home):
    """Compiler, cache and libraries work from there."""
    assert json.loads(closedchain(home, "doctor", "--json"))["ok"]


def test_every_robot_came_along(home):
    """Robots are found by their files."""
    listed = json.loads(closedchain(home, "list", "--json"))["robots"]
    assert [robot["name"] for robot in listed] == list(robots.names())


def test_a_robot_obeys_the_laws(home):
    """Description, derivation, compilation and check, from end to end."""
    assert json.loads(closedchain(home, "check", "biglide", "--states", "50", "--json"))["ok"]


def test_scenarios_schemas_and_the_labs_files_came_along(home):
    """Data files are in the wheel, and are found there."""
    run = json.loads(closedchain(home, "simulate", "biglide-computed-torque", "--json"))
    assert run["max_error"] < 3e-6  # [m] 2.533e-6, TRUTH.md §4
    for kind in ("mechanism", "scenario"):
        assert json.loads(closedchain(home, "schema", kind))["title"]
    closedchain(home, "lab", "new", "biglide", "group")
    assert (home / "group" / "biglide_models.py").is_file()
