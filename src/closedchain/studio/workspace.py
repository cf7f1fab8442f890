"""The one folder whose files the studio reads and writes: nothing outside it, no links, no hidden files."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from closedchain.errors import ClosedChainError
from closedchain.files import atomic_write

LARGEST = 1_000_000  # bytes of a file
MOST = 500  # files that are listed
DEEP = 4  # folders
TABLES = re.compile(r"^\s*\[?\[?\s*(points|drives|plates|equations|bars)\b", re.MULTILINE)
CONTROLLER = re.compile(r"^\s*\[?\s*controller\b", re.MULTILINE)  # of a scenario


class NotInWorkspace(ClosedChainError, ValueError):
    """A file that the studio does not read."""


class Workspace:
    """Files below a folder, by their paths in it."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).resolve()
        if not self.folder.is_dir():
            raise NotInWorkspace(f"no folder {str(folder)[:200]!r} for --workspace; make it first")

    def path(self, name: str) -> Path:
        """Where a file is; raises NotInWorkspace for links, `..`, absolute and hidden paths."""
        parts = PurePosixPath(name).parts
        odd = not parts or "\\" in name or ":" in name or name.startswith("/")
        if odd or any(part.startswith(".") for part in parts) or len(name) > 300:
            raise NotInWorkspace(f"{name[:80]!r} is not a path in the workspace; it has no .., no links and no drive")
        path = self.folder
        for part in parts:
            path = path / part
            if path.is_symlink():
                raise NotInWorkspace(f"{name[:80]!r} is or passes a link; the studio follows none")
        return path

    def read(self, name: str) -> str:
        """The text of an ordinary file of reasonable size."""
        path = self.path(name)
        try:
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            raise NotInWorkspace(f"no file {name[:80]!r} in the workspace") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise NotInWorkspace(f"{name[:80]!r} is not an ordinary file")
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise NotInWorkspace(f"{name[:80]!r} is larger than {LARGEST} bytes")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise NotInWorkspace(f"{name[:80]!r} is not UTF-8 text") from None

    def write(self, name: str, text: str, replace: bool = False) -> bool:
        """Write a mechanism file whole, or not at all; False where there is one that is not to be replaced."""
        path = self.path(name)
        if path.suffix != ".toml" or not path.parent.is_dir():
            raise NotInWorkspace(f"{name[:80]!r} is not written; a name ends in .toml, in a folder that is there")
        if path.exists() and not path.is_file():
            raise NotInWorkspace(f"{name[:80]!r} is not an ordinary file")
        if path.exists() and not replace:
            return False
        try:
            atomic_write(path, text)
        except OSError as error:
            raise NotInWorkspace(f"{name[:80]!r} cannot be written: {error.strerror}") from None
        return True

    def listed(self) -> dict[str, list[str]]:
        """Every file of interest: TOML and Python files, and which of the former describe a robot."""
        toml = self.names(".toml")
        return {"toml": toml, "python": self.names(".py"), "robots": [name for name in toml if self._robot(name)]}

    def _robot(self, name: str) -> bool:
        """Whether a file has the tables of a mechanism; it is read when it is opened, not here."""
        try:
            text = self.read(name)
        except NotInWorkspace:
            return False
        return TABLES.search(text) is not None and CONTROLLER.search(text) is None

    def names(self, suffix: str) -> list[str]:
        """The files with an ending, sorted; not those that are hidden or deep inside."""
        found = (p.relative_to(self.folder).as_posix() for p in _walk(self.folder, DEEP) if p.suffix == suffix)
        return sorted(name for name, _ in zip(found, range(MOST), strict=False))


def _walk(folder: Path, deep: int) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError:
        return
    for entry in entries:
        if _hidden(entry.name) or entry.is_symlink():
            continue
        if entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
        elif deep and entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), deep - 1)


def _hidden(name: str) -> bool:
    """Whether a name is not shown: nobody's work, or bytes that are no text, which no message can hold."""
    no_text = any("\ud800" <= letter <= "\udfff" for letter in name)
    return name.startswith(".") or name in ("node_modules", "__pycache__") or no_text
