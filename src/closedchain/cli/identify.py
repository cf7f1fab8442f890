"""`closedchain identify`: masses, inertias and friction from efforts; or which of them count, or how to excite them."""

from __future__ import annotations

import csv
import importlib
import io
from pathlib import Path
from typing import Any

from closedchain.cli.destination import PICTURES, check_file
from closedchain.cli.options import Usage
from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments
from closedchain.cli.values import note, robot, scalar
from closedchain.files import atomic_write
from closedchain.identification import Base, Excitation, Regressor, base_parameters, excite, identify
from closedchain.model.model import Model


def run(args: Arguments) -> int:
    """Fit and print; or tell the base parameters; or write an exciting motion."""
    check_file("--plot", args.plot, PICTURES)
    check_file("--excite", args.excite, (".csv",))
    if args.data and args.excite:
        raise Usage("--excite makes a motion to be measured; leave out the readings")
    if args.plot and not args.data:
        raise Usage("--plot draws measured efforts; give readings")
    model = robot(args)
    drives = () if args.drives == "none" else tuple(word.strip() for word in args.drives.split(","))
    by = args.by or ("bodies" if model.mechanism else "parameters")
    if args.excite:
        return excited(args, model, Regressor(model, by, drives))
    if not args.data:
        return counted(args, model, base_parameters(Regressor(model, by, drives)))
    cutoff = scalar(args.cutoff, "--cutoff", "1/s")
    options: dict[str, Any] = {"estimator": args.estimator, "cutoff": cutoff, "folds": args.folds}
    done = identify(model, args.data, by=by, on_drives=drives, assembly=args.assembly, **options)
    if args.plot:
        draw = importlib.import_module("closedchain.identification.pictures").draw
        note(f"wrote {draw(done, Path(args.plot))}")
    if args.json:
        print_json(document("identify", done.model, **done.document()))
    else:
        print(done)
    return 0


def counted(args: Arguments, model: Model, base: Base) -> int:
    """The base parameters alone."""
    if not args.json:
        print(f"{model.name}: {base}")
        return 0
    rank = {"svd": base.rank_svd, "qr": base.rank_qr, "counts": base.gap[0], "does_not": base.gap[1]}
    rows = [{"name": n, "combination": c} for n, c in zip(base.labels, base.combinations, strict=True)]
    print_json(document("base", model, base=rows, rank=rank, without_effect=base.without_effect))
    return 0


def excited(args: Arguments, model: Model, regressor: Regressor) -> int:
    """An exciting motion, as a table."""
    drives = {c.name: c.unit for c in model.equations.q}
    limits = {}
    for word in args.q_limit:
        name, equals, text = word.partition("=")
        low, colon, high = text.partition(":")
        if not equals or not colon or name not in drives:
            raise Usage(f"--q-limit {word[:40]!r}: write DRIVE=LOW:HIGH, of {', '.join(drives)}")
        ends = [scalar(v, f"--q-limit {name}", drives[name]) or 0.0 for v in (low, high)]
        limits[name] = (ends[0], ends[1])
    unit = model.equations.q[0].unit
    rate = scalar(args.rate, "--rate", f"{unit}/s")
    acceleration = scalar(args.acceleration, "--acceleration", f"{unit}/s^2")
    period, interval = scalar(args.period, "--period", "s") or 0.0, scalar(args.interval, "--interval", "s") or 0.0
    if not 0.0 < interval <= period:
        raise Usage("--interval must be above 0 and not above --period")
    found = excite(
        model, limits=limits, rate=rate, acceleration=acceleration, period=period, harmonics=args.harmonics,
        evaluations=args.evaluations, seed=args.seed, regressor=regressor, assembly=args.assembly,
    )  # fmt: skip
    write(found, interval, args.excite)
    note(f"wrote {args.excite}")
    if args.json:
        told = {"period": found.period, "condition": found.condition, "first": found.first, "tried": found.tried}
        print_json(document("excite", model, **told, centre=found.centre, a=found.a, b=found.b))
    else:
        print(found)
    return 0


def write(found: Excitation, interval: float, path: str) -> None:
    """Every digit of a period."""
    table, text = found.table(interval), io.StringIO()
    rows = [[repr(v) for v in row] for row in table.values.tolist()]
    csv.writer(text, lineterminator="\n").writerows([list(table.names), *rows])
    atomic_write(path, text.getvalue())
