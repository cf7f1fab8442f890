"""From LLVM's wasm object to a module that a browser or Node loads: its functions get names, its memory is asked for.

An object whose functions call nothing and hold no data is a module already, but for its exports: they stand in the
`linking` section for linkers only. The module imports one memory, `env.__linear_memory`, in which callers put arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from closedchain.errors import ClosedChainError

MAGIC = b"\0asm\x01\0\0\0"
CUSTOM, IMPORT, FUNCTION, EXPORT, CODE = 0, 2, 3, 7, 10
KEPT = {1, IMPORT, FUNCTION, CODE}  # with the types; relocations are LLVM's own numbers already


class NoModule(ClosedChainError, ValueError):
    """An object that needs a linker."""


def exporting(content: bytes, names: Sequence[str]) -> bytes:
    """The module in which functions, in their order, have these names."""
    if content[:8] != MAGIC:
        raise NoModule("no wasm object")
    found = list(sections(content))
    imports = next((body for kind, body in found if kind == IMPORT), b"\0")
    if b"__stack_pointer" in imports or any(kind == 11 for kind, _ in found):
        raise NoModule("its functions have data or a stack in memory: that wants a linker")
    defined = _number(next(body for kind, body in found if kind == FUNCTION), 0)[0]
    if defined != len(names) or _imported(imports):
        raise NoModule(f"{defined} functions for {len(names)} names, and {_imported(imports)} that it calls")
    table = b"".join(_word(name) + b"\0" + _leb(i) for i, name in enumerate(names))
    made = MAGIC
    for kind, body in found:
        if kind == CODE:
            made += _section(EXPORT, _leb(len(names)) + table)
        if kind in KEPT:
            made += _section(kind, body)
    return made


def sections(content: bytes) -> Iterator[tuple[int, bytes]]:
    """(kind, body) of each."""
    at = 8
    while at < len(content):
        kind = content[at]
        size, at = _number(content, at + 1)
        yield kind, content[at : at + size]
        at += size


def _imported(body: bytes) -> int:
    """How many functions an import section asks for."""
    count, at = _number(body, 0)
    functions = 0
    for _ in range(count):
        for _ in range(2):
            size, at = _number(body, at)
            at += size
        kind, at = body[at], at + 1
        functions += kind == 0
        if kind == 0:
            _, at = _number(body, at)
        elif kind == 3:
            at += 2
        else:
            at += kind == 1  # a table's type of element
            flags, at = _number(body, at)
            for _ in range(1 + (flags & 1)):
                _, at = _number(body, at)
    return functions


def _number(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return value, at


def _leb(value: int) -> bytes:
    found = b""
    while value >= 0x80:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def _word(text: str) -> bytes:
    return _leb(len(text.encode())) + text.encode()


def _section(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + _leb(len(body)) + body
