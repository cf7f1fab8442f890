"""What a submission may read besides its copy: Python, its packages, the system's libraries; not this package."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import numpy as np

OURS = Path(__file__).resolve().parents[2]  # the package: the exact models are in it
SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store", "/etc/ld.so.cache", "/etc/localtime",
    "/usr/share/zoneinfo", "/usr/share/fonts", "/etc/fonts",
)  # fmt: skip


def import_path() -> list[str]:
    """Where the child imports from: the standard library and the installed packages."""
    paths = sysconfig.get_paths()
    found = [paths["stdlib"], os.path.join(paths["platstdlib"], "lib-dynload")]
    found += [name for name in sys.path if name.endswith("lib-dynload")]
    found += [paths["purelib"], paths["platlib"], str(Path(np.__file__).parents[1])]
    found += [name for name in sys.path if name.endswith(("site-packages", "dist-packages"))]
    return [name for name in dict.fromkeys(found) if os.path.isdir(name)]


def readable() -> tuple[list[str], list[str]]:
    """Folders and files to read, and folders that may only be listed because this package lies in them."""
    roots = [*import_path(), *SYSTEM, os.path.join(sys.base_prefix, "lib"), os.path.join(sys.base_exec_prefix, "lib")]
    read: list[str] = []
    listed: list[str] = []
    for root in dict.fromkeys(os.path.realpath(name) for name in roots):
        if os.path.exists(root):
            _open(Path(root), read, listed)
    return list(dict.fromkeys(read)), list(dict.fromkeys(listed))


def _open(folder: Path, read: list[str], listed: list[str]) -> None:
    """A folder as a whole, or piece by piece around this package."""
    if not OURS.is_relative_to(folder):
        read.append(str(folder))
    elif folder != OURS:
        listed.append(str(folder))
        for entry in sorted(folder.iterdir()):
            _open(entry.resolve() if entry.is_symlink() else entry, read, listed)
