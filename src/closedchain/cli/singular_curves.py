"""`closedchain singular --locus`: the singular curves of a plane of the output's coordinates or of the drives."""

from __future__ import annotations

import importlib
from typing import Any

from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import note, scalar, vector
from closedchain.describe.equations import Coordinate
from closedchain.model.model import Model
from closedchain.singularity.joint_loci import joint_loci
from closedchain.singularity.loci import loci
from closedchain.singularity.locus import Loci, Locus

LETTERS = {"1": "B", "2": "A"}
TYPES = {letter: int(digit) for digit, letter in LETTERS.items()}


def of_plane(args: Arguments, model: Model) -> int:
    """Trace and print the curves; draw them if asked."""
    if any(value is not None for value in (args.q, args.x, args.start, args.goal, args.assembly)):
        raise Usage("--locus is of a plane, not of a pose or a segment: it goes with --space, --fix, --window, --type")
    space = args.space or "output"
    if space == "joint" and args.working:
        raise Usage("--working goes with curves of the output's plane; in joint space all modes are traced")
    fixed, free = fixed_coordinates(args, model, space)
    found = [traced(args, model, space, fixed, free, kind) for kind in kinds(args.type)]
    if args.plot:  # brings Matplotlib
        view = importlib.import_module("closedchain.view.curves")
        note(f"wrote {view.save_curves(model, found, args.plot)}")
    if args.json:
        print_json(document("singular", model, **answer(found, free)))
    else:
        print("\n".join(f"Type {TYPES[f.kind]}: {f}" for f in found))
    return 0


def kinds(asked: str | None) -> list[str]:
    """Type 2 first, as on a segment."""
    return [LETTERS[asked]] if asked else ["A", "B"]


def traced(
    args: Arguments, model: Model, space: str, fixed: dict[str, float], free: list[Coordinate], kind: str
) -> Loci:
    """The curves of one type."""
    window = vector(args.window, "--window", [(f"{c.name} {end}", c.unit) for c in free for end in ("from", "to")])
    pairs = None if window is None else (window[:2], window[2:])
    if space == "joint":
        return joint_loci(model, fixed=fixed, window=pairs, kind=kind, lines=args.lines)
    return loci(model, fixed=fixed, window=pairs, kind=kind, lines=args.lines, working=args.working)


def fixed_coordinates(args: Arguments, model: Model, space: str) -> tuple[dict[str, float], list[Coordinate]]:
    """--fix as numbers, and the coordinates that are left of the space."""
    of = model.equations.q if space == "joint" else model.equations.x
    units = {c.name: c.unit for c in model.equations.z}
    values: dict[str, float] = {}
    for word in args.fix:
        name, equals, value = word.partition("=")
        if not equals or name not in units:
            raise Usage(f"--fix {word[:40]!r}: write --fix name=value, with a name of {', '.join(units)}")
        values[name] = scalar(value, f"--fix {name}", units[name]) or 0.0
    free = [c for c in of if c.name not in values]
    if len(free) != 2:
        left = ", ".join(c.name for c in free)
        raise Usage(
            f"a plane has two coordinates, but {len(free)} are left ({left}): hold others with --fix name=value"
        )
    return values, free


def answer(found: list[Loci], free: list[Coordinate]) -> dict[str, Any]:
    """The curves as a document; `complete` is proven, `searched` says what was looked at where it is not."""
    return {
        "space": found[0].space,
        "fixed": dict(found[0].fixed),
        "free": [c.name for c in free],
        "spacing": found[0].spacing,
        "complete": all(f.complete for f in found),
        "searched": [f.searched for f in found if f.searched],
        "count": sum(len(f.ended) for f in found),
        "curves": [curve(p, f) for f in found for p in f.pieces],
    }


def curve(p: Locus, of: Loci) -> dict[str, Any]:
    """One piece of a curve: its points in both spaces."""
    row = {"type": TYPES[p.kind], "curve": p.component, "leg": p.leg or None, "working": p.working}
    row |= {"assembly": p.assembly or None, "closed": p.closed, "ended": of.ended[p.component]}
    return row | {"s": p.s, "x": p.x, "q": p.q}
