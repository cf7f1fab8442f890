"""A controller as an FMU of its own: FMI 2.0 for co-simulation, sampled every interval, its memory inside."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np

from closedchain.errors import BadInput
from closedchain.export.c99 import literal
from closedchain.export.c99_controller import c99_controller
from closedchain.export.controllers import Controller
from closedchain.export.fmu import Fmu, compiled, find_compiler, guid_of, platform_name, zipped
from closedchain.export.fmu_description import Field, Variable, element, structure, unique, unit_definitions
from closedchain.export.quantities import EFFORT
from closedchain.files import atomic_write
from closedchain.version import VERSION

GIVEN = ("q", "q_dot", "ref", "gains", "interval", "limit", "p")
KEPT = ("u", "x", "memory")
UNLIMITED = float(np.finfo(float).max)
TYPES = ("/* The types of FMI 2.0", "/* One robot")  # where they begin and end in the robot's own C


def fmu_controller(law: Controller, path: str | Path, *, interval: float, compiler: str | None = None) -> Fmu:
    """Write `path` (.fmu): measured drives and the reference in, commands out, one every `interval` [s]."""
    path = Path(path)
    if path.suffix != ".fmu":
        raise BadInput(f"an FMU's name ends in .fmu, not {path.name!r:.60}")
    content, where = packed_controller(law, interval, compiler)
    atomic_write(path, content)
    return Fmu(path, where, str(law.law.output))


def packed_controller(law: Controller, interval: float, compiler: str | None = None) -> tuple[bytes, str]:
    """The bytes of the FMU, and the platform of the binary in it; empty without one."""
    if not (np.isfinite(interval) and interval > 0.0):
        raise BadInput(f"interval = {interval} s; it must be positive")
    source, fields = c99_controller(law), layout(law, interval)
    home = files("closedchain.export")
    types = home.joinpath("fmi2.c").read_text("utf-8")
    begin, end = (types.index(mark) for mark in TYPES)
    glue = "\n".join(_glue(law, source.name, fields)) + "\n"
    guid = guid_of(source.source, glue, law.model.name)
    texts = {
        "types.h": f"#include <stddef.h>\n\n{types[begin:end]}",
        f"{source.name}.h": source.header,
        f"{source.name}.c": source.source,
        "controller.h": glue.replace("@GUID@", guid),
        "fmi2.c": home.joinpath("fmi2_controller.c").read_text("utf-8"),
    }
    told = description(law, fields, source.name, guid, ["fmi2.c", f"{source.name}.c"])
    found = compiler if compiler is not None else find_compiler()
    where = platform_name() if found else ""
    binary = compiled(texts, source.name, found) if where else b""
    return zipped(source.name, told, texts, binary, where), where


def layout(law: Controller, interval: float) -> list[Field]:
    """The members of the struct `Values` in their order: what is given, the command, what is kept."""
    model, operands = law.model, {o.name: o for o in law.program.inputs}
    values = {"gains": law.gains, "interval": np.array([interval]), "p": model.p}
    values |= law.start | {"limit": np.full(len(model.driven), UNLIMITED)}
    fields, offset = [], 0
    for name in (*GIVEN, *KEPT):
        size = operands[name].size if name in operands else 0
        start = tuple(values[name].tolist() if name in values else [0.0] * size)
        fields.append(Field(name, offset, size, name == "interval", start))
        offset += max(size, 1)
    return fields


def _glue(law: Controller, prefix: str, fields: Sequence[Field]) -> Iterator[str]:
    """controller.h: the struct, its first values, and the program as a function from Values to Values."""
    yield f'/* The controller behind fmi2.c. */\n#include "{prefix}.h"\n\n#define GUID "@GUID@"\n\ntypedef struct {{'
    yield from (f"    double {f.name}{'' if f.scalar else f'[{max(f.size, 1)}]'};" for f in fields)
    yield "} Values;\n\nstatic const Values START = {"
    for f in fields:
        numbers = [literal(v) for v in f.start] or ["0.0"]
        yield f"    {numbers[0] if f.scalar else '{' + ', '.join(numbers) + '}'}, /* {f.name} */"
    given = [f"v->{o.name}" for o in law.program.inputs if o.size]
    made = [f"v->{o.name.removesuffix('_next')}" for o in law.program.outputs if o.size]
    yield f"}};\n\nstatic void control(Values *v) {{ {prefix}_control({', '.join(given + made)}); }}"


def description(law: Controller, fields: Sequence[Field], identifier: str, guid: str, sources: Sequence[str]) -> str:
    """modelDescription.xml."""
    variables = list(unique(_variables(law, {f.name: f for f in fields})))
    root = ET.Element("fmiModelDescription", fmiVersion="2.0", modelName=identifier, guid=guid)
    root.set("description", f"{getattr(law.law, 'key', 'a controller')} of {law.model.name}")
    root.set("generationTool", f"closedchain {VERSION}")
    root.set("variableNamingConvention", "flat")
    part = ET.SubElement(root, "CoSimulation", modelIdentifier=identifier, canNotUseMemoryManagementFunctions="true")
    for able in ("canHandleVariableCommunicationStepSize", "canGetAndSetFMUstate", "canSerializeFMUstate"):
        part.set(able, "true")
    listed = ET.SubElement(part, "SourceFiles")
    for file in sources:
        ET.SubElement(listed, "File", name=file)
    unit_definitions(ET.SubElement(root, "UnitDefinitions"), variables)
    ET.SubElement(ET.SubElement(root, "LogCategories"), "Category", name="logStatusError")
    interval = next(f.start[0] for f in fields if f.name == "interval")
    ET.SubElement(root, "DefaultExperiment", {"startTime": "0.0", "stopTime": "1.0", "stepSize": repr(interval)})
    place = {v.name: str(i) for i, v in enumerate(variables, start=1)}
    listed = ET.SubElement(root, "ModelVariables")
    for v in variables:
        listed.append(element(v, place))
    structure(ET.SubElement(root, "ModelStructure"), variables, place)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _variables(law: Controller, at: dict[str, Field]) -> Iterator[Variable]:
    e, output = law.model.equations, str(law.law.output)
    for rate, per in (("", ""), ("_dot", "/s")):
        for i, c in enumerate(e.q):
            about = f"measured {'rate of ' if rate else ''}drive {c.name}"
            yield Variable(c.name + rate, at[f"q{rate}"].offset + i, c.unit + per, about, "input", start=0.0)
    for i, name in enumerate(law.names["ref"]):
        yield Variable(f"ref_{name}", at["ref"].offset + i, "", f"of the reference: {name}", "input", start=0.0)
    for i, k in enumerate(law.model.driven):
        c = e.q[k]
        unit = {"voltage": "V", "velocity": f"{c.unit}/s"}.get(output, EFFORT[c.unit])
        reference, about = at["u"].offset + i, f"command of {c.name}, held"
        yield Variable(f"{output}_{c.name}", reference, unit, about, "output", "discrete", "exact", 0.0)
        yield _parameter(f"limit_{c.name}", at["limit"].offset + i, unit, "largest command", UNLIMITED, 0.0)
    for i, value in enumerate(at["gains"].start):
        yield _parameter(f"gain_{i + 1}", at["gains"].offset + i, "", "number of the law", value)
    interval = at["interval"]
    yield Variable(
        "interval", interval.offset, "s", "between commands", "parameter", "fixed", "exact", interval.start[0], low=0.0
    )
    for i, p in enumerate(e.parameters):
        yield _parameter(p.name, at["p"].offset + i, p.unit, p.about, at["p"].start[i])
    for i, (c, value) in enumerate(zip(e.x, at["x"].start, strict=True)):
        about = "where the model has the output"
        yield Variable(f"model_{c.name}", at["x"].offset + i, c.unit, about, "local", "discrete", "exact", value)
    for i, (name, value) in enumerate(zip(law.names["memory"], at["memory"].start, strict=True)):
        yield Variable(f"memory_{name}", at["memory"].offset + i, "", "kept", "local", "discrete", "exact", value)


def _parameter(name: str, reference: int, unit: str, about: str, value: float, low: float | None = None) -> Variable:
    return Variable(name, reference, unit, about, "parameter", "tunable", "exact", value, low=low)
