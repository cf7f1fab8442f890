"""`closedchain sweep`: how an answer changes over many robots."""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.cli.destination import PICTURES, check_file, check_place
from closedchain.cli.failures import NO_SOLUTION
from closedchain.cli.main import CANCELLED, LIMIT, fail
from closedchain.cli.map import WINDOW
from closedchain.cli.options import STATE_OPTIONS
from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import Named, coordinates, efforts, note, scalar, settings, vector, voltages
from closedchain.errors import BrokenOff
from closedchain.extras import bring
from closedchain.model.loading import find
from closedchain.sweep.asking import study
from closedchain.sweep.measures import MEASURES
from closedchain.sweep.pool import Limits
from closedchain.sweep.prepared import prepare
from closedchain.sweep.reading import STUDY
from closedchain.sweep.results import Results
from closedchain.sweep.running import Progress, remaining, sweep
from closedchain.sweep.study import Study

TABLES = (".csv", ".parquet")
SHOWN = 40  # rows that are printed


def run(args: Arguments) -> int:
    """Run the study, write its files, print its rows or what they span; 130 with what is done kept if cancelled.

    4 if there is not one number.
    """
    if "list" in args.compute:
        return list_measures(args)
    check_file("--out", args.out, TABLES)
    check_file("--plot", args.plot, PICTURES)
    check_file("--report", args.report, (".html", ".htm"))
    asked = asked_study(args)
    kept = args.checkpoint or (f"{args.out}.sqlite" if args.out else None)
    if args.checkpoint:
        check_place("--checkpoint", args.checkpoint)
    if args.resume and kept is None:
        raise Usage("--resume continues from a checkpoint: give --out or --checkpoint as before")
    try:
        done = swept(args, asked, kept)
    except (KeyboardInterrupt, BrokenOff) as ended:
        hint = f"; what is done is in {kept}: the same command with --resume goes on" if kept else ""
        why, code = (str(ended), LIMIT) if isinstance(ended, BrokenOff) else ("cancelled", CANCELLED)
        return fail(f"{why}{hint}", code)
    write(args, done)
    show(args, done)
    return NO_SOLUTION if np.isnan(done.values).all() else 0


def asked_study(args: Arguments) -> Study:
    """The study of a file, with what options change, or of the options alone."""
    changed = {**looking(args), **varied(args)}
    if args.compute:
        changed["compute"] = args.compute
    changed |= {key: getattr(args, key) for key in ("sample", "points") if getattr(args, key) is not None}
    if STUDY.is_in(args.robot):
        refuse_with_a_file(args, "a study file")
        return STUDY.read(args.robot, **changed)
    changed |= state(args)
    return study(args.robot, **({"vary": {}, "compute": ()} | changed), values=given(args))


def refuse_with_a_file(args: Arguments, what: str) -> None:
    """Options that need a robot to be read; a file has tables for them."""
    if args.settings:
        raise Usage(f"--set goes with a robot; {what} has [values]")
    found = next((option for option in (*STATE_OPTIONS, "--assembly") if said(args, option)), None)
    if found:
        raise Usage(f"{found} goes with a robot; {what} has [state]")


def said(args: Arguments, option: str) -> str | None:
    """What stands after an option."""
    text: str | None = getattr(args, option.removeprefix("--").replace("-", "_"))
    return text


def given(args: Arguments) -> dict[str, float]:
    """--set as numbers."""
    recipe, _ = find(args.robot)
    return settings(args.settings, recipe.description.parameters)


def varied(args: Arguments) -> dict[str, Any]:
    """--param as a table."""
    found = {}
    for word in args.param:
        name, equals, said = word.partition("=")
        if not equals or not said.strip():
            raise Usage(f"--param {word[:40]!r} has no range; write --param l=0.30:0.50:21")
        if name.strip() in found:
            raise Usage(f"--param {name.strip()[:40]} is given twice; write each parameter once")
        found[name.strip()] = said.strip()
    return {"vary": found} if found else {}


def looking(args: Arguments) -> dict[str, Any]:
    """Where measures look, as far as options say it."""
    found: dict[str, Any] = {"window": vector(args.window, "--window", WINDOW)}
    found["centre"] = vector(args.centre, "--centre", WINDOW[::2])
    found["orientation"] = scalar(args.orientation, "--orientation", "rad")
    found["height"] = scalar(args.height, "--height", "m")
    found |= {key: getattr(args, key) for key in ("grid", "working", "condition", "shape", "scenario", "seed")}
    return {key: value for key, value in found.items() if value is not None}


def state(args: Arguments) -> dict[str, Any]:
    """The state of evaluate.…, as far as options say it."""
    recipe, preset = find(args.robot)
    model = importlib.import_module("closedchain.model.model").Model(recipe, {}, preset)
    named: dict[str, Named] = {"--tau": efforts(model), "--voltage": voltages(model) if model.equations.motors else ()}
    for name, of in (("--q", model.equations.q), ("--x", model.equations.x)):
        named |= {name + mark: coordinates(of, per) for mark, per in (("", ""), ("-dot", "/s"), ("-ddot", "/s^2"))}
    numbers = {option: vector(said(args, option), option, named[option]) for option in STATE_OPTIONS}
    found: dict[str, Any] = {o.removeprefix("--").replace("-", "_"): v for o, v in numbers.items() if v is not None}
    if found:
        found |= {key: getattr(args, key) for key in ("working", "assembly") if getattr(args, key)}
        if "x" not in found:
            found.pop("working", None)
    return {"state": found} if found else {}


def swept(args: Arguments, asked: Study, kept: str | None) -> Results:
    """The results, by a cluster, a pool or this process."""
    place = asked.place
    if place.window is None and any(
        name in MEASURES and MEASURES[name].cost in ("grid", "arcs", "rays") for name in asked.computes
    ):
        x0, x1, y0, y1 = prepare(asked).window
        note(f"looking at x {x0:g} … {x1:g} m, y {y0:g} … {y1:g} m; --window changes that")
    memory = None if args.memory_limit is None else int(args.memory_limit * 1e6)
    with ExitStack() as stack:
        runner = stack.enter_context(cluster(args, asked)) if args.cluster else None
        workers = args.workers if args.workers is not None else cores()
        return sweep(
            asked,
            workers=0 if runner else min(workers, asked.count),
            limits=Limits(args.time_limit, memory),
            checkpoint=kept,
            resume=args.resume,
            runner=runner,
            progress=tell if sys.stderr.isatty() else None,
        )


def cluster(args: Arguments, asked: Study) -> Any:
    """The connection to a cluster."""
    module = bring("closedchain.sweep.cluster", "--cluster")
    keys = module.Keys(args.tls_ca, args.tls_cert, args.tls_key)
    return module.Cluster(args.cluster, asked, keys, args.insecure)


def cores() -> int:
    """How many processes can work at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def tell(now: Progress) -> None:
    """How far it is, over and over on one line of a terminal."""
    marked = f", {now.failed:,} marked" if now.failed else ""
    words = f"{now.done:,} of {now.total:,} points{marked}; {remaining(now.left)}"
    end = "\n" if now.done >= now.total else ""
    print(f"\rclosedchain: {words:<70}", end=end, file=sys.stderr, flush=True)


def write(args: Arguments, done: Results) -> None:
    """The files asked for."""
    if args.out:
        done.save(args.out)
        note(f"wrote {args.out}")
    if args.plot:  # brings Matplotlib
        note(f"wrote {importlib.import_module('closedchain.sweep.pictures').draw(done, Path(args.plot))}")
    if args.report:
        note(f"wrote {importlib.import_module('closedchain.sweep.report').write(done, Path(args.report))}")


def show(args: Arguments, done: Results) -> None:
    """Rows where there are few and no file, else what the columns span."""
    if args.json:
        answer = {"points": len(done), "marked": len(done.failed), "hash": done.hash, "study": done.study.digest}
        answer |= {"sample": done.study.method, "seed": done.study.seed, "columns": done.spans(), "out": args.out}
        print_json(document("sweep", done.study.robot.model(), **answer, **rows_of(args, done)))
        return
    marked = f", {len(done.failed)} marked" if done.failed else ""
    print(f"{done.study.robot.model().name}: {len(done):,} points{marked}")
    if len(done) <= SHOWN and not args.out:
        print(table(("point", *done.header, "status"), [["" if v is None else v for v in row] for row in done.rows()]))
        return
    rows = [(name, *("" if v is None else v for v in span.values())) for name, span in done.spans().items()]
    print(table(("column", "least", "mean", "most"), rows))
    for why, count in done.reasons():
        print(f"  {count} × {why}")


def rows_of(args: Arguments, done: Results) -> dict[str, Any]:
    """Every row, where there are few or no file holds them."""
    if args.out and len(done) > SHOWN:
        return {}
    return {"header": ["point", *done.header, "status"], "rows": list(done.rows())}


def list_measures(args: Arguments) -> int:
    """Print what can be computed."""
    rows = [(m.name, m.unit, m.about) for m in MEASURES.values()]
    rows += [("evaluate.NAME", "", "a number of `closedchain evaluate` at --x or --q: evaluate.tau.0")]
    rows += [("simulate.NAME", "", "a figure of `closedchain simulate` of --scenario: simulate.max_error")]
    if args.json:
        print_json(document("measures", measures=[dict(zip(("name", "unit", "about"), r, strict=True)) for r in rows]))
    else:
        print(table(("measure", "unit", "what it is"), rows))
    return 0
