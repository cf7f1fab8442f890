"""modelDescription.xml of FMI 2.0: the variables, their units, and which are states, derivatives and outputs."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from closedchain.export.quantities import EFFORT
from closedchain.model.model import Model
from closedchain.units import BASES, BadQuantity, dimension
from closedchain.version import VERSION


@dataclass(frozen=True)
class Field:
    """A member of the struct of all values; its offset in doubles is its first value reference."""

    name: str
    offset: int
    size: int
    scalar: bool
    start: tuple[float, ...] = ()


@dataclass(frozen=True)
class Variable:
    """A scalar variable of the description."""

    name: str
    reference: int
    unit: str
    about: str
    causality: str
    variability: str = "continuous"
    initial: str = ""
    start: float | None = None
    derivative_of: str = ""
    low: float | None = None
    taken: bool = field(default=False, compare=False)


def description(
    model: Model, fields: Sequence[Field], identifier: str, guid: str, inputs: str, sources: Sequence[str]
) -> str:
    """The XML text."""
    variables = list(unique(_variables(model, {f.name: f for f in fields}, inputs)))
    root = ET.Element("fmiModelDescription", fmiVersion="2.0", modelName=model.name, guid=guid)
    root.set("description", model.equations.about or f"the robot {model.name}")
    root.set("generationTool", f"closedchain {VERSION}")
    root.set("variableNamingConvention", "flat")
    root.set("numberOfEventIndicators", "0")
    for kind in ("ModelExchange", "CoSimulation"):
        part = ET.SubElement(root, kind, modelIdentifier=identifier, canNotUseMemoryManagementFunctions="true")
        part.set("canGetAndSetFMUstate", "true")
        part.set("canSerializeFMUstate", "true")
        if kind == "CoSimulation":
            part.set("canHandleVariableCommunicationStepSize", "true")
        listed = ET.SubElement(part, "SourceFiles")
        for file in sources:
            ET.SubElement(listed, "File", name=file)
    unit_definitions(ET.SubElement(root, "UnitDefinitions"), variables)
    log = ET.SubElement(root, "LogCategories")
    for category in ("logAll", "logStatusError"):
        ET.SubElement(log, "Category", name=category)
    times = {"startTime": "0.0", "stopTime": "1.0", "stepSize": "0.001"}
    ET.SubElement(root, "DefaultExperiment", times, tolerance="1e-6")  # looser ones let small robots' loops drift open
    place = {v.name: str(i) for i, v in enumerate(variables, start=1)}
    listed = ET.SubElement(root, "ModelVariables")
    for v in variables:
        listed.append(element(v, place))
    structure(ET.SubElement(root, "ModelStructure"), variables, place)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def unique(variables: Iterator[Variable]) -> Iterator[Variable]:
    """Names that occur twice, of a readout and a parameter say, get a mark; those of coordinates come first."""
    seen: set[str] = set()
    for v in variables:
        name = v.name
        while name in seen:
            name += "_"
        seen.add(name)
        yield v if name == v.name else Variable(**{**v.__dict__, "name": name})


def _variables(model: Model, at: dict[str, Field], inputs: str) -> Iterator[Variable]:
    e = model.equations
    for group, coordinates in (("q", e.q), ("x", e.x)):
        for rate, per in (("", ""), ("_dot", "/s")):
            f = at[f"{group}{rate}"]
            for i, c in enumerate(coordinates):
                about = f"{'rate of ' if rate else ''}{'drive' if group == 'q' else 'output'} {c.name}"
                yield Variable(
                    c.name + rate, f.offset + i, c.unit + per, about, "output", initial="exact", start=f.start[i]
                )
    for group, coordinates in (("q", e.q), ("x", e.x)):
        for rate, per, source in (("", "/s", "_dot"), ("_dot", "/s^2", "_ddot")):
            f = at[group + source]
            for i, c in enumerate(coordinates):
                name, unit = c.name + rate, f"{c.unit}{per}"
                yield Variable(f"der({name})", f.offset + i, unit, f"rate of {name}", "local", derivative_of=name)
    for i, k in enumerate(model.driven):
        c, f = e.q[k], at["u"]
        unit, word = ("V", "voltage") if inputs == "voltage" else (EFFORT[c.unit], "effort")
        yield Variable(f"{inputs}_{c.name}", f.offset + i, unit, f"{word} of {c.name}", "input", start=0.0)
    for i, p in enumerate(e.parameters):
        reference, start = at["p"].offset + i, at["p"].start[i]
        if p.name in e.external:
            yield Variable(p.name, reference, p.unit, p.about, "input", start=start)
        else:
            yield Variable(p.name, reference, p.unit, p.about, "parameter", "tunable", "exact", start)
    longest = at["longest"]
    about = "longest integration step of co-simulation"
    yield Variable(
        "longest_step", longest.offset, "s", about, "parameter", "tunable", "exact", longest.start[0], low=0.0
    )
    yield from _outputs(model, at)


def _outputs(model: Model, at: dict[str, Field]) -> Iterator[Variable]:
    e = model.equations
    for i, r in enumerate(e.readouts):
        yield Variable(r.name, at["passive"].offset + i, r.unit, f"passive joint {r.name}", "output")
    for i, r in enumerate(e.readouts):
        yield Variable(f"{r.name}_dot", at["passive_dot"].offset + i, f"{r.unit}/s", f"rate of {r.name}", "output")
    yield Variable("kinetic_energy", at["kinetic"].offset, "J", "kinetic energy", "output")
    yield Variable("potential_energy", at["potential"].offset, "J", "potential energy", "output")
    for i, c in enumerate(e.closures):
        yield Variable(f"gap_{c.name}", at["gap"].offset + i, "m", f"how far closure {c.name} is open", "local")


def element(v: Variable, place: dict[str, str]) -> ET.Element:
    """A scalar variable as the schema has it."""
    found = ET.Element("ScalarVariable", name=v.name, valueReference=str(v.reference), causality=v.causality)
    found.set("variability", v.variability)
    if v.initial:
        found.set("initial", v.initial)
    if v.about:
        found.set("description", v.about)
    real = ET.SubElement(found, "Real")
    if v.unit:
        real.set("unit", _unit_name(v.unit))
    if v.low is not None:
        real.set("min", repr(v.low))
    if v.start is not None:
        real.set("start", repr(v.start))
    if v.derivative_of:
        real.set("derivative", place[v.derivative_of])
    return found


def structure(element: ET.Element, variables: Sequence[Variable], place: dict[str, str]) -> None:
    """Outputs, derivatives in the order of the states, and what initialization computes."""
    groups = {
        "Outputs": [v for v in variables if v.causality == "output"],
        "Derivatives": _in_order(variables),
        "InitialUnknowns": [v for v in variables if (v.causality == "output" and not v.initial) or v.derivative_of],
    }
    for name, chosen in groups.items():
        if chosen:
            part = ET.SubElement(element, name)
            for index in (
                sorted(int(place[v.name]) for v in chosen)
                if name != "Derivatives"
                else [int(place[v.name]) for v in chosen]
            ):
                ET.SubElement(part, "Unknown", index=str(index))


def _in_order(variables: Sequence[Variable]) -> list[Variable]:
    """der(q), der(x), der(q_dot), der(x_dot): the order in which fmi2GetDerivatives gives them."""
    derivatives = [v for v in variables if v.derivative_of]
    first = [v for v in derivatives if not v.unit.endswith("/s^2")]
    return first + [v for v in derivatives if v.unit.endswith("/s^2")]


def unit_definitions(element: ET.Element, variables: Sequence[Variable]) -> None:
    """Every unit that occurs, by its SI exponents where they are known."""
    for unit in sorted({v.unit for v in variables if v.unit}):
        found = ET.SubElement(element, "Unit", name=_unit_name(unit))
        exponents = exponents_of(unit)
        if exponents is not None:
            ET.SubElement(found, "BaseUnit", {k: str(n) for k, n in exponents.items() if n})


def _unit_name(unit: str) -> str:
    """A unit as FMI writes it: "kg m^2" is "kg.m2"."""
    above, _, below = unit.replace("^", "").partition("/")
    return ".".join(above.split() or ["1"]) + (f"/{'.'.join(below.split())}" if below else "")


def exponents_of(unit: str) -> dict[str, int] | None:
    """SI exponents of "N m s/rad"; none where a word is not known."""
    try:
        found = dimension(f"1{unit}" if unit.startswith("/") else unit)
    except BadQuantity:
        return None
    return {base: int(n) for base, n in zip(BASES, found.exponents, strict=True) if n}
