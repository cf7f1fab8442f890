"""Binary frames: "CCB1", uint32 id, uint32 length of a JSON header, the header, little-endian arrays.

The header is padded with spaces so that the data begins at a multiple of 8 bytes; so does each array.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

MAGIC = b"CCB1"
HEAD = struct.Struct("<4sII")
KINDS = {"f4": "<f4", "f8": "<f8"}


def encode(arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> bytes:
    """A frame without its id (zero): float32 arrays stay so, all others go as float64."""
    rows, parts, offset = [], [], 0
    for name, array in arrays.items():
        kind = "f4" if array.dtype == "float32" else "f8"
        data = array.astype(KINDS[kind]).tobytes()
        rows.append({"name": name, "shape": list(array.shape), "dtype": kind, "offset": offset})
        padded = data + b"\0" * (-len(data) % 8)
        parts.append(padded)
        offset += len(padded)
    header = text_of({"arrays": rows, "meta": meta}).encode()
    header += b" " * (-(HEAD.size + len(header)) % 8)
    return b"".join([HEAD.pack(MAGIC, 0, len(header)), header, *parts])


def text_of(document: Mapping[str, Any]) -> str:
    """A document as JSON; raises OverflowError for infinite numbers, for which JSON has no word."""
    try:
        return json.dumps(document, allow_nan=False, ensure_ascii=False)
    except ValueError as error:
        raise OverflowError(str(error)) from None


def enclosed(content: bytes, **more: Any) -> str:
    """An object's JSON as it is, with some fields before its own."""
    head, body = text_of(more)[:-1], content.decode()[1:]
    return f"{head}{'' if body == '}' else ', '}{body}"


def addressed(frame: bytes, number: int) -> bytes:
    """The same frame with the id of the request that it answers."""
    return HEAD.pack(MAGIC, number, HEAD.unpack_from(frame)[2]) + frame[HEAD.size :]


def meta_of(frame: bytes) -> dict[str, Any]:
    """A frame's meta."""
    length = HEAD.unpack_from(frame)[2]
    meta: dict[str, Any] = json.loads(frame[HEAD.size : HEAD.size + length])["meta"]
    return meta
