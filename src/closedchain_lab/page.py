"""A run on one page: the robot's motion beside its scopes and figures, in one file that needs nothing else."""

import base64
import re
from collections.abc import Callable, Iterator
from html import escape
from importlib import resources
from itertools import count
from pathlib import Path

from closedchain.errors import BadInput
from closedchain.files import atomic_write
from closedchain.simulation import Run, passages
from closedchain.view import asset, html_page, player
from closedchain_lab.running import Outcome
from closedchain_lab.scope import Chart
from closedchain_lab.session import Picture

PAGE = "index.html"
ZOOM = ((0.5, "closer", "+"), (2, "further", "−"), ("Infinity", "all of it", "all"))


def own_asset(name: str) -> str:
    """A file of this package's assets, as text."""
    return resources.files("closedchain_lab").joinpath("assets", name).read_text(encoding="utf-8")


def render(done: Outcome) -> str:
    """The page of a run."""
    ended = done.ended if done.ended.startswith(("ended", "was")) else f"failed: {done.ended}"
    motions = [_motion(run) for run in runs(done)]
    drawn = [*map(_chart, charts(done)), *map(_figure, done.session.pictures)]
    body = [
        f'<main class="run"><header><h1>{escape(done.script.name)}</h1><p class="facts">{escape(facts(done))}</p>',
        f'<p class="ended{" wrong" if done.code else ""}">The script {escape(ended)}.</p></header><div class="beside">',
        f'<div class="motions">{"".join(motions)}</div>' if motions else "",
        f'<div class="drawn">{"".join(drawn)}</div>' if drawn else "",
        "</div></main>",
    ]
    scripts = [asset("player.js")] if motions else []
    scripts += [own_asset("zoom.js")] if any(charts(done)) else []
    text, styles = "\n".join(filter(None, body)), [asset("player.css"), own_asset("lab.css")]
    return html_page(done.script.name, text, styles=styles, scripts=scripts)


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
        atomic_write(folder / f"scope-{k}{_slug(chart.title)}.csv", chart.csv())
    for k, picture in enumerate(done.session.pictures, start=1):
        atomic_write(folder / f"figure-{k}{_slug(picture.title)}.png", picture.png)
    for k, run in enumerate(runs(done), start=1):
        run.save(folder / f"motion-{k}{_slug(run.model.name)}.npz")
    return save(done, folder / PAGE)


def finish(
    done: Outcome, tell: Callable[[str], None], *, out: str | None = None, html: str | None = None, quiet: bool = False
) -> None:
    """Write what there is to see, unless quiet, and say where; say which singularities were passed."""
    if done.empty:
        return
    for robot in done.session.robots:
        for passage in passages(robot.run)[:1]:
            tell(f"{robot.model.name}: {passage}; a fixed mode names another configuration from there on")
    told = f"{done.script.name}: {done.simulated:.6g} s simulated in {done.seconds:.2g} s"
    if not quiet:
        places = (Path("lab-runs", f"{done.script.stem}-{n}") for n in count(1))
        fresh = next(place for place in places if not place.exists())
        path = save(done, html) if html else save_folder(done, out or fresh)
        told += f"; the page is {path}"
    tell(told)


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
    told = f'<ul class="passages">{told}</ul>' if told else ""
    return f'<section class="motion"><h2>{escape(run.title)}</h2>{player(run.model, run)}{told}</section>'


def _chart(chart: Chart) -> str:
    """A scope and the difference of its curves, each to be zoomed into, with the numbers to take along."""
    data = base64.b64encode(chart.csv().encode()).decode("ascii")
    file = f"scope{_slug(chart.title)}.csv"
    tools = "".join(f'<button data-zoom="{by}" aria-label="{words}">{sign}</button>' for by, words, sign in ZOOM)
    numbers = f'<a download="{file}" href="data:text/csv;base64,{data}">{file}</a>'
    return (
        f'<figure class="chart">{chart.svg(inline=True)}<figcaption>{tools}{numbers}</figcaption></figure>'
        f'<figure class="chart">{chart.difference().svg(inline=True)}<figcaption>{tools}</figcaption></figure>'
    )


def _figure(picture: Picture) -> str:
    data = base64.b64encode(picture.png).decode("ascii")
    return f'<figure><img alt="{escape(picture.title or "figure")}" src="data:image/png;base64,{data}"></figure>'


def _slug(words: str) -> str:
    """-position-x of "Position x [m]"."""
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:40]
    return f"-{slug}" if slug else ""
