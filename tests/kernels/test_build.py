"""A builder shares, folds and drops without changing a bit."""

import itertools

import numpy as np
import pytest

from closedchain.kernels import Operand
from closedchain.kernels.build import Builder
from closedchain.kernels.program import EXACT, MEANING, run


def test_equal_expressions_are_computed_once():
    """a·b and b·a are one product."""
    builder = Builder()
    a, b = builder.input(0, 0), builder.input(0, 1)
    assert builder.emit("mul", a, b) == builder.emit("mul", b, a)
    assert builder.emit("sub", a, b) != builder.emit("sub", b, a)


def test_what_no_result_needs_is_left_out():
    """Only the path to the results survives."""
    builder = Builder()
    a = builder.input(0, 0)
    builder.emit("exp", builder.emit("sin", a))
    program = builder.finish("f", [Operand("a")], [Operand("y")], [builder.emit("neg", a)])
    assert [line.op for line in program.code] == ["input", "neg"]


@pytest.mark.parametrize("op", [op for op, arity in EXACT.items() if arity == 2])
def test_a_constant_argument_changes_no_bit(op, special, assert_same_bits):
    """op(x, c) and op(c, x), simplified or not, are NumPy's op for every x, among them ±0, ∞ and NaN."""
    for c, swapped in itertools.product(special, (False, True)):
        builder = Builder()
        x, constant = builder.input(0, 0), builder.const(c)
        y = builder.emit(op, *((constant, x) if swapped else (x, constant)))
        (got,) = run(builder.finish("f", [Operand("x")], [Operand("y")], [y]), special)
        with np.errstate(all="ignore"):
            want = MEANING[op](*((c, special) if swapped else (special, c)))
        assert_same_bits(got, want)


@pytest.mark.parametrize("op", ["add", "sub"])
def test_signs_are_absorbed_without_changing_a_bit(op, special, assert_same_bits):
    """a ± (−b) and (−a) ± b for every pair of corners."""
    a, b = (grid.ravel() for grid in np.meshgrid(special, special))
    for which in (0, 1):
        builder = Builder()
        args = [builder.input(0, 0), builder.input(1, 0)]
        args[which] = builder.emit("neg", args[which])
        program = builder.finish("f", [Operand("a"), Operand("b")], [Operand("y")], [builder.emit(op, *args)])
        signed = [-a if which == 0 else a, -b if which == 1 else b]
        with np.errstate(all="ignore"):
            want = MEANING[op](*signed)
        assert_same_bits(run(program, a, b)[0], want)


def test_exact_constants_fold_and_library_calls_do_not():
    """√(3² + 4²) is the constant 5; exp(1) is left to the machine that runs it."""
    builder = Builder()
    three, four = builder.const(3.0), builder.const(4.0)
    root = builder.emit("sqrt", builder.emit("add", builder.emit("mul", three, three), builder.emit("mul", four, four)))
    assert builder.code[root].op == "const"
    assert builder.code[root].value == 5.0
    assert builder.code[builder.emit("exp", builder.const(1.0))].op == "exp"
