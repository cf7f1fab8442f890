"""A robot as one JavaScript module without dependencies: the compiled kernels' operations, so the same bits.

JavaScript's numbers are IEEE doubles without contraction, and trigonometry is written out as in the compiled kernels.
Only exp, log, tanh and the like, where a description uses them, are the engine's own.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Any

from closedchain.derive.mechanics import Mechanics
from closedchain.describe.elements import Plate
from closedchain.export.c99 import chosen_programs
from closedchain.export.programs import every_program, natural_inputs
from closedchain.export.quantities import about, units, word
from closedchain.export.straight import Language, body
from closedchain.kernels.program import LIBRARY as CALLS
from closedchain.kernels.program import Operand, Program
from closedchain.kernels.targets import wasm_module
from closedchain.model.model import Model, NoClosedForm
from closedchain.version import VERSION

LIBRARY = ("exp", "expm1", "log", "log1p", "pow", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "hypot")
COPYSIGN = "const copysign = (a, b) => (b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a));\n"
NOT_STRAIGHT = {
    "proofs": "certificates of existence and uniqueness, and of the number of poses",
    "singularities": "loci, cusps, aspects and the distance to a singularity",
}


def literal(value: float) -> str:
    """A double, to the bit."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "(-Infinity)"
    text = repr(int(value)) if value == int(value) and abs(value) < 1e15 and str(value) != "-0.0" else repr(value)
    return f"({text})" if text.startswith("-") else text


JAVASCRIPT = Language(
    name="JavaScript",
    number="const",
    truth="const",
    equal="===",
    unequal="!==",
    literal=literal,
    functions={"sqrt": "Math.sqrt", "abs": "Math.abs", "floor": "Math.floor", "copysign": "copysign"}
    | {name: f"Math.{name}" for name in LIBRARY},
    nested=True,
    operators={"fmod": "%"},
)


def javascript(model: Model, *, kernels: Iterable[str] | None = None, inputs: str | None = None) -> str:
    """The text of an ES module with every kernel of a model, or those named.

    It exports `robot` (what `index` tells), `kernels` (each with inputs, outputs, `call` and `raw`), `parameters`,
    `inverse`, `direct`, `configuration`, `condition`, `singularValues`, `determinant`, `evaluate` and `advance`.
    """
    chosen = inputs or natural_inputs(model)
    programs = chosen_programs(every_program(model, chosen), kernels)
    return write(model, programs, chosen)


def write(model: Model, programs: Sequence[Program], inputs: str, compiled: bool = False) -> str:
    """Programs of a model as an ES module: as text, or compiled to WebAssembly, but for those that call Math."""
    return "".join(_module(model, programs, inputs, compiled))


def index(model: Model, programs: Sequence[Program], inputs: str) -> dict[str, Any]:
    """What the module says of itself: coordinates, parameters, legs, groups, and each kernel's arguments."""
    e = model.equations
    found: dict[str, Any] = {
        "schema": "closedchain.javascript/1",
        "version": VERSION,
        "name": model.name,
        "about": e.about,
        "q": [{"name": c.name, "unit": c.unit} for c in e.q],
        "x": [{"name": c.name, "unit": c.unit} for c in e.x],
        "driven": list(model.driven),
        "inputs": inputs,
        "parameters": [
            {"name": p.name, "value": float(model.values[p.name]), "unit": p.unit, "about": p.about}
            for p in e.parameters
        ],
        "readouts": [{"name": r.name, "unit": r.unit} for r in e.readouts],
        "closures": [c.name for c in e.closures],
        "points": [name for name, _ in e.points],
        "lines": [list(pair) for pair in e.lines],
        "omitted": NOT_STRAIGHT,
    }
    found |= _structure(model)
    return found | {"kernels": {program.name: _signature(model, program, inputs) for program in programs}}


def _structure(model: Model) -> dict[str, Any]:
    """How the geometry is solved; empty where it has no closed form."""
    found: dict[str, Any] = {"legs": [], "legsMeasure": True, "groups": [], "plate": False}
    if model.mechanism is None or not model.nx:
        return found
    try:
        signs = model.leg_signs
        found["legs"] = [{"name": g.name, "sign": float(s)} for g, s in zip(model.legs, signs, strict=True)]
        found["legsMeasure"] = all(leg.branches == 2 or leg.link is leg.drive for leg in model.legs)
        found["groups"] = list(_groups(model))
    except NoClosedForm as reason:
        found["omitted"] = NOT_STRAIGHT | {"direct and inverse": str(reason)}
    found["plate"] = isinstance(model.mechanism.output, Plate)
    return found


def _groups(model: Model) -> Iterator[dict[str, Any]]:
    """Each body that is found from the drives: its kernel, its place in x, its branches, its links."""
    assert model.mechanism is not None
    mechanics, names = Mechanics(model.mechanism), [c.name for c in model.equations.x]
    for i, group in enumerate(model.groups):
        columns = [names.index(c.name) for c in mechanics.body_coordinates[id(group.body)]]
        found = {"kernel": f"group{i}", "columns": columns, "branches": group.branches, "triad": group.is_triad}
        yield found | {"links": [link.name for link in group.links]}


def _signature(model: Model, program: Program, inputs: str) -> dict[str, Any]:
    def told(o: Operand) -> dict[str, Any]:
        return {"name": o.name, "shape": list(o.shape), "units": list(units(model, o, inputs)), "about": word(o)}

    return {
        "about": about(program.name),
        "inputs": [told(o) for o in program.inputs if o.size],
        "outputs": [told(o) for o in program.outputs if o.size],
    }


# The text ------------------------------------------------------------------------------------------


def _module(model: Model, programs: Sequence[Program], inputs: str, compiled: bool) -> Iterator[str]:
    told = index(model, programs, inputs)
    yield f"// {' '.join(model.name.split())}: its models as straight-line code, written by closedchain {VERSION}.\n"
    yield f"export const robot = {json.dumps(told, ensure_ascii=False, separators=(',', ':'))};\n"
    yield COPYSIGN
    straight = [p for p in programs if compiled and is_straight(p)]
    texts = [p for p in programs if p not in straight]
    for program in texts:
        yield from _function(program)
    if straight:
        yield f'const code = "{base64.b64encode(wasm_module(straight)).decode()}";\n'
        yield files("closedchain.export").joinpath("wasm.js").read_text("utf-8")
    made = {p.name: f"{p.name}_" for p in texts} | {p.name: f'compiled("{p.name}")' for p in straight}
    yield f"const raw = {{{', '.join(f'{p.name}: {made[p.name]}' for p in programs)}}};\n"
    yield files("closedchain.export").joinpath("runtime.js").read_text("utf-8")
    if any(group["triad"] for group in told["groups"]):
        yield files("closedchain.export").joinpath("three_circles.js").read_text("utf-8")


def is_straight(program: Program) -> bool:
    """Whether a program calls nothing, and tells something."""
    return not any(line.op in CALLS for line in program.code) and any(o.size for o in program.outputs)


def _function(program: Program) -> Iterator[str]:
    """raw(...inputs, out): every result in a row."""
    given = [o for o in program.inputs if o.size]

    def read(operand: int, element: int) -> str:
        o = program.inputs[operand]
        return f"{o.name}[{element}]" if o.shape else o.name

    lines, results = body(program, JAVASCRIPT, read)
    yield f"function {program.name}_({', '.join([*(o.name for o in given), 'out'])}) {{\n"
    declared = ",\n".join(line.removeprefix("const ").removesuffix(";") for line in lines)
    yield f"const {declared};\n" if lines else ""
    yield from (f"out[{i}] = {value};\n" for i, value in enumerate(results))
    yield "}\n"
