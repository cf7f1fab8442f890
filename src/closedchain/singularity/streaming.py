"""A .npy file of planes written block by block, and moved into place when it is whole."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from closedchain.errors import BadInput
from closedchain.files import atomic_write

Planes = NDArray[np.floating[Any]]
Part = tuple[slice, slice, slice]  # planes, rows, columns


class PlanesFile:
    """planes × rows × columns on disk; `write` may be called from several threads.

    Used as a context: leaving it moves the file into place, an error removes it. A note (JSON) is put beside it.
    """

    def __init__(self, path: Path, shape: tuple[int, int, int], kind: np.dtype[Any], note: dict[str, Any]) -> None:
        if path.suffix != ".npy":
            raise BadInput(f"{path.name}: a map is written to a .npy file; its note goes to a .json beside it")
        self.path, self.shape, self.kind, self.note = Path(os.path.realpath(path)), shape, kind, note
        self._lock = threading.Lock()
        self._beside = self.path.with_name(f".{self.path.name[:100]}.{secrets.token_hex(6)}.part")

    def __enter__(self) -> PlanesFile:
        self._file = open(self._beside, "xb")
        header = {"descr": npy.dtype_to_descr(self.kind), "fortran_order": False, "shape": self.shape}
        try:
            npy.write_array_header_1_0(self._file, header)
            self._start = self._file.tell()
            self._file.truncate(self._start + int(np.prod(self.shape, dtype=np.int64)) * self.kind.itemsize)
        except BaseException:
            self._drop()
            raise
        return self

    def write(self, part: Part, block: Planes) -> None:
        """Put a block (planes, rows, columns) at its place."""
        _, rows, columns = part
        data = np.ascontiguousarray(block, self.kind)
        whole = columns.stop - columns.start == self.shape[2]
        with self._lock:
            for plane, values in enumerate(data):
                if whole:
                    self._put(plane, rows.start, 0, values)
                else:
                    for row, line in enumerate(values, start=rows.start):
                        self._put(plane, row, columns.start, line)

    def _put(self, plane: int, row: int, column: int, values: Planes) -> None:
        element = (plane * self.shape[1] + row) * self.shape[2] + column
        self._file.seek(self._start + element * self.kind.itemsize)
        self._file.write(values.data)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._drop()
            return
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            atomic_write(self.path.with_suffix(".json"), json.dumps(self.note, indent=1) + "\n")
            os.replace(self._beside, self.path)
        except BaseException:
            self._drop()
            raise

    def reopened(self) -> Planes:
        """The finished file, mapped into memory, read only."""
        return np.load(self.path, mmap_mode="r", allow_pickle=False)

    def _drop(self) -> None:
        self._file.close()
        with contextlib.suppress(OSError):
            self._beside.unlink()
