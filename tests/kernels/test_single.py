"""Code for one state: the interpreter's bits, and its word on whether every number is finite."""

import ctypes
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closedchain.kernels import Operand
from closedchain.kernels.build import Builder
from closedchain.kernels.llvm import compile_object, emit_module, host
from closedchain.kernels.lower import lower
from closedchain.kernels.program import EXACT, TRIGONOMETRIC, run
from closedchain.kernels.single import single_symbol


def call(library, program, *arrays):
    """(whether all is finite, all outputs end to end), by the address of the code."""
    code = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
    function = code(library._addresses[single_symbol(program.name)])
    given = [np.ascontiguousarray(a, dtype=float) for a in arrays]
    out = np.full(len(program.results), -7.0)
    finite = function((ctypes.c_void_p * len(given))(*(g.ctypes.data for g in given)), out.ctypes.data)
    return finite, out


@st.composite
def programs(draw):
    """Random programs of a vector and a scalar."""
    builder = Builder()
    inputs = [Operand("a", (3,)), Operand("b")]
    values = [builder.input(i, e) for i, o in enumerate(inputs) for e in range(o.size)]
    values.append(builder.const(draw(st.floats(width=64))))
    operations = EXACT | TRIGONOMETRIC
    for _ in range(draw(st.integers(1, 30))):
        op = draw(st.sampled_from(sorted(operations)))
        values.append(builder.emit(op, *(draw(st.sampled_from(values)) for _ in range(operations[op]))))
    results = [draw(st.sampled_from(values)) for _ in range(4)] + values[-1:]
    return replace(builder.finish("f", inputs, [Operand("y", (2, 2)), Operand("last")], results), single=True)


@settings(max_examples=40)
@given(program=programs(), seed=st.integers(0, 2**32 - 1))
def test_one_state_gives_the_bits_of_the_interpreter(program, seed, compiled, special, assert_same_bits):
    """Random programs on random and special doubles; `finite` is told of inputs and outputs together."""
    rng = np.random.default_rng(seed)
    library = compiled(program)
    for _ in range(5):
        a, b = (np.where(rng.random(n) < 0.2, rng.choice(special, n), rng.normal(size=n)) for n in (3, 1))
        want = np.concatenate([np.ravel(w) for w in run(lower(program), a, b[0])])
        finite, got = call(library, program, a, b[0])
        assert_same_bits(got, want)
        assert finite == bool(np.isfinite(np.concatenate([a, b, want])).all())


@pytest.mark.parametrize("where", range(4))
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_an_input_that_nothing_depends_on_counts_for_finite(compiled, where, bad):
    """The result is a constant, yet a NaN given is told."""
    builder = Builder()
    program = replace(builder.finish("f", [Operand("a", (4,))], [Operand("y")], [builder.const(1.0)]), single=True)
    library = compiled(program)
    a = np.ones(4)
    assert call(library, program, a) == (True, [1.0])
    a[where] = bad
    assert call(library, program, a) == (False, [1.0])


def test_large_numbers_are_finite(compiled):
    """Sums of the largest doubles would not be; differences of each with itself are."""
    builder = Builder()
    program = builder.finish("f", [Operand("a", (3,))], [Operand("y")], [builder.input(0, 0)])
    program = replace(program, single=True)
    assert call(compiled(program), program, np.full(3, 1.7e308))[0]


def test_only_marked_programs_have_code_for_one_state(single):
    """Compile time is for those that want it."""
    this = host()
    plain, marked = single("sin"), replace(single("sin"), single=True)
    assert "fastcall" not in emit_module([plain], 4, this.triple)
    assert emit_module([marked], 4, this.triple).count("define ptr @closedchain_fastcall") == 1
    assert compile_object([marked]) == compile_object([marked])  # no address of this process is inside
