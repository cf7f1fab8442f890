"""What is costly to make, kept in the user's cache folder by key; object code, and its symbols' addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import llvmlite.binding as llvm

from closedchain.kernels import folder as folders
from closedchain.kernels.cache import digest
from closedchain.kernels.entry import Entry, pack, unpack
from closedchain.kernels.llvm import host, target_machine

_LINKED: dict[str, tuple[dict[str, int], object]] = {}  # addresses by key; machine code lives as long as the process


def kept(key_text: str, make: Callable[[], bytes], folder: Path | None = None) -> bytes:
    """The bytes of a key, from the folder or made now; a damaged file, or one of other sources, is made anew."""
    folder = (folder or folders.default_folder()).absolute()
    key = digest(key_text, host())
    content = _read(folder, key)
    entry = unpack(content, key) if content else None
    if entry is None:
        entry = Entry(key, (), make())
        _write(folder, key, pack(entry))
    return entry.code


def load_object(
    key_text: str, compile_now: Callable[[], bytes], symbols: Sequence[str], folder: Path | None = None
) -> dict[str, int]:
    """The address of each symbol; `compile_now` is called only if neither memory nor the folder has the code."""
    if key_text not in _LINKED:
        _LINKED[key_text] = _link(kept(key_text, compile_now, folder), symbols)
    return _LINKED[key_text][0]


def _link(code: bytes, symbols: Sequence[str]) -> tuple[dict[str, int], object]:
    """The addresses, and what keeps the code in memory."""
    engine = llvm.create_lljit_compiler(target_machine(host()))
    linker = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for symbol in symbols:
        linker.export_symbol(symbol)
    linked = linker.link(engine, symbols[0])
    return {symbol: int(linked[symbol]) for symbol in symbols}, (engine, linked)


def _read(folder: Path, key: str) -> bytes | None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folders.check_folder(folder)
        return folders.read(folder, key)
    except (folders.UnsafeFolder, OSError):
        return None


def _write(folder: Path, key: str, content: bytes) -> None:
    """Keep it for the next start, where that is possible."""
    try:
        folders.check_folder(folder)
        folders.write(folder, key, content)
    except (folders.UnsafeFolder, OSError):
        return
