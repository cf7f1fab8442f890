"""The file format of compiled code: magic, SHA-256 of what follows, header (JSON), object code.

The checksum guards against damage, not against an attacker; that is what the folder's owner and mode are for.
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass
from typing import Any

from closedchain.kernels.signature import Array, Signature

MAGIC = b"closedchain kernels 3\n"
_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class Entry:
    """Compiled routines: the key they were made for, what each takes and gives, and their object code."""

    key: str
    signatures: tuple[Signature, ...]
    code: bytes


def pack(entry: Entry) -> bytes:
    """The bytes of a cache file."""
    header = {"key": entry.key, "routines": [_plain(s) for s in entry.signatures]}
    text = json.dumps(header, sort_keys=True).encode()
    body = _LENGTH.pack(len(text)) + text + entry.code
    return MAGIC + hashlib.sha256(body).digest() + body


def unpack(content: bytes, key: str) -> Entry | None:
    """The entry in a cache file, or None if it is damaged, of another format, or made for another key."""
    start = len(MAGIC) + hashlib.sha256().digest_size
    body = content[start:]
    if not content.startswith(MAGIC) or content[len(MAGIC) : start] != hashlib.sha256(body).digest():
        return None
    try:
        (length,) = _LENGTH.unpack_from(body)
        header = json.loads(body[_LENGTH.size : _LENGTH.size + length])
        if header["key"] != key:
            return None
        return Entry(key, tuple(map(_signature, header["routines"])), body[_LENGTH.size + length :])
    except (struct.error, ValueError, LookupError, TypeError):  # a header that we did not write
        return None


def _plain(signature: Signature) -> dict[str, object]:
    inputs, outputs = ([[a.name, list(a.dims)] for a in group] for group in (signature.inputs, signature.outputs))
    flags = {"single": signature.single, "rounded": signature.rounded}
    return {"name": signature.name, "inputs": inputs, "outputs": outputs, **flags}


def _signature(plain: dict[str, Any]) -> Signature:
    inputs, outputs = (tuple(Array(n, tuple(dims)) for n, dims in plain[group]) for group in ("inputs", "outputs"))
    return Signature(str(plain["name"]), inputs, outputs, bool(plain["single"]), bool(plain["rounded"]))
