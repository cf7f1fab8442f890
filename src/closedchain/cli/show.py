"""`closedchain show`: what a robot is."""

from __future__ import annotations

from typing import Any

from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import Arguments
from closedchain.cli.values import efforts, robot
from closedchain.describe.elements import Element
from closedchain.describe.equations import Limit
from closedchain.describe.expressions import symbols
from closedchain.describe.writing import dumps
from closedchain.model.architecture import Architecture, architecture
from closedchain.model.counting import Count, count
from closedchain.model.joint_limits import bounds_of
from closedchain.model.model import Model, NoClosedForm


def run(args: Arguments) -> int:
    """Print a robot's description: as text, as a mechanism file, or as a document."""
    model = robot(args, assembled=False)
    if args.toml:
        preset = model.recipe.presets[model.preset] if model.preset else {}
        source = dumps(model.recipe, {**preset, **model.given})
        if args.json:
            print_json(document("show", model, toml=source))
        else:
            print(source, end="")
    elif args.json:
        print_json(document("show", model, **describe(model)))
    else:
        print(describe_text(model))
    return 0


def describe(model: Model) -> dict[str, Any]:
    """What there is, by kind."""
    e = model.equations
    return {
        "about": e.about,
        "origin": model.recipe.origin,
        "presets": model.recipe.presets,
        "units": {p.name: p.unit for p in e.parameters},
        "sources": sources(model),
        "q": [{"name": c.name, "unit": c.unit, "driven": c.name in e.driven} for c in e.q],
        "x": [{"name": c.name, "unit": c.unit} for c in e.x],
        "closures": [c.name for c in e.closures],
        "passive": [{"name": r.name, "unit": r.unit} for r in e.readouts],
        "motors": [m.drive for m in e.motors],
        "limits": {limit.name: bounds_of(model, limit) for limit in e.limits},
        "assemblies": _assemblies(model),
        "architecture": _architecture(model),
    }


def _assemblies(model: Model) -> dict[str, Any] | None:
    """How many assembly modes there are over the complex numbers, block by block; None where q does not determine x."""
    found = _counted(model)
    if found is None:
        return None
    rows = [
        {"unknowns": b.unknowns, "closures": b.closures, "count": b.count, "proof": b.proof, "modes": b.modes}
        for b in found.blocks
    ]
    return {"count": found.total, "proof": found.proof, "blocks": rows}


def _architecture(model: Model) -> dict[str, Any] | None:
    """The rank of A at random configurations in space; None elsewhere."""
    found = _ranked(model)
    return None if found is None else {"rank": found.rank, "of": found.full, "singular": found.singular}


def _ranked(model: Model) -> Architecture | None:
    return architecture(model) if model.mechanism is not None and model.mechanism.solids else None


def _counted(model: Model) -> Count | None:
    if not model.nx or model.linkage:
        return None
    try:
        return count(model, "direct")
    except NoClosedForm:
        return None


def _assemblies_text(model: Model) -> list[str]:
    found = _counted(model)
    if found is None:
        return []
    lines = []
    for block in found.blocks:
        modes = block.modes or []
        several = f", {' + '.join(map(str, modes))} in {len(modes)} operation modes" if len(modes) > 1 else ""
        if modes and block.count is not None and sum(modes) < block.count:
            several = (
                f", operation modes of {' + '.join(map(str, modes))}, {block.count - sum(modes)} too far out to tell"
            )
        number = "unknown" if block.count is None else str(block.count)
        lines.append(f"  {', '.join(block.unknowns)}: {number} over the complex numbers{several}; {block.proof}")
    total = "an unknown number of" if found.total is None else str(found.total)
    return [f"  {total} assembly modes over the complex numbers:", *(f"  {line}" for line in lines)]


def describe_text(model: Model) -> str:
    """The same for people."""
    e = model.equations
    told = sources(model)
    rows = [(p.name, model.values[p.name], p.unit, p.about, told[p.name]) for p in e.parameters]
    units = dict(efforts(model))
    lines = [f"{model.name}: {e.about}", ""]
    lines += [table(("parameter", "value", "unit", "about", "source"), rows), ""]
    lines += [f"  {c.name} [{c.unit}]" + _drive(model, i, units) for i, c in enumerate(e.q)]
    lines += [f"  {c.name} [{c.unit}]: {'output' if i < e.outputs else 'follows'}" for i, c in enumerate(e.x)]
    lines += [f"  {c.name}: closure, {c.residual} = 0" for c in e.closures]
    lines += [f"  {r.name} [{r.unit}]: passive joint" for r in e.readouts]
    lines += [f"  {limit.name}: from {low:g} to {high:g} {limit.unit}" for limit, low, high in _limits(model)]
    lines += _assemblies_text(model)
    lines += [f"  {found}"] if (found := _ranked(model)) is not None and found.singular else []
    presets = ", ".join(f"{model.recipe.name}:{name}" for name in model.recipe.presets)
    return "\n".join(lines + ([f"  presets: {presets}"] if presets else []))


def _limits(model: Model) -> list[tuple[Limit, float, float]]:
    return [(limit, *bounds_of(model, limit)) for limit in model.equations.limits]


def sources(model: Model) -> dict[str, str]:
    """Where each number is from: --set, the named set, the robot's own source; formulas follow from others."""
    chosen = model.recipe.presets[model.preset] if model.preset else {}
    found = {p.name: p.source for p in model.equations.parameters}
    changed = {*chosen, *model.given}
    for p in model.equations.parameters:
        if any(name in changed for name in symbols([p.value])):
            found[p.name] = f"{p.name} = {p.value}"
    return found | dict.fromkeys(chosen, f"the set {model.name}") | dict.fromkeys(model.given, "--set")


def _drive(model: Model, i: int, units: dict[str, str]) -> str:
    """What kind of drive a coordinate is, and its effort's unit."""
    name = model.equations.q[i].name
    if name not in model.equations.driven:
        return ": nothing drives it"
    motor = ", a motor's voltage" if name in [m.drive for m in model.equations.motors] else ""
    element: Element | None = model.mechanism.drives[i] if model.mechanism else None
    kind = type(element).__name__.lower() if element else "driven"
    return f": {kind}, effort [{units[f'tau_{name}']}]{motor}"
