"""Expressions: their values, derivatives, text and digests."""

import hashlib
import math

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from closedchain.describe.expressions import (
    FUNCTIONS,
    Expr,
    Number,
    Operation,
    Symbol,
    apply,
    derivative,
    digest,
    evaluate,
    evaluate_all,
    expr,
    gradient,
    number_text,
    sqrt,
    symbols,
    text,
    total,
)
from closedchain.describe.parse import parse
from tests.describe.trees import NAMES, build, trees, value

MPMATH = {name: abs if name == "abs" else getattr(mpmath, name) for name in FUNCTIONS}
POINT = {"a": 0.7, "b": -1.3, "c": 0.4}
a, b = Symbol("a"), Symbol("b")


@pytest.fixture(autouse=True, scope="module")
def digits():
    """Enough digits that powers of powers lose none that matter."""
    with mpmath.workdps(120):
        yield


def at() -> dict[str, mpmath.mpf]:
    """The point where values are compared."""
    return {name: mpmath.mpf(number) for name, number in POINT.items()}


@given(trees)
def test_an_expression_has_the_value_of_the_arithmetic_it_was_built_from(tree):
    """Dropping zeros and ones and folding constants changes no value: mpmath on the bare tree agrees."""
    expected = value(tree, at())
    assume(abs(expected) < mpmath.mpf(10) ** 40)
    found = evaluate(build(tree), at(), MPMATH)
    # constants are small dyadic numbers, folded exactly by doubles below 2**53; larger folds round at 1e-16
    assert abs(found - expected) <= mpmath.mpf(10) ** -12 * (1 + abs(expected))


@given(trees, st.sampled_from(NAMES))
def test_a_derivative_is_the_limit_of_differences(tree, name):
    """mpmath differentiates the bare tree by differences at 120 digits; ours is exact."""

    def along(t: mpmath.mpf) -> mpmath.mpf:
        return value(tree, {**at(), name: t})

    expected = mpmath.diff(along, at()[name])
    assume(abs(expected) < mpmath.mpf(10) ** 40)
    found = evaluate(derivative(build(tree), name), at(), MPMATH)
    assert abs(found - expected) <= mpmath.mpf(10) ** -12 * (1 + abs(expected))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_has_its_derivative(function):
    """Each row of the table against mpmath's differences at 0.3 (and 0.6 for a second argument)."""
    count = FUNCTIONS[function][0]
    names, point = NAMES[:count], [mpmath.mpf(3) / 10, mpmath.mpf(6) / 10][:count]
    slopes = gradient(apply(function, *map(Symbol, names)), names)
    found = evaluate_all(slopes, dict(zip(names, point, strict=True)), MPMATH)
    for i in range(count):
        order = tuple(int(j == i) for j in range(count))
        expected = mpmath.diff(MPMATH[function], tuple(point), order)
        assert abs(found[i] - expected) < mpmath.mpf(10) ** -30  # half of the 120 digits, with room


def test_a_power_with_a_symbolic_exponent_has_both_derivatives():
    """∂(a^b)/∂a = b a^(b−1), ∂(a^b)/∂b = log(a) a^b."""
    slopes = evaluate_all(gradient(a**b, ("a", "b")), {"a": 2.0, "b": 3.0})
    assert slopes == pytest.approx([12.0, 8.0 * math.log(2.0)], rel=1e-15)


@given(trees)
def test_text_reads_back_to_the_same_structure(tree):
    """Not only the same value: the same digest, so that a file and a function share one compiled kernel."""
    e = build(tree)
    again = parse(text(e), {name: Symbol(name) for name in NAMES})
    assert digest([again]) == digest([e])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_to_the_same_bits(number):
    """Also −0.0, subnormals and 1e308."""
    again = parse(number_text(number), {})
    assert isinstance(again, Number)
    assert again.value.hex() == float(number).hex()


@pytest.mark.parametrize(
    "e, shown",
    [
        (-a / 2, "-(a/2)"),
        (a * -b, "-(a*b)"),
        ((a + b) * a, "(a + b)*a"),
        (a - (b - a), "a - (b - a)"),
        (a / (b * a), "a/(b*a)"),
        ((-a) ** 2, "(-a)**2"),
        (-(a**2), "-a**2"),
        (a**b**2, "a**b**2"),
        ((a**b) ** 2, "(a**b)**2"),
        (a + -2, "a - 2"),
        (sqrt(a * a + 1), "sqrt(a*a + 1)"),
    ],
)
def test_text_is_what_one_would_type(e, shown):
    """Parentheses only where they are needed."""
    assert text(e) == shown


def test_text_shows_numbers_beyond_doubles():
    """A fold that overflows can be shown in an error message."""
    assert text(expr(1e308) * 10) == "inf"
    assert text(Number(math.nan)) == "nan"


def test_zeros_and_ones_vanish():
    """The rules that keep derivatives short."""
    assert text(0 * a + 1 * b - 0) == "b"
    assert text(a**1 * b**0) == "a"
    assert text(0 / a) == "0"
    negative = -a
    assert text(-negative) == "a"


def test_a_digest_is_the_hash_of_numbered_rows():
    """Written out by hand: the same in every process and on every machine, or cached kernels would never be found."""
    rows = "s a\ns b\n+ 0 1\n[2]"
    assert digest([a + b]) == hashlib.sha256(rows.encode()).hexdigest()


def test_a_digest_sees_structure_not_identity():
    """Two objects of one structure agree; a renamed symbol, another number or another order do not."""
    first = digest([a + 2 * b])
    assert digest([Symbol("a") + 2 * Symbol("b")]) == first
    others = [b + 2 * a, a + 3 * b, 2 * b + a, a - 2 * b]
    assert len({first, *(digest([o]) for o in others)}) == 5


def test_shared_parts_are_computed_once():
    """Sixty doublings make 2^60 paths and sixty-one parts."""
    calls = []

    def counted(x: float) -> float:
        calls.append(x)
        return math.sin(x)

    e: Expr = a
    for _ in range(60):
        inner = apply("sin", e)
        e = inner + inner
    evaluate(e, {"a": 0.5}, {"sin": counted})
    assert len(calls) == 60
    assert list(symbols([e])) == ["a"]
    assert digest([e]) != digest([e + 1])
    assert math.isfinite(evaluate(derivative(e, "a"), {"a": 0.5}))


def test_a_long_sum_is_shallow():
    """`total` balances: ten thousand terms evaluate without deep recursion."""
    e = total([a * float(i) for i in range(10_000)])
    assert evaluate(e, {"a": 1.0}) == 10_000 * 9_999 / 2


def test_a_negative_number_has_no_fractional_power():
    """Python's (-8)**0.5 is complex; here it is a domain error, also inside abs."""
    with pytest.raises(ValueError, match="fractional power"):
        evaluate(apply("abs", Operation("**", (a, Number(0.5)))), {"a": -8.0})


@pytest.mark.parametrize("thing", [True, "1", None, 1j, [1]])
def test_only_numbers_become_expressions(thing):
    """A bool is not a number."""
    with pytest.raises(TypeError, match="expression or a number"):
        expr(thing)
