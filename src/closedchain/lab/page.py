"""A run on one page: the robot's motion beside its scopes and figures, in one file that needs nothing else."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import escape
from importlib import resources
from pathlib import Path

from closedchain.errors import BadInput
from closedchain.files import atomic_write
from closedchain.lab.chart import Chart
from closedchain.lab.passages import passages
from closedchain.lab.running import Outcome
from closedchain.lab.session import Picture
from closedchain.simulation.run import Run
from closedchain.view.animation import player
from closedchain.view.page import asset, page

PAGE = "index.html"


def style() -> str:
    """What the lab's pages look like."""
    return resources.files("closedchain.lab").joinpath("assets", "lab.css").read_text(encoding="utf-8")


def render(done: Outcome) -> str:
    """The page of a run."""
    motions = [_motion(run) for run in runs(done)]
    drawn = [
        *(f"<figure>{chart.svg(inline=True)}</figure>" for chart in charts(done)),
        *map(_figure, done.session.pictures),
    ]
    body = [
        '<main class="run">',
        f"<header><h1>{escape(done.script.name)}</h1>",
        f'<p class="facts">{escape(facts(done))}</p>',
        f'<p class="ended{" wrong" if done.code else ""}">The script {_ended(done)}.</p></header>',
        '<div class="beside">',
        f'<div class="motions">{"".join(motions)}</div>' if motions else "",
        f'<div class="drawn">{"".join(drawn)}</div>' if drawn else "",
        "</div></main>",
    ]
    scripts = [asset("player.js")] if motions else []
    return page(done.script.name, "\n".join(filter(None, body)), styles=[asset("player.css"), style()], scripts=scripts)


def save(done: Outcome, path: str | Path) -> Path:
    """Write the page, whole or not at all."""
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise BadInput(f"a page is an .html file, not {path.name!r:.60}")
    atomic_write(path, render(done))
    return path


def save_folder(done: Outcome, folder: str | Path) -> Path:
    """Write the page, every picture and every motion (NPZ) into a folder; the page's path."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for k, chart in enumerate(charts(done), start=1):
        atomic_write(folder / f"scope-{k}{_slug(chart.title)}.svg", chart.svg())
    for k, picture in enumerate(done.session.pictures, start=1):
        atomic_write(folder / f"figure-{k}{_slug(picture.title)}.png", picture.png)
    for k, run in enumerate(runs(done), start=1):
        run.save(folder / f"motion-{k}{_slug(run.model.name)}.npz")
    return save(done, folder / PAGE)


def runs(done: Outcome) -> Iterator[Run]:
    """Every motion of every robot, in order."""
    for robot in done.session.robots:
        yield from robot.earlier
        if robot.get_time() > 0.0:
            yield robot.run


def charts(done: Outcome) -> Iterator[Chart]:
    """Scopes and plots that show something."""
    return (chart for chart in done.session.charts if not chart.empty)


def facts(done: Outcome) -> str:
    """Robots, their parameters and the engine, in a line."""
    engine = {"exact": "the exact model", "mujoco": "MuJoCo"}[done.session.settings.engine]
    words = [f"{done.simulated:.6g} s simulated with {engine}"]
    for model in {id(r.model): r.model for r in done.session.robots}.values():
        words.append(f"{model.name}: " + ", ".join(f"{name} = {value:g}" for name, value in model.values.items()))
    return "; ".join(words)


def _motion(run: Run) -> str:
    told = "".join(f"<li>{escape(str(passage))}</li>" for passage in passages(run))
    return (
        f'<section class="motion"><h2>{escape(run.title)}</h2>{player(run.model, run)}'
        + (f'<ul class="passages">{told}</ul>' if told else "")
        + "</section>"
    )


def _ended(done: Outcome) -> str:
    return escape(done.ended if done.ended.startswith(("ended", "was")) else f"failed: {done.ended}")


def _figure(picture: Picture) -> str:
    data = base64.b64encode(picture.png).decode("ascii")
    words = escape(picture.title or "figure")
    return f'<figure><img alt="{words}" src="data:image/png;base64,{data}"></figure>'


def _slug(words: str) -> str:
    """-position-x of "Position x [m]"."""
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:40]
    return f"-{slug}" if slug else ""
