"""One header for a target, as C99 or C++17: no allocation, no state, no library but sqrt; the bits of our kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from closedchain.export.c99 import C, c_name, comment
from closedchain.export.package import GUARD, Package, bound, guarded
from closedchain.export.quantities import about, word
from closedchain.export.straight import Language, body, results_by_output
from closedchain.kernels.program import Operand, Program
from closedchain.version import VERSION

CPP = replace(
    C,
    name="C++",
    truth="const bool",
    functions={op: f"std::{name}" for op, name in C.functions.items()},
)
STRICT = """\
#if defined(__FAST_MATH__)
#error "compile without fast-math: the branch is guarded by comparisons that it may drop"
#endif
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "doubles are computed with more digits here (x87): use SSE2, or another processor"
#endif
/* Products and sums are rounded one by one, on every target alike: fused multiply-adds are off in this file. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize ("fp-contract=off")
#endif
"""
UNSTRICT = """
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
"""


@dataclass(frozen=True)
class Dialect:
    """What differs between the two languages."""

    language: Language
    includes: str
    opening: str  # of a function's line, and its result
    guarded: str
    plain: str
    prefix: str  # of every function's name
    nothing: str  # a null pointer
    ending: str  # after the arguments
    yes: str
    no: str


def c99_header(package: Package) -> str:
    """The header for C."""
    says = Dialect(C, "#include <float.h>\n#include <math.h>", "static inline", "int", "void", f"{package.name}_", "0",
                   "", "1", "0")  # fmt: skip
    guard = f"{package.name.upper()}_H"
    lines = [*_head(package, "C99"), f"#ifndef {guard}\n#define {guard}\n\n{says.includes}\n\n{STRICT}"]
    for program in package.programs:
        lines += function(program, says)
    return "\n".join([*lines, UNSTRICT, f"#endif /* {guard} */", ""])


def cpp_header(package: Package) -> str:
    """The header for C++17: the same functions in a namespace."""
    includes = "#include <cfloat>\n#include <cmath>"
    says = Dialect(CPP, includes, "inline", "bool", "void", "", "nullptr", " noexcept", "true", "false")
    guard = f"{package.name.upper()}_HPP"
    lines = [*_head(package, "C++17"), f"#ifndef {guard}\n#define {guard}\n\n{says.includes}\n\n{STRICT}"]
    lines.append(f"namespace {package.name} {{")
    for program in package.programs:
        lines += function(program, says)
    return "\n".join([*lines, f"\n}} // namespace {package.name}", UNSTRICT, f"#endif /* {guard} */", ""])


def prototypes(package: Package) -> str:
    """The header of an object: the same names, in C and C++."""
    guard = f"{package.name.upper()}_OBJECT_H"
    lines = [
        *_head(package, "object"),
        f'#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif',
    ]
    for program in package.programs:
        lines += [_told(program), f"{signature(program, f'{package.name}_')};"]
    return "\n".join([*lines, "\n#ifdef __cplusplus\n}\n#endif\n", f"#endif /* {guard} */", ""])


def signature(program: Program, prefix: str) -> str:
    """A function as C declares it."""
    return f"{'int' if guarded(program) else 'void'} {prefix}{program.name}({_arguments(program)})"


def _head(package: Package, language: str) -> Iterator[str]:
    e = package.model.equations
    yield f"/* {comment(package.model.name)}: {comment(e.about or 'its models')}"
    yield f" * {language}, written by closedchain {VERSION}; parameters are part of the code.\n *"
    yield from (f" * {comment(line)}" for line in package.told)
    for group, coordinates in (("q", e.q), ("x", e.x)):
        if coordinates:
            yield f" * {group}: {', '.join(f'{comment(c.name)} [{c.unit}]' for c in coordinates)}"
    yield " *\n * Arrays are row-major doubles in SI units; outputs may be inputs' arrays, and those not wanted null."
    yield " * A function with a result tells by it whether its answer counts: where it is 0, only `margin` is written."
    yield " * No function keeps anything, allocates or loops. Only sqrt, fabs, floor and copysign are called, which"
    yield " * compilers have as instructions; some want -lm, or -fno-math-errno, for roots of negative numbers.\n */"


def _told(program: Program) -> str:
    """What a function is for, and its bounds."""
    rows = [f"\n/* {comment(about(program.name))}"]
    for mark, operands in (("<-", program.inputs), ("->", program.outputs)):
        rows += [f" *   {mark} {o.name}{_shape(o)}: {comment(word(o))}" for o in operands]
    return "\n".join([*rows, f" *   {bound(program)} */"])


def _shape(o: Operand) -> str:
    return f" ({' x '.join(map(str, o.shape))})" if o.shape else ""


def _arguments(program: Program) -> str:
    given = [f"const double {c_name(o)}[{o.size}]" if o.shape else f"double {c_name(o)}" for o in inputs(program)]
    made = [
        f"double {out(program, o)}[{o.size}]" if o.shape else f"double *{out(program, o)}" for o in outputs(program)
    ]
    return ", ".join(given + made)


def inputs(program: Program) -> list[Operand]:
    """Those that hold numbers."""
    return [o for o in program.inputs if o.size]


def outputs(program: Program) -> list[Operand]:
    """Those that hold numbers."""
    return [o for o in program.outputs if o.size]


def out(program: Program, o: Operand) -> str:
    """An output's name, another than that of the input of the same name."""
    return f"{c_name(o)}_out" if o.name in {i.name for i in program.inputs} else c_name(o)


def function(program: Program, says: Dialect) -> Iterator[str]:
    """One program as one function."""

    def read(operand: int, element: int) -> str:
        o = program.inputs[operand]
        return f"{c_name(o)}[{element}]" if o.shape else c_name(o)

    lines, values = body(program, says.language, read)
    guard = guarded(program)
    yield _told(program)
    name = f"{says.prefix}{program.name}({_arguments(program)}){says.ending}"
    yield f"{says.opening} {says.guarded if guard else says.plain} {name} {{"
    yield from (f"    {line}" for line in lines)
    text = "\n".join(lines)
    yield from (f"    (void){c_name(o)};" for o in inputs(program) if not re.search(rf"\b{c_name(o)}\b", text))
    by_name = dict(results_by_output(program, values))
    if guard:
        (margin,) = by_name[GUARD]
        yield f"    if ({GUARD} != {says.nothing}) {{\n        *{GUARD} = {margin};\n    }}"
        yield f"    if (!({margin} > 0.0)) {{\n        return {says.no};\n    }}"
    for o in outputs(program):
        if guard and o.name == GUARD:
            continue
        to = out(program, o)
        yield f"    if ({to} != {says.nothing}) {{"
        yield from (f"        {f'{to}[{k}]' if o.shape else f'*{to}'} = {v};" for k, v in enumerate(by_name[o.name]))
        yield "    }"
    yield f"    return {says.yes};\n}}" if guard else "}"
