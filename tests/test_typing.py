"""The package is typed for its users: `mypy --strict` sees our types in a user's script and in the examples."""

import os
from pathlib import Path

import pytest
from mypy import api

import closedchain

ROOT = Path(__file__).parents[1]
SOURCE = Path(closedchain.__file__).parent
LABS = "11_lab"  # scripts as students write them, without types
SCRIPT = """
import closedchain as cc
from closedchain.model.model import Model

robot: Model = cc.load("biglide")
for solution in cc.inverse(robot, x=[0.03, 0.25]):
    print(solution.mode, solution.q)
line = cc.quintic([0.0, 0.3], [0.1, 0.5], duration=3.0)
run = cc.simulate(robot, cc.ComputedTorque(line, kp=100, kd=100), interval=5e-3)
print(run.t[-1], run.x.shape)
"""


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """mypy as a user runs it: strict, no settings of ours, and our own files followed but not reported."""
    cache = tmp_path_factory.mktemp("mypy")

    def run(*files):
        before = os.environ.get("MYPYPATH")
        os.environ["MYPYPATH"] = str(SOURCE.parent)
        try:
            options = ["--strict", "--config-file=", "--follow-imports=silent", f"--cache-dir={cache}"]
            out, errors, _ = api.run([*options, *map(str, files)])
        finally:
            os.environ.pop("MYPYPATH") if before is None else os.environ.update(MYPYPATH=before)
        return out + errors

    return run


def test_the_package_says_that_it_is_typed():
    """PEP 561: without the file, type checkers take every name for Any."""
    assert (SOURCE / "py.typed").is_file()


def test_a_users_script_is_checked_strictly(strict, tmp_path):
    """The right script passes; a name that a result does not have, and a wrong argument, are found."""
    file = tmp_path / "script.py"
    file.write_text(SCRIPT, encoding="utf-8")
    assert strict(file).startswith("Success")
    file.write_text(SCRIPT + "\nprint(run.qq)\ncc.quintic([0.0], [1.0], duration='3')\n", encoding="utf-8")
    found = strict(file)
    assert '"Run" has no attribute "qq"' in found
    assert 'incompatible type "str"; expected "float"' in found


def test_the_first_example_passes_strictly(strict):
    """What a newcomer copies."""
    assert strict(ROOT / "examples" / "00_start" / "first_steps.py").startswith("Success")


@pytest.mark.slow
def test_every_example_passes_strictly(strict):
    """Folder by folder, for two have scripts of one name; not the students' scripts."""
    for folder in sorted(p for p in (ROOT / "examples").iterdir() if any(p.glob("*.py")) and p.name != LABS):
        assert strict(*sorted(folder.glob("*.py"))).startswith("Success"), folder.name
