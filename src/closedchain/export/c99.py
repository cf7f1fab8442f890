"""A robot's models as C99: one header, one source, nothing but math.h; the same bits as the compiled kernels.

The source must be compiled without contraction to fused multiply-adds (-ffp-contract=off) and without -ffast-math.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from closedchain.errors import BadInput
from closedchain.export.programs import every_program, followed, natural_inputs
from closedchain.export.quantities import about, units, word
from closedchain.export.straight import Language, body, results_by_output
from closedchain.files import atomic_write
from closedchain.kernels.program import LIBRARY, Operand, Program
from closedchain.model.model import Model
from closedchain.model.tracking import HALVINGS
from closedchain.version import VERSION

WIDTH = 110  # of a prototype
SHORT = 6  # characters of a decimal constant that is easier to read than its hexadecimal form
KEYWORDS = frozenset({
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "main", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
})  # fmt: skip
NOTE = """\
 * Arrays are row-major doubles in SI units. Outputs are written last: they may be the same arrays as inputs, and one
 * that is not wanted may be NULL. No function keeps anything between calls.
 * Compile without contraction and without fast-math, gcc or clang: cc -std=c99 -O2 -ffp-contract=off"""


def literal(value: float) -> str:
    """A double, to the bit."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    text = repr(value) if len(repr(value)) <= SHORT else value.hex()
    return f"({text})" if text.startswith("-") else text


C = Language(
    name="C",
    number="const double",
    truth="const int",
    equal="==",
    unequal="!=",
    literal=literal,
    functions={"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "copysign": "copysign", "fma": "fma"}
    | {name: name for name in LIBRARY},
)


@dataclass(frozen=True)
class Source:
    """A header and a source file."""

    name: str  # of both, without their endings, and of every function's beginning
    header: str
    source: str

    def save(self, folder: str | Path) -> tuple[Path, Path]:
        """Write both; where they are."""
        paths = Path(folder) / f"{self.name}.h", Path(folder) / f"{self.name}.c"
        for path, text in zip(paths, (self.header, self.source), strict=True):
            atomic_write(path, text)
        return paths


def c99(model: Model, *, inputs: str | None = None, kernels: Iterable[str] | None = None) -> Source:
    """Every kernel of a model in C, or those named; `inputs` "tau" or "voltage" is what `step` holds."""
    chosen = inputs or natural_inputs(model)
    programs = chosen_programs([*every_program(model, chosen), *followed(model)], kernels)
    return write(model, programs, chosen)


def chosen_programs(programs: Sequence[Program], kernels: Iterable[str] | None) -> list[Program]:
    """All, or those named."""
    if kernels is None:
        return list(programs)
    by_name, wanted = {p.name: p for p in programs}, list(kernels)
    for name in wanted:
        if name not in by_name:
            raise BadInput(f"no kernel {name!r:.40}; there are {', '.join(by_name)}")
    return [by_name[name] for name in wanted]


def write(model: Model, programs: Sequence[Program], inputs: str, name: str = "") -> Source:
    """Programs of a model as C; functions and files are called after it unless another name is given."""
    name = name or identifier(model.name)
    return Source(name, "\n".join(_header(model, name, programs, inputs)), "\n".join(_source(model, name, programs)))


def identifier(name: str) -> str:
    """A robot's name as C takes it."""
    found = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"robot_{found}" if not found[:1].isalpha() or found in KEYWORDS else found


def comment(text: str) -> str:
    """Words that cannot end a comment early."""
    return " ".join(text.replace("*/", "* /").replace("/*", "/ *").split())


# The header ----------------------------------------------------------------------------------------


def _header(model: Model, name: str, programs: Sequence[Program], inputs: str) -> Iterator[str]:
    e, big = model.equations, name.upper()
    yield f"/* {comment(model.name)}: {comment(e.about or 'its models')}"
    yield f" * Written by closedchain {VERSION}.\n *\n{NOTE}"
    yield " *"
    yield from (f" * {group}: {_list(coordinates)}" for group, coordinates in (("q", e.q), ("x", e.x)) if coordinates)
    yield " */"
    yield f"#ifndef {big}_H\n#define {big}_H\n"
    yield '#ifdef __cplusplus\nextern "C" {\n#endif\n'
    sizes = {"NQ": model.nq, "NX": model.nx, "NU": len(model.driven), "NP": len(e.parameters)}
    yield from (f"#define {big}_{key} {value}" for key, value in sizes.items())
    if e.parameters:
        yield f"\n/* The parameters p in their order, and the values they had: {name}_p. */"
        for i, p in enumerate(e.parameters):
            yield f"#define {big}_P_{identifier(p.name)} {i} /* [{p.unit or '1'}] {comment(p.about)} */"
        yield f"extern const double {name}_p[{len(e.parameters)}];"
        yield f"extern const char *const {name}_p_names[{len(e.parameters)}];"
    for program in programs:
        yield f"\n/* {comment(about(program.name))}"
        for mark, operands in (("<-", program.inputs), ("->", program.outputs)):
            yield from (f" *   {mark} {_described(model, o, inputs)}" for o in operands)
        yield f" */\n{_prototype(name, program)};"
        if program.name == "track":
            yield f"\n{_follow(model, name, FOLLOW)};"
    yield "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"


FOLLOW = """\
/* One assembly mode, followed: on entry x is a pose for the drives q_0, on return it is the pose for q on the same
 * branch, and q_0 is q. A move that is too long for one step is made in parts. Returns 1, or 0 where the branch is not
 * sure beyond some place on the way (a Type 2 singularity is near, and with it another branch): q_0 and x are then the
 * last ones that are sure. size is a length of the robot, as {name}_scale gives it. */
int {name}_follow(double q_0[{nq}], const double q[{nq}], double x[{nx}],{p} double size)"""
FOLLOWED = """ {{
    double start[{nq}], ahead[{nq}], next[{nx}], margin, done = 0.0, part = 1.0;
    int i;
    for (i = 0; i < {nq}; ++i) {{
        start[i] = q_0[i];
    }}
    while (done < 1.0) {{
        const int last = done + part >= 1.0;
        for (i = 0; i < {nq}; ++i) {{
            ahead[i] = last ? q[i] : start[i] + (done + part) * (q[i] - start[i]);
        }}
        {name}_track(ahead, x, &size,{given} next, &margin);
        if (margin > 0.0) {{
            for (i = 0; i < {nq}; ++i) {{
                q_0[i] = ahead[i];
            }}
            for (i = 0; i < {nx}; ++i) {{
                x[i] = next[i];
            }}
            done = last ? 1.0 : done + part;
            part = 2.0 * part < 1.0 - done ? 2.0 * part : 1.0 - done;
        }} else if (part < {shortest}) {{
            return 0;
        }} else {{
            part /= 2.0;
        }}
    }}
    return 1;
}}"""


def _follow(model: Model, name: str, text: str) -> str:
    """The function that follows a branch, or its prototype."""
    p = f" const double p[{model.p.size}]," if model.p.size else ""
    shortest = literal(2.0**-HALVINGS)
    sizes = {"name": name, "nq": model.nq, "nx": model.nx, "p": p, "given": " p," if p else "", "shortest": shortest}
    return text.format(**sizes)


def _list(coordinates: Iterable[object]) -> str:
    return ", ".join(f"{c.name} [{c.unit}]" for c in coordinates)  # type: ignore[attr-defined]


def _described(model: Model, o: Operand, inputs: str) -> str:
    """One operand in a line of its own."""
    shape = " x ".join(map(str, o.shape))
    known = units(model, o, inputs)
    unit = (
        f" [{known[0] if len(set(known)) == 1 else ', '.join(u or '1' for u in known)}]"
        if any(known) and o.name != "p"
        else ""
    )
    return f"{o.name}{f' ({shape})' if shape else ''}: {comment(word(o))}{unit}"


def _prototype(name: str, program: Program) -> str:
    given = [
        f"const double {c_name(o)}[{o.size}]" if o.shape else f"double {c_name(o)}" for o in program.inputs if o.size
    ]
    made = [
        f"double {_out(program, o)}[{o.size}]" if o.shape else f"double *{_out(program, o)}"
        for o in program.outputs
        if o.size
    ]
    whole = f"void {name}_{program.name}({', '.join(given + made)})"
    return "\n".join(textwrap.wrap(whole, WIDTH, subsequent_indent="        ", break_on_hyphens=False))


def c_name(o: Operand) -> str:
    """What an argument is called."""
    return identifier(o.name)


def _out(program: Program, o: Operand) -> str:
    """An output's name, another than that of the input of the same name."""
    return f"{c_name(o)}_out" if o.name in {i.name for i in program.inputs} else c_name(o)


# The source ----------------------------------------------------------------------------------------


def _source(model: Model, name: str, programs: Sequence[Program]) -> Iterator[str]:
    yield f"/* {comment(model.name)}: straight-line code, written by closedchain {VERSION}; see {name}.h. */"
    yield "#include <math.h>\n#include <stddef.h>\n"
    yield "#if defined(__clang__) || !defined(__GNUC__)\n#pragma STDC FP_CONTRACT OFF\n#endif"
    yield '#ifdef __FAST_MATH__\n#error "compile without fast-math: NaN and signed zeros are used"\n#endif\n'
    parameters = model.equations.parameters
    if parameters:
        yield f"const double {name}_p[{len(parameters)}] = {{"
        for p, value in zip(parameters, model.p.tolist(), strict=True):
            yield f"    {value.hex()}, /* {comment(p.name)} = {value:.17g} {comment(p.unit)} */"
        names = ", ".join(f'"{comment(p.name)}"' for p in parameters)
        yield f"}};\nconst char *const {name}_p_names[{len(parameters)}] = {{{names}}};"
    for program in programs:
        yield from _function(name, program)
        if program.name == "track":
            yield "\n" + _follow(model, name, FOLLOW.partition("*/\n")[2] + FOLLOWED)
    yield ""


def _function(name: str, program: Program) -> Iterator[str]:
    """One program as one function."""

    def read(operand: int, element: int) -> str:
        o = program.inputs[operand]
        return f"{c_name(o)}[{element}]" if o.shape else c_name(o)

    lines, results = body(program, C, read)
    yield f"\n{_prototype(name, program)} {{"
    yield from (f"    {line}" for line in lines)
    text = "\n".join(lines)
    yield from (
        f"    (void){c_name(o)};" for o in program.inputs if o.size and not re.search(rf"\b{c_name(o)}\b", text)
    )
    for o, (_, values) in zip(program.outputs, results_by_output(program, results), strict=True):
        to = _out(program, o)
        if values:
            yield f"    if ({to} != NULL) {{"
            yield from (f"        {f'{to}[{k}]' if o.shape else f'*{to}'} = {value};" for k, value in enumerate(values))
            yield "    }"
    yield "}"
