"""`file`: a run as a file, made anew from its request: the same scenario gives the same numbers."""

from __future__ import annotations

import base64
import importlib
import re
import tempfile
from pathlib import Path
from typing import Any

from closedchain.errors import BadInput
from closedchain.scenarios import Scenario
from closedchain.simulation.run import Run
from closedchain.studio.operations.simulating import simulated
from closedchain.studio.operations.staging import staged, text_of

ENDINGS = {"report": "html"}
LARGEST = 48 * 2**20  # bytes


def file(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """{name, content in base64}."""
    request, kind = body["run"], body["format"]
    with staged(request) as scenario, tempfile.TemporaryDirectory(prefix="closedchain-") as folder:
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", scenario.name)[:60] or "run"
        path = Path(folder) / f"{stem}.{ENDINGS.get(kind, kind)}"
        if kind == "toml":
            path.write_text(text_of(request["scenario"])[0], encoding="utf-8")
        else:
            if kind == "mp4":
                importlib.import_module("closedchain.view.video").find_encoder()  # a refusal comes before the work
            run = simulated(scenario, request["plant"], tell)
            tell(None, f"writing {path.name}")
            write(scenario, run, path, kind)
        if path.stat().st_size > LARGEST:
            raise BadInput(
                f"{path.name} has {path.stat().st_size} bytes; more than {LARGEST} are not sent: record less"
            )
        return {"name": path.name, "content": base64.b64encode(path.read_bytes()).decode("ascii")}


def write(scenario: Scenario, run: Run, path: Path, kind: str) -> None:
    """The run in one of the formats; pictures and films bring Matplotlib."""
    match kind:
        case "npz":
            run.save(path)
        case "csv":
            run.save_csv(path)
        case "html":
            importlib.import_module("closedchain.view.animation").animate(run.model, run, path)
        case "gif" | "mp4":
            importlib.import_module("closedchain.view.video").video(run.model, run, path)
        case "png" | "svg":
            figures = importlib.import_module("closedchain.view.figures")
            importlib.import_module("closedchain.view.style").save(figures.figure_tracking(run.model, run), path)
        case "report":
            report(scenario, run, path)
        case _:
            raise BadInput(f"no format {kind[:20]!r}")


def report(scenario: Scenario, run: Run, path: Path) -> None:
    """Words, the motion to play, tracking, efforts and energy in one page."""
    figures = importlib.import_module("closedchain.view.figures")
    page = importlib.import_module("closedchain.view.report").Report(f"{run.model.name}: {run.title}")
    page.text(f"# What was run\n\n{scenario.about or scenario.name}").code(str(run))
    rows = [(p.name, run.model.values[p.name], p.unit, p.about) for p in run.model.equations.parameters]
    page.table(("parameter", "value", "unit", "about"), rows)
    if run.model.equations.points:
        page.text("# Motion").animation(run.model, run, "The run; press play.")
    if run.ref is not None:
        page.text("# Tracking").figure(figures.figure_tracking(run.model, run), "Reference and error")
    page.text("# Efforts").figure(figures.figure_efforts(run.model, run), "Commands")
    page.text("# Energy and closures").figure(figures.figure_energy(run.model, run), "Balance and gaps")
    page.save(path)
