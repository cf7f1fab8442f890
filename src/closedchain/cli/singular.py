"""`closedchain singular`: what a pose is, every singular point on a segment of the output, or the singular curves."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.cli.destination import check_file
from closedchain.cli.output import document, number, print_json, row_of, table
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.singular_curves import LETTERS, of_plane
from closedchain.cli.values import coordinates, note, output, robot, vector
from closedchain.model.model import Model
from closedchain.singularity.along import KINDS, Along, SingularPoint, along
from closedchain.singularity.pose import Singularities, singularities


def run(args: Arguments) -> int:
    """Print what is singular, and how; draw it if asked."""
    check_file("--plot", args.plot)
    if args.locus:
        return of_plane(args, robot(args))
    if args.space or args.fix or args.window:
        raise Usage("--space, --fix and --window go with --locus")
    segment = args.start is not None or args.goal is not None
    if segment == (args.q is not None or args.x is not None):
        raise Usage(
            "give a pose, --q or --x, a segment, --from and --to, or --locus; see `closedchain singular --help`"
        )
    if not segment and args.type:
        raise Usage("--type goes with a segment; at a pose both types are told")
    model = robot(args)
    return on_segment(args, model) if segment else at_pose(args, model)


# At a pose -----------------------------------------------------------------------------------------


def at_pose(args: Arguments, model: Model) -> int:
    """The types with their measures, null vectors, wrench and ellipses."""
    q = vector(args.q, "--q", coordinates(model.equations.q))
    x = output(model, args.x, "--x")
    found = singularities(model, q=q, x=x, assembly=args.assembly, working=args.working)
    if args.plot:  # brings Matplotlib
        note(f"wrote {importlib.import_module('closedchain.cli.illustrating').pose(model, found, args.plot)}")
    if args.json:
        print_json(document("singular", model, **answer(found)))
    else:
        print(answer_text(model, found))
    return 0


def answer(found: Singularities) -> dict[str, Any]:
    """A pose as a document; what is infinite is null."""
    return {
        "q": found.q,
        "x": found.x,
        "types": found.kinds,
        "legs_at_end": found.singular_legs,
        "measures": {"type 1": found.serial, "type 2": found.parallel, "constraint": found.constraint}
        | {"dynamic": found.dynamic, "legs": dict(zip(found.leg_names, found.legs, strict=True))},
        "singular_value": found.singular_value,
        "length": found.length,
        "free_motion": found.free_motion,
        "centre": None if found.centre is None else finite(found.centre),
        "passive_motion": found.passive_motion,
        "wrench": found.unresisted,
        "internal": found.internal,
        "internal_efforts": found.internal_efforts,
        "lost_motion": found.lost_motion,
        "idle_motion": found.idle_motion,
        "velocity_ellipse": {"radii": finite(found.velocity_radii), "axes": found.axes.T},
        "force_ellipse": {"radii": finite(found.force_radii), "axes": found.axes.T},
    }


def finite(values: Doubles) -> list[float | None]:
    """Numbers, and null for those that are infinite."""
    return [float(v) if np.isfinite(v) else None for v in values]


def answer_text(model: Model, found: Singularities) -> str:
    """The same for people: how near it is to each type, and what that means there."""
    x, q = ([(c.name, c.unit) for c in part] for part in (model.equations.x, model.equations.q))
    lines = [f"{model.name}: {', '.join(found.kinds).capitalize() or 'Regular'}"]
    lines += [
        f"  {name} [{unit}]".ljust(18) + number(v) for (name, unit), v in zip(x + q, [*found.x, *found.q], strict=True)
    ]
    rows = [("Type 1 (serial), σ_min of B", found.serial), ("Type 2 (parallel), σ_min/σ_max of A", found.parallel)]
    rows += [("constraint, σ_min/σ_max of [B A]", found.constraint), ("dynamic, smallest pivot", found.dynamic)]
    rows += [(f"leg {name}, sine at its drive", v) for name, v in zip(found.leg_names, found.legs, strict=True)]
    lines += [
        "",
        "  margins: 0 is singular",
        table(("", ""), [(what, f"{float(v):.4e}") for what, v in rows]).lstrip("\n"),
    ]
    vectors = [
        ("free motion", found.free_motion, "of the output with locked drives"),
        ("wrench", found.unresisted, "that no effort carries"),
    ]
    vectors += [
        ("lost motion", found.lost_motion, "of the output"),
        ("idle motion", found.idle_motion, "of the drives, output at rest"),
    ]
    kept = vectors[:2] * ("type 2" in found.kinds) + vectors[2:] * ("type 1" in found.kinds)
    lines += [""] * bool(kept) + [f"  {name:<12} {row_of(v)}   {about}" for name, v, about in kept]
    if "type 2" in found.kinds and found.centre is not None and np.isfinite(found.centre).all():
        lines.append(f"  {'centre':<12} {row_of(found.centre)}   about which the plate turns [m]")
    radii = "  ".join(number(v) if np.isfinite(v) else "∞" for v in found.velocity_radii)
    return "\n".join([*lines, "", f"  velocity ellipse, radii {radii} per unit of the drives' rates"])


# On a segment --------------------------------------------------------------------------------------


def on_segment(args: Arguments, model: Model) -> int:
    """Every singular point between two poses, and whether there is proof that it is every one."""
    if args.start is None or args.goal is None:
        raise Usage("a segment has two ends: give --from and --to")
    if args.assembly:
        raise Usage("--assembly goes with a pose; a segment is searched in working modes")
    start, goal = (
        vector(getattr(args, e), o, coordinates(model.equations.x)) for e, o in (("start", "--from"), ("goal", "--to"))
    )
    kinds = [LETTERS[args.type]] if args.type else list(LETTERS.values())[::-1]
    found = [along(model, start, goal, working=args.working, kind=kind) for kind in kinds]
    if args.plot:
        draw = importlib.import_module("closedchain.cli.illustrating").segment
        note(f"wrote {draw(model, start, goal, found, args.plot)}")
    if args.json:
        print_json(document("singular", model, **segment_answer(found)))
    else:
        print(segment_text(model, found))
    return 0


def segment_answer(found: list[Along]) -> dict[str, Any]:
    """The points as a document; `complete` says that there are no others."""
    parts = [
        {"working": u.working, "type": int(KINDS[f.kind][-1]), "from": u.lo, "to": u.hi, "why": u.why}
        for f in found
        for u in f.unresolved
    ]
    return {
        "working": found[0].working,
        "complete": all(f.complete for f in found),
        "count": sum(map(len, found)),
        "points": [point(p) for f in found for p in f],
        "unresolved": parts,
        "out_of_reach": [{"from": o.lo, "to": o.hi, "legs": o.legs} for o in found[0].out_of_reach],
    }


def point(p: SingularPoint) -> dict[str, Any]:
    """One singular point; the null vector is the output's free motion (Type 2) or the drives' idle motion (Type 1)."""
    row = {"x": p.x, "q": p.q, "working": p.working, "type": int(KINDS[p.kind][-1]), "null_vector": p.null}
    row |= {"residual": p.residual, "s": p.s, "error": p.error, "leg": p.leg or None}
    return row | {
        "centre": None if p.centre is None else finite(p.centre),
        "wrench": p.at.unresisted,
        "lost_motion": p.at.lost_motion,
    }


def segment_text(model: Model, found: list[Along]) -> str:
    """A table, one row per point, with units."""
    header = [
        "type",
        "mode",
        "s",
        *(f"{c.name} [{c.unit}]" for c in model.equations.x),
        "null vector",
        "gap [m]",
        "leg",
    ]
    rows = [row(p) for f in found for p in f]
    count = len(rows)
    claim = "no other, proven" if all(f.complete for f in found) else "there may be more"
    modes = ", ".join(found[0].working)
    lines = [f"{model.name}: {count} singular point{'s' * (count != 1)} on the segment in {modes}; {claim}"]
    lines += [table(header, rows)] if rows else []
    lines += [
        f"  {u.lo:.9f} < s < {u.hi:.9f} in {u.working} not resolved: {u.why}" for f in found for u in f.unresolved
    ]
    lines += [f"  {o.lo:.9f} < s < {o.hi:.9f} out of reach of {', '.join(o.legs)}" for o in found[0].out_of_reach]
    return "\n".join(lines)


def row(p: SingularPoint) -> list[str]:
    """A point's line in the table."""
    place = [KINDS[p.kind][-1], p.working, f"{p.s:.12f}", *(f"{v:+.12f}" for v in p.x)]
    return [*place, " ".join(f"{v:+.6f}" for v in p.null), f"{p.residual:.0e}", p.leg]
