"""A robot as one page that works offline, by itself: its kernels as WebAssembly, and what draws and drags with them.

The page's policy allows its two scripts and its style by their hashes, and that they compile WebAssembly, which these
hashes cover, too; nothing else: no network, no eval.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.derive.mapping import map_programs
from closedchain.errors import BadInput
from closedchain.export import javascript
from closedchain.export.programs import every_program, natural_inputs
from closedchain.export.staging import scene
from closedchain.kernels.program import Program
from closedchain.model.model import Model
from closedchain.model.sliders import slider
from closedchain.simulation.run import Run
from closedchain.singularity.beginning import begin, window
from closedchain.singularity.maps import mode_names
from closedchain.singularity.reach import has_slices
from closedchain.version import VERSION

SCHEMA = "closedchain.explorable/1"
LARGEST = 3_000_000  # [bytes] of a page; of a robot in the plane it is below 500 kB
MOTION = 120_000  # [bytes] at most of an embedded motion
RATE = 60.0  # [1/s] instants of a motion that are kept
DIGITS = 12  # of a motion's numbers
QUANTITIES = ("det_A", "det_B", "condition")
KEPT = ("closures", "inverse", "evaluate", "points", "step", "observe", "scale", "twist")


def explorable(model: Model, run: Run | None = None) -> str:
    """The text of the page; with a run of the robot, it can be played there.

    Raises BadInput for a linkage, whose drives do not tell the page where it is, and for a robot without points.
    """
    _check(model, run)
    stage, frame = scene(model)
    inputs, modes = natural_inputs(model), _modes(model)
    programs = [p for p in every_program(model, inputs) if p.name in KEPT or p.name.startswith("group")]
    programs += [frame, *_map(model, modes)]
    q, x = begin(model) if run is None else (run.q[0], run.x[0])
    sliders = [list(slider(model, parameter)) for parameter in model.equations.parameters]
    told: dict[str, Any] = {
        "schema": SCHEMA, "version": VERSION, "dimension": len(model.equations.points[0][1]), "scene": stage,
        "modes": list(modes), "given": _given(model), "sliders": sliders, "start": _place(q, x),
        "window": window(model, q, x), "run": None if run is None else motion(run),
    }  # fmt: skip
    return page(model, programs, inputs, told)


def _check(model: Model, run: Run | None) -> None:
    if model.linkage:
        raise BadInput(
            f"{model.name} is a linkage: its drives do not tell a page where it is; "
            f"`closedchain simulate SCENARIO --animate page.html` writes one that plays a simulation"
        )
    if not model.equations.points:
        raise BadInput(f"{model.name} states no points, so a page has nothing to draw; add `points` and `lines`")
    if run is not None and (run.model.recipe.name != model.recipe.name or run.model.values != model.values):
        raise BadInput(f"the run is of {run.model!r}, the page of {model!r}; export the run's own model")


# What the page is told -----------------------------------------------------------------------------


def _modes(model: Model) -> tuple[str, ...]:
    """The working modes; none where the robot has no map."""
    return mode_names(model) if has_slices(model) else ()


def _map(model: Model, modes: Sequence[str]) -> list[Program]:
    """The map's own kernel: slack, then each quantity for each working mode."""
    return map_programs(model.equations, QUANTITIES, modes) if modes else []


def _given(model: Model) -> list[str]:
    """Parameters whose numbers are given, so that they do not follow their formula."""
    preset = model.recipe.presets[model.preset] if model.preset else {}
    return sorted({*preset, *model.given})


def _place(q: Doubles, x: Doubles) -> dict[str, list[float]]:
    return {"q": q.tolist(), "x": x.tolist()}


def motion(run: Run) -> dict[str, Any]:
    """A run's instants, thinned to the display's rate and to what a page may hold."""
    width = (DIGITS + 4) * (run.q.shape[1] + run.x.shape[1] + 1)
    duration = float(run.t[-1] - run.t[0])
    most = max(2, min(MOTION // width, int(RATE * duration) + 1))
    rows = np.unique(np.linspace(0, len(run.t) - 1, min(len(run.t), most)).round().astype(np.intp))

    def short(values: Doubles) -> list[Any]:
        return [[float(f"{v:.{DIGITS}g}") for v in row] for row in values[rows]]

    times = [float(f"{t:.9g}") for t in run.t[rows] - run.t[0]]
    return {"title": run.title, "ended": run.ended, "t": times, "q": short(run.q), "x": short(run.x)}


# The page ------------------------------------------------------------------------------------------


def page(model: Model, programs: Sequence[Program], inputs: str, told: dict[str, Any]) -> str:
    """One document: policy, style, data, kernels, and the program that shows them."""
    data = files("closedchain.export") / "explorable"
    style, shows = ((data / name).read_text("utf-8").strip() for name in ("explorable.css", "explorable.js"))
    kernels = closed_over(javascript.write(model, programs, inputs, compiled=True))
    scripts = [_inline(kernels), _inline(shows)]
    policy = f"default-src 'none'; script-src {_hashes(scripts)} 'wasm-unsafe-eval'; style-src {_hashes([style])}; "
    policy += "img-src data: blob:; base-uri 'none'; form-action 'none'"
    name, about = html.escape(model.name), html.escape(" ".join(model.equations.about.split()))
    text = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="{about}">
<meta name="generator" content="closedchain {VERSION}">
<title>{name} · closedchain</title>
<style>{style}</style>
</head>
<body>
<div id="app"><noscript>This page computes with JavaScript, which is switched off.</noscript></div>
<script type="application/json" id="told">{_data(told)}</script>
<script>{scripts[0]}</script>
<script>{scripts[1]}</script>
</body>
</html>
"""
    _check_size(model, text)
    return text


def closed_over(module: str) -> str:
    """An ES module as a classic script that leaves one name behind, `closedchainKernels`."""
    names = re.findall(r"^export (?:const|function) (\w+)", module, re.MULTILINE)
    body = re.sub(r"^export ", "", module, flags=re.MULTILINE)
    return f'var closedchainKernels = (() => {{\n"use strict";\n{body}return {{ {", ".join(names)} }};\n}})();\n'


def _inline(script: str) -> str:
    """A script that cannot end its element early: names and descriptions stand in strings, where < may be escaped."""
    return re.sub(r"<(?=/?script|!--)", r"\\x3c", script, flags=re.IGNORECASE)


def _data(told: dict[str, Any]) -> str:
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _hashes(texts: Iterable[str]) -> str:
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def _check_size(model: Model, text: str) -> None:
    size = len(text.encode())
    if size > LARGEST:
        raise BadInput(
            f"{model.name}: the page takes {size / 1e3:.0f} kB, more than {LARGEST / 1e3:.0f} kB; "
            f"a robot of this size leaves as `--to js`, without the page"
        )


def html_files(model: Model, run: Run | None = None) -> tuple[dict[str, str | bytes], Sequence[str]]:
    """For `closedchain export`: one page, and what it leaves out."""
    notes = ["loci, cusps, aspects and distances to a singularity are not on the page; the studio has them"]
    return {".html": explorable(model, run)}, notes
