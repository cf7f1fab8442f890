"""`closedchain workspace`: the area a robot reaches, its well-conditioned part, its aspects."""

from __future__ import annotations

import importlib
from typing import Any

from closedchain.cli.destination import check_file
from closedchain.cli.map import plane, window
from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import Arguments
from closedchain.cli.values import note, robot
from closedchain.singularity.aspects import Aspect, Aspects, aspects
from closedchain.singularity.workspace import ANY, Area, Workspace, workspace


def run(args: Arguments) -> int:
    """Print the areas; draw them if asked."""
    check_file("--plot", args.plot)
    model = robot(args)
    asked, seen = plane(args, model), window(args, model)
    found = workspace(model, seen, condition=args.condition, **asked)
    parts = aspects(model, seen, **asked) if args.aspects or args.plot else None
    if args.plot and parts is not None:  # brings Matplotlib
        note(f"wrote {importlib.import_module('closedchain.cli.illustrating').reach(model, found, parts, args.plot)}")
    shown = parts if args.aspects else None
    if args.json:
        print_json(document("workspace", model, **answer(found, shown)))
    else:
        print(answer_text(found, shown))
    return 0


def answer(found: Workspace, parts: Aspects | None) -> dict[str, Any]:
    """The areas as a document [m²]; modes reach the same, unless joints have limits or bodies follow from it."""
    reached = found.by_mode or dict.fromkeys(found.working, found.area)
    modes: dict[str, Any] = {mode: {"area": reached[mode].value} for mode in found.working}
    for mode, area in (found.dexterous or {}).items():
        modes.setdefault(mode, {})["dexterous"] = measured(area)
    if parts is not None:
        for mode in found.working:
            modes[mode]["aspects"] = [part(a) for a in parts.of(mode)]
    anywhere = modes.pop(ANY, {}).get("dexterous")
    head: dict[str, Any] = {
        "window": found.window,
        "third": found.third,
        "axes": [f"{name} [{unit}]" for name, unit in zip(found.slice.names, found.slice.units, strict=True)],
        "held": {name: value for _, name, value in found.slice.held},
        "unit": found.area.unit,
        "area": found.area.value,
        "error": found.area.error,
    }
    head |= {"method": found.area.method, "condition": found.condition, "dexterous": anywhere, "modes": modes}
    return head | {
        "aspects": None if parts is None else len(parts),
        "decided": None if parts is None else parts.decided,
    }


def measured(area: Area) -> dict[str, Any]:
    """An area with its error."""
    return {"area": area.value, "error": area.error, "bound": area.bound}


def part(a: Aspect) -> dict[str, Any]:
    """One aspect."""
    return {"sign": a.sign, "area": a.area, "uncertain": a.uncertain, "x": a.x, "decided": a.decided}


def answer_text(found: Workspace, parts: Aspects | None) -> str:
    """The same for people."""
    lines = [str(found)]
    if parts is not None:
        unit, here = parts.slice.unit, ", ".join(dict.fromkeys(parts.slice.units))
        claim = "" if parts.decided else "; where a neck is undecided two may be one"
        lines += [f"{len(parts)} aspects, at the resolution of the search{claim}"]
        rows = [
            (
                a.working,
                "+" if a.sign > 0 else "-",
                f"{a.area:.6g}",
                f"{a.uncertain:.1g}",
                f"({a.x[0]:.4g}, {a.x[1]:.4g})",
            )
            for a in parts
        ]
        lines.append(
            table(("mode", "det A", f"area [{unit}]", f"undecided [{unit}]", f"a point inside [{here}]"), rows)
        )
    return "\n".join(lines)
