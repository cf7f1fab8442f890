"""What was handed in: files, folders and archives as groups hand them in, sorted into submissions; nothing vanishes."""

from __future__ import annotations

import ast
import json
import os
import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from closedchain import robots
from closedchain.describe import BadFile
from closedchain_lab.grading.states import FUNCTIONS
from closedchain_lab.sandbox.allowance import Files

ROBOTS = {name: name for name in robots.names()} | {"five_bar": "fivebar", "5bar": "fivebar", "5_bar": "fivebar"}
MODELS = ("biglide_models.py", "five_bar_models.py", *(f"{name}_models.py" for name in robots.names()))
SCRIPT = re.compile(r"test|eval|control|trajectory|plot", re.IGNORECASE)
DEFINED = re.compile(rf"^def ({'|'.join(FUNCTIONS)})\(", re.MULTILINE)
CONTROL = "control.py"
ENOUGH = 3  # of the lab's functions make a model file, whatever its name
IGNORED = {"__pycache__", ".git", ".venv", "venv", "node_modules", "__MACOSX", "build", "install", "log"}
LARGEST, ALL, MOST = 4 * 2**20, 24 * 2**20, 1500  # bytes of a file that is taken, of all, and how many
EMPTY = "no submission in it; a folder holds biglide_models.py or the like, or control.py, or one such folder a group"
NOTHING = f"nothing to grade in it: no {' or '.join(MODELS[:2])}, no control.py"
Source = Path | bytes  # where a file is, or what it holds
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
    names: Counter[str] = Counter()
    made = []
    for one in (submission for path in paths for submission in _at(path)):  # two groups may use one name
        names[one.name] += 1
        made.append(replace(one, name=f"{one.name} ({names[one.name]})") if names[one.name] > 1 else one)
    return made


def robot_of(name: str) -> str | None:
    """The robot that a file's name tells."""
    plain = name.lower().replace("-", "_").replace(" ", "_")
    return next((ROBOTS[word] for word in sorted(ROBOTS, key=len, reverse=True) if word in plain), None)


def _at(path: Path) -> list[Submission]:
    """One file or group, or every entry of a folder of groups."""
    if not path.exists():
        words = "there is no such file or folder; give a model file, or a folder of submissions"
        raise BadFile(str(path)[:200], "", words)
    if path.is_file() or any((path / name).is_file() for name in (*MODELS, CONTROL)):
        found = [_entry(path)]
    else:
        entries = (e for e in sorted(path.iterdir()) if e.name not in IGNORED and not e.name.startswith("."))
        found = [_entry(entry) for entry in entries]
    if all(one.problem for one in found):
        raise BadFile(str(path)[:200], "", found[0].problem if path.is_file() else EMPTY)
    return found


def _entry(path: Path) -> Submission:
    """A group's folder or archive, or one file by itself."""
    kind = path.suffix.lower()
    if path.is_symlink():
        return Submission(path.name, problem="a link, which is not followed")
    if path.is_dir():
        return _group(path.resolve().name, *_folder(path))
    if kind == ".zip":
        try:
            return _group(path.stem, *_archive(path))
        except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
            return Submission(path.stem, problem=f"no archive that can be read: {error}"[:200])
    if kind not in (".py", ".ipynb"):
        return Submission(path.name, problem="a submission is a Python file (.py), a notebook, a .zip file or a folder")
    if path.stat().st_size > LARGEST:
        return Submission(path.stem, problem=f"a file of more than {LARGEST >> 20} MB")
    if kind == ".ipynb":
        return _group(path.stem, {path.name: path}, ())
    if not _controls(path.name):
        return Submission(path.stem, ((path, path.name),), (path.name,))
    beside = tuple((p, p.name) for p in sorted(path.parent.glob("*models*.py")) if p != path)
    return Submission(path.stem, ((path, path.name), *beside), (), (path.name,))  # with the model files beside it


def _folder(folder: Path) -> tuple[Tree, tuple[str, ...]]:
    """Every regular file, Python first; what is too large is left out. Links are not followed."""
    found: dict[str, Path] = {}
    for place, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if name not in IGNORED)
        paths = (Path(place, name) for name in sorted(names))
        found |= {p.relative_to(folder).as_posix(): p for p in paths if p.is_file() and not p.is_symlink()}
    kept, notes = _kept({name: path.stat().st_size for name, path in found.items()})
    return {name: found[name] for name in kept}, notes


def _archive(path: Path) -> tuple[Tree, tuple[str, ...]]:
    """The members of a .zip file, no more of each than may be taken, whatever its head says of its size."""
    with zipfile.ZipFile(path) as archive:
        sizes = {m.filename: m.file_size for m in archive.infolist() if not m.is_dir() and _inside(m.filename)}
        kept, notes = _kept(sizes)
        return {name: archive.open(name).read(LARGEST) for name in kept}, notes


def _inside(name: str) -> bool:
    """Whether a member's name does not lead out of its archive."""
    parts = PurePosixPath(name).parts
    return bool(parts) and parts[0] != "/" and ".." not in parts and "\\" not in name and not set(parts) & IGNORED


def _kept(sizes: dict[str, int]) -> tuple[list[str], tuple[str, ...]]:
    """Which files are taken, and words about those that are too large or too many."""
    kept, total, out = list[str](), 0, list[str]()
    for name in sorted(sizes, key=lambda n: (not n.endswith((".py", ".ipynb")), n.count("/"), n)):
        if sizes[name] > LARGEST or total + sizes[name] > ALL or len(kept) >= MOST:
            out.append(f"{name} ({sizes[name] / 2**20:.1f} MB)")
        else:
            kept.append(name)
            total += sizes[name]
    return kept, (f"Left out: {_few(out)}.",) if out else ()


def _group(name: str, tree: Tree, notes: tuple[str, ...]) -> Submission:
    """One file of each kind: work before what is as it was given out, then the shallowest; the others are named."""
    tree = _plain(tree)
    texts = {path: _text(source) for path, source in tree.items() if path.endswith(".py")}
    models = {p: robot_of(os.path.basename(p)) or os.path.basename(p) for p, t in texts.items() if _is_models(p, t)}
    scripts = {p: os.path.basename(p) for p, t in texts.items() if p not in models and _controls(p, t)}
    kinds = models | (dict.fromkeys(scripts, CONTROL) if CONTROL in scripts.values() else scripts)
    if not kinds:
        return Submission(name, problem=NOTHING, notes=notes)
    improper = {path: os.path.basename(path) not in (*MODELS, CONTROL) for path in kinds}
    order = sorted(kinds, key=lambda p: (not _begun(texts[p]), p.count("/"), improper[p], os.path.split(p)))
    taken = sorted({kinds[p]: p for p in reversed(order)}.values(), key=lambda p: (p.count("/"), p))
    left = sorted(kinds.keys() - taken)
    notes += (f"Graded is {_few(taken)}, and not {_few(left)}.",) if left else ()
    files = _beside(tree, taken)
    for path in filter(models.get, taken):  # scripts import them by their proper names
        files.setdefault(next((m for m in MODELS if robot_of(m) == kinds[path]), path), tree[path])
    ours, control = (tuple(sorted(os.path.basename(p) for p in taken if p in kind)) for kind in (models, scripts))
    return Submission(name, tuple((source, p) for p, source in files.items()), ours, control, notes=notes)


def _beside(tree: Tree, taken: list[str]) -> Tree:
    """Some files by their names, with everything in their folders and below; the shallowest folder's go before."""
    files: Tree = {}
    for path in reversed(taken):
        below = path.removesuffix(os.path.basename(path))
        files |= {p.removeprefix(below): source for p, source in tree.items() if p.startswith(below)}
    return files | {os.path.basename(path): tree[path] for path in taken}


def _begun(text: str) -> bool:
    """Whether some function uses an argument of its own, or, where there is none, all can be read as Python."""
    try:
        made = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError, RecursionError):
        return False
    used = ({n.id for n in ast.walk(f) if isinstance(n, ast.Name)} & {a.arg for a in f.args.args} for f in made)
    return not made or any(used)


def _few(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"


def _plain(tree: Tree) -> Tree:
    """Notebooks as Python files of their code cells, where there is no such file."""
    texts = {path: _code(_text(source)) for path, source in tree.items() if path.endswith(".ipynb")}
    return {path.removesuffix(".ipynb") + ".py": text.encode() for path, text in texts.items() if text} | tree


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
    return "control" in name.lower() and (name == CONTROL or text is None or "apply_efforts" in text)
