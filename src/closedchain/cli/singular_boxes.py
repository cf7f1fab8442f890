"""`closedchain singular --box` and `--grow`: boxes of poses proven free of singularities, or what refutes it."""

from __future__ import annotations

from typing import Any

from closedchain.cli.charts import pose
from closedchain.cli.output import document, number, print_json, row_of
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import note, scalar
from closedchain.model.model import Model
from closedchain.singularity.boxes import Box, grow_box, prove_box

SINGULAR, LIMIT = 4, 5


def of_box(args: Arguments, model: Model) -> int:
    """Prove or refute; exit code 4 where a pose refutes it, 5 where parts were left undecided."""
    taken = (args.q, args.start, args.goal, args.assembly, args.type, args.plot)
    if any(value is not None for value in taken) or args.x is None or (args.box and args.grow):
        raise Usage("--box or --grow is about a pose: give --x, and --working where another mode is meant")
    at = pose(model, args.x, "--x", args.chart) or []
    if args.box:
        found = prove_box(model, at, sides(model, args.box), working=args.working)
    else:
        found = grow_box(model, at, steps(model, args.grow), working=args.working, progress=lambda box: note(str(box)))
    if args.json:
        print_json(document("singular", model, **answer(found)))
    else:
        print(answer_text(model, found))
    return 0 if found.proven else LIMIT if found.open else SINGULAR


def sides(model: Model, text: str) -> dict[str, tuple[float, float]]:
    """`roll=-20deg:20deg,yaw=0:60deg` as coordinates with their ends."""
    found = {}
    for name, value, unit in _pairs(model, text, "--box"):
        low, colon, high = value.partition(":")
        if not colon:
            raise Usage(f"--box {name}={value[:30]} has no two ends: write {name}=FROM:TO")
        found[name] = (scalar(low, f"--box {name}", unit) or 0.0, scalar(high, f"--box {name}", unit) or 0.0)
    return found


def steps(model: Model, text: str) -> dict[str, float]:
    """`roll=5deg,yaw=5deg` as coordinates with their steps."""
    return {name: scalar(value, f"--grow {name}", unit) or 0.0 for name, value, unit in _pairs(model, text, "--grow")}


def _pairs(model: Model, text: str, option: str) -> list[tuple[str, str, str]]:
    units = {c.name: c.unit for c in model.equations.x}
    rows = []
    for word in text.split(","):
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or name not in units:
            raise Usage(f"{option} {word[:40]!r}: write name=value with a name of {', '.join(units)}")
        rows.append((name, value, units[name]))
    return rows


def answer(found: Box) -> dict[str, Any]:
    """What was shown, as a document."""
    point = found.refuted
    singular = None if point is None else {"x": point.x, "q": point.q, "type": 2, "free_motion": point.null}
    beyond = None if found.beyond is None else {"x": found.beyond, "legs": found.legs}
    return {
        "working": found.working,
        "x": found.x,
        "box": {name: list(ends) for name, ends in found.sides.items()},
        "proven": found.proven,
        "parts": found.parts,
        "refuted": singular,
        "out_of_reach": beyond,
        "undecided": len(found.open),
    }


def answer_text(model: Model, found: Box) -> str:
    """The same for people."""
    units = {c.name: c.unit for c in model.equations.x}
    lines = [f"  {name:<8} from {number(lo)} to {number(hi)} {units[name]}" for name, (lo, hi) in found.sides.items()]
    if found.proven:
        head = f"free of singularities in {found.working}, proven in {found.parts} parts"
    elif found.refuted is not None:
        head = f"not free of singularities in {found.working}"
        lines.append(f"  Type 2 at x {row_of(found.refuted.x)}, free motion {row_of(found.refuted.null)}")
    elif found.beyond is not None:
        head = f"not all reached in {found.working}"
        lines.append(f"  legs {', '.join(found.legs)} do not reach x {row_of(found.beyond)}")
    else:
        head = f"not decided in {found.working}: {len(found.open)} of {found.parts} parts are left"
    return "\n".join([f"{model.name}: {head}", *lines])
