"""`closedchain calibrate`: the geometry that measurements tell, and what they do not."""

from __future__ import annotations

import importlib
from math import isfinite
from pathlib import Path
from typing import Any

from closedchain.calibration import (
    Calibration,
    Suggestion,
    Vocabulary,
    calibrate,
    candidates,
    probe_sd,
    read_data,
    suggest,
)
from closedchain.cli.destination import PICTURES, check_file
from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import note, robot, scalar
from closedchain.describe.writing import dumps
from closedchain.files import atomic_write
from closedchain.model.model import Model


def run(args: Arguments) -> int:
    """Fit, write, print."""
    check_file("--plot", args.plot, PICTURES)
    check_file("--out", args.out, (".toml",))
    model = robot(args)
    data, described = read_data(model, args.data)
    model = model.with_values(**described) if described else model
    done = calibrate(model, data, **asked(args, model))
    further = chosen(args, done, data) if args.suggest else None
    write(args, done)
    if args.json:
        answer = done.document() | ({"suggested": told(further)} if further else {})
        print_json(document("calibrate", done.model, **answer))
    else:
        print(done)
        if further:
            print(further)
    return 0


def asked(args: Arguments, model: Model) -> dict[str, Any]:
    """The options as `calibrate` takes them."""
    vocabulary, own = Vocabulary(model.equations), {p.name: p.unit for p in model.equations.parameters}

    def unit(name: str, option: str) -> str:
        found = own.get(name, vocabulary.unit(name.removesuffix(".offset")))
        if found is None and not name.endswith(".gain"):
            raise Usage(f"{option}: {name[:40]!r} is neither a parameter nor a column's offset, as l1.offset")
        return found or ""

    options: dict[str, Any] = {"hold": listed(args.hold), "offsets": listed(args.offset), "gains": listed(args.gain)}
    options |= {"vary": listed(args.vary)} if args.vary else {}
    options["start"] = {n: scalar(v, f"--start {n}", unit(n, "--start")) for n, v in pairs(args.start, "--start")}
    options["sd"] = {n: scalar(v, f"--sd {n}", unit(n, "--sd")) for n, v in pairs(args.sd, "--sd")}
    if args.probe_log:
        options["sd"].setdefault("z", probe_sd(args.probe_log))
    options["priors"] = {}
    for name, text in pairs(args.prior, "--prior"):
        parts = [scalar(v, f"--prior {name}", unit(name, "--prior")) for v in text.split(",")]
        if len(parts) != 2:
            raise Usage(f"--prior {name}: write its value and its standard deviation, --prior {name}=250mm,0.1mm")
        options["priors"][name] = tuple(parts)
    options |= {"loss": args.robust} if args.robust else {}
    options["lever"] = scalar(args.lever, "--lever", "m")
    return options | {"assembly": args.assembly}


def listed(words: list[str]) -> list[str]:
    """Names, one by one or with commas."""
    return [name.strip() for word in words for name in word.split(",") if name.strip()]


def pairs(words: list[str], option: str) -> list[tuple[str, str]]:
    """`NAME=VALUE` words."""
    for word in words:
        if "=" not in word:
            raise Usage(f"{option} {word[:40]!r} has no value; write {option} NAME=VALUE")
    return [(name.strip(), value) for name, _, value in (word.partition("=") for word in words)]


def chosen(args: Arguments, done: Calibration, data: Any) -> Suggestion:
    """Further measurements, from a file's rows or from rows drawn like the data's."""
    table = read_data(done.model, args.candidates)[0] if args.candidates else candidates(done, data, seed=args.seed)
    return suggest(done, data, table, count=args.suggest, assembly=args.assembly)


def write(args: Arguments, done: Calibration) -> None:
    """The files asked for."""
    if args.out:
        atomic_write(args.out, dumps(done.model.recipe, done.model.values))
        note(f"wrote {args.out}")
    if args.plot:
        draw = importlib.import_module("closedchain.calibration.pictures").draw
        note(f"wrote {draw(done, Path(args.plot))}")


def told(further: Suggestion) -> dict[str, Any]:
    """A suggestion as data; what a row does not have is null."""
    rows = [[v if v == v else None for v in row] for row in further.readings.values.tolist()]
    sd = further.after[-1].sd
    weakest = {"combination": str(further.after[-1]), "sd": sd if isfinite(sd) else None}
    return {"rows": [r + 1 for r in further.rows], "header": further.readings.names, "values": rows, "weakest": weakest}
