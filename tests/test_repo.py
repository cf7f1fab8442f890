"""The repository itself: what the lock pins, what the wheel carries, and that no file tells where it was made."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("requirements.lock", "requirements-dev.lock")}
EXTRAS = PROJECT["optional-dependencies"]
DEVELOPMENT = ("dev", "docs")  # what the program itself never needs


def pins_of(lock: str) -> list[Requirement]:
    """The pins of a lock, without their hashes."""
    return [Requirement(line.rstrip(" \\")) for line in LOCKS[lock].splitlines() if re.match(r"[a-z0-9]", line)]


def declared(lock: str) -> list[Requirement]:
    """What pyproject.toml asks of a lock; extras that are made of extras ask for nothing more."""
    left_out = DEVELOPMENT if lock == "requirements.lock" else ()
    groups = [PROJECT["dependencies"], *(group for extra, group in EXTRAS.items() if extra not in left_out)]
    found = [Requirement(text) for group in groups for text in group]
    return [requirement for requirement in found if requirement.name != PROJECT["name"]]


WALKED_PAST = {".git", ".venv", "node_modules", "__pycache__", "build", "dist", "out"}
STRAYS = {  # each pattern is written so that it does not match itself
    "a package index": r"(?i)python[h]osted|pypi[.]org/simple|registry[.]npm|arti[f]actory|(?<!emit-)index[-]url\b",
    "a path of one machine": r"(?<![\w.~])/(wor[k]|roo[t]|hom[e]|User[s]|tm[p]|opt/pyp[i])/\w",
    "notes that are not here": r"\.\./share[d]|\bshare[d]/(DESIGN|STYLE|TRUTH|PEERS|STUDIO|cases|seeds|lab|truth)",
    "how it was written": r"(?i)\b(this|last|previous|earlier|next) sessio[n]\b|\bsub-?agen[t]s?\b|\bchatgp[t]\b",
}


def tracked_files() -> list[Path]:
    """Return the files that are or would be committed: git's view where there is one, else every file not generated."""
    git = shutil.which("git")
    if git is not None and (ROOT / ".git").exists():
        command = [git, "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 0:
            return [ROOT / name for name in sorted(filter(None, done.stdout.split("\0"))) if (ROOT / name).is_file()]
    found = []
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [name for name in inner if name not in WALKED_PAST and not name.endswith("_cache")]
        found += [Path(folder, name) for name in names]
    return sorted(found)


FILES = tracked_files()


def text_of(path: Path) -> str:
    """Return a file's text; bytes that are no text (pictures) become replacement characters."""
    return path.read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_address(lock: str) -> None:
    """Where packages come from is the machine's business; a lock holds names, versions and hashes only."""
    assert "://" not in LOCKS[lock]
    assert not re.search(r"^\s*--(?!hash=sha256:[0-9a-f]{64})", LOCKS[lock], re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_is_exact_and_hashed(lock: str) -> None:
    """One version, and at least one SHA-256, for each package: pip --require-hashes accepts nothing less."""
    blocks, pins = re.split(r"^(?=[a-z0-9])", LOCKS[lock], flags=re.MULTILINE)[1:], pins_of(lock)
    assert len(blocks) == len(pins) > 0
    for pin, block in zip(pins, blocks, strict=True):
        assert [part.operator for part in pin.specifier] == ["=="], pin
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), pin
        assert re.search(r"# via \S", block), f"{pin}: start.py reads there who needs it"


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_satisfies_the_project_file(lock: str) -> None:
    """A dependency added or raised in pyproject.toml without a new lock is caught here."""
    for wanted in declared(lock):
        pins = [pin for pin in pins_of(lock) if canonicalize_name(pin.name) == canonicalize_name(wanted.name)]
        assert pins, f"{wanted} is not in {lock}; CONTRIBUTING.md has the command that makes it"
        for pin in pins:
            (version,) = (part.version for part in pin.specifier)
            assert wanted.specifier.contains(version), f"{wanted} against {pin}"


def test_development_runs_what_users_run() -> None:
    """Every pin of the program's lock is in the lock of development, version for version."""
    program, development = ({(pin.name, str(pin.specifier)) for pin in pins_of(lock)} for lock in LOCKS)
    assert program < development


def test_there_are_two_locks() -> None:
    """They serve pip and uv alike; another lock would drift from them."""
    assert not [path for path in FILES if path.name in {"uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock"}]


@pytest.mark.parametrize("what", STRAYS)
def test_no_file_tells_where_or_how_it_was_made(what: str) -> None:
    """The repository speaks of itself only."""
    pattern = re.compile(STRAYS[what])
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in FILES
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "what, line",
    [
        ("a package index", "--extra-index" + "-url https://example.net/simple"),
        ("a path of one machine", "open('/ho" + "me/ada/robot.toml')"),
        ("notes that are not here", "see .." + "/shared for why"),
        ("how it was written", "left for the next ses" + "sion"),
    ],
)
def test_each_pattern_finds_what_it_is_for(what: str, line: str) -> None:
    """A pattern that matches nothing would keep the test above green for ever."""
    assert re.search(STRAYS[what], line)


def test_the_wheel_carries_the_package_its_data_and_the_benchmarks(tmp_path: Path) -> None:
    """Every committed file of src and of benchmarks is in the wheel, and nothing else but its metadata."""
    wheel = next(WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"]))
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = set()
    for path in FILES:
        name = PurePosixPath(path.relative_to(ROOT).as_posix())
        if name.is_relative_to("src"):
            wanted.add(str(name.relative_to("src")))
        if name.is_relative_to("benchmarks"):
            wanted.add(f"closedchain/{name}")
    assert held == wanted


def test_the_notes_of_a_release_come_from_the_changelog() -> None:
    """Its kinds in their usual order, nothing left out; an unknown version is told with those that there are."""
    command = [sys.executable, str(ROOT / ".ci" / "notes")]
    done = subprocess.run([*command, "Unreleased"], capture_output=True, text=True, encoding="utf-8", check=True)
    kinds = re.findall(r"^### (\w+)$", done.stdout, re.MULTILINE)
    assert kinds == [
        kind for kind in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security") if kind in kinds
    ]
    section = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("## [Unreleased]")[1].split("\n## [")[0]
    assert done.stdout.count("\n- ") == section.count("\n- ")
    refused = subprocess.run([*command, "9.9"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "no '9.9'" in refused.stderr


def test_the_conda_recipe_asks_for_what_the_core_needs() -> None:
    """Package for package, bound for bound."""
    recipe = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    run = re.search(r"^  run:\n((?:    - .*\n)+)", recipe, re.MULTILINE)
    assert run is not None
    wanted = {Requirement(text.split("#")[0]) for text in PROJECT["dependencies"]}
    found = {Requirement(line.strip(" -")) for line in run[1].splitlines() if "python" not in line}
    assert found == wanted
