"""`closedchain verify`: a robot against independent engines, quantity by quantity."""

from __future__ import annotations

import importlib
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from closedchain import robots, scenarios
from closedchain.cli.destination import check_file
from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import note, robot, scalar, settings
from closedchain.cli.verify_options import MOTIONS
from closedchain.model.model import Model
from closedchain.motion.formulas import formula_of
from closedchain.motion.from_table import table_motion
from closedchain.motion.tables import read_table
from closedchain.verify import DURATION, OWN_FUNCTIONS, Comparison, diagnose, markdown, read_functions, verify

CHECK_FAILED = 1


def run(args: Arguments) -> int:
    """Compare, print the table, write the files asked for; exit code 1 if a limit is broken."""
    if args.all == (args.robot is not None):
        raise Usage("which robot? Name one, or give --all")
    check_file("--html", args.html, (".html", ".htm"))
    check_file("--plot", args.plot)
    if args.all and (args.html or args.plot or args.settings or args.engine_set or args.models or own(args)):
        raise Usage("--html, --plot, --set, --model and a motion of your own are about one robot; leave out --all")
    found = list(compared(args))
    for one in found:
        write(args, one)
    if args.json:
        print_json(answer(args, found))
    elif args.markdown:
        print(markdown(found))
    else:
        print("\n".join(text(one) for one in found))
    return 0 if all(one.ok for one in found) else CHECK_FAILED


def compared(args: Arguments) -> Iterator[Comparison]:
    """The comparison of the robot, or of each."""
    for name in every() if args.all else (args.robot,):
        model = robot(Namespace(robot=name, settings=args.settings))
        if args.all:
            note(name)
        options: dict[str, Any] = {"seed": args.seed, "states": args.states}
        options |= {"motion": args.motion, "assembly": args.assembly, "working": args.working}
        options |= motion_of(args, model) if own(args) else {}
        if args.models:
            options["others"] = {Path(path).stem: read_functions(path) for path in args.models}
        if args.engine_set:
            options["engine_values"] = settings(args.engine_set, model.equations.parameters)
        yield verify(model, args.engine, **options)


def own(args: Arguments) -> bool:
    """Whether a motion of the user's own is asked for."""
    return args.motion not in MOTIONS


def motion_of(args: Arguments, model: Model) -> dict[str, Any]:
    """Formulas, a table's rows, or a scenario's trajectory with its working mode."""
    text = args.motion
    if "=" in text:
        return {"motion": formula_of(model, text, scalar(args.duration, "--duration", "s") or DURATION)}
    if text in scenarios.names() or text.endswith(".toml"):
        chosen = scenarios.find(text)
        if chosen.reference is None:
            raise Usage(f"--motion {text[:60]!r}: the scenario has no trajectory")
        working = args.working or chosen.working if chosen.reference.space == "output" else args.working
        return {"motion": chosen.reference, "working": working}
    if not Path(text).is_file():
        raise Usage(
            f"--motion {text[:60]!r}: no such file; there are {', '.join(MOTIONS)}, and motions of your own: "
            'formulas "q1 = 0.1*sin(t); …", a table (.csv, .txt), or a scenario'
        )
    return {"motion": table_motion(model, read_table(text))}


def every() -> list[str]:
    """Every shipped robot with every parameter set, by name."""
    return [each for name in robots.names() for each in (name, *robots.variants(name))]


def write(args: Arguments, done: Comparison) -> None:
    """The files asked for; these bring Matplotlib."""
    if args.html:
        note(f"wrote {importlib.import_module('closedchain.verify.page').write_page(done, args.html)}")
    if args.plot:
        for path in importlib.import_module("closedchain.verify.figures").draw(done, Path(args.plot)):
            note(f"wrote {path}")


def text(done: Comparison) -> str:
    """The table, and what explains it where a limit is broken."""
    return f"{done}\n{diagnose(done)}" if explicable(done) else str(done)


def explicable(done: Comparison) -> bool:
    """Whether an engine broke a limit; what a function of the user's own returns is not looked into."""
    return bool(done.answers) and any(row.way != OWN_FUNCTIONS for row in done.broken)


def answer(args: Arguments, found: list[Comparison]) -> dict[str, Any]:
    """One robot's rows, or a list of such answers."""
    head = {"motion": args.motion, "seed": args.seed, "states": args.states}
    parts = [report(one) for one in found]
    if args.all:
        return document("verify", **head, ok=all(p["ok"] for p in parts), robots=parts)
    return document("verify", found[0].model, **head, **parts[0])


def report(done: Comparison) -> dict[str, Any]:
    """A comparison as data; a difference that is not finite is null."""
    rows = []
    for row in done.rows:
        worst, rms = (value if value < float("inf") else None for value in (row.max, row.rms))
        place: dict[str, Any] = {"quantity": row.quantity, "engine": row.engine, "way": row.way, "motion": row.motion}
        rows.append(
            place | {"max": worst, "rms": rms, "limit": row.limit, "ok": row.ok, "unit": row.unit, "why": row.why}
        )
    told = {"robot": done.robot, "ok": done.ok, "engines": done.engines, "rows": rows}
    told |= {"notes": done.notes, "absent": done.absent}
    if not explicable(done):
        return told
    found = diagnose(done)
    causes = [{"kind": c.kind, "words": c.words, "share": c.share, "value": c.value} for c in found.causes]
    return told | {"diagnosis": {"differ": found.differ, "agree": found.agree, "causes": causes}}
