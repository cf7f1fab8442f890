"""Text → expression: arithmetic is read, everything else is refused in one line and nothing is executed."""

import math
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedchain.describe.expressions import Symbol, evaluate, text
from closedchain.describe.parameters import BadParameter, Parameter, values_of
from closedchain.describe.parse import MAX_DEPTH, MAX_LENGTH, MAX_NODES, BadExpression, parse

NAMES = {name: Symbol(name) for name in ("l", "d", "m_p")}

ATTACKS = [
    "__import__('os').system('true')",
    "__import__",
    "__builtins__",
    "().__class__",
    "().__class__.__bases__[0].__subclasses__()",
    "l.real",
    "l.__class__",
    "lambda: 1",
    "(lambda: 1)()",
    "[x for x in (1, 2)]",
    "(x for x in l)",
    "{1: 2}",
    "{1, 2}",
    "[1, 2]",
    "l[0]",
    "l[0:1]",
    "f'{l}'",
    "'text'",
    "b'bytes'",
    "(y := 1)",
    "1 if l else 2",
    "l and d",
    "not l",
    "l < d",
    "l == d",
    "l is d",
    "l in d",
    "l, d",
    "(l, d)",
    "*l",
    "sin(*l)",
    "sin(**l)",
    "sin(x=1)",
    "sin(1)(2)",
    "(sin)(1)(2)",
    "sin",
    "eval(1)",
    "exec(1)",
    "open(1)",
    "print(1)",
    "getattr(l, 1)",
    "pow(2, 3)",
    "sin()",
    "sin(1, 2)",
    "atan2(1)",
    "l // d",
    "l % d",
    "l @ d",
    "l << 2",
    "l | d",
    "~1",
    "1j",
    "0x10",
    "1_000",
    "007",
    "1if 2else 3",
    "True",
    "None",
    "...",
    "nan",
    "inf",
    "1e999",
    "(yield)",
    "await l",
    "import os",
    "l = 1",
    "l; d",
    "l\\\n",
    "l # d",
    "",
    "   ",
    "(",
    ")",
    "2l",
    "l d",
    "l\x00d",
    "ｌ",  # a full-width l, which Python's own grammar would take for l
    "λ",
    "٣",  # a digit, but not of ASCII
    "l−d",  # a typographic minus
    "{l}",
    "$l",
    "`l`",
    "9" * 41,
    "1." + "9" * 50,
    "1" * 100_000,
    "(" * 100_000 + "1" + ")" * 100_000,
    "(" * 900 + "1" + ")" * 900,
    "-" * 1900 + "1",
    "not " * 240 + "1",
    "+".join("l" * 400),
    "+".join("l" * (MAX_DEPTH + 2)),
    "sin(" * 150 + "l" + ")" * 150,
]


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_what_is_not_arithmetic_is_refused_in_one_line(attack):
    """No attribute, call, subscript, comprehension, string, walrus, keyword or foreign character gets through."""
    with pytest.raises(BadExpression) as caught:
        parse(attack, NAMES)
    message = str(caught.value)
    assert message.isprintable()
    assert 10 < len(message) < 250


@pytest.mark.parametrize("tower", ["10**10**10", "9**9**9**9**9", "(10**300)**(10**300)", "1e308*10"])
def test_a_tower_of_powers_is_read_at_once_and_never_computed_in_whole_numbers(tower):
    """All numbers are doubles, so that a tower overflows instead of filling the memory."""
    with pytest.raises(BadParameter, match="not a finite number"):
        values_of([Parameter(parse(tower, {}), name="tower")])


@given(st.text(max_size=80))
def test_any_text_is_an_expression_or_a_complaint(source):
    """Nothing but BadExpression comes out, whatever goes in."""
    check(source)


@given(st.text(alphabet="l d_1.e+-*/(), sincoqrt0[]{}:='\"\\\n", max_size=60))
def test_almost_arithmetic_is_an_expression_or_a_complaint(source):
    """The same near the border, where Python's parser would warn or nest."""
    check(source)


def check(source: str) -> None:
    """An expression reads back from its own text; a complaint is one printable line."""
    shown, complaint = "", ""
    try:
        shown = text(parse(source, NAMES))
    except BadExpression as error:
        complaint = str(error)
    assert complaint.isprintable()
    assert complaint or "inf" in shown or "nan" in shown or text(parse(shown, NAMES)) == shown


@pytest.mark.parametrize(
    "source, expected",
    [
        ("1 + 2*3", 7.0),
        ("-2**2", -4.0),
        ("2**3**2", 512.0),
        ("(1 - 2) - 3", -4.0),
        ("8/4/2", 1.0),
        ("+l", 2.0),
        ("l*-d", -6.0),
        ("30*deg", math.pi / 6),
        ("sqrt(l*l + d*d)", math.sqrt(13.0)),
        ("atan2(d, l)", math.atan2(3.0, 2.0)),
        (".5e1", 5.0),
        ("1.e-2", 0.01),
        (" l\n  + d ", 5.0),
        ("abs(l - d)", 1.0),
    ],
)
def test_arithmetic_means_what_python_means(source, expected):
    """Precedence, right-associative powers, unary signs, and lines that go on."""
    assert evaluate(parse(source, NAMES), {"l": 2.0, "d": 3.0, "m_p": 1.0}) == expected


def test_a_misspelt_name_gets_a_suggestion():
    """The nearest known name, or all of them."""
    with pytest.raises(BadExpression, match="unknown name 'll'; did you mean 'l'"):
        parse("ll/2", NAMES)
    with pytest.raises(BadExpression, match="known names: l, d, m_p, pi, deg"):
        parse("velocity", NAMES)


def test_a_given_name_goes_before_a_constant():
    """A mechanism may call a length `pi`, if it must."""
    assert evaluate(parse("pi", {"pi": Symbol("pi")}), {"pi": 3.0}) == 3.0


def test_what_the_limits_allow_is_read():
    """A long formula that stays inside every limit: 90 terms, about 270 parts."""
    source = " + ".join(["l"] * 90)
    assert len(source) < MAX_LENGTH
    assert MAX_NODES > 3 * 90
    assert evaluate(parse(source, NAMES), {"l": 1.0}) == 90.0


def test_names_may_look_like_functions_and_exponents():
    """`e`, `sinus` and `E1` are names like others."""
    names = {n: Symbol(n) for n in ["e", "sinus", "E1", *string.ascii_lowercase]}
    assert evaluate(parse("e + sinus*E1", names), {"e": 1.0, "sinus": 2.0, "E1": 3.0}) == 7.0


def test_a_wide_formula_is_refused_for_its_parts():
    """256 leaves, eight deep and 1021 characters: only the number of parts is too large."""
    source = "l"
    for _ in range(8):
        source = f"({source}+{source})"
    with pytest.raises(BadExpression, match=r"an expression of \d+ parts; at most 500"):
        parse(source, NAMES)


@pytest.mark.parametrize("source, part", [("1 + (l and d)", "l and d"), ("sin(1 if l else 2)", "1 if l else 2")])
def test_what_is_not_allowed_is_quoted(source, part):
    """The part at fault, not the whole formula."""
    with pytest.raises(BadExpression, match=f"^'{part}' is not allowed: only numbers, names"):
        parse(source, NAMES)
