"""The result of a simulation: histories, largest errors, energy balance, and what ended it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.equations import Coordinate
from closedchain.errors import ClosedChainError
from closedchain.files import atomic_write
from closedchain.model.dynamics import energy
from closedchain.model.forces import under_components
from closedchain.model.model import Model
from closedchain.model.payload import PAYLOAD
from closedchain.model.state import State
from closedchain.shown import Shown
from closedchain.simulation.derived import Derived, derived
from closedchain.simulation.external import External
from closedchain.version import VERSION

FORMAT = "closedchain.run/1"
END = "the end of the run"


class BadRun(ClosedChainError, ValueError):
    """A file that is not a saved run."""


@dataclass(frozen=True, eq=False)
class Energies:
    """Energy along a run; the balance is what no motor and no friction accounts for."""

    kinetic: Doubles  # (T,) [J]
    potential: Doubles  # (T,) [J]
    balance: Doubles  # (T,) [J]


@dataclass(frozen=True, eq=False)
class Run(Shown):
    """Histories of a simulated robot, time first; SI units."""

    model: Model = field(repr=False)  # the plant
    title: str
    t: Doubles  # (T,) [s]
    q: Doubles  # (T, nq)
    x: Doubles  # (T, nx)
    q_dot: Doubles  # (T, nq)
    x_dot: Doubles  # (T, nx)
    command: Doubles  # (T, nd) held from each instant on: efforts, voltages or joint velocities
    work: Doubles  # (T,) [J] of the motors and of external forces less what was dissipated
    output: str  # what the command is: "tau", "voltage", "velocity"
    interval: float  # [s] of the controller
    ended: str = END
    ref: Doubles | None = None  # (T, n) of the output, or of the drives
    space: str = "output"  # of the reference: "output", or "joint"
    payloads: tuple[tuple[float, float], ...] = ()  # from when on [s] which payload [kg], where it changes
    current: Doubles | None = None  # (T, nd) [A] of motors whose current is a state
    external: External | None = None  # forces and torques from outside, and their work
    settings: dict[str, Any] = field(default_factory=dict)
    findings: dict[str, Any] = field(default_factory=dict)  # more figures, which the summary repeats
    remarks: tuple[str, ...] = ()  # sentences, which the text repeats

    @property
    def finished(self) -> bool:
        return self.ended == END

    @property
    def state(self) -> State:
        return State(self.q, self.x, self.q_dot, self.x_dot)

    @property
    def final(self) -> State:
        return State(self.q[-1], self.x[-1], self.q_dot[-1], self.x_dot[-1])

    # As a record that closedchain.view draws -----------------------------------------------------

    @property
    def tau(self) -> Doubles:
        """The command, in the units that `units` states."""
        return self.command

    @property
    def x_ref(self) -> Doubles | None:
        return None if self.of_drives else self.ref

    @property
    def q_ref(self) -> Doubles | None:
        return self.ref if self.of_drives else None

    @property
    def of_drives(self) -> bool:
        """Whether the reference is a motion of the drives."""
        return self.space == "joint" or not self.x.shape[-1]

    @property
    def units(self) -> dict[str, tuple[str, ...]]:
        """Of the command: efforts, voltages or velocities."""
        per = [self.model.equations.q[i].unit for i in self.model.driven]
        effort = {"m": "N", "rad": "N m"}
        named = {"tau": [effort[u] for u in per], "voltage": ["V" for _ in per], "velocity": [f"{u}/s" for u in per]}
        return {"tau": tuple(named[self.output])}

    @cached_property
    def energy(self) -> Energies:
        return Energies(*self.energies, self.balance)

    @cached_property
    def error(self) -> Doubles | None:
        """Output, or drives, less reference, (T, n)."""
        if self.ref is None:
            return None
        return (self.q if self.of_drives else self.x[:, : self.ref.shape[-1]]) - self.ref

    @cached_property
    def derived(self) -> Derived:
        """Passive joints, accelerations and multipliers."""
        own = self._carrying
        model = own if self.external is None else under_components(own, self.external.components)
        return derived(model, self.state, self.command, self.output)

    @cached_property
    def closure(self) -> Doubles:
        """The largest gap of a closure [m] at each instant."""
        if not self.model.equations.closures:
            return np.zeros(len(self.t))
        gap = self.model.call("closures", q=self.q, x=self.x)["gap"]
        return np.asarray(np.abs(gap).max(axis=-1))

    @cached_property
    def energies(self) -> tuple[Doubles, Doubles]:
        """Kinetic and potential energy [J]."""
        found = energy(self._carrying, self.state)
        return found.kinetic, found.potential

    @property
    def _carrying(self) -> Model:
        """The plant, on each row with the payload that it has from then on."""
        if not self.payloads:
            return self.model
        times, masses = np.array(self.payloads).T
        rows = np.searchsorted(times, self.t + 1e-9 * self.interval, side="right") - 1
        return under_components(self.model, {PAYLOAD: masses[rows]})

    @cached_property
    def balance(self) -> Doubles:
        """Energy less what it began with and what was put in [J]: zero for an exact motion."""
        if self.output == "velocity":
            return np.zeros(len(self.t))
        kinetic, potential = self.energies
        total = kinetic + potential
        return np.asarray(total - total[0] - (self.work - self.work[0]))

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The figures that describe the run, as `closedchain simulate --json` gives them."""
        error = self.error
        worst = None if error is None else np.abs(error).max(axis=0)
        last = None if error is None else np.abs(error[-1])
        return {
            "max_error": self._largest(worst, self.error_unit),
            "max_error_rad": self._largest(worst, "rad") if self.error_unit == "m" else None,
            "max_error_axes": None if worst is None else worst.tolist(),
            "final_error": self._largest(last, self.error_unit),
            "final_error_rad": self._largest(last, "rad") if self.error_unit == "m" else None,
            "final_error_axes": None if error is None else error[-1].tolist(),
            "max_effort": float(np.abs(self.command).max(initial=0.0)),
            "max_effort_axes": np.abs(self.command).max(axis=0, initial=0.0).tolist(),
            "energy_residual": float(np.abs(self.balance).max()),
            "closure_residual": float(self.closure.max()),
            **({"external_work": float(self.external.work[-1])} if self.external is not None else {}),
            **{f"final_{name}": getattr(self.final, name).tolist() for name in ("q", "x", "q_dot", "x_dot")},
            "duration": float(self.t[-1]),
            "ended": self.ended,
            **self.findings,
        }

    @property
    def error_unit(self) -> str:
        """Of `max_error`: "m" wherever a length is followed, a plate's angle is told beside it; else "rad"."""
        return "m" if any(c.unit == "m" for c in self._followed) else "rad"

    @property
    def _followed(self) -> tuple[Coordinate, ...]:
        """The coordinates that the reference is of."""
        count = self.ref.shape[-1] if self.ref is not None else self.model.nx  # of the output alone, or of every body
        return self.model.equations.q if self.of_drives else self.model.equations.x[:count]

    def _largest(self, axes: Doubles | None, unit: str) -> float | None:
        """The largest of some axes' errors, those of one unit; None where there are none."""
        if axes is None:
            return None
        chosen = [float(v) for v, c in zip(axes, self._followed, strict=True) if c.unit == unit]
        return max(chosen, default=None)

    def __str__(self) -> str:
        s, unit = self.summary, self.error_unit
        rows = [f"{self.model.name}: {self.title}", f"  {s['duration']:.6g} s simulated; {self.ended}"]
        if s["max_error"] is not None:
            of = " of the drives" if self.of_drives and self.x.shape[-1] else ""
            rows.append(f"  largest error{of} {s['max_error']:.3e} {unit}, at the end {s['final_error']:.3e} {unit}")
        if s["max_error_rad"] is not None:
            rows.append(f"  of the angle {s['max_error_rad']:.3e} rad, at the end {s['final_error_rad']:.3e} rad")
        what = {"tau": "effort", "voltage": "voltage", "velocity": "joint velocity"}[self.output]
        rows.append(f"  largest {what} {s['max_effort']:.4g}")
        rows.append(f"  energy balance {s['energy_residual']:.1e} J, closure gap {s['closure_residual']:.1e} m")
        if self.external is not None:
            rows.append(f"  external forces did {self.external.work[-1]:.6g} J of work")
        rows += [f"  {remark}" for remark in self.remarks]
        return "\n".join(rows)

    # Files --------------------------------------------------------------------------------------

    def columns(self) -> dict[str, Doubles]:
        """Every history as columns NAME_unit: q1_m, q1_dot_m/s, q1_ddot_m/s^2, phi1_rad, lam_A1-C_SI, x_error_m, …"""
        eq, more = self.model.equations, self.derived.arrays
        table: dict[str, Doubles] = {"t_s": self.t}
        for coordinates, value, rate in ((eq.q, self.q, self.q_dot), (eq.x, self.x, self.x_dot)):
            table |= _named(coordinates, value) | _named(coordinates, rate, "_dot", "/s")
        unit = {"tau": "SI", "voltage": "V", "velocity": "SI"}[self.output]
        table |= {f"{self.output}_{name}_{unit}": self.command[:, i] for i, name in enumerate(eq.driven)}
        if self.ref is not None and self.error is not None:
            table |= _named(self._followed, self.ref, "_ref") | _named(self._followed, self.error, "_error")
        if self.current is not None:
            table |= {f"current_{name}_A": self.current[:, i] for i, name in enumerate(eq.driven)}
        if self.external is not None:
            units = self.external.units
            table |= {f"{name}_{units[name]}": value for name, value in self.external.components.items()}
            table["external_work_J"] = self.external.work
        table |= {"closure_m": self.closure, "balance_J": self.balance}
        for coordinates, name in ((eq.q, "q_ddot"), (eq.x, "x_ddot")):
            table |= _named(coordinates, more[name], "_ddot", "/s^2") if name in more else {}
        for name, per in (("passive", ""), ("passive_dot", "/s"), ("passive_ddot", "/s^2")):
            table |= _named(eq.readouts, more[name], name.removeprefix("passive"), per) if name in more else {}
        if "lam" in more:
            table |= {f"lam_{c.name}_SI": more["lam"][:, i] for i, c in enumerate(eq.closures)}
        kinetic, potential = self.energies
        return table | {"kinetic_J": kinetic, "potential_J": potential, "work_J": self.work}

    def save(self, path: str | Path) -> None:
        """As NPZ, with a JSON header and no pickles; the file is whole or not there."""
        header: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "robot": self.model.name,
            "title": self.title,
        }
        header |= {
            "parameters": self.model.values,
            "interval": self.interval,
            "output": self.output,
            "ended": self.ended,
        }
        header |= {"settings": self.settings, "summary": self.summary, "columns": self._column_names}
        header |= {"missing": self.derived.missing} if self.derived.missing else {}
        arrays = {n: getattr(self, n) for n in ("t", "q", "x", "q_dot", "x_dot", "command", "work")}
        arrays |= {"ref": self.ref, "error": self.error} if self.ref is not None else {}
        arrays |= self.derived.arrays | {"closure": self.closure, "balance": self.balance}
        arrays |= dict(zip(("kinetic", "potential"), self.energies, strict=True))
        arrays |= {"current": self.current} if self.current is not None else {}
        if self.external is not None:
            arrays |= {**self.external.components, "external_work": self.external.work}
        buffer = io.BytesIO()
        np.savez_compressed(buffer, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays)
        atomic_write(Path(path), buffer.getvalue())

    @property
    def _column_names(self) -> dict[str, list[str]]:
        """What the columns of each array are called; rates and accelerations like what they are of."""
        eq = self.model.equations
        named: dict[str, Sequence[Any]] = {
            "q": eq.q,
            "x": eq.x,
            "passive": eq.readouts,
            "lam": eq.closures,
            "ref": self._followed,
        }
        return {array: [c.name for c in each] for array, each in named.items()} | {"command": list(eq.driven)}

    def save_csv(self, path: str | Path) -> None:
        """As CSV with 17 digits."""
        text = io.StringIO()
        table = self.columns()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(table)
        writer.writerows([f"{v:.17g}" for v in row] for row in zip(*table.values(), strict=True))
        atomic_write(Path(path), text.getvalue())


def _named(coordinates: Sequence[Any], values: Doubles, order: str = "", per: str = "") -> dict[str, Doubles]:
    """The columns of an array by name and unit."""
    return {f"{c.name}{order}_{c.unit}{per}": values[:, i] for i, c in enumerate(coordinates)}


def read_header(path: str | Path) -> dict[str, Any]:
    """What a saved run says of itself."""
    try:
        with np.load(path, allow_pickle=False) as data:
            header: dict[str, Any] = json.loads(bytes(data["header"]).decode())
    except (OSError, ValueError, KeyError) as error:
        raise BadRun(f"{path}: not a saved run ({error})") from None
    if header.get("format") != FORMAT:
        raise BadRun(f"{path}: format {header.get('format')!r:.40}, but {FORMAT!r} is read")
    return header
