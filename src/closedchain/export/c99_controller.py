"""A controller as C99: one function that turns what is measured into a command, and a struct for what it keeps."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from closedchain.export.c99 import WIDTH, Source, c_name, comment, identifier, literal, write
from closedchain.export.controllers import KEPT, Controller
from closedchain.export.quantities import word
from closedchain.kernels.program import Operand


def c99_controller(law: Controller) -> Source:
    """A law in C: `NAME_command` turns what is measured into a command and keeps its memory in a struct."""
    made = write(law.model, [law.program], str(law.law.output), identifier(f"{law.model.name}_controller"))
    end = "\n#ifdef __cplusplus\n}"
    told, defined = "\n".join(_struct(law, made.name)), "\n".join(_command(law, made.name))
    return Source(made.name, made.header.replace(end, f"{told}\n{end}"), made.source + defined)


def _struct(law: Controller, name: str) -> Iterator[str]:
    """Declarations: what is kept, how it begins, and the command."""
    yield from _type(law, name)
    yield "\n/* As it begins, its pose where it was exported for. */"
    yield f"extern const {name}_state {name}_start;"
    for what, group in (("ref", "the reference"), ("memory", "the memory")):
        if law.names[what]:
            yield f"\n/* The numbers of {group} in their order: {comment(', '.join(law.names[what]))}. */"
    if len(law.gains):
        yield f"\n/* The numbers of the law as it was exported. */\nextern const double {name}_gains[{len(law.gains)}];"
    yield f"\n/* One command: it is in state->u, and holds for the interval. */\n{_signature(law, name)};"


def _type(law: Controller, name: str) -> Iterator[str]:
    kept = {key: value for key, value in law.start.items() if len(value)}
    yield "\n/* What the controller keeps from one command to the next. */\ntypedef struct {"
    yield from (f"    double {key}[{len(value)}]; /* {comment(word(Operand(key)))} */" for key, value in kept.items())
    yield f"}} {name}_state;"


def _signature(law: Controller, name: str) -> str:
    given = [f"const double {c_name(o)}[{o.size}]" if o.shape else f"double {c_name(o)}" for o in _told(law)]
    whole = f"void {name}_command({name}_state *state, {', '.join(given)})"
    return "\n".join(textwrap.wrap(whole, WIDTH, subsequent_indent="        ", break_on_hyphens=False))


def _told(law: Controller) -> list[Operand]:
    """What the caller gives at each command."""
    return [o for o in law.program.inputs if o.size and o.name not in KEPT]


def _command(law: Controller, name: str) -> Iterator[str]:
    """Definitions of the same."""
    rows = ", ".join("{" + ", ".join(map(literal, v.tolist())) + "}" for v in law.start.values() if len(v))
    yield from _type(law, name)
    yield f"\nconst {name}_state {name}_start = {{{rows}}};"
    if len(law.gains):
        yield f"const double {name}_gains[{len(law.gains)}] = {{{', '.join(map(literal, law.gains.tolist()))}}};"
    given = [f"state->{o.name}" if o.name in KEPT else c_name(o) for o in law.program.inputs if o.size]
    made = [f"state->{o.name.removesuffix('_next')}" for o in law.program.outputs if o.size]
    yield f"\n{_signature(law, name)} {{\n    {name}_control({', '.join(given + made)});\n}}\n"
