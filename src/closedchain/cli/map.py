"""`closedchain map`: determinants, conditioning and efforts over a window of the output's plane, to a file."""

from __future__ import annotations

import importlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.cli.destination import PICTURES, check_file
from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.path_options import QUANTITIES
from closedchain.cli.values import note, robot, scalar, vector
from closedchain.files import atomic_write
from closedchain.model.model import Model
from closedchain.singularity.maps import Map, map_grid
from closedchain.version import VERSION

NUMBERS = (".npz", ".npy")
WINDOW = [("x from", "m"), ("x to", "m"), ("y from", "m"), ("y to", "m")]
SHAPE, SHAPE_OF_PICTURE = (1000, 1000), (400, 400)
PICTURED = "det_A"


def run(args: Arguments) -> int:
    """Compute the map, write it, print what it spans."""
    check_file("--out", args.out, NUMBERS + PICTURES)
    drawn, ending = Path(args.out).suffix.lower() in PICTURES, Path(args.out).suffix.lower()
    model = robot(args)
    wanted = args.quantity or ([PICTURED] if drawn else list(QUANTITIES))
    done = map_grid(
        model,
        window(args, model),
        args.shape or (SHAPE_OF_PICTURE if drawn else SHAPE),
        [wanted[0], "det_A"] if drawn else wanted,
        **plane(args, model),
        dtype=np.float64 if drawn else np.float32,
        out=args.out if ending == ".npy" else None,
        progress=tell if sys.stderr.isatty() else None,
    )
    if drawn:
        importlib.import_module("closedchain.cli.illustrating").grid(model, done, wanted[0], args.out)
    elif ending == ".npz":
        save(model, done, Path(args.out))
    note(f"wrote {args.out}")
    answer = summary(done) | {"out": args.out}
    if args.json:
        print_json(document("map", model, **answer))
    else:
        print(answer_text(model, answer))
    return 0


def window(args: Arguments, model: Model) -> tuple[float, float, float, float] | None:
    """--window as numbers, of the two coordinates that vary."""
    held = hold(args, model)
    own = [(c.name, c.unit) for c in model.equations.x[: model.outputs] if c.name not in held]
    named = [(f"{name} {end}", unit) for name, unit in own[:2] for end in ("from", "to")]
    values = vector(args.window, "--window", named if len(named) == 4 else WINDOW)
    return None if values is None else (values[0], values[1], values[2], values[3])


def plane(args: Arguments, model: Model) -> dict[str, Any]:
    """The modes asked for and the coordinates that are held."""
    third = {"orientation": scalar(args.orientation, "--orientation", "rad"), "hold": hold(args, model) or None}
    return {"working": args.working, **third, "height": scalar(args.height, "--height", "m")}


def hold(args: Arguments, model: Model) -> dict[str, float]:
    """`--hold z=0,roll=10deg` as coordinates of the output with their values."""
    units = {c.name: c.unit for c in model.equations.x[: model.outputs]}
    found = {}
    for word in args.hold.split(",") if args.hold else ():
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or name not in units:
            raise Usage(f"--hold {word[:40]!r}: write name=value with a name of {', '.join(units)}")
        found[name] = scalar(value, f"--hold {name}", units[name]) or 0.0
    return found


def tell(share: float) -> None:
    """How far it is, over and over on one line of a terminal."""
    print(f"\rclosedchain: {share:4.0%}", end="\n" if share >= 1.0 else "", file=sys.stderr, flush=True)


def save(model: Model, done: Map, path: Path) -> None:
    """As NPZ with a JSON header and no pickles: x, y, slack (rows, columns), each quantity (modes, rows, columns)."""
    header: dict[str, Any] = {
        "format": "closedchain.map/1",
        "version": VERSION,
        "robot": model.name,
        "parameters": model.values,
    }
    header |= {"axes": done.slice.names, "held": {name: value for _, name, value in done.slice.held}}
    header |= {"third": done.third, "working": done.working, "quantities": done.quantities}
    arrays: dict[str, Any] = {"x": done.x, "y": done.y, "slack": done.slack}
    arrays |= {name: done.plane(name) for name in done.quantities}
    buffer = io.BytesIO()
    np.savez(buffer, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays)
    atomic_write(path, buffer.getvalue())


def summary(done: Map) -> dict[str, Any]:
    """What a map spans: the share of the window that is reached, and there each quantity's range in each mode."""
    inside = done.reachable
    ranges = {}
    for name in done.quantities:
        planes = [done.plane(name, mode)[inside] for mode in done.working]
        finite = [values[np.isfinite(values)] for values in planes]
        ranges[name] = {
            mode: [float(v.min()), float(v.max())] if len(v) else None
            for mode, v in zip(done.working, finite, strict=True)
        }
    span = [float(v) for v in (done.x[0], done.x[-1], done.y[0], done.y[-1])]
    return {
        "window": span,
        "axes": [f"{name} [{unit}]" for name, unit in zip(done.slice.names, done.slice.units, strict=True)],
        "held": {name: value for _, name, value in done.slice.held},
        "third": done.third,
        "shape": inside.shape,
        "working": done.working,
        "quantities": done.quantities,
        "reachable": float(inside.mean()),
        "ranges": ranges,
    }


def answer_text(model: Model, answer: dict[str, Any]) -> str:
    """The same for people."""
    x0, x1, y0, y1 = answer["window"]
    rows, columns = answer["shape"]
    (a, a_unit), (b, b_unit) = (axis[:-1].split(" [") for axis in answer["axes"])
    head = f"{model.name}: {rows} × {columns} points over {a} {x0:g} … {x1:g} {a_unit}, {b} {y0:g} … {y1:g} {b_unit}"
    reach = f"{answer['reachable']:.1%} of them within reach"
    made = [(name, mode, *(span or ("", ""))) for name, each in answer["ranges"].items() for mode, span in each.items()]
    return "\n".join([f"{head}; {reach}", *([table(("quantity", "mode", "least", "most"), made)] if made else [])])
