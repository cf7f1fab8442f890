"""From a table of readings to groups of rows: what is exact, what is compared, and where each row begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.calibration.quantities import TO, Quantity, Vocabulary
from closedchain.calibration.system import Group
from closedchain.calibration.unknowns import GAIN, OFFSET
from closedchain.errors import BadInput
from closedchain.fitting import Readings
from closedchain.model.model import Model
from closedchain.model.state import place

SD = ".sd"


@dataclass(frozen=True)
class Reading:
    """How readings are understood at the start: sensors' gains and offsets, and the assembly mode of the poses."""

    start: Mapping[str, float]
    assembly: str | None

    def true(self, name: str, values: Doubles) -> Doubles:
        """What the sensor saw."""
        return self.start.get(name + GAIN, 1.0) * values + self.start.get(name + OFFSET, 0.0)


def spread(model: Model, readings: Readings, sd: dict[str, float]) -> tuple[list[str], Doubles]:
    """The measured columns, and each reading's standard deviation: 0 where it is exact, NaN where it is not known.

    Drives are exact unless a standard deviation is given, for the column or in `NAME.sd`.
    """
    measured = [name for name in readings.names if not name.endswith(SD)]
    drives = {c.name for c in model.equations.q}
    for name, value in sd.items():
        if name not in measured:
            raise BadInput(f"{readings.source} has no column {name!r:.40}, of which a standard deviation is given")
        if not (np.isfinite(value) and value >= 0.0):
            raise BadInput(f"the standard deviation of {name} is {value}; a number not below 0 is needed")
    table = np.full((len(readings), len(measured)), np.nan)
    for i, name in enumerate(measured):
        usual = 0.0 if name.removeprefix(TO) in drives else np.nan
        table[:, i] = sd.get(name, usual)
        if name + SD in readings:
            own = readings[name + SD]
            table[:, i] = np.where(np.isnan(own), table[:, i], own)
    if (table < 0).any():
        raise BadInput(f"{readings.source}: a standard deviation is negative")
    return measured, table


def group_rows(
    model: Model, readings: Readings, measured: list[str], sd: Doubles, usual: dict[str, float], reading: Reading
) -> list[Group]:
    """Rows with the same quantities together; `usual` is taken for what is not known, by unit."""
    quantities = Vocabulary(model.equations).quantities(measured)
    values = np.stack([readings[name] for name in measured], axis=-1)
    there, exact = ~np.isnan(values), sd == 0.0
    patterns: dict[tuple[bytes, bytes], list[int]] = {}
    for row in range(len(values)):
        patterns.setdefault((there[row].tobytes(), (exact & there)[row].tobytes()), []).append(row)
    groups = []
    for rows in patterns.values():
        hard = [i for i in range(len(measured)) if (exact & there)[rows[0], i]]
        soft = [i for i in range(len(measured)) if there[rows[0], i] and i not in hard]
        fallback = np.array([usual.get(quantities[i].unit, 1.0) for i in soft])
        chosen = sd[np.ix_(rows, soft)]
        used = [quantities[i] for i in (*hard, *soft)]
        poses = 1 + max((pose for q in used for pose in q.poses), default=0)
        told = np.stack([reading.true(quantities[i].name, values[rows, i]) for i in (*hard, *soft)], axis=-1)
        w = starts(model, used, told, poses, rows, reading.assembly)
        groups.append(
            Group(
                np.array(rows),
                poses,
                tuple(quantities[i] for i in hard),
                values[np.ix_(rows, hard)],
                tuple(quantities[i] for i in soft),
                values[np.ix_(rows, soft)],
                np.where(np.isnan(chosen), fallback, chosen),
                w,
            )
        )
    return groups


def starts(
    model: Model, used: list[Quantity], values: Doubles, poses: int, rows: list[int], assembly: str | None
) -> Doubles:
    """Where each row's configurations are looked for: as read, or by the geometry of the robot as it is described."""
    nz, nq = model.nq + model.nx, model.nq
    w = np.full((len(values), poses, nz), np.nan)
    for i, quantity in enumerate(used):
        term = quantity.a[0]
        if not quantity.b and term.coordinate is not None:
            w[:, term.pose, term.coordinate] = values[:, i]
    for pose in range(poses):
        read = ~np.isnan(w[0, pose])
        if read.all():
            continue
        if read[:nq].all() and not model.linkage:
            _, x = place(model, w[:, pose, :nq], None, assembly, None)
            w[:, pose, nq:] = np.where(read[nq:], w[:, pose, nq:], x)
        elif read[nq : nq + model.outputs].all() and not model.linkage:
            q, x = place(model, None, w[:, pose, nq : nq + model.outputs], assembly, None)
            w[:, pose] = np.where(read, w[:, pose], np.concatenate([q, x], axis=-1))
        else:
            raise BadInput(
                f"{model.name}: row {rows[0] + 1}: where the robot was is looked for from all drives or from the "
                f"whole output; some of {', '.join(c.name for c in model.equations.z)} are missing"
            )
    return w.reshape(len(values), poses * nz)
