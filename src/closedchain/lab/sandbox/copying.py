"""The working copy: a folder that holds a submission's files and nothing else, and is gone afterwards."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from closedchain.errors import BadInput

LARGEST = 32 * 2**20  # bytes of a submission
MOST = 2000  # files
NOBODY = 65534


@contextmanager
def working_copy(files: Sequence[tuple[Path | bytes, str]]) -> Iterator[tuple[Path, int]]:
    """A temporary folder with `files`, each (where it is or what it holds, its name in the copy), and who owns it."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="closedchain-submission-")))
    try:
        _fill(folder, files)
        yield folder, _hand_over(folder)
    finally:
        _remove(folder)


def _fill(folder: Path, files: Sequence[tuple[Path | bytes, str]]) -> None:
    """Copy regular files; links and devices are left out."""
    size = 0
    if len(files) > MOST:
        raise BadInput(f"a submission of {len(files)} files; {MOST} are the most")
    for source, name in files:
        if isinstance(source, Path) and (source.is_symlink() or not source.is_file()):
            continue
        size += source.stat().st_size if isinstance(source, Path) else len(source)
        if size > LARGEST:
            raise BadInput(f"{name}: a submission of more than {LARGEST >> 20} MB; leave pictures and data out")
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(source, Path):
            shutil.copyfile(source, target)
        else:
            target.write_bytes(source)


def _hand_over(folder: Path) -> int:
    """Root gives the copy to a user of its own, whom nobody else is; others keep it."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return os.getuid() if hasattr(os, "getuid") else 0
    for user in (2**31 + int.from_bytes(os.urandom(3), "big"), NOBODY):
        try:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, user, user)
        except OSError:  # not every container has so many users
            continue
        return user
    return 0


def _remove(folder: Path) -> None:
    """Delete the copy, also where the submission has taken its own rights away."""

    def unlock(function: object, path: str, error: object) -> None:
        try:
            os.chmod(os.path.dirname(path), 0o700)
            (os.rmdir if os.path.isdir(path) and not os.path.islink(path) else os.unlink)(path)
        except OSError:
            return

    shutil.rmtree(folder, onerror=unlock)
    if folder.exists():
        shutil.rmtree(folder, ignore_errors=True)


def used(folder: Path, most: int) -> int:
    """Bytes in the copy, counted until there are more than `most`."""
    total, waiting = 0, [str(folder)]
    while waiting and total <= most:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    total += 4096 + entry.stat(follow_symlinks=False).st_size
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
    return total
