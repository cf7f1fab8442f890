"""A tuned scan is the scan that was written, to a few units of the last place, and what is constant is made once."""

from dataclasses import replace
from fractions import Fraction

import casadi as ca
import numpy as np
import pytest

from closedchain.kernels import Operand, Scan
from closedchain.kernels.build import Builder
from closedchain.kernels.cache import Library
from closedchain.kernels.entry import Entry
from closedchain.kernels.llvm import Host, compile_object, emit, host
from closedchain.kernels.lower import lower
from closedchain.kernels.program import run
from closedchain.kernels.signature import signature_of
from closedchain.kernels.trace import trace
from closedchain.kernels.tune import tune, unchanging

X, U, P = ca.SX.sym("x", 2), ca.SX.sym("u"), ca.SX.sym("p", 3)
GIVEN = {"x": X, "u": U, "p": P}


def scan(following: ca.SX, *, single: bool = False, **more: ca.SX) -> Scan:
    """x goes round, u is stepped, p is constant; `more` is recorded."""
    program = trace("f", GIVEN, {"x_next": following} | more)
    return Scan(program, (("x", "x_next"),), ("u",), tuple(more), single=single)


def operations(found: Scan, numbers) -> list[str]:
    """The operations of some values."""
    return sorted(found.program.code[n].op for n in numbers)


def oscillator() -> ca.SX:
    """Products, quotients by a constant, a root and a sine of constants, and a choice."""
    force = U - X[0] * P[0] - ca.sqrt(P[1]) * ca.sin(P[2]) * X[1]
    return ca.vertcat(X[0] + 0.01 * X[1], ca.if_else(X[0] > 0, X[1] + 0.01 * force / P[1], X[1] + force / (P[1] * 90)))


def random_arrays(batch: int, steps: int) -> list[np.ndarray]:
    """States, inputs and positive parameters."""
    rng = np.random.default_rng(11)
    return [rng.normal(size=(batch, 2)), rng.normal(size=(batch, steps)), rng.uniform(0.5, 2.0, (batch, 3))]


# What does not change -------------------------------------------------------------------------------------------------


def test_what_depends_on_constants_alone_is_found():
    """√p₁ sin p₂ is; a product with x or u is not, nor is the step itself."""
    found = scan(ca.vertcat(X[0] * ca.sqrt(P[1]) * ca.sin(P[2]), U * P[0]))
    assert operations(found, unchanging(found)) == ["input", "input", "input", "sin", "sqrt"]


@pytest.mark.parametrize("width", [1, 4])
def test_constants_are_computed_before_the_first_step(width):
    """The only root and the only division stand in front of the loop, trigonometry of constants too."""
    before, _, after = emit(scan(oscillator()), width).partition("\nstep:")
    assert before.count("fdiv") == 2  # by p₁ and by 90 p₁
    assert before.count("@llvm.sqrt") == 1
    assert after.count("fdiv") == after.count("@llvm.sqrt") == 0
    assert after.count("fmul") + after.count("@llvm.fma") < 15  # a sine alone has more


def test_no_division_by_a_constant_is_left_at_a_step():
    """Only the division by x is."""
    found = tune(scan(ca.vertcat(X[0] / P[0] + U / 7, P[1] / X[1] / P[0])))
    still = unchanging(found)
    divided = [line for n, line in enumerate(found.program.code) if line.op == "div" and n not in still]
    assert len(divided) == 1
    assert divided[0].args[1] not in still


def test_a_product_with_a_reciprocal_is_off_by_less_than_one_and_a_half_units():
    """Against exact fractions, 4000 quotients of all sizes; they are not all exact, so the bound says something."""
    rng = np.random.default_rng(5)
    x = np.column_stack([rng.uniform(1, 2, 4000) * 10.0 ** rng.integers(-100, 100, 4000), np.zeros(4000)])
    d = rng.uniform(1, 2, 4000) * 10.0 ** rng.integers(-100, 100, 4000)
    program = tune(scan(ca.vertcat(X[0] / P[0], 0))).program
    (got,) = run(program, x, np.zeros(4000), np.column_stack([d, d, d]))
    errors = [
        float(abs(Fraction(g) - Fraction(a) / Fraction(b)) / Fraction(np.spacing(abs(a / b))))
        for g, a, b in zip(got[:, 0].tolist(), x[:, 0].tolist(), d.tolist(), strict=True)
    ]
    assert 0.5 < max(errors) < 1.5


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("divisor", [0.0, -0.0, np.inf, -np.inf, np.nan])
def test_a_division_by_a_constant_zero_is_what_it_was(divisor, single, compiled, assert_same_bits):
    """Made early, 1/0 traps nothing and warns of nothing; quotients keep their infinities, signs and NaN."""
    f = compiled(scan(ca.vertcat(U / P[0], X[1]), single=single, seen=U / P[0]))["f"]
    u = np.array([1.0, -2.0, 0.0, -0.0, np.inf, np.nan])
    with np.errstate(all="ignore"):
        want = u / divisor
    for steps in (0, 6):
        seen, _ = f(np.zeros((3, 2)), u[:steps], [divisor, 1.0, 1.0])
        assert_same_bits(seen, np.broadcast_to(want[:steps], (3, steps)))


def test_a_run_that_a_constant_makes_undefined_ends_at_its_first_step(compiled):
    """0/0 is NaN and stops; beside it, with another constant, 0/2 goes on."""
    program = trace("f", GIVEN, {"x_next": ca.vertcat(0 * U, X[1] + 1), "stop": X[0] / P[0]})
    for single in (False, True):
        f = compiled(Scan(program, (("x", "x_next"),), ("u",), single=single))["f"]
        final, steps = f(np.zeros(2), np.ones(4), np.array([[0.0, 1, 1], [2.0, 1, 1]]))
        np.testing.assert_array_equal(steps, [1.0, 4.0])
        np.testing.assert_array_equal(final, [[0.0, 1.0], [0.0, 4.0]])


# One rounding ---------------------------------------------------------------------------------------------------------


def test_a_sum_with_a_product_is_rounded_once():
    """x₀x₁ + u, u − x₀x₁ and x₀x₁ − u: the nearest double to the exact value, by fractions."""
    product = X[0] * X[1]
    found = scan(X, a=product + U, b=U - product, c=product - U)
    rng = np.random.default_rng(2)
    x, u = rng.normal(size=(200, 2)), rng.normal(size=200)
    made = run(tune(found).program, x, u, np.zeros((200, 3)))[1:]
    exact = [Fraction(a) * Fraction(b) for a, b in x.tolist()]
    for got, sign, plus in zip(made, (1, -1, 1), (1, 1, -1), strict=True):
        want = [float(sign * p + plus * Fraction(v)) for p, v in zip(exact, u.tolist(), strict=True)]
        np.testing.assert_array_equal(got, want)
    plain = run(lower(found.program), x, u, np.zeros((200, 3)))[1]
    assert (plain != made[0]).any()  # two roundings are seen to differ


def test_a_value_does_not_depend_on_what_else_is_computed(compiled):
    """A product that is also recorded is fused all the same: the states agree to the bit."""
    force = X[0] * P[0] + X[1] * U
    following = ca.vertcat(X[1], force)
    alone, watched = (
        compiled(scan(following))["f"],
        compiled(scan(following, seen=X[1] * U, twice=X[0] * P[0] + 1))["f"],
    )
    arrays = random_arrays(5, 30)
    np.testing.assert_array_equal(alone(*arrays), watched(*arrays)[-1])


def test_a_choice_is_one_instruction():
    """CasADi writes it as a sum of two."""
    found = tune(scan(ca.vertcat(ca.if_else(U > 0, X[0], X[1]), X[1])))
    assert [line.op for line in found.program.code if line.op in ("select", "add", "not")] == ["select"]
    (got,) = run(found.program, [[1.0, np.nan], [np.inf, 2.0]], [1.0, -1.0], np.zeros((2, 3)))
    np.testing.assert_array_equal(got[:, 0], [1.0, 2.0])


def test_sums_of_other_choices_are_kept():
    """Only halves of one choice are joined: the same condition, opposite sides."""
    builder = Builder()
    c, a, b, zero = builder.input(1, 0), builder.input(0, 0), builder.input(0, 1), builder.const(0.0)
    other = builder.emit("lt", a, b)
    left, right = builder.emit("select", c, a, zero), builder.emit("select", c, zero, b)
    sums = [(left, right), (right, left), (left, builder.emit("select", c, b, zero)), (left, left)]
    sums += [(left, builder.emit("select", other, zero, b)), (left, b)]
    results = [builder.emit("add", *pair) for pair in sums]
    shape = [Operand("x", (2,)), Operand("u")], [Operand("x_next", (2,)), Operand("y", (4,))]
    program = builder.finish("f", *shape, results)
    tuned = tune(Scan(program, (("x", "x_next"),), ("u",), ("y",))).program
    x, u = np.random.default_rng(3).normal(size=(50, 2)), np.arange(50) % 2
    for got, want in zip(run(tuned, x, u), run(program, x, u), strict=True):
        np.testing.assert_array_equal(got, want)
    assert [sum(line.op == "add" for line in found.code) for found in (program, tuned)] == [5, 4]


def test_tuning_keeps_the_digits():
    """One step of the oscillator: the tuned program and the plain one agree to a few roundings of its terms."""
    found = scan(oscillator())
    x, u, p = random_arrays(500, 1)
    plain, tuned = (run(program, x, u[:, 0], p)[0] for program in (lower(found.program), tune(found).program))
    np.testing.assert_allclose(tuned, plain, rtol=0, atol=8 * np.finfo(float).eps)  # terms of order one, few of them
    assert len(tune(found).program.code) < len(lower(found.program).code)


def test_trigonometry_of_the_state_is_left_as_it_is(assert_same_bits):
    """Its roundings are planned: sin x in a scan has the bits of sin x anywhere."""
    x = np.random.default_rng(4).uniform(-100, 100, (300, 2))
    found = scan(ca.sin(X))
    tuned, plain = (
        run(p, x, np.zeros(300), np.zeros((300, 3)))[0] for p in (tune(found).program, lower(found.program))
    )
    assert_same_bits(tuned, plain)


# Widths and CPUs ------------------------------------------------------------------------------------------------------


def test_code_for_one_rollout_at_a_time_gives_the_bits_of_vectors(compiled, assert_same_bits):
    """Seven rollouts of an oscillator with a stop, in vectors, one by one in one call, and alone."""
    program = trace("f", GIVEN, {"x_next": oscillator(), "seen": X, "stop": X[0] > 1.5})
    wide = Scan(program, (("x", "x_next"),), ("u",), ("seen",))
    narrow = replace(wide, single=True)
    arrays = random_arrays(7, 60)
    want = compiled(wide)["f"](*arrays)
    one_by_one = compiled(narrow)["f"]
    assert 0 < (want[2] < 60).sum() < 7  # some stop early
    for got, w in zip(one_by_one(*arrays), want, strict=True):
        assert_same_bits(got, w)
    for i in range(7):
        for got, w in zip(one_by_one(*(a[i] for a in arrays)), want, strict=True):
            assert_same_bits(got, w[i])


def test_a_scan_for_one_rollout_has_no_vectors():
    """Its text says so, and so does its code."""
    narrow, wide = (scan(oscillator(), single=single) for single in (True, False))
    assert "<4 x" not in emit(narrow, 4)
    assert "<4 x" in emit(wide, 4)
    assert narrow.text != wide.text


def test_a_cpu_without_fused_multiply_add_gives_the_same_bits(assert_same_bits):
    """The oldest 64-bit PC: the C library rounds once, too."""
    if not host().triple.startswith("x86_64"):
        pytest.skip("every other CPU here has the instruction")
    routine = scan(oscillator(), seen=oscillator())
    old = Host(host().triple, "x86-64", "+sse2,-fma,-avx,-avx2")
    libraries = [
        Library(Entry("t", (signature_of(routine),), compile_object([routine], target=t))) for t in (old, host())
    ]
    arrays = random_arrays(6, 40)
    for got, want in zip(*(library["f"](*arrays) for library in libraries), strict=True):
        assert_same_bits(got, want)


def test_this_machine_is_asked_once():
    """Asking LLVM takes a millisecond, which every load would pay."""
    assert host() is host()
