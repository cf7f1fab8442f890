"""Compiled code gives the interpreter's bits, in every width."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closedchain.kernels import Operand, Program
from closedchain.kernels.build import Builder
from closedchain.kernels.llvm import compile_object, emit, host
from closedchain.kernels.lower import lower
from closedchain.kernels.program import EXACT, LIBRARY, TRIGONOMETRIC, run

WIDTHS = [1, 2, 4, 8]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Random straight-line programs of exact and trigonometric operations on a vector, a scalar and a matrix."""
    builder = Builder()
    inputs = [Operand("a", (3,)), Operand("b"), Operand("c", (2, 2))]
    values = [builder.input(i, e) for i, o in enumerate(inputs) for e in range(o.size)]
    values += [builder.const(draw(st.floats(width=64))) for _ in range(2)]
    operations = EXACT | TRIGONOMETRIC
    for _ in range(draw(st.integers(1, 40))):
        op = draw(st.sampled_from(sorted(operations)))
        values.append(builder.emit(op, *(draw(st.sampled_from(values)) for _ in range(operations[op]))))
    results = [draw(st.sampled_from(values)) for _ in range(6)] + values[-1:]
    return builder.finish("f", inputs, [Operand("y", (2, 3)), Operand("last")], results)


@settings(max_examples=40)
@given(program=programs(), seed=st.integers(0, 2**32 - 1))
def test_every_width_gives_the_bits_of_the_interpreter(program, seed, compiled, special, assert_same_bits):
    """Random programs on random and special doubles."""
    rng = np.random.default_rng(seed)
    mixed = lambda *shape: np.where(rng.random(shape) < 0.3, rng.choice(special, shape), rng.normal(size=shape))  # noqa: E731
    arrays = mixed(11, 3), mixed(11), mixed(11, 2, 2)
    want = run(lower(program), *arrays)
    for width in (1, host().width):
        for got, expected in zip(compiled(program, width=width)["f"](*arrays), want, strict=True):
            assert_same_bits(got, expected)


@pytest.mark.parametrize("op", sorted(EXACT | TRIGONOMETRIC))
def test_what_is_large_is_compiled_quickly_and_to_the_same_bits(
    op, single, compiled, special, assert_same_bits, monkeypatch
):
    """Without LLVM's choice of registers, which takes minutes for whole legged machines."""
    monkeypatch.setattr("closedchain.kernels.llvm.LARGE", 0)
    count = (EXACT | TRIGONOMETRIC)[op]
    grids = [grid.ravel() for grid in np.meshgrid(*[special] * count)]
    program = lower(single(op, count))
    assert_same_bits(compiled(program)["f"](*grids), run(program, *grids)[0])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", sorted(EXACT))
def test_an_exact_operation_is_numpys_at_every_corner(op, width, single, compiled, special, assert_same_bits):
    """All pairs (triples for select) of zeros, subnormals, infinities and NaN."""
    grids = [grid.ravel() for grid in np.meshgrid(*[special] * EXACT[op])]
    program = single(op, EXACT[op])
    assert_same_bits(compiled(program, width=width)["f"](*grids), run(program, *grids)[0])


@pytest.mark.parametrize("op", sorted(LIBRARY))
def test_a_library_function_is_the_c_librarys(op, single, compiled):
    """Python's `math` calls the same functions, so all digits agree, in vectors and alone."""
    x = np.linspace(1.1, 2.3, 13) if op == "acosh" else np.linspace(0.1, 0.9, 13)
    arrays = [x, np.linspace(0.7, 1.9, 13)][: LIBRARY[op]]
    want = [getattr(math, op)(*args) for args in zip(*arrays, strict=True)]
    f = compiled(single(op, LIBRARY[op]))["f"]
    np.testing.assert_array_equal(f(*arrays), want)
    np.testing.assert_array_equal([f(*args) for args in zip(*arrays, strict=True)], want)


@pytest.mark.parametrize("op", ["eq", "ne"])
def test_a_number_that_was_also_asked_for_its_truth_is_compared_as_a_number(op, compiled):
    """0.5 counts as true, but it is not 1."""
    builder = Builder()
    x = builder.input(0, 0)
    true = builder.emit("or", x, builder.emit("lt", x, builder.const(9.0)))
    program = builder.finish("f", [Operand("x")], [Operand("y")], [builder.emit(op, x, true)])
    x = np.array([0.5, 1.0, -0.0, np.nan])
    np.testing.assert_array_equal(compiled(program)["f"](x), run(program, x)[0])


def test_products_and_sums_are_rounded_separately(compiled):
    """a·b − c, where a fused multiply-add would answer otherwise: found with exact fractions."""
    builder = Builder()
    a, b, c = (builder.input(i, 0) for i in range(3))
    y = builder.emit("sub", builder.emit("mul", a, b), c)
    program = builder.finish("f", [Operand(n) for n in "abc"], [Operand("y")], [y])
    x = 1.0 + 2.0**-30
    rounded = x * x
    fused = float(Fraction(x) * Fraction(x) - Fraction(rounded))
    assert fused != 0.0
    np.testing.assert_array_equal(compiled(program)["f"](np.full(9, x), x, rounded), np.zeros(9))


def test_lanes_that_are_not_chosen_raise_no_warning(compiled):
    """select(x = 0, 1, 1/x) at 0, and √−1, are values; NumPy's warnings (errors in these tests) stay away."""
    builder = Builder()
    x = builder.input(0, 0)
    zero, one = builder.const(0.0), builder.const(1.0)
    safe = builder.emit("select", builder.emit("eq", x, zero), one, builder.emit("div", one, x))
    program = builder.finish("f", [Operand("x")], [Operand("y", (2,))], [safe, builder.emit("sqrt", x)])
    np.testing.assert_array_equal(compiled(program)["f"]([0.0, 2.0, -1.0]), [[1, 0], [0.5, 2**0.5], [-1, np.nan]])


def test_a_numpy_error_raised_before_is_not_hidden(compiled, single):
    """Our routines leave NumPy's own floating-point warnings as they were."""
    compiled(single("neg"))["f"](np.ones(5))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        np.divide(np.ones(3), np.zeros(3))


def test_a_program_may_have_the_name_of_a_library_function(compiled):
    """A program called exp that negates does not disturb one that calls exp."""
    builder = Builder()
    x = builder.input(0, 0)
    wrong = builder.finish("exp", [Operand("x")], [Operand("y")], [builder.emit("neg", x)])
    right = builder.finish("fetch", [Operand("x")], [Operand("y")], [builder.emit("exp", x)])
    library = compiled(wrong, right)
    assert library["exp"](1.0) == -1.0
    assert library["fetch"](1.0) == math.e


def test_code_is_the_same_each_time(single):
    """Equal programs give equal IR and equal object code, so that a cache can be compared."""
    program = single("sin")
    assert emit(program, 4) == emit(program, 4)
    assert compile_object([program]) == compile_object([program])


def test_the_width_follows_the_cpu():
    """Eight doubles with AVX-512, four with AVX2, else two."""
    this = host()
    features = {8: "+sse2,+avx2,+avx512f", 4: "+sse2,+avx2,-avx512f", 2: "+sse2,-avx2,-avx512f"}
    assert {type(this)(this.triple, this.cpu, text).width: text for text in features.values()} == features
