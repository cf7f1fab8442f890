"""Messages over a pipe: one byte for the kind, four for the length, then the content."""

from __future__ import annotations

import struct

HEAD = struct.Struct("<cI")
ANSWER, FRAME, PROGRESS, FAILURE = b"J", b"B", b"P", b"E"
REQUEST = b"R"
LONGEST = 512 * 2**20  # bytes of one message


def pack(kind: bytes, content: bytes) -> bytes:
    """A message as it stands on the pipe."""
    return HEAD.pack(kind, len(content)) + content
