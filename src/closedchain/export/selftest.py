"""A program for the target that tells whether its compiler and processor give the bits that are expected."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from closedchain.export.headers import inputs, outputs
from closedchain.export.package import GUARD, Package, guarded
from closedchain.kernels.program import Program

HEAD = """\
/* {name}: its functions on inputs with known outputs, bit by bit. It ends with 0 where all agree.
 * Compile it with {with_what} and run it on the target; -DQUIET for one without stdio. */
#include <stdint.h>
#include <string.h>
#ifndef QUIET
#include <stdio.h>
#endif
#include "{header}"

static int differ(const double *made, const uint64_t *wanted, int n) {{
    int bad = 0;
    for (int i = 0; i < n; i++) {{
        uint64_t bits;
        memcpy(&bits, &made[i], 8);
        bad += bits != wanted[i];
    }}
    return bad;
}}
"""


def selftest(package: Package, header: str, with_what: str = "a C99 compiler") -> str:
    """The C text; `header` is what it includes."""
    lines = [HEAD.format(name=package.name, header=header, with_what=with_what)]
    for program in package.programs:
        lines += _tables(package, program)
    lines += ["int main(void) {", "    int bad = 0;"]
    for program in package.programs:
        lines += _check(package, program)
    lines.append('#ifndef QUIET\n    printf("%s: %d numbers differ\\n", bad ? "WRONG" : "ok", bad);\n#endif')
    return "\n".join([*lines, "    return bad != 0;\n}", ""])


def bits(value: float) -> str:
    """A double's bits as C writes them."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016x}u"


def cases_of(package: Package, program: Program) -> int:
    """How many cases a program has: all, or one where it takes nothing."""
    return max((len(package.cases[program.name][o.name]) for o in inputs(program)), default=1)


def _tables(package: Package, program: Program) -> Iterator[str]:
    """Inputs and outputs of every case; a case whose answer does not count has its margin alone."""
    count, size = cases_of(package, program), sum(o.size for o in inputs(program))
    if size:
        rows = [np.concatenate([np.ravel(package.cases[program.name][o.name][k]) for o in inputs(program)])
                for k in range(count)]  # fmt: skip
        yield f"static const double {program.name}_in[{count}][{size}] = {{"
        yield from (f"    {{{', '.join(float(v).hex() for v in row)}}}," for row in rows)
        yield "};"
    for o, values in zip(program.outputs, package.expected(program), strict=True):
        if o.size:
            made = np.broadcast_to(values, (count, *o.shape)).reshape(count, o.size)
            yield f"static const uint64_t {program.name}_{o.name}_wanted[{count}][{o.size}] = {{"
            yield from (f"    {{{', '.join(map(bits, row.tolist()))}}}," for row in made)
            yield "};"


def _check(package: Package, program: Program) -> Iterator[str]:
    """The loop over the cases of one function."""
    name, count = program.name, cases_of(package, program)
    yield f"    for (int k = 0; k < {count}; k++) {{"
    for o in outputs(program):
        yield f"        double {o.name}_made[{o.size}] = {{0}};"
    given, place = [], 0
    for o in inputs(program):
        given.append(f"&{name}_in[k][{place}]" if o.shape else f"{name}_in[k][{place}]")
        place += o.size
    call = f"{package.name}_{name}({', '.join([*given, *(f'{o.name}_made' for o in outputs(program))])})"
    if not guarded(program):
        yield f"        {call};"
        yield from (f"        {_differ(name, o.name, o.size)}" for o in outputs(program))
    else:
        yield f"        const int counts = {call};"
        yield f"        {_differ(name, GUARD, 1)}"
        yield f"        bad += counts != ({GUARD}_made[0] > 0.0);"
        yield "        if (counts) {"
        yield from (f"            {_differ(name, o.name, o.size)}" for o in outputs(program) if o.name != GUARD)
        yield "        }"
    yield "    }"


def _differ(program: str, output: str, size: int) -> str:
    return f"bad += differ({output}_made, {program}_{output}_wanted[k], {size});"
