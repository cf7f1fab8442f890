"""The folder where compiled code is kept: the user's own, and nobody else's."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import time
from pathlib import Path

from closedchain.errors import ClosedChainError

VARIABLE = "CLOSEDCHAIN_CACHE"
TEMPORARY_PREFIX = ".writing-"
STALE = 3600.0  # [s] after which a temporary file was abandoned


class UnsafeFolder(ClosedChainError):
    """Somebody else could put code into the cache folder."""


def default_folder() -> Path:
    """$CLOSEDCHAIN_CACHE, or `closedchain` in the platform's cache folder.

    A user without a home, as in a container that runs under a number, has a folder among the temporary files: its own,
    which nobody else can move there.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(os.path.expanduser(chosen))  # an unknown user's ~ stays as it is
    try:
        return _platform_folder() / "closedchain"
    except RuntimeError:  # from Path.home()
        user = os.geteuid() if hasattr(os, "geteuid") else "user"
        return Path(tempfile.gettempdir()) / f"closedchain-{user}"


def _platform_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def check_folder(folder: Path) -> None:
    """Raise UnsafeFolder if another user owns the folder or may write into it (POSIX only)."""
    if not hasattr(os, "geteuid"):
        return
    status = folder.stat()
    if status.st_uid != os.geteuid():
        raise UnsafeFolder(
            f"cache folder {folder} belongs to user {status.st_uid}, not to you ({os.geteuid()}): code in it is not "
            f"used. Set ${VARIABLE} to a folder of your own."
        )
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UnsafeFolder(
            f"cache folder {folder} has mode {stat.S_IMODE(status.st_mode):o}, others may write into it: code in it is "
            f"not used. Run `chmod 700` on it, or set ${VARIABLE} to a folder of your own."
        )


def read(folder: Path, name: str) -> bytes | None:
    """A file's bytes, or None if it is missing or unreadable."""
    try:
        return (folder / name).read_bytes()
    except OSError:
        return None


def write(folder: Path, name: str, content: bytes) -> bool:
    """Put a whole file in place or nothing at all; False if the folder cannot take it."""
    temporary = folder / f"{TEMPORARY_PREFIX}{name}-{os.getpid()}-{time.monotonic_ns()}"
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, folder / name)
    except OSError:
        _remove(temporary)
        return False
    return True


def sweep(folder: Path, now: float | None = None) -> None:
    """Remove temporary files that a crashed process left more than an hour ago."""
    moment = time.time() if now is None else now
    for path in folder.glob(TEMPORARY_PREFIX + "*"):
        try:
            abandoned = moment - path.stat().st_mtime > STALE
        except OSError:
            continue
        if abandoned:
            _remove(path)


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError:
        return
