"""What a submission gets: a working copy that is gone afterwards, what it may read besides, and how much it may use."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

MB = 2**20
WAITS = 6.0  # a machine that is busy gives a child at least one second in so many
NOBODY = 65534
HOME = Path(__file__).resolve().parents[2]
OURS = (HOME / "closedchain", HOME / "closedchain_lab", HOME / "lab_amoro")  # the exact models are in them
SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store", "/etc/ld.so.cache", "/etc/localtime",
    "/usr/share/zoneinfo", "/usr/share/fonts", "/etc/fonts",
)  # fmt: skip
Files = Sequence[tuple[Path | bytes, str]]  # where each is, or what it holds, and its name in the copy


@dataclass(frozen=True)
class Limits:
    """What one child may use; whatever is passed ends it, and only it."""

    seconds: float = 10.0  # [s] of the processor, for one request; on the wall WAITS times as many
    cpu_seconds: int = 120  # [s] of the processor, for the child's whole life
    memory: int = 1024 * MB  # address space, libraries included
    file_size: int = 8 * MB  # of one file
    disk: int = 64 * MB  # of the working copy
    open_files: int = 64
    threads: int = 32
    output: int = 64 * 1024  # bytes of print that are kept
    output_most: int = 4 * MB  # printed bytes after which the child is stopped
    answer: int = 64 * 1024  # bytes of one answer

    def within(self, seconds: float | None) -> Limits:
        """The same with another time for a request, and for the whole life one that fits it."""
        if seconds is None:
            return self
        return replace(self, seconds=seconds, cpu_seconds=max(2, round(12 * seconds)))


@contextmanager
def working_copy(files: Files) -> Iterator[tuple[Path, int]]:
    """A temporary folder with these files, and who owns it; links and devices are left out."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="closedchain-submission-")))
    try:
        for source, name in files:
            if isinstance(source, Path) and (source.is_symlink() or not source.is_file()):
                continue
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes() if isinstance(source, Path) else source)
        yield folder, _hand_over(folder)
    finally:
        _remove(folder)


def _hand_over(folder: Path) -> int:
    """Root gives the copy to a user of its own, whom nobody else is; others keep it."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return os.getuid() if hasattr(os, "getuid") else 0
    for user in (2**31 + int.from_bytes(os.urandom(3), "big"), NOBODY):
        with suppress(OSError):  # not every container has so many users
            for path in (folder, *folder.rglob("*")):
                os.chown(path, user, user)
            return user
    return 0


def _remove(folder: Path) -> None:
    """Delete the copy, also where the submission has taken its own rights away."""

    def unlock(function: object, path: str, error: object) -> None:
        with suppress(OSError):
            os.chmod(os.path.dirname(path), 0o700)
            (os.rmdir if os.path.isdir(path) and not os.path.islink(path) else os.unlink)(path)

    shutil.rmtree(folder, onerror=unlock)
    shutil.rmtree(folder, ignore_errors=True)


def used(folder: Path, most: int) -> int:
    """Bytes in the copy, counted until there are more than `most`."""
    total, waiting = 0, [str(folder)]
    while waiting and total <= most:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                total += 4096 + entry.stat(follow_symlinks=False).st_size
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return total


def import_path() -> list[str]:
    """Where the child imports from: the standard library and the installed packages."""
    paths = sysconfig.get_paths()
    found = [paths["stdlib"], os.path.join(paths["platstdlib"], "lib-dynload")]
    found += [name for name in sys.path if name.endswith("lib-dynload")]
    found += [paths["purelib"], paths["platlib"], str(Path(np.__file__).parents[1])]
    found += [name for name in sys.path if name.endswith(("site-packages", "dist-packages"))]
    return [name for name in dict.fromkeys(found) if os.path.isdir(name)]


def readable() -> tuple[list[str], list[str]]:
    """Folders and files to read, and folders that may only be listed because ours lie in them."""
    roots = [*import_path(), *SYSTEM, os.path.join(sys.base_prefix, "lib"), os.path.join(sys.base_exec_prefix, "lib")]
    read: list[str] = []
    listed: list[str] = []
    for root in dict.fromkeys(os.path.realpath(name) for name in roots):
        if os.path.exists(root):
            _open(Path(root), read, listed)
    return list(dict.fromkeys(read)), list(dict.fromkeys(listed))


def _open(folder: Path, read: list[str], listed: list[str]) -> None:
    """A folder as a whole, or piece by piece around our packages."""
    if not any(ours.is_relative_to(folder) for ours in OURS):
        read.append(str(folder))
    elif folder not in OURS:
        listed.append(str(folder))
        for entry in sorted(folder.iterdir()):
            _open(entry.resolve() if entry.is_symlink() else entry, read, listed)
