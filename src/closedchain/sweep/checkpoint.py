"""Finished points on disk, as they come: an SQLite file in WAL mode, keyed by the study's digest.

What is committed outlives the process, however it ends; `NORMAL` flushing may lose the last commits when the power
fails, and they are then run again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from closedchain.errors import BrokenOff
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.study import Study
from closedchain.sweep.task import Part
from closedchain.version import VERSION

MARK = 0x43435357  # "CCSW": the file's application id
PATIENCE = 30.0  # [s] for another process that writes
SCHEMA = """
CREATE TABLE IF NOT EXISTS study (digest TEXT PRIMARY KEY, version TEXT, robot TEXT, points INTEGER, columns TEXT);
CREATE TABLE IF NOT EXISTS part (
    digest TEXT, start INTEGER, stop INTEGER, "values" BLOB, failed TEXT, PRIMARY KEY (digest, start)
);
"""


class CheckpointLost(BrokenOff):
    """A file that can no longer be written: a full disk, another process that does not let go."""


class Checkpoint:
    """The finished parts of one study in a file; use it in a `with`."""

    def __init__(self, path: str | Path, study: Study) -> None:
        self.path, self.study = Path(path), study
        unopened = f"the checkpoint {self.path} cannot be opened; name another file"
        try:
            self.base = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        except sqlite3.OperationalError as error:
            raise BadStudy(f"{unopened} ({error})") from None
        try:
            self._open()
        except sqlite3.OperationalError as error:
            self.base.close()
            raise BadStudy(f"{unopened} ({error})") from None
        except sqlite3.DatabaseError as error:
            self.base.close()
            raise BadStudy(f"{self.path}: not a checkpoint of a study ({error}); name another file") from None

    def _open(self) -> None:
        mark = self.base.execute("PRAGMA application_id").fetchone()[0]
        tables = self.base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if mark != MARK and tables:
            raise sqlite3.DatabaseError("it belongs to another program")
        self.base.execute("PRAGMA journal_mode=WAL")
        self.base.execute("PRAGMA synchronous=NORMAL")
        self.base.execute(f"PRAGMA application_id={MARK}")
        self.base.executescript(SCHEMA)
        said = (self.study.digest, VERSION, self.study.robot.source, self.study.count, json.dumps(self.study.computes))
        self.base.execute("INSERT OR REPLACE INTO study VALUES (?, ?, ?, ?, ?)", said)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *error: object) -> None:
        self.base.close()

    def keep(self, part: Part) -> None:
        """One part, whole or not at all."""
        failed = json.dumps({str(index): why for index, why in part.failed.items()})
        row = (self.study.digest, part.start, part.stop, part.values.astype("<f8").tobytes(), failed)
        try:
            self.base.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise CheckpointLost(f"the checkpoint cannot be written: {error}") from None

    def forget(self) -> None:
        """Begin anew."""
        self.base.execute("DELETE FROM part WHERE digest = ?", (self.study.digest,))

    def parts(self) -> Iterator[Part]:
        """What is finished, in the order of the points."""
        asked = 'SELECT start, stop, "values", failed FROM part WHERE digest = ? ORDER BY start'
        for start, stop, data, failed in self.base.execute(asked, (self.study.digest,)):
            values = np.frombuffer(data, dtype="<f8").astype(np.float64).reshape(stop - start, len(self.study.computes))
            yield Part(start, stop, values, {int(index): why for index, why in json.loads(failed).items()})

    def others(self) -> int:
        """How many other studies the file has finished points of."""
        asked = "SELECT count(DISTINCT digest) FROM part WHERE digest <> ?"
        return int(self.base.execute(asked, (self.study.digest,)).fetchone()[0])
