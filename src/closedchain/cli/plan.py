"""`closedchain plan`: a motion between two poses that avoids singularities and collisions, or why there is none."""

from __future__ import annotations

import importlib
import math
from typing import Any

from closedchain.cli.destination import check_file
from closedchain.cli.failures import NO_SOLUTION
from closedchain.cli.main import fail
from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import coordinates, note, robot, scalar, vector
from closedchain.planning import Obstacle, Plan, disc, plan, polygon, wall

CORNER = (("x", "m"), ("y", "m"))
SHAPES = "disc:x,y,radius, wall:x,y,x,y[,thickness] or polygon:x,y,x,y,x,y,…"


def run(args: Arguments) -> int:
    """Print the motion, or why each mode fails and exit code 4."""
    check_file("--plot", args.plot)
    model = robot(args)
    shapes = tuple(obstacle(text) for text in args.obstacle)
    named = coordinates(model.equations.x[: model.outputs])
    found = plan(
        model,
        vector(args.start, "--from", named) or (),
        vector(args.goal, "--to", named) or (),
        working=args.working,
        goal_working=args.goal_working,
        margin=args.margin,
        width=scalar(args.width, "--width", "m") or 0.0,
        obstacles=shapes,
        ignore=args.ignore,
        objective=args.objective,
        changes=not args.keep_mode,
        resolution=scalar(args.resolution, "--resolution", "m"),
    )
    if args.plot:  # brings Matplotlib
        if not found.found:
            note(f"nothing to draw, so {args.plot} is not written")
        else:
            draw = importlib.import_module("closedchain.cli.illustrating").route
            note(f"wrote {draw(model, found, shapes, args.plot)}")
    if args.json:
        print_json(document("plan", model, **answer(found)))
    else:
        print(found)
    return 0 if found.found else fail(f"{found.robot}: {found.message}", NO_SOLUTION)


def answer(found: Plan) -> dict[str, Any]:
    """The motion as a document; `why` tells of each working mode in which the straight motion fails."""
    changes = [
        {"leg": c.leg, "before": c.before, "after": c.after, "x": c.x, "q": c.q, "s": c.s} for c in found.changes
    ]
    measures = {name: getattr(found, name) if found.found else None for name in ("length", "parallel", "serial")}
    room = found.clearance if math.isfinite(found.clearance) else None
    return {
        "found": found.found,
        "message": found.message,
        "kind": found.kind or None,
        "path": found.x,
        "modes": found.modes,
        "why": {mode: str(verdict) for mode, verdict in found.why.items() if not verdict.possible},
        "corners": found.corners,
        "changes": changes,
        "s": found.s,
        "q": found.q,
        "working": found.working,
        **measures,
        "clearance": room,
        "margin": found.margin,
        "width": found.width,
        "resolution": found.resolution or None,
        "objective": found.objective,
        "proven": found.proven,
    }


def obstacle(text: str) -> Obstacle:
    """`disc:0,0.2,50mm` → a disc."""
    kind, _, rest = text.partition(":")
    words = rest.split(",") if rest else []
    count = len(words)
    units = [("", "m")] * count
    values = vector(rest, f"--obstacle {kind[:20]}:", units) if words else None
    match kind.strip(), values:
        case "disc", [x, y, radius]:
            return disc((x, y), radius)
        case "wall", [a, b, c, d, *thickness] if len(thickness) <= 1:
            return wall((a, b), (c, d), sum(thickness))
        case "polygon", [*corners] if count >= 6 and count % 2 == 0:
            return polygon([corners[i : i + 2] for i in range(0, count, 2)])
    raise Usage(f"--obstacle {text[:60]!r} is not {SHAPES}")
