"""Files that a command will write: refused before the work, not after it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from closedchain.cli.options import Usage

PICTURES = (".png", ".svg", ".pdf")


def check_file(option: str, name: str | None, endings: Sequence[str] = PICTURES) -> None:
    """Usage, where a file has another ending than those possible or no folder to lie in."""
    if name is None:
        return
    if Path(name).suffix.lower() not in endings:
        raise Usage(f"{option} {name[:60]!r}: its name must end in {' or '.join(endings)}")
    check_place(option, name)


def check_place(option: str, name: str) -> None:
    """Usage, where a file of any ending has no folder to lie in, or a folder stands in its place."""
    path = Path(name).absolute()
    if not path.parent.is_dir():
        raise Usage(f"{option} {name[:60]!r}: there is no folder {str(Path(name).parent)[:60]!r}; make it first")
    if path.is_dir():
        raise Usage(f"{option} {name[:60]!r}: is a folder; give a file's name in it")
