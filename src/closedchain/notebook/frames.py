"""Results as pandas and xarray hold them: rows with names and units, arrays with dimensions."""

from __future__ import annotations

from dataclasses import asdict
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from closedchain.errors import BadInput
from closedchain.extras import Late
from closedchain.model.solutions import Solutions
from closedchain.simulation.run import Run
from closedchain.singularity.maps import Map
from closedchain.sweep.results import Results
from closedchain.verify import Comparison, Report

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

pandas, xarray = Late("pandas"), Late("xarray")
UNITS = {"det_A": "", "det_B": "", "condition": "1", "effort": "", "slack": "m"}


@singledispatch
def frame(value: object) -> pd.DataFrame:
    """A pandas.DataFrame of a run (one row an instant), of solutions, of a study's results, or of a check."""
    raise BadInput(f"a {type(value).__name__} is no table; runs, solutions, results of studies and checks are")


@frame.register
def _run(run: Run) -> Any:
    table = run.columns()
    return pandas.DataFrame(table).set_index("t_s")


@frame.register
def _solutions(found: Solutions) -> Any:
    e = found.model.equations
    table: dict[str, Any] = {"element": found.index, "working": found.working, "assembly": found.assembly}
    table |= {f"{c.name}_{c.unit}": found.q[:, i] for i, c in enumerate(e.q)}
    table |= {f"{c.name}_{c.unit}": found.x[:, i] for i, c in enumerate(e.x)}
    table |= {f"{r.name}_{r.unit}": found.passive[:, i] for i, r in enumerate(e.readouts)}
    table |= {"gap_m": found.residual, "condition": found.condition}
    return pandas.DataFrame(table | {"double": found.double, "certified": found.certified})


@frame.register
def _results(done: Results) -> Any:
    numbers = np.concatenate([done.points, done.values], axis=1)
    table = pandas.DataFrame(numbers, columns=list(done.header))
    table["status"] = [done.failed.get(i, "ok") for i in range(len(done))]
    return table.rename_axis("point")


@frame.register(Report)
@frame.register(Comparison)
def _rows(found: Report | Comparison) -> Any:
    return pandas.DataFrame([asdict(row) | {"ok": row.ok} for row in found.rows])


@singledispatch
def dataset(value: object) -> xr.Dataset:
    """An xarray.Dataset of a run, over time and the names of joints and outputs, or of a map, over the plane."""
    raise BadInput(f"a {type(value).__name__} has no dimensions with names; runs and maps have")


@dataset.register
def _histories(run: Run) -> Any:
    e = run.model.equations
    over = {"q": "joint", "x": "output"}
    made: dict[str, Any] = {
        name: (("time", over[name[0]]), getattr(run, name)) for name in ("q", "x", "q_dot", "x_dot")
    }
    made["command"] = (("time", "drive"), run.command, {"is": run.output})
    made |= {
        name: ("time", values, {"units": "J"})
        for name, values in zip(("kinetic", "potential"), run.energies, strict=True)
    }
    if run.ref is not None:
        made |= {name: (("time", "followed"), getattr(run, name)) for name in ("ref", "error")}
    made |= {"balance": ("time", run.balance, {"units": "J"}), "closure": ("time", run.closure, {"units": "m"})}
    names = {"joint": [c.name for c in e.q], "output": [c.name for c in e.x], "drive": list(e.driven)}
    units = {"joint_unit": ("joint", [c.unit for c in e.q]), "output_unit": ("output", [c.unit for c in e.x])}
    about = {"robot": run.model.name, "title": run.title, "ended": run.ended, **run.model.values}
    return xarray.Dataset(made, {"time": ("time", run.t, {"units": "s"}), **names, **units}, about)


@dataset.register
def _planes(grid: Map) -> Any:
    made: dict[str, Any] = {"slack": (("y", "x"), grid.slack, {"units": "m"})}
    made |= {name: (("working", "y", "x"), grid.plane(name)) for name in grid.quantities}
    places = {"x": ("x", grid.x, {"units": "m"}), "y": ("y", grid.y, {"units": "m"}), "working": list(grid.working)}
    return xarray.Dataset(made, places, {"robot": grid.robot})
