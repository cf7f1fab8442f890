"""A motion as one HTML file that plays offline: SVG in the plane, our own projection in space."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.files import atomic_write
from closedchain.model.model import Model
from closedchain.view.frames import encode, grid, pack, whole
from closedchain.view.page import asset, embed, html_page
from closedchain.view.record import Record, Recording, complete, thinned
from closedchain.view.scene import Scene, instants, stage
from closedchain.view.words import metres, nice_length, prefixed, pretty

FRAMES = 2000
DIGITS = 5  # that the readout shows of a column's largest value


def animate(model: Model, record: Recording, path: str | Path, *, frames: int = FRAMES, autoplay: bool = True) -> Path:
    """Write the motion as one HTML page; above `frames` samples, that many of them are shown, evenly chosen.

    It starts by itself unless the reader asked for reduced motion; an address that ends in #t=1.2 shows that instant.
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise BadInput(f"an animation is an .html file, not {path.name!r:.60}; `video` writes .gif and .mp4")
    title = complete(model, record).title
    body = f"<main><h1>{escape(title)}</h1>\n{player(model, record, frames=frames, autoplay=autoplay)}\n</main>"
    text = html_page(title, body, styles=[asset("player.css")], scripts=[asset("player.js")])
    atomic_write(path, text)
    return path


def player(model: Model, record: Recording, *, frames: int = FRAMES, autoplay: bool = False) -> str:
    """The piece of HTML that plays one motion; the page around it needs player.css and player.js."""
    if frames < 2:
        raise BadInput(f"an animation needs at least 2 frames, not {frames}")
    whole_record = complete(model, record)
    index = instants(len(whole_record.t), frames)
    done = thinned(whole_record, index)
    scene = stage(model, done.q, done.x, done.q_ref, done.x_ref)
    data = _data(scene, done, index, len(whole_record.t), autoplay)
    words = f"{done.title}: {model.name} moving for {done.duration:g} seconds"
    if scene.dimension == 3:
        hint = "Drag, or use the arrow keys, to look from another side."
        stage_html = f'<canvas tabindex="0" role="img" aria-label="{escape(words)}. {hint}"></canvas>'
    else:
        stage_html = f'<svg role="img" aria-label="{escape(words)}"></svg>'
    return "\n".join(
        [
            f'<section class="player" aria-label="{escape(done.title)}">',
            f'<div class="stage">{stage_html}</div>',
            _controls(len(done.t), scene),
            '<table class="values"><caption>values at this instant</caption><tbody></tbody></table>',
            f'<p class="note">{escape(_note(len(done.t), len(whole_record.t)))}</p>',
            "<noscript><p>This page plays with JavaScript, which is switched off here.</p></noscript>",
            embed(data),
            "</section>",
        ]
    )


def _note(shown: int, samples: int) -> str:
    if shown == samples:
        return f"All {samples} samples of the record are shown."
    return f"{shown} of the record's {samples} samples are shown, evenly chosen; sample numbers are the record's own."


def _controls(frames: int, scene: Scene) -> str:
    speeds = "".join(
        f'<option value="{s:g}"{" selected" if s == 1 else ""}>{s:g}×</option>' for s in (0.1, 0.25, 0.5, 1, 2, 4)
    )
    boxes = [("loop", "Loop"), ("trace", "Trace")]
    boxes += [("reference", "Reference")] if scene.ghost is not None or scene.desired is not None else []
    checks = "".join(f'<label><input type="checkbox" class="{kind}" checked> {name}</label>' for kind, name in boxes)
    view = '<button type="button" class="view">Reset view</button>' if scene.dimension == 3 else ""
    return (
        '<div class="controls"><button type="button" class="play">Play</button>'
        '<label class="time"><span>Time</span>'
        f'<input type="range" min="0" max="{frames - 1}" step="1" value="0"></label>'
        '<output class="clock"></output>'
        f'<label>Speed <select class="speed">{speeds}</select></label>{checks}{view}</div>'
    )


def _data(scene: Scene, record: Record, index: np.ndarray, samples: int, autoplay: bool) -> dict[str, Any]:
    low, high = scene.bounds
    length = nice_length(0.25 * scene.size)
    return {
        "dimension": scene.dimension,
        "frames": len(record.t),
        "samples": samples,
        "autoplay": autoplay,
        "low": _short(low),
        "high": _short(high),
        "size": _short(scene.size),
        "scale": [_short(length), metres(length)],
        "grid": [_short(length / 2), metres(length / 2)],
        "parts": [_part(scene, part_index) for part_index in range(len(scene.parts))],
        "joints": list(scene.joints),
        "names": list(scene.names),
        "index": encode(index[:, None].astype(np.int64)),
        "time": pack(record.t[:, None]).page(),
        "values": _values(record),
        **_points(scene),
    }


def _part(scene: Scene, index: int) -> dict[str, Any]:
    part = scene.parts[index]
    tube = {"tube": _short(scene.cylinder(part))} if part.kind == "telescope" else {}
    return {"kind": part.kind, "points": list(part.points), "fixed": part.fixed, **tube}


def _points(scene: Scene) -> dict[str, Any]:
    """Every point's first place, and the columns of those that move; the reference as its difference from them."""
    points, ghost, tip = _with_tip(scene)
    flat = points.reshape(len(points), -1)
    behind = None if ghost is None else ghost.reshape(len(points), -1)
    moves = np.ptp(flat, axis=0) > 0
    if behind is not None:
        moves |= (behind != flat).any(axis=0)
    columns = np.flatnonzero(moves)
    low, step = grid(flat[:, columns], scene.size)
    runs, own = _runs(flat[:, columns], None if behind is None else behind[:, columns], scene.size)
    steps = whole(flat[:, columns[own]], low[own], step[own])
    made = {
        "rest": _short(flat[0]),
        "columns": columns.tolist(),
        "runs": runs.tolist(),
        "points": {"low": low.tolist(), "step": step.tolist(), "code": encode(steps)},
        "tip": tip,
        "ghost": scene.ghost is not None,
        "behind": None,
    }
    if behind is not None:
        made["behind"] = encode(whole(behind[:, columns[own]], low[own], step[own]) - steps)
    return made


def _runs(flat: Doubles, behind: Doubles | None, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Which packed column each column runs along, a constant apart, (k,); and which columns are packed."""
    shape = flat - flat[:1]
    if behind is not None:
        shape = np.concatenate([shape, behind - flat[:1]])
    own: list[int] = []
    runs: list[int] = []
    for k in range(flat.shape[1]):
        near = [n for n, other in enumerate(own) if np.abs(shape[:, k] - shape[:, other]).max() < 1e-12 * size]
        if not near:
            own.append(k)
        runs.append(near[0] if near else len(own) - 1)
    return np.array(runs, dtype=np.intp), np.array(own, dtype=np.intp)


def _with_tip(scene: Scene) -> tuple[Doubles, Doubles | None, int]:
    """Points, reference and the output's index; an output that is no point of its own is added as one."""
    points, ghost = scene.points, scene.ghost
    same = [i for i in range(points.shape[1]) if np.array_equal(points[:, i], scene.path)]
    tip = same[0] if same else points.shape[1]
    if not same:
        points = np.concatenate([points, scene.path[:, None]], axis=1)
    if scene.desired is None:
        return points, ghost, tip
    if ghost is None:
        ghost = points.copy()  # only the output's desired place is known
    elif not same:
        ghost = np.concatenate([ghost, scene.desired[:, None]], axis=1)
    ghost = ghost.copy()
    ghost[:, tip] = scene.desired
    return points, ghost, tip


def _values(record: Record) -> list[dict[str, Any]]:
    """The readout's rows: a label, a unit, packed numbers in that unit, and how many decimals to show."""
    rows = []
    for kind, what in (("q", "drive"), ("x", "output"), ("tau", "effort"), ("error", "error")):
        table: Doubles | None = getattr(record, kind)
        for i in range(0 if table is None else table.shape[1]):
            assert table is not None
            alike = [j for j, unit in enumerate(record.units[kind]) if unit == record.units[kind][i]]
            largest = float(np.abs(table[:, alike]).max())
            factor, unit = prefixed(largest, record.units[kind][i])
            label = f"{_called(record, kind, i, what)} {pretty(record.names[kind][i])}"
            digits = DIGITS - 1 - math.floor(math.log10(largest * factor)) if largest else 0
            packed = pack(table[:, i : i + 1] * factor).page()
            rows.append({"label": label, "unit": unit, "decimals": min(max(digits, 0), 12), **packed})
    return rows


def _called(record: Record, kind: str, i: int, what: str) -> str:
    """A joint without a drive is a joint; a command is an effort, a voltage or a velocity."""
    if kind == "q" and record.names["q"][i] not in record.names["tau"]:
        return "joint"
    commands = {"V": "voltage", "m/s": "velocity", "rad/s": "velocity"}
    return commands.get(record.units[kind][i], what) if kind == "tau" else what


def _short(value: Any) -> Any:
    """Numbers with nine digits."""
    rounded = np.vectorize(lambda v: float(f"{v:.9g}"), otypes=[float])(value)
    return rounded.tolist()
