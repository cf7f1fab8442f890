"""The layers of pyproject.toml hold for the package, and the contract does refuse what it should."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "pyproject.toml"
LAYERS = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]["layers"]
MODULES = [name.strip(" ()") for layer in LAYERS for name in layer.split("|")]
DEPTH = {name.strip(" ()"): depth for depth, layer in enumerate(LAYERS) for name in layer.split("|")}
SHUT = [
    contract["id"].removeprefix("door-")
    for contract in tomllib.loads(CONFIG.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    if contract["type"] == "protected"
]
NAMED = re.compile(
    r"closedchain\.([a-z_]+)(?:\.[a-z0-9_.]*)?"
)  # a module in a text, for importlib; not a schema's name


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    """Check the package under a source folder against the contract."""
    code = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command(sys.argv[1:])"
    command = [sys.executable, "-c", code, "--config", str(CONFIG), "--no-cache", "--no-logo"]
    return subprocess.run(
        command, cwd=source, env={"PYTHONPATH": str(source)}, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def skeleton(tmp_path: Path) -> Path:
    """Return a package of that name with every layer present and empty."""
    package = tmp_path / "closedchain"
    package.mkdir()
    for name in ("__init__", *MODULES):
        (package / f"{name}.py").touch()
    (package / "describe.py").unlink()
    for folder, names in {"closedchain/describe": ("__init__", "files"), "closedchain_lab": ("__init__",)}.items():
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / f"{name}.py").touch()
    (tmp_path / "lab_amoro").mkdir()
    (tmp_path / "lab_amoro/__init__.py").touch()
    return package


def test_the_package_keeps_its_layers() -> None:
    """No module imports a layer above it or a neighbour, and none is without a layer."""
    done = lint(ROOT / "src")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_skeleton_with_every_layer_is_accepted(skeleton: Path) -> None:
    """The two refusals below are due to what they plant."""
    done = lint(skeleton.parent)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "module, imported", [("errors", "describe"), ("kernels", "derive"), ("model", "cli"), ("motion", "control")]
)
def test_an_import_upwards_or_sideways_is_refused(skeleton: Path, module: str, imported: str) -> None:
    """One line in the wrong direction breaks the contract, and the report names both ends."""
    (skeleton / f"{module}.py").write_text(f"from closedchain import {imported}\n")
    done = lint(skeleton.parent)
    assert done.returncode == 1
    assert f"closedchain.{module} -> closedchain.{imported}" in done.stdout.replace("\n", " ")


def test_a_module_without_a_layer_is_refused(skeleton: Path) -> None:
    """A new package must be given its place in the picture."""
    (skeleton / "helpers.py").touch()
    done = lint(skeleton.parent)
    assert done.returncode == 1
    assert "helpers" in done.stdout


def test_the_lab_may_use_a_packages_names_and_not_what_lies_behind_them(skeleton: Path) -> None:
    """`from closedchain.describe import …` is a door; `closedchain.describe.files` is not."""
    lab = skeleton.parent / "closedchain_lab/__init__.py"
    lab.write_text("from closedchain import describe\n")
    assert lint(skeleton.parent).returncode == 0
    lab.write_text("from closedchain.describe.files import read\n")
    done = lint(skeleton.parent)
    assert done.returncode == 1
    assert "closedchain_lab -> closedchain.describe.files" in done.stdout.replace("\n", " ")


@pytest.mark.parametrize("package", SHUT)
def test_a_shut_package_is_used_by_what_it_exports(skeleton: Path, package: str) -> None:
    """Its own modules see each other, the command line sees its door, and not what lies behind it."""
    (skeleton / f"{package}.py").unlink()
    (skeleton / package).mkdir()
    (skeleton / package / "inner.py").touch()
    (skeleton / package / "__init__.py").write_text(f"from closedchain.{package} import inner\n")
    (skeleton / "cli.py").write_text(f"from closedchain import {package}\n")
    assert lint(skeleton.parent).returncode == 0
    (skeleton / "cli.py").write_text(f"from closedchain.{package}.inner import anything\n")
    done = lint(skeleton.parent)
    assert done.returncode == 1
    assert f"closedchain.cli -> closedchain.{package}.inner" in done.stdout.replace("\n", " ")


def test_a_shut_package_offers_few_names() -> None:
    """About fifteen; each of them exists."""
    for package in SHUT:
        module = importlib.import_module(f"closedchain.{package}")
        offered = module.__all__
        assert len(offered) <= 20, package
        assert all(hasattr(module, name) for name in offered), package


def test_the_core_does_not_know_the_lab(skeleton: Path) -> None:
    """The command line brings it late, by its name."""
    (skeleton / "cli.py").write_text("import closedchain_lab\n")
    done = lint(skeleton.parent)
    assert done.returncode == 1
    assert "closedchain.cli -> closedchain_lab" in done.stdout.replace("\n", " ")


def named_upwards(source: str, own: str) -> list[str]:
    """The modules that a file of the layer `own` names in its texts, to import them late, and may not."""
    texts = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    found = [match for text in texts if isinstance(text, str) and (match := NAMED.fullmatch(text))]
    return [m[0] for m in found if m[1] in DEPTH and m[1] != own and DEPTH[m[1]] <= DEPTH[own]]


def test_modules_imported_by_their_names_are_below_too() -> None:
    """What `importlib` brings late, so that starting is quick, is seen by no contract: the same rule for it."""
    package = ROOT / "src/closedchain"
    for path in package.rglob("*.py"):
        own = path.relative_to(package).parts[0].removesuffix(".py")
        if own in DEPTH:
            assert named_upwards(path.read_text(encoding="utf-8"), own) == [], path


def test_a_name_upwards_or_sideways_is_seen() -> None:
    """The rule above can fail: a constant and the beginning of an f-string; a schema's name is none."""
    assert named_upwards('HOME = "closedchain.cli.main"', "model") == ["closedchain.cli.main"]
    assert named_upwards('f"closedchain.control.{name}"', "motion") == ["closedchain.control."]
    assert named_upwards('"closedchain.derive.programs"; "closedchain.scenarios/1"', "model") == []
