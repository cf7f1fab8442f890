"""MathML: of MathML Core only, well formed whatever is named how, and worth what the model computes."""

import math
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import sympy as sp

import closedchain as cc
from closedchain.export.boxes import ROOM, broken
from closedchain.export.formulas import Formulas
from closedchain.export.listing import formulas, letters
from closedchain.export.mathml import blocks, expression, page
from closedchain.export.notation import Letter, letter, rule
from closedchain.model.dynamics import terms
from closedchain.model.sampling import sample
from tests.export.mathml_reader import M, kind, name, names, value

CORE = {  # https://www.w3.org/TR/mathml-core/, as far as we use it
    "math": {"display"}, "mrow": set(), "mi": set(), "mn": set(), "mtext": set(), "mspace": {"width"},
    "mo": {"form", "stretchy", "rspace"}, "mfrac": set(), "msqrt": set(), "msub": set(), "msup": set(),
    "msubsup": set(), "mover": {"accent"}, "mtable": {"class", "displaystyle"}, "mtr": set(), "mtd": set(),
}  # fmt: skip
LOOPS = ("A_q", "B_q", "J_q", "A_q_dot", "B_q_dot", "A_u", "B_u", "A_p", "B_p", "det_A")
ROBOTS = ("biglide", "furuta", "triplate", "slidercrank")
a, b, c = sp.symbols("a b c", real=True)
SIGNS = {a: Letter("a"), b: Letter("b"), c: Letter("c")}
AT = {"a": 0.3, "b": 1.7, "c": -0.6}


def row(children):
    """Elements as one."""
    made = ET.Element(f"{M}mrow")
    made.extend(list(children))
    return made


def right_side(source):
    """What stands behind the last `=`."""
    tree = ET.fromstring(source)
    last = max(k for k, child in enumerate(tree) if child.text == "=")
    return row(tree[last + 1 :])


def entries(formula, sources):
    """The elements of a matrix by row and column, whether it is printed whole or entry by entry."""
    inner = right_side(sources[-1])[0]
    if kind(inner) == "mrow" and inner[0].text == "[":
        return {(i, j): row(cell) for i, line in enumerate(inner[1]) for j, cell in enumerate(line)}
    listed = sources[-len(formula.positions) :]
    return dict(zip(formula.positions, map(right_side, listed), strict=True))


def numbers(formula, sources, values):
    """The matrix from its MathML."""
    found = np.zeros(formula.right.shape)
    for (i, j), element in entries(formula, sources).items():
        found[i, j] = value(element, values)
        if formula.symmetric:
            found[j, i] = found[i, j]
    return found


def key(name):
    """q1_dot → q1. and m_p → mp, J[1,2] → J12: as the reader spells them."""
    return re.sub(r"[_\[\],]", "", name.removesuffix("_dot")) + "." * name.endswith("_dot")


@pytest.fixture(scope="module")
def typeset():
    """Of a robot: the model, and each formula with its MathML; derived once."""
    known = {}

    def make(robot):
        if robot not in known:
            model = cc.load(robot)
            signs = letters(model.equations)
            known[robot] = model, [(one, blocks(one, signs)) for one in formulas(Formulas(model.equations))]
        return known[robot]

    return make


@pytest.mark.parametrize("robot", ROBOTS)
def test_only_elements_and_attributes_of_mathml_core(typeset, robot):
    """What Chromium, Firefox and Safari draw without a library; every block is well-formed XML."""
    for _, sources in typeset(robot)[1]:
        for source in sources:
            for node in ET.fromstring(source).iter():
                assert node.tag.startswith(M)
                assert set(node.attrib) <= CORE[kind(node)], node.tag


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_symbols_that_are_printed_are_those_of_the_formula(typeset, robot):
    """All of them, and no other."""
    for formula, sources in typeset(robot)[1]:
        if formula.right is not None and not formula.right.is_zero_matrix:
            printed = set().union(*map(names, entries(formula, sources).values()))
            assert printed == {key(s.name) for s in formula.right.free_symbols}, formula.name


@pytest.mark.parametrize("robot", ROBOTS)
def test_formulas_read_from_the_mathml_are_what_the_model_computes(typeset, robot):
    """Each matrix, evaluated from its elements at a random state, against the compiled kernels."""
    model, listed = typeset(robot)
    state = sample(model, 1, seed=3)
    z, z_dot = [*state.q[0], *state.x[0]], [*state.q_dot[0], *state.x_dot[0]]
    values = model.values | {c.name: x for c, x in zip(model.equations.z, z, strict=True)}
    values |= {c.rate.name: x for c, x in zip(model.equations.z, z_dot, strict=True)}
    known = cc.evaluate(model, q=state.q[0], x=state.x[0], q_dot=state.q_dot[0]) if model.nx else None
    if known:
        joints = [r.name for r in model.equations.readouts]
        values |= dict(zip(joints, known.passive, strict=True))
        values |= dict(zip((f"{name}_dot" for name in joints), known.passive_dot, strict=True))
    values = {key(name): x for name, x in values.items()}
    ours = {}
    for formula, sources in listed:
        if formula.right is None or formula.name in ours or formula.about.startswith("Efforts"):
            continue
        ours[formula.name] = numbers(formula, sources, values)
        if formula.name in ("quadratics", "differences"):
            values |= dict(zip(map(key, formula.labels), ours[formula.name][:, 0], strict=True))
        if formula.name in ("A", "J", "b"):
            found = ours[formula.name]
            places = (
                (f"{i + 1}" if formula.name == "b" else f"{i + 1}{j + 1}", i, j) for i, j in np.ndindex(found.shape)
            )
            values |= {f"{formula.name}{place}": found[i, j] for place, i, j in places}
    found = terms(model, state)
    if model.nx:
        kernel = model.call("closures", q=state.q[0], x=state.x[0])
        theirs = {"phi": kernel["phi"], "A": kernel["A"], "B": kernel["B"], "M_z": found.M_z[0], "h_z": found.h_z[0]}
        theirs |= {"passive": known.passive, "J": known.J, "b": known.b, "M": known.M, "c": known.c}
        theirs |= {"L_p": np.diag(known.l_p)} | {name: getattr(known, name) for name in LOOPS}
        theirs = {name: number for name, number in theirs.items() if name in ours}
        assert theirs.keys() >= {"phi", "A", "B", "M_z"}
    else:
        theirs = {"M": found.M_z[0], "C": found.C_z[0]}
        ours["h_z"] = ours["C"] @ z_dot + (ours["friction"] + ours["gravity"])[:, 0]
        theirs["h_z"] = found.h_z[0]
    for quantity, number in theirs.items():
        number = np.asarray(number).reshape(ours[quantity].shape)
        np.testing.assert_allclose(ours[quantity], number, atol=1e-9 * (1 + np.abs(number).max()), err_msg=quantity)


@pytest.mark.parametrize(
    "e",
    [
        a - b, -a - b, -(a + b) * c, a * (b - c) ** 2, a / (b + c), -a / 2, sp.Rational(2, 3) * a, sp.sqrt(a + b) / 3,
        1 / sp.sqrt(b), sp.sin(a) ** 2 * sp.cos(b + c), sp.atan2(a - b, c), sp.Abs(a - b) ** 3, sp.exp(-a * b),
        sp.log(b), b**a, b ** sp.Rational(3, 2), sp.Float(9.80665) * a, sp.Float(1.5e-12) * a, 2**a, sp.Integer(-3),
        (a**2) ** b, sp.sin(sp.sin(a)), sp.Rational(-1, 2), sp.pi * a**2, sp.tanh(a) * sp.tan(b) / sp.acos(a),
        a * b / (c * (a - c) ** 2),
    ],
)  # fmt: skip
def test_an_expression_keeps_its_value(e):
    """Signs, brackets, fractions, roots, powers of functions and numbers of any size."""
    element = ET.fromstring(f'<math xmlns="{M[1:-1]}"/>')
    element.extend(ET.fromstring(ET.tostring(row_with_namespace(expression(e, SIGNS)))))
    expected = float(e.subs({a: AT["a"], b: AT["b"], c: AT["c"]}))
    assert value(element, AT) == pytest.approx(expected, rel=1e-14)


def row_with_namespace(box):
    """A box as one element that stands alone."""
    made = ET.Element("mrow", xmlns=M[1:-1])
    made.extend(box.items)
    return made


def test_a_long_sum_is_broken_into_lines_and_keeps_its_value():
    """No line is wider than the room, a closing bracket begins none, and their tokens in a row are the formula."""
    e = a * sum(sp.sin(k * a) * (b + k) ** 2 for k in range(1, 30))
    box = expression(e, SIGNS)
    lines = broken(box, ROOM)
    assert len(lines) > 5
    assert all(sum(part.width for part in line) <= ROOM for line in lines)
    assert not any(line[0].items[0].text == ")" for line in lines)
    element = row(ET.fromstring(ET.tostring(row_with_namespace(part))) for line in lines for part in line)
    assert value(element, AT) == pytest.approx(float(e.subs({a: AT["a"], b: AT["b"]})), rel=1e-13)


def test_names_of_any_kind_are_escaped():
    """A symbol that would be markup is text."""
    evil = sp.Symbol("<script>", real=True)
    box = expression(evil * a, SIGNS | {evil: Letter("<script>", 'x"&')})
    source = ET.tostring(row_with_namespace(box), encoding="unicode")
    assert "<script" not in source
    assert "<script>" in list(ET.fromstring(source).itertext())


def test_greek_letters_indices_and_dots_are_marks_of_their_own():
    """theta1_dot: θ under a dot, with the index 1."""
    box = expression(a**2, {a: letter("theta1", dots=1)})
    node = ET.fromstring(ET.tostring(row_with_namespace(box)))[0]
    assert kind(node) == "msubsup"
    assert name(node) == "theta1."
    assert [kind(child) for child in node] == ["mover", "mn", "mn"]


def test_the_page_is_whole_and_asks_for_nothing():
    """One file: a heading for each title, no script, no address but the names of MathML."""
    equations = cc.load("furuta").equations
    source = page(equations)
    titles = [one.about for one in formulas(Formulas(equations)) if one.about]
    assert re.findall("<h2>(.+?)</h2>", source) == [title.replace("'", "&#x27;") for title in titles]
    assert set(re.findall(r"https?://[^\"]+", source)) == {M[1:-1]}
    assert "<script" not in source


def test_a_rule_is_read_in_its_parts():
    """T is a matrix, but an energy behind ∂²; a bracket carries its power."""
    (energy,) = rule("∂²T/∂z_dot²")
    assert energy.above == Letter("T", partial="∂²")
    assert energy.below == Letter("z", dots=1, is_bold=True, power="2", partial="∂")
    assert rule("Tᵀ M_z")[0] == Letter("T", is_bold=True, power="T")
    assert rule("[B A]ᵀ lam")[0].power == "T"
    assert math.prod(len(part.parts) for part in rule("−A⁻¹(A_dot x_dot + b)") if hasattr(part, "parts")) == 4
