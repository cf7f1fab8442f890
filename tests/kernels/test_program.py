"""Programs check themselves, have one text, and can be interpreted."""

import math

import numpy as np
import pytest

from closedchain.kernels import Instruction, Operand, Program
from closedchain.kernels.program import BadProgram, run


def hypotenuse(name: str = "hypotenuse") -> Program:
    """c = √(a² + b²)."""
    code = (
        Instruction("input", (0, 0)),
        Instruction("input", (0, 1)),
        Instruction("mul", (0, 0)),
        Instruction("mul", (1, 1)),
        Instruction("add", (2, 3)),
        Instruction("sqrt", (4,)),
    )
    return Program(name, (Operand("legs", (2,)),), (Operand("c"),), code, (5,))


def test_the_text_lists_operands_and_instructions():
    """One line per operand and instruction, arguments by number."""
    assert hypotenuse().text.splitlines() == [
        "program hypotenuse", "in legs 2", "%0 = input 0 0", "%1 = input 0 1", "%2 = mul %0 %0", "%3 = mul %1 %1",
        "%4 = add %2 %3", "%5 = sqrt %4", "out c : %5",
    ]  # fmt: skip


def test_equal_programs_share_a_digest_and_different_ones_do_not():
    """The digest sees names and the sign of a zero."""
    assert hypotenuse().digest == hypotenuse().digest
    assert hypotenuse().digest != hypotenuse("other").digest
    zero, minus = (Program("z", (), (Operand("y"),), (Instruction("const", (), v),), (0,)) for v in (0.0, -0.0))
    assert zero.digest != minus.digest


def test_the_interpreter_finds_pythagorean_triples_in_a_batch():
    """(3, 4) → 5 and (5, 12) → 13, whatever the batch."""
    legs = np.array([[[3.0, 4.0]], [[5.0, 12.0]]])
    (c,) = run(hypotenuse(), legs)
    np.testing.assert_array_equal(c, [[5.0], [13.0]])


@pytest.mark.parametrize(
    "code, results, complaint",
    [
        ((Instruction("sine", (0,)),), (0,), "'sine'"),
        ((Instruction("neg", (0,)),), (0,), "only earlier values"),
        ((Instruction("const"), Instruction("add", (0,))), (1,), "takes 2 arguments, not 1"),
        ((Instruction("input", (0, 2)),), (0,), "element 2 of input 0"),
        ((Instruction("const"),), (1,), "names no value"),
        ((Instruction("const"),), (0, 0), "2 results for 1"),
    ],
)
def test_a_broken_program_says_what_is_wrong(code, results, complaint):
    """Unknown operations, later values, wrong counts are refused when the program is made."""
    with pytest.raises(BadProgram, match=complaint):
        Program("broken", (Operand("x", (2,)),), (Operand("y"),), code, results)


@pytest.mark.parametrize("name", ["two words", "", "ü", "a.b"])
def test_a_program_needs_a_plain_name(name):
    """The name becomes a symbol in object code."""
    with pytest.raises(BadProgram, match="plain identifier"):
        hypotenuse(name)


def test_two_inputs_cannot_share_a_name():
    """Operands are found by name."""
    with pytest.raises(BadProgram, match="not all different"):
        Program("twice", (Operand("x"), Operand("x")), (), (), ())


def test_the_interpreter_names_an_array_that_does_not_fit():
    """A wrong last axis is an error, not a broadcast."""
    with pytest.raises(BadProgram, match=r"legs has shape \(3,\); it must end in \(2,\)"):
        run(hypotenuse(), np.zeros(3))


def test_an_operands_size_is_the_product_of_its_shape():
    """A scalar has one element, an empty vector none."""
    assert [Operand("a", s).size for s in ((), (0,), (3,), (2, 3))] == [1, 0, 3, math.prod((2, 3))]
