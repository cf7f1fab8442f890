"""What was handed in: files, folders and archives as groups hand them in, sorted into submissions; nothing vanishes."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from closedchain.describe.files import BadFile
from closedchain.lab.grading.signatures import SIGNATURES

ROBOTS = {"biglide": "biglide", "five_bar": "fivebar", "fivebar": "fivebar", "5bar": "fivebar", "5_bar": "fivebar"}
ROBOTS |= {"triplate": "triplate", "furuta": "furuta"}
MODELS = ("biglide_models.py", "five_bar_models.py", "triplate_models.py", "furuta_models.py")
SCRIPT = re.compile(r"test|eval|control|trajectory|plot", re.IGNORECASE)
DEFINED = re.compile(rf"^def ({'|'.join(SIGNATURES)})\(", re.MULTILINE)
ENOUGH = 3  # of the lab's functions make a model file, whatever its name
IGNORED = {"__pycache__", ".git", ".venv", "venv", "node_modules", "__MACOSX", "build", "install", "log"}
LARGEST, ALL, MOST = 4 * 2**20, 24 * 2**20, 1500  # bytes of a file that is taken, of all, and how many
EMPTY = f"no submission in it; a folder holds {', '.join(MODELS)} or control.py, or one such folder for each group"
NOTHING = f"nothing to grade in it: no {' or '.join(MODELS[:2])}, no control.py"
Source = Path | bytes  # where a file is, or what it holds
Files = tuple[tuple[Source, str], ...]
Tree = dict[str, Source]  # by the path within


@dataclass(frozen=True)
class Submission:
    """What one group has handed in."""

    name: str
    files: Files = ()  # what its working copy holds: where each is, and its name there
    models: tuple[str, ...] = ()  # the names of its model files
    controls: tuple[str, ...] = ()  # the names of its control scripts
    problem: str = ""  # why there is nothing to grade
    notes: tuple[str, ...] = ()  # what was left out


def find(paths: Iterable[Path]) -> list[Submission]:
    """Submissions among files and folders, every entry of a folder of groups; raises BadFile where a path has none."""
    found = [submission for path in paths for submission in _at(path)]
    names: dict[str, int] = {}
    made = []
    for one in found:  # two groups may use one name
        names[one.name] = names.get(one.name, 0) + 1
        made.append(replace(one, name=f"{one.name} ({names[one.name]})") if names[one.name] > 1 else one)
    return made


def robot_of(name: str) -> str | None:
    """The robot that a file's name tells."""
    plain = name.lower().replace("-", "_").replace(" ", "_")
    return next((robot for word, robot in ROBOTS.items() if word in plain), None)


def _at(path: Path) -> Iterator[Submission]:
    if path.is_file():
        one = _entry(path)
        if one.problem:
            raise BadFile(str(path)[:200], "", one.problem)
        yield one
        return
    if not path.is_dir():
        words = "there is no such file or folder; give a model file, or a folder of submissions"
        raise BadFile(str(path)[:200], "", words)
    if any((path / name).is_file() for name in (*MODELS, "control.py")):
        yield _entry(path)
        return
    entries = [e for e in sorted(path.iterdir()) if e.name not in IGNORED and not e.name.startswith(".")]
    found = [_entry(entry) for entry in entries]
    if all(one.problem for one in found):
        raise BadFile(str(path)[:200], "", EMPTY)
    yield from found


def _entry(path: Path) -> Submission:
    """A group's folder or archive, or one file by itself."""
    if path.is_symlink():
        return Submission(path.name, problem="a link, which is not followed")
    if path.is_dir():
        return _group(path.resolve().name, *_folder(path))
    kind = path.suffix.lower()
    if kind == ".zip":
        try:
            return _group(path.stem, *_archive(path))
        except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
            return Submission(path.stem, problem=f"no archive that can be read: {error}"[:200])
    if kind == ".ipynb" or (kind == ".py" and not _controls(path.name)):
        return _group(path.stem, {path.name: path}, ()) if kind == ".ipynb" else _single(path)
    if kind == ".py":  # a control script gets the model files beside it
        beside = tuple((p, p.name) for p in sorted(path.parent.glob("*models*.py")) if p != path)
        return Submission(path.stem, ((path, path.name), *beside), (), (path.name,))
    return Submission(path.name, problem="a submission is a Python file (.py), a notebook, a .zip file or a folder")


def _single(path: Path) -> Submission:
    return Submission(path.stem, ((path, path.name),), (path.name,), ())


# What a group's folder or archive holds -----------------------------------------------------------


def _folder(folder: Path) -> tuple[Tree, tuple[str, ...]]:
    """Every regular file, Python first; what is too large is left out. Links are not followed."""
    found: dict[str, tuple[Path, int]] = {}
    for place, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if name not in IGNORED)
        for name in sorted(names):
            path = Path(place, name)
            if path.is_file() and not path.is_symlink():
                found[path.relative_to(folder).as_posix()] = (path, path.stat().st_size)
    kept, notes = _kept({name: size for name, (_, size) in found.items()})
    return {name: found[name][0] for name in kept}, notes


def _archive(path: Path) -> tuple[Tree, tuple[str, ...]]:
    """The members of a .zip file; a name that leads out of it is left out."""
    with zipfile.ZipFile(path) as archive:
        members = {m.filename: m for m in archive.infolist() if not m.is_dir() and _inside(m.filename)}
        kept, notes = _kept({name: member.file_size for name, member in members.items()})
        tree: Tree = {}
        for name in kept:
            with archive.open(members[name]) as file:
                tree[name] = file.read(LARGEST + 1)[:LARGEST]  # whatever its head says of its size
    return tree, notes


def _inside(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and parts[0] != "/" and ".." not in parts and "\\" not in name and not set(parts) & IGNORED


def _kept(sizes: dict[str, int]) -> tuple[list[str], tuple[str, ...]]:
    """Which files are taken, and words about those that are too large or too many."""
    kept: list[str] = []
    total, out = 0, []
    for name in sorted(sizes, key=lambda n: (not n.endswith((".py", ".ipynb")), n.count("/"), n)):
        if sizes[name] > LARGEST or total + sizes[name] > ALL or len(kept) >= MOST:
            out.append(f"{name} ({sizes[name] / 2**20:.1f} MB)")
        else:
            kept.append(name)
            total += sizes[name]
    more = f" and {len(out) - 3} more" if len(out) > 3 else ""
    return kept, (f"Left out: {', '.join(out[:3])}{more}.",) if out else ()


def _group(name: str, tree: Tree, notes: tuple[str, ...]) -> Submission:
    """The shallowest folder of a tree that holds model files or a control script, and everything below it."""
    tree = _plain(tree)
    texts = {path: _text(source) for path, source in tree.items() if path.endswith(".py")}
    wanted = {path for path, text in texts.items() if _is_models(path, text) or _controls(path, text)}
    if not wanted:
        return Submission(name, problem=NOTHING, notes=notes)
    root = min((os.path.dirname(path) for path in wanted), key=lambda place: (place.count("/") + bool(place), place))
    inside = {
        os.path.relpath(p, root) if root else p: s for p, s in tree.items() if not root or p.startswith(f"{root}/")
    }
    tops = sorted(os.path.basename(path) for path in wanted if os.path.dirname(path) == root)
    below = f"{root}/" if root else ""
    models = [top for top in tops if _is_models(top, texts[below + top])]
    exact = [top for top in models if top in MODELS]
    models = [*exact, *(m for m in models if m not in exact and robot_of(m) not in map(robot_of, exact))]
    files = {**inside}
    for model in models:  # scripts import them by their proper names
        proper = next((m for m in MODELS if robot_of(m) == robot_of(model)), model)
        files.setdefault(proper, inside[model])
    controls = tuple(top for top in tops if top not in models and _controls(top, texts[below + top]))
    if "control.py" in controls:
        controls = ("control.py",)
    order = tuple(sorted(models, key=lambda m: MODELS.index(m) if m in MODELS else len(MODELS)))
    return Submission(name, tuple((source, path) for path, source in files.items()), order, controls, notes=notes)


def _plain(tree: Tree) -> Tree:
    """Notebooks as Python files of their code cells."""
    made = dict(tree)
    for path, source in tree.items():
        if path.endswith(".ipynb"):
            text = _code(_text(source))
            if text:
                made.setdefault(path.removesuffix(".ipynb") + ".py", text.encode())
    return made


def _code(notebook: str) -> str:
    """The code of a notebook's cells; lines that only a notebook understands become comments."""
    try:
        cells = json.loads(notebook)["cells"]
        lines = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    text = "\n\n".join(lines)
    return re.sub(r"^(\s*)([%!?].*)$", r"\1pass  # \2", text, flags=re.MULTILINE)


def _text(source: Source) -> str:
    return (source if isinstance(source, bytes) else source.read_bytes()).decode("utf-8", errors="replace")


def _is_models(path: str, text: str) -> bool:
    name = os.path.basename(path)
    if name in MODELS:
        return True
    many = len(set(DEFINED.findall(text))) >= ENOUGH
    return not SCRIPT.search(name) and (many or (robot_of(name) is not None and bool(DEFINED.search(text))))


def _controls(path: str, text: str | None = None) -> bool:
    """Whether it is a control script: by its name, and by what it does where that is known."""
    name = os.path.basename(path)
    if name == "control.py" or text is None:
        return "control" in name.lower()
    return "control" in name.lower() and "apply_efforts" in text
