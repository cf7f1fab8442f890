"""Trigonometry out of exactly rounded operations, against 60-digit values."""

import mpmath
import numpy as np
import pytest

from closedchain.kernels import Operand
from closedchain.kernels.build import Builder
from closedchain.kernels.lower import lower
from closedchain.kernels.program import EXACT, run
from closedchain.kernels.tune import quicken

RNG = np.random.default_rng(7)
HALF_PI = [float(mpmath.mpf(int(k)) * mpmath.pi / 2) for k in (*range(1, 400), *RNG.integers(1, 636_619, 600))]
ANGLES = np.concatenate(
    [RNG.uniform(-10, 10, 1500), RNG.uniform(-1e6, 1e6, 1500), 10 ** RNG.uniform(-300, 6, 500), HALF_PI,
     np.nextafter(HALF_PI, 0.0), np.arange(1, 400) * np.pi / 4, -(10 ** RNG.uniform(-20, 6, 300))]
)  # fmt: skip
PROPER = np.concatenate([RNG.uniform(-1, 1, 1500), 1 - 10 ** RNG.uniform(-16, 0, 400), 10 ** RNG.uniform(-300, 0, 400)])
ANY = np.concatenate([RNG.normal(size=1500), 10 ** RNG.uniform(-150, 150, 500), -(10 ** RNG.uniform(-20, 20, 500))])


def ulps(got: np.ndarray, exact: list[mpmath.mpf]) -> float:
    """The largest error in units of the last place of the exact values."""
    with mpmath.workdps(60):
        errors = [
            abs(mpmath.mpf(float(g)) - e) / mpmath.mpf(float(np.spacing(abs(float(e)))))
            for g, e in zip(got, exact, strict=True)
        ]
        return float(max(errors))


WRITTEN = pytest.mark.parametrize("written", [lower, quicken], ids=["written out", "fused"])


@pytest.mark.parametrize(
    "op, domain, bound",  # the bounds are those which the module's docstring promises
    [("sin", ANGLES, 1.0), ("cos", ANGLES, 1.0), ("tan", ANGLES, 2.5), ("atan", ANY, 1.5), ("asin", PROPER, 3.0),
     ("acos", PROPER, 3.0)],
)  # fmt: skip
@WRITTEN
def test_a_function_is_accurate_to_a_few_units_of_the_last_place(op, domain, bound, single, written):
    """Random arguments of all sizes, and the doubles next to multiples of π/2 and π/4, where digits cancel."""
    (got,) = run(written(single(op)), domain)
    with mpmath.workdps(60):
        exact = [getattr(mpmath, op)(mpmath.mpf(float(x))) for x in domain]
    assert ulps(got, exact) < bound


@WRITTEN
def test_atan2_is_accurate_in_all_quadrants(single, written):
    """Directions of all slopes and both orders of magnitude."""
    y, x = RNG.permutation(ANY), RNG.permutation(ANY)
    (got,) = run(written(single("atan2", 2)), y, x)
    with mpmath.workdps(60):
        exact = [mpmath.atan2(mpmath.mpf(float(b)), mpmath.mpf(float(a))) for b, a in zip(y, x, strict=True)]
    assert ulps(got, exact) < 1.5


def test_atan2_is_exact_on_axes_and_diagonals_and_keeps_signs_of_zeros(single, assert_same_bits):
    """As in C, except that both infinite is NaN: such a point has no direction."""
    values = np.array([0.0, -0.0, 1.0, -1.0, 5e-324, 1e300, -1e300, np.inf, -np.inf, np.nan])
    y, x = (grid.ravel() for grid in np.meshgrid(values, values))
    (got,) = run(lower(single("atan2", 2)), y, x)
    assert_same_bits(got, np.where(np.isinf(x) & np.isinf(y), np.nan, np.arctan2(y, x)))


def test_sine_and_cosine_at_special_arguments(single, assert_same_bits):
    """sin keeps the sign of zero; infinite, undefined and absurdly large angles have none."""
    x = np.array([0.0, -0.0, np.inf, np.nan, 1e15, -1e300])
    assert_same_bits(run(lower(single("sin")), x)[0], np.array([0.0, -0.0, *[np.nan] * 4]))
    assert_same_bits(run(lower(single("cos")), x)[0], np.array([1.0, 1.0, *[np.nan] * 4]))


def test_large_angles_lose_no_more_than_half_a_unit_of_the_argument(single):
    """Between 10⁶ and 10¹⁴: the error is that of an argument off by ulp(x)/2, and never leaves [−1, 1]."""
    x = 10 ** RNG.uniform(6, 14, 500)
    for op in ("sin", "cos"):
        (got,) = run(lower(single(op)), x)
        with mpmath.workdps(60):
            exact = np.array([float(getattr(mpmath, op)(mpmath.mpf(float(v)))) for v in x])
        assert np.all(np.abs(got - exact) <= np.spacing(x) / 2)
        assert np.all(np.abs(got) <= 1.0)


@pytest.mark.parametrize("op, x, value", [("acos", 1.0, 0.0), ("acos", -1.0, np.pi), ("acos", 0.0, np.pi / 2),
                                          ("asin", 1.0, np.pi / 2), ("asin", -0.0, -0.0), ("atan", np.inf, np.pi / 2),
                                          ("asin", 1.0000000000000002, np.nan), ("acos", -2.0, np.nan)])  # fmt: skip
def test_inverse_functions_are_exact_at_the_ends_and_undefined_beyond(op, x, value, single, assert_same_bits):
    """Ends of the domain to the bit, NaN outside: never a clamp."""
    assert_same_bits(run(lower(single(op)), x)[0], np.array(value))


def test_sine_and_cosine_of_one_angle_share_their_reduction():
    """Both together cost little more than one."""

    def length(*ops: str) -> int:
        builder = Builder()
        x = builder.input(0, 0)
        results = [builder.emit(op, x) for op in ops]
        program = builder.finish("f", [Operand("x")], [Operand("y", (len(ops),))], results)
        return len(lower(program).code)

    assert length("sin", "cos") - length("sin") <= 10


@pytest.mark.parametrize(
    "op, arity", [("sin", 1), ("cos", 1), ("tan", 1), ("asin", 1), ("acos", 1), ("atan", 1), ("atan2", 2)]
)
def test_a_lowered_program_has_exact_operations_only(op, arity, single):
    """Nothing is left whose bits depend on a library."""
    assert {line.op for line in lower(single(op, arity)).code} <= {"const", "input", *EXACT}
