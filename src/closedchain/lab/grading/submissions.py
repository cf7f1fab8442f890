"""What was handed in: files and folders as groups hand them in, sorted into submissions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from closedchain.describe.files import BadFile

ROBOTS = {"biglide": "biglide", "five_bar": "fivebar", "fivebar": "fivebar", "5bar": "fivebar", "5_bar": "fivebar"}
ROBOTS |= {"triplate": "triplate", "furuta": "furuta"}
MODELS = ("biglide_models.py", "five_bar_models.py", "triplate_models.py", "furuta_models.py")
CONTROL = re.compile(r"control", re.IGNORECASE)
IGNORED = {"__pycache__", ".git", ".venv", "venv", "node_modules"}
EMPTY = f"no submission in it; a folder holds {', '.join(MODELS)} or control.py, or one such folder for each group"
Files = tuple[tuple[Path, str], ...]


@dataclass(frozen=True)
class Submission:
    """What one group has handed in."""

    name: str
    files: Files  # what its working copy holds: where each is, and its name there
    models: tuple[str, ...]  # the names of its model files
    controls: tuple[str, ...]  # the names of its control scripts


def find(paths: Iterable[Path]) -> list[Submission]:
    """Submissions among files and folders; raises BadFile where a path has none."""
    found = [submission for path in paths for submission in _at(path)]
    names: dict[str, int] = {}
    made = []
    for one in found:  # two groups may use one name
        names[one.name] = names.get(one.name, 0) + 1
        again = f"{one.name} ({names[one.name]})" if names[one.name] > 1 else one.name
        made.append(Submission(again, one.files, one.models, one.controls))
    return made


def robot_of(name: str) -> str | None:
    """The robot that a file's name tells."""
    plain = name.lower().replace("-", "_").replace(" ", "_")
    return next((robot for word, robot in ROBOTS.items() if word in plain), None)


def is_models(name: str) -> bool:
    """Whether a file's name is that of a model file: it names a robot, and is no script."""
    return robot_of(name) is not None and not CONTROL.search(name) and "test" not in name and "eval" not in name


def _at(path: Path) -> Iterator[Submission]:
    if path.is_file():
        yield _single(path)
        return
    if not path.is_dir():
        raise BadFile(
            str(path)[:200], "", "there is no such file or folder; give a model file, or a folder of submissions"
        )
    here = _folder(path)
    if here is not None:
        yield here
        return
    entries = sorted(path.iterdir())
    groups = [_folder(entry) for entry in entries if entry.is_dir() and not entry.is_symlink()]
    singles = [_single(entry) for entry in entries if entry.suffix == ".py" and is_models(entry.name)]
    found = [*filter(None, groups), *singles]
    if not found:
        raise BadFile(str(path)[:200], "", EMPTY)
    yield from found


def _single(path: Path) -> Submission:
    """One file by itself; a control script gets the model files beside it."""
    if path.suffix != ".py":
        raise BadFile(str(path)[:200], "", "a submission is a Python file (.py)")
    if CONTROL.search(path.name):
        beside = tuple((p, p.name) for p in sorted(path.parent.glob("*models*.py")))
        return Submission(path.stem, ((path, path.name), *beside), (), (path.name,))
    return Submission(path.stem, ((path, path.name),), (path.name,), ())


def _folder(folder: Path) -> Submission | None:
    """A group's folder: model files and control scripts at its top, and everything below for them to use."""
    tops = [p.name for p in sorted(folder.glob("*.py")) if p.is_file()]
    models = tuple(name for name in MODELS if name in tops)
    controls = tuple(name for name in tops if name == "control.py")
    if not models and not controls:
        return None
    return Submission(folder.resolve().name, tuple(_below(folder)), models, controls)


def _below(folder: Path) -> Iterator[tuple[Path, str]]:
    """Every regular file; links are not followed."""
    for place, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if name not in IGNORED)
        for name in sorted(names):
            path = Path(place, name)
            if path.is_file() and not path.is_symlink():
                yield path, path.relative_to(folder).as_posix()
