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
LARGEST = 1 << 30  # bytes of an entry; the largest linkage has a few million
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
    link = os.lstat(folder)
    if stat.S_ISLNK(link.st_mode) and link.st_uid not in (os.geteuid(), 0):
        raise UnsafeFolder(
            f"cache folder {folder} is a link of user {link.st_uid}, not of yours: it is not followed. "
            f"Set ${VARIABLE} to a folder of your own."
        )
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
    """The bytes of an ordinary file that only the user can have written; None if there is no such file.

    It is asked of the file that is open, so that nobody can put another in its place in between; a link is not
    followed, and a pipe not waited for.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(folder / name, flags)
        with os.fdopen(descriptor, "rb") as file:
            return file.read() if _own(os.fstat(descriptor)) else None
    except OSError:
        return None


def _own(status: os.stat_result) -> bool:
    """Whether a file is ordinary, of a reasonable size, the user's, and writable by nobody else (POSIX)."""
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
        return False
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def write(folder: Path, name: str, content: bytes) -> bool:
    """Put a whole file in place or nothing at all; False if the folder cannot take it."""
    temporary = folder / f"{TEMPORARY_PREFIX}{name}-{os.getpid()}-{time.monotonic_ns()}"
    try:
        with open(temporary, "xb", opener=_privately) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, folder / name)
    except OSError:
        _remove(temporary)
        return False
    return True


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)


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
