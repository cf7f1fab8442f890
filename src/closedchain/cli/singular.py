"""`closedchain singular`: what a pose is, every singular point on a segment of the output, or the singular curves."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.cli.charts import pose
from closedchain.cli.destination import check_file
from closedchain.cli.options import CHARTS
from closedchain.cli.output import document, number, print_json, row_of, table
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.singular_boxes import of_box
from closedchain.cli.singular_curves import LETTERS, of_plane
from closedchain.cli.values import coordinates, note, robot, vector
from closedchain.model.architecture import Architecture, architecture
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.solutions import mode_name
from closedchain.singularity.along import KINDS, Along, SingularPoint, along
from closedchain.singularity.nearest import Nearest, has_nearest, nearest
from closedchain.singularity.pose import Singularities, singularities
from closedchain.singularity.screws import Screw


def run(args: Arguments) -> int:
    """Print what is singular, and how; draw it if asked."""
    check_file("--plot", args.plot)
    if args.locus:
        return of_plane(args, robot(args))
    if args.box or args.grow:
        return of_box(args, robot(args))
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
    x = pose(model, args.x, "--x", args.chart)
    found = singularities(model, q=q, x=x, assembly=args.assembly, working=args.working)
    near, always = nearest_of(model, found), always_singular(model, found)
    if args.plot:  # brings Matplotlib
        note(f"wrote {importlib.import_module('closedchain.cli.illustrating').pose(model, found, args.plot)}")
    if args.json:
        made = {"architecture": {"rank": always.rank, "of": always.full, "singular": True}} if always else {}
        print_json(document("singular", model, **answer(found), **nearest_answer(near), **made))
    else:
        print("\n".join([answer_text(model, found), *nearest_lines(near), *([f"\n  {always}"] if always else [])]))
    return 0


def always_singular(model: Model, found: Singularities) -> Architecture | None:
    """The rank of A at random configurations, where it is not full at this pose nor at any of them."""
    told = architecture(model) if "type 2" in found.kinds else None
    return told if told is not None and told.singular else None


def nearest_of(model: Model, found: Singularities) -> tuple[Nearest, ...]:
    """The nearest Type 2 poses, where they can be searched and the pose itself is not singular."""
    if not has_nearest(model) or found.kinds:
        return ()
    return nearest(model, found.x, mode_name(Configurations(model, found.q[None], found.x[None]).working_signs()[0]))


def nearest_answer(near: tuple[Nearest, ...]) -> dict[str, Any]:
    """By any motion, by a shift and by a turn: lengths in metres, turns in radians; searched, not proven nearest."""
    rows = {n.motion: {"x": n.x, "shift": n.shift, "turn": n.turn, "distance": n.distance} for n in near}
    return {"nearest": rows} if rows else {}


def nearest_lines(near: tuple[Nearest, ...]) -> list[str]:
    """The same for people."""
    words = {"any": "by any motion", "shift": "by a shift alone", "turn": "by a turn alone"}
    rows = [
        f"  {words[n.motion]:<17}"
        + " and ".join(
            ["shift " + number(n.shift) + " m"] * (n.motion != "turn")
            + [f"turn {np.rad2deg(n.turn):.6f}°"] * (n.motion != "shift")
        )
        + f"   at x {row_of(n.x)}"
        for n in near
    ]
    return ["", "  nearest Type 2 pose found (a search, not a proof)", *rows] if rows else []


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
        "screw": screw_answer(found.free_screw),
        "wrench_screw": screw_answer(found.wrench_screw),
        "dependent_closures": found.dependent_closures,
        "passive_motion": found.passive_motion,
        "wrench": found.unresisted,
        "internal": found.internal,
        "internal_efforts": found.internal_efforts,
        "lost_motion": found.lost_motion,
        "idle_motion": found.idle_motion,
        "velocity_ellipse": {"radii": finite(found.velocity_radii), "axes": found.axes.T},
        "force_ellipse": {"radii": finite(found.force_radii), "axes": found.axes.T},
    }


def screw_answer(of: Screw | None) -> dict[str, Any] | None:
    """A screw's line and pitch; both null for a translation or a couple."""
    if of is None:
        return None
    line = bool(np.isfinite(of.pitch))
    return {"direction": of.direction, "point": of.point if line else None, "pitch": of.pitch if line else None}


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
    lines += screw_lines(found)
    if found.dependent_closures:
        lines.append(f"  dependent    {', '.join(found.dependent_closures)}: closures that do not hold by themselves")
    radii = "  ".join(number(v) if np.isfinite(v) else "∞" for v in found.velocity_radii)
    return "\n".join([*lines, "", f"  velocity ellipse, radii {radii} per unit of the drives' rates"])


def screw_lines(found: Singularities) -> list[str]:
    """What moves freely and what is not carried in space, as lines."""
    if "type 2" not in found.kinds:
        return []
    words = {"screw": (found.free_screw, "a translation"), "of the wrench": (found.wrench_screw, "a couple")}
    lines = []
    for name, (of, without) in words.items():
        if of is not None and np.isfinite(of.pitch):
            line = f"line through {row_of(of.point)} along {row_of(of.direction)}, pitch {number(float(of.pitch))} m"
            lines.append(f"  {name:<13} {line}")
        elif of is not None:
            lines.append(f"  {name:<13} {without} along {row_of(of.direction)}")
    return lines


# On a segment --------------------------------------------------------------------------------------


def on_segment(args: Arguments, model: Model) -> int:
    """Every singular point between two poses, and whether there is proof that it is every one."""
    if args.start is None or args.goal is None:
        raise Usage("a segment has two ends: give --from and --to")
    if args.assembly:
        raise Usage("--assembly goes with a pose; a segment is searched in working modes")
    start, goal = (pose(model, getattr(args, e), o, args.chart) for e, o in (("start", "--from"), ("goal", "--to")))
    if args.chart != CHARTS[0]:
        note("between the ends roll, pitch and yaw change evenly, whatever the chart that the ends are typed in")
    kinds = [LETTERS[args.type]] if args.type else list(LETTERS.values())[::-1]
    found = [along(model, start, goal, working=args.working, kind=kind) for kind in kinds]
    told = architecture(model) if not all(f.complete for f in found) else None
    if told is not None and told.singular:
        note(str(told))
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
