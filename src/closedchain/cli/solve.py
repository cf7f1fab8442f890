"""`closedchain solve`: every solution of a robot's geometry."""

from __future__ import annotations

import importlib
import math
from typing import Any

from closedchain.cli.charts import names, pose, told
from closedchain.cli.destination import check_file
from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.polynomials import polynomials, polynomials_text
from closedchain.cli.values import coordinates, note, robot, vector
from closedchain.model.counting import total
from closedchain.model.geometry import direct, inverse
from closedchain.model.model import Model
from closedchain.model.poses import output_poses
from closedchain.model.solutions import Solution, Solutions, marks

NO_SOLUTION = 4


def run(args: Arguments) -> int:
    """Print all solutions, draw them where that is asked for; exit code 4 if there is none."""
    check_file("--plot", args.plot)
    model = robot(args)
    if not model.nx:
        raise Usage(f"{model.name} has no closures, so there is nothing to solve; try `closedchain evaluate`")
    if args.kind == "inverse":
        found = inverse(model, pose(model, args.x, "--x", args.chart) or ())
    else:
        found = direct(model, vector(args.q, "--q", coordinates(model.equations.q)) or ())
    if args.plot and not len(found):
        note(f"nothing to draw, so {args.plot} is not written")
    elif args.plot:  # brings Matplotlib
        draw = importlib.import_module("closedchain.cli.illustrating").branches
        note(f"wrote {draw(model, found, args.plot)}")
    if args.json:
        print_json(document("solve", model, **answer(model, found), **polynomials(model, args)))
    else:
        print(answer_text(model, found, args.chart) + polynomials_text(model, args))
    return 0 if len(found) else NO_SOLUTION


def answer(model: Model, found: Solutions) -> dict[str, Any]:
    """The solutions as a document; `count` is over the complex numbers, `complete` says that no real one is missing."""
    rows = [solution(s) for s in found]
    poses = output_poses(model, found.q, found.x)
    if poses is not None:
        for row, position, quaternion in zip(rows, poses.position, poses.quaternion, strict=True):
            row["pose"] = {"position": position, "quaternion": quaternion}
    count, proof = total(model, found.kind)
    return {
        "kind": found.kind,
        "count": count,
        "proof": proof,
        "real": len(rows),
        "complete": bool(found.complete.all()),
        "why": found.why() or None,
        **({"beyond_limits": sum(map(len, found.beyond.values()))} if found.beyond else {}),
        "solutions": rows,
    }


def solution(s: Solution) -> dict[str, Any]:
    """One solution; an infinite condition, or radius of a cluster, is null."""
    names = ("mode", "q", "x", "working", "assembly", "residual", "passive", "double", "certified")
    row = {name: getattr(s, name) for name in names}
    cluster = None
    if s.cluster is not None:
        radius = s.cluster.radius if math.isfinite(s.cluster.radius) else None
        cluster = {"count": s.cluster.count, "radius": radius}
    return row | {"cluster": cluster, "condition": s.condition if math.isfinite(s.condition) else None}


def answer_text(model: Model, found: Solutions, chart: str = "rpy") -> str:
    """A table, one row per solution, with units."""
    follows = model.equations.x[model.outputs :]
    shown = [f"{c.name} [{c.unit}]" for c in model.equations.q] if found.kind == "inverse" else names(model, chart)
    rest = follows if found.branch is not None or found.kind == "direct" else ()  # found with the drives
    other = "assembly" if found.kind == "inverse" else "working"
    header = ["mode", *shown, *(f"{c.name} [{c.unit}]" for c in rest), other]
    header += [f"{r.name} [{r.unit}]" for r in model.equations.readouts] + ["gap [m]", "condition", ""]
    rows = []
    for s in found:
        values = [*(s.q if found.kind == "inverse" else told(model, s.x, chart)), *s.x[len(s.x) - len(rest) :]]
        numbers = [*(f"{v:+.12f}" for v in values), getattr(s, other), *(f"{v:+.9f}" for v in s.passive)]
        rows.append([s.mode, *numbers, f"{s.residual:.0e}", f"{s.condition:.4g}", marks(s)])
    count, proof = total(model, found.kind)
    head = f"{model.name}: {len(found)} {found.kind} solution{'s' * (len(found) != 1)}"
    head += f" of {count} over the complex numbers ({proof})" if count is not None else ""
    head += "" if found.complete.all() else "; there may be more"
    return "\n".join([head, *([table(header, rows)] if rows else []), *([found.why()] if found.why() else [])])
