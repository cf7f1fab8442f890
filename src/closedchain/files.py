"""Files that are whole or not there: written beside their place, flushed to disk, then moved into it."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path


def atomic_write(path: str | os.PathLike[str], content: str | bytes | Iterable[bytes]) -> None:
    """Write text (UTF-8, newlines as they are), bytes, or pieces of bytes as they come.

    Whoever reads sees the old file or the whole new one.

    A link is followed and its target replaced; permissions are those of the file replaced, or the user's default.
    A device or a pipe, such as /dev/stdout, is written to as it is.
    """
    target = Path(os.path.realpath(path))
    data = content.encode("utf-8") if isinstance(content, str) else content
    pieces = (data,) if isinstance(data, bytes) else data
    if target.exists() and not target.is_file() and not target.is_dir():
        with target.open("wb") as file:
            file.writelines(pieces)
        return
    try:
        _replace(target, pieces)
    except OSError as error:
        if error.filename is not None:  # what lies beside is our own affair
            error.filename, error.filename2 = str(path), None
        raise
    _flush_folder(target.parent)


def _replace(target: Path, pieces: Iterable[bytes]) -> None:
    beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")
    mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def _flush_folder(folder: Path) -> None:
    """Make the new name itself last; not every system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
