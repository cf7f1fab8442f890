"""Straight-line text: each operation means in C and in JavaScript what the interpreter of programs says it means."""

import ctypes
import itertools
import math

import numpy as np
import pytest

from closedchain.export.c99 import C
from closedchain.export.javascript import COPYSIGN, JAVASCRIPT
from closedchain.export.straight import CannotWrite, body
from closedchain.kernels.build import Builder
from closedchain.kernels.program import EXACT, Instruction, Operand, Program, run

EDGES = [0.0, -0.0, 1.0, -1.5, 2.5, 1e-310, 1e308, math.inf, -math.inf, math.nan]
TRIPLES = list(itertools.product(EDGES, EDGES, (0.0, 3.0, math.nan)))


def every_operation(*without):
    """One program with every exact operation of three inputs, one output each."""
    code = [Instruction("input", (0, i)) for i in range(3)]
    code += [Instruction(op, tuple(range(n))) for op, n in EXACT.items() if op not in ("select", *without)]
    code += [Instruction("select", (2, 0, 1)), Instruction("lt", (0, 1)), Instruction("lt", (1, 2))]
    t1, t2 = len(code) - 2, len(code) - 1
    code += [Instruction("eq", (t1, t2)), Instruction("and", (t1, 2)), Instruction("add", (t1, t2))]
    code += [Instruction("select", (t1, 0, 2)), Instruction("min", (len(code) - 1, t2))]
    n = len(code) - 3
    return Program("every", (Operand("a", (3,)),), (Operand("y", (n,)),), tuple(code), tuple(range(3, 3 + n)))


def test_every_operation_means_the_same_in_c(compile_c, same_bits, tmp_path):
    """At zeros of both signs, infinities, NaN, the smallest and the largest numbers."""
    program = every_operation()
    lines, results = body(program, C, lambda o, e: f"a[{e}]")
    stores = [f"y[{i}] = {r};" for i, r in enumerate(results)]
    text = "#include <math.h>\nvoid every(const double *a, double *y);\nvoid every(const double *a, double *y) {\n"
    library = compile_c(text + "\n".join([*lines, *stores]) + "}\n", tmp_path)
    for a in TRIPLES:
        given, made = np.array(a), np.zeros(len(results))
        library.every(given.ctypes.data_as(ctypes.c_void_p), made.ctypes.data_as(ctypes.c_void_p))
        assert same_bits(made, run(program, a)[0]), a


def test_every_operation_means_the_same_in_javascript(run_js, same_bits, tmp_path):
    """The same numbers, in expressions that are nested; a fused multiply-add is refused, since there is none."""
    program = every_operation("fma")
    lines, results = body(program, JAVASCRIPT, lambda o, e: f"a[{e}]")
    function = "\n".join([*lines, f"return [{', '.join(results)}];"])
    rows = [[str(v) for v in a] for a in TRIPLES]  # JSON has no NaN
    number = "(s) => (s === 'nan' ? NaN : s === 'inf' ? Infinity : s === '-inf' ? -Infinity : Number(s))"
    script = f"const f = (a) => {{ {function} }}; return given.map((row) => f(row.map({number})));"
    for a, made in zip(TRIPLES, run_js(COPYSIGN, script, rows, tmp_path), strict=True):
        assert same_bits(made, run(program, a)[0]), a


def test_a_value_that_is_used_once_stands_where_it_is_used():
    """Nested in JavaScript, where text has to be short; a line each in C."""
    builder = Builder()
    a, b = builder.input(0, 0), builder.input(0, 1)
    program = builder.finish(
        "f", [Operand("a", (2,))], [Operand("y")], [builder.emit("mul", builder.emit("add", a, b), b)]
    )
    assert body(program, JAVASCRIPT, lambda o, e: f"a[{e}]") == (
        ["const v0 = a[0];", "const v1 = a[1];"],
        ["(v1 * (v0 + v1))"],
    )
    assert len(body(program, C, lambda o, e: f"a[{e}]")[0]) == 4


def test_a_function_that_the_language_has_not_is_refused():
    """JavaScript knows no error function."""
    program = Program(
        "f", (Operand("a"),), (Operand("y"),), (Instruction("input", (0, 0)), Instruction("erf", (0,))), (1,)
    )
    with pytest.raises(CannotWrite, match="JavaScript has no function 'erf'"):
        body(program, JAVASCRIPT, lambda o, e: "a")
