"""The core works with NumPy, CasADi and llvmlite alone; whatever wants more says in one line what brings it."""

import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from closedchain import extras
from closedchain.errors import MissingPackage

ROOT = Path(__file__).parents[1]
OFFERED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
CORE = ("numpy", "casadi", "llvmlite")


@pytest.fixture(scope="module", autouse=True)
def alone(tmp_path_factory):
    """A folder with the core's packages and nothing else."""
    folder = tmp_path_factory.mktemp("core")
    for path in Path(sysconfig.get_path("platlib")).iterdir():
        if path.name.partition(".")[0].partition("-")[0] in CORE:
            (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture
def bare(alone):
    """Runs Python where no package but the core's can be imported."""

    def run(code: str) -> subprocess.CompletedProcess[str]:
        begin = f"import sys\nsys.path += [{str(ROOT / 'src')!r}, {str(alone)!r}]\n"
        command = [sys.executable, "-I", "-S", "-c", begin + code]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def command(bare):
    """Runs the command line there."""
    return lambda *words: bare(f"from closedchain.cli import main\nsys.exit(main({list(words)!r}))")


def test_the_table_is_that_of_the_project_file():
    """Extra for extra, package for package."""
    packages = {
        extra: {Requirement(text).name for text in group} - {"closedchain"}
        for extra, group in OFFERED.items()
        if extra not in ("dev", "docs")
    }
    assert {extra: set(group) for extra, group in extras.EXTRAS.items()} == {e: p for e, p in packages.items() if p}
    assert set(extras.PURPOSES) == set(extras.EXTRAS)


def test_all_is_every_extra():
    """But those of development."""
    (whole,) = OFFERED["all"]
    assert Requirement(whole).extras == set(OFFERED) - {"all", "dev", "docs"}


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["show", "triplate"],
        ["check", "biglide", "--states", "20"],
        ["solve", "inverse", "biglide", "--x", "0.03,0.25"],
        ["solve", "direct", "triplate", "--q", "-0.1,0.2,5"],
        ["evaluate", "biglide", "--q", "0.1,0.02", "--q-dot", "0.3,-0.2", "--q-ddot", "1,-0.5", "--assembly", "+"],
        ["simulate", "biglide-computed-torque"],
        ["singular", "biglide", "--x", "0.03,0.25"],
        ["map", "biglide", "--window=-0.1,0.1,0.1,0.3", "--shape", "20,20", "--out", "map.npz", "--json"],
        ["export", "biglide", "--to", "mjcf"],
        ["schema"],
        ["doctor"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_the_core_answers_alone(command, words, tmp_path, monkeypatch):
    """Geometry, dynamics, simulation, singular poses, exports as text."""
    monkeypatch.chdir(tmp_path)
    done = command(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize(
    "words, package, extra",
    [
        (["equations", "biglide"], "sympy", "formulas"),
        (["studio", "--no-browser"], "uvicorn", "studio"),
        (["demo"], "matplotlib", "pictures"),
        (["solve", "inverse", "biglide", "--x", "0.03,0.25", "--plot", "a.png"], "matplotlib", "pictures"),
        (["workspace", "fivebar", "--aspects"], "scipy", "numerics"),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else None,
)
def test_a_command_that_wants_more_names_the_extra(command, words, package, extra, tmp_path, monkeypatch):
    """One line, exit code 2, and what to type."""
    monkeypatch.chdir(tmp_path)
    done = command(*words)
    assert done.returncode == 2, done.stderr
    last = done.stderr.splitlines()[-1]
    assert f"needs the package {package!r}, which is not installed: pip install " in last
    assert f"the extra [{extra}]" in last
    assert "Traceback" not in done.stderr


def test_an_engine_that_is_absent_is_told_as_before(command):
    """`verify` names both, and how to get each."""
    done = command("verify", "biglide")
    assert done.returncode == 2
    assert "mujoco is not installed: pip install mujoco" in done.stderr


def test_python_says_the_same(bare):
    """The error is an ImportError and one of ours."""
    done = bare("""
import closedchain as cc
from closedchain.control.regulating import regulator
try:
    regulator(cc.load("furuta"), q=[0, 0])
except cc.ClosedChainError as error:
    print(error)
""")
    assert done.stdout.startswith("a spline, a regulator, a plan or an area needs the package 'scipy'"), done.stderr


def test_other_failures_stay_what_they_are():
    """A module of ours that does not exist is a mistake, not a missing extra."""
    with pytest.raises(ModuleNotFoundError, match=r"closedchain\.nowhere") as caught:
        extras.bring("closedchain.nowhere")
    assert not isinstance(caught.value, MissingPackage)


def test_a_late_module_is_the_module():
    """Its functions are the real ones."""
    math = extras.Late("math")
    assert math.hypot(3.0, 4.0) == 5.0
    with pytest.raises(AttributeError):
        math.nonsense  # noqa: B018
