"""Formulas: they are what the compiled kernels compute, and the LaTeX around them is well formed."""

import math
import re
from functools import cache

import matplotlib.mathtext
import numpy as np
import pytest
import sympy as sp

import closedchain as cc
from closedchain import robots
from closedchain.describe.files import loads
from closedchain.export.formulas import Formulas, closed_form
from closedchain.export.latex import latex, letter_tex, markdown
from closedchain.export.listing import formulas, text
from closedchain.export.loops import LoopFormulas
from closedchain.export.notation import letter
from closedchain.export.sextic import DIFFERENCES, QUADRATICS, sextics
from closedchain.model.dynamics import terms
from closedchain.model.sampling import sample

# Written out, the formulas of bodies that turn in space are too long for SymPy to print in a test.
FLAT = [name for name in robots.names() if (m := cc.load(name).mechanism) is None or not m.solids]
SMALL = [name for name in FLAT if 0 < len(cc.load(name).equations.x) <= 2]
COLLIDING = """
schema = "closedchain.mechanism/1"
name = "colliding"
output = "C"
[parameters]
b_1 = 0.3
J_11 = 2.0
[points]
C = { free = true, mass = "b_1*J_11" }
[drives.q1]
slider = { at = [-0.2, 0], along = [0, 1] }
point = "A1"
[drives.q2]
slider = { at = [0.2, 0], along = [0, 1] }
point = "A2"
[[bars]]
between = ["A1", "C"]
length = "b_1"
[[bars]]
between = ["A2", "C"]
length = "b_1"
"""


@cache
def loaded(name):
    """A robot and its formulas, derived once."""
    model = cc.load(name)
    return model, Formulas(model.equations)


def at(f, model, state, i, **more):
    """The values of all symbols at the i-th state of a batch."""
    z = [*state.q[i], *state.x[i]], [*state.q_dot[i], *state.x_dot[i]]
    values = model.values | dict(zip([c.name for c in model.equations.z], z[0], strict=True))
    values |= dict(zip([c.rate.name for c in model.equations.z], z[1], strict=True))
    return {f.symbols[name]: value for name, value in values.items()} | more.get("entries", {})


def number(matrix, values):
    """A SymPy matrix as doubles."""
    symbols = list(values)
    return np.array(sp.lambdify(symbols, matrix, "numpy")(*values.values()), dtype=float)


def assert_close(ours, theirs, name):
    """To 1e-9 of the largest entry: cancellation in the written-out forms, no more."""
    np.testing.assert_allclose(ours, theirs, atol=1e-9 * (1 + np.abs(theirs).max(initial=0.0)), err_msg=name)


@pytest.mark.parametrize("name", FLAT)
def test_formulas_in_z_are_what_the_kernels_compute(name):
    """SymPy's φ, A, B, M_z, h_z, readouts against the compiled kernels, which CasADi derived, at random states."""
    model, f = loaded(name)
    state = sample(model, 3, seed=5)
    found = terms(model, state)
    for i in range(3):
        values = at(f, model, state, i)
        assert_close(number(f.M_z, values), found.M_z[i], "M_z")
        assert_close(number(f.h_z, values)[:, 0], found.h_z[i], "h_z")
        assert_close(number(f.C_z, values), found.C_z[i], "C_z")
        if not model.nx:
            continue
        kernel = model.call("closures", q=state.q[i], x=state.x[i])
        assert_close(number(f.phi, values)[:, 0], kernel["phi"], "phi")
        assert_close(number(f.A, values), kernel["A"], "A")
        assert_close(number(f.B, values), kernel["B"], "B")
        if model.equations.readouts:
            passive = cc.evaluate(model, q=state.q[i], x=state.x[i]).passive
            assert_close(number(f.readouts, values)[:, 0], passive, "readouts")


@pytest.mark.parametrize("name", ["biglide", "fivebar", "fourbar", "slidercrank", "triplate", "rrr3", "rpr3"])
def test_formulas_of_the_passive_loops_are_what_evaluate_computes(name):
    """SymPy's h_q is zero, and its A_q, B_q, rates, A_u, B_u, A_p, B_p are the compiled ones, at a random state."""
    model, f = loaded(name)
    loops = LoopFormulas(f, model.passive_loops)
    state = sample(model, 1, seed=6)
    known = cc.evaluate(model, q=state.q[0], x=state.x[0], q_dot=state.q_dot[0])
    values = at(f, model, state, 0)
    turns = [i for i, c in enumerate(model.equations.x) if c.unit == "rad"]
    joints = [*known.passive, *known.x[turns]], [*known.passive_dot, *known.x_dot[turns]]
    values |= dict(zip([*loops.joints, *loops.joints_dot], [*joints[0], *joints[1]], strict=True))
    np.testing.assert_allclose(number(loops.h, values), 0, atol=1e-12 * model.scale)
    for quantity in ("A_q", "B_q", "A_q_dot", "B_q_dot", "A_u", "B_u", "A_p", "B_p"):
        assert_close(number(getattr(loops, quantity), values), getattr(known, quantity), quantity)
    assert_close(np.diag(number(loops.L_p, values)), known.l_p, "L_p")
    if loops.J_q is not None:
        assert_close(number(loops.J_q, values), known.J_q, "J_q")


@pytest.mark.parametrize("name", ["biglide", "fivebar", "triplate", "delta"])
def test_the_formula_of_det_a_is_the_determinant(name):
    """Written out for two closures, in the entries of A for three."""
    model, f = loaded(name)
    state = sample(model, 1, seed=6)
    values = at(f, model, state, 0)
    A = number(f.A, values)
    entries = {sp.Symbol(f"A[{i + 1},{j + 1}]", real=True): A[i, j] for i, j in np.ndindex(A.shape)}
    np.testing.assert_allclose(number(f.det_A, values | entries)[0, 0], np.linalg.det(A), rtol=1e-9)


def test_the_formulas_of_the_sextic_give_the_reference_polynomial():
    """Seed 002's drives: quadratics, then coefficients, made monic, against the 30-digit reference (TRUTH.md §2)."""
    model, f = loaded("triplate")
    (sextic,) = sextics(f)
    q = [-2.45301657642206, 2.4671676132511835, 4.69041575982343]
    values = {f.symbols[name]: value for name, value in model.values.items()}
    values |= {f.symbols[c.name]: value for c, value in zip(model.equations.q, q, strict=True)}
    for names, part in ((QUADRATICS, sextic.quadratics), (DIFFERENCES, sextic.differences)):
        found = number(part, values)[:, 0]
        values |= {sp.Symbol(name, real=True): value for name, value in zip(names, found, strict=True)}
    coefficients = number(sextic.coefficients, values)[:, 0]
    expected = [1, 4.946691185906139, 2.9033527915724844, 4.813456001673676]
    expected += [-5.254664554135878, -0.025999550107399204, 0.4194115932335851]
    np.testing.assert_allclose(coefficients / coefficients[0], expected, rtol=1e-10)
    assert "c[6] = " in text(model.equations)


@pytest.mark.parametrize("name", SMALL)
def test_reduced_formulas_are_what_evaluate_says(name):
    """J, b, and M and c in the entries of J and b, for the robots whose A⁻¹ is written out."""
    model, f = loaded(name)
    state = sample(model, 3, seed=6)
    assert f.is_small
    for i in range(3):
        values = at(f, model, state, i)
        known = cc.evaluate(model, q=state.q[i], x=state.x[i], q_dot=state.q_dot[i])
        J, b = number(f.J, values), number(f.b, values)
        assert_close(J, known.J, "J")
        assert_close(b[:, 0], known.b, "b")
        entries = dict(zip([*f.J_entries, *f.b_entries], [*J.ravel(), *b.ravel()], strict=True))
        assert_close(number(f.M, values | entries), known.M, "M")
        assert_close(number(f.c, values | entries)[:, 0], known.c, "c")
        if f.is_rational:
            assert_close(number(f.written_out(f.M), values), known.M, "M written out")
            assert_close(number(f.written_out(f.c), values)[:, 0], known.c, "c written out")


def test_parameters_called_like_entries_do_not_mix_with_them():
    """A file may call its parameters b_1 and J_11: the bar's length is not the first entry of b."""
    model = cc.load(loads(COLLIDING))
    f, state = Formulas(model.equations), sample(model, 2, seed=0)
    known = cc.evaluate(model, q=state.q[0], x=state.x[0], q_dot=state.q_dot[0])
    values = at(f, model, state, 0)
    assert_close(number(f.written_out(f.M), values), known.M, "M")
    assert_close(number(f.written_out(f.c), values)[:, 0], known.c, "c")


def test_the_biglide_has_its_familiar_form():
    """M = m_f 1 + m_p JᵀJ, c = m_p Jᵀb."""
    f = loaded("biglide")[1]
    J, b, m_f, m_p = f.J_entries, f.b_entries, f.symbols["m_f"], f.symbols["m_p"]
    assert (f.M - (m_f * sp.eye(2) + m_p * J.T * J)).expand() == sp.zeros(2)
    assert (f.c - m_p * J.T * b).expand() == sp.zeros(2, 1)


def test_the_furuta_has_the_matrices_of_its_seed():
    """M, C, friction and gravity, and the motor: seed 003 with its θ's in SI."""
    f = loaded("furuta")[1]
    listed = {formula.name: formula for formula in formulas(f)}
    assert {"M", "C", "friction", "gravity", "tau"} <= set(listed)
    s = f.symbols
    assert f.gravity[1] == -s["up"] * s["m_2"] * s["g"] * s["c_2"] * sp.sin(s["q2"])
    assert f.friction == sp.Matrix([s["b_1"] * s["q1_dot"], s["b_2"] * s["q2_dot"]])
    gain, back = f.motors
    assert gain[0] == s["k_r"] * s["k_t"] / s["R_a"]
    assert sp.simplify(back[0] - s["k_r"] ** 2 * s["k_t"] * s["k_v"] / s["R_a"]) == 0


@pytest.mark.parametrize("name", FLAT)
def test_latex_is_balanced_and_every_formula_parses(name):
    """Braces, \\left and \\right, environments; each cell is read by Matplotlib's TeX parser."""
    equations = cc.load(name).equations
    source = latex(equations)
    assert source.isascii()
    assert _depth(source) == 0
    assert source.count(r"\left") == source.count(r"\right")
    assert source.count(r"\[") == source.count(r"\]") > 5
    opened = []
    for kind, environment in re.findall(r"\\(begin|end)\{(\w+)\}", source):
        if kind == "begin":
            opened.append(environment)
        else:
            assert opened.pop() == environment
    assert opened == []
    parser = matplotlib.mathtext.MathTextParser("path")
    for block in re.findall(r"(?s)\\\[\n(.*?)\n\\\]", source):
        for cell in re.split(r"\\begin\{\w+\}(?:\[t\])?|\\end\{\w+\}|&|\\\\", block):
            if len(cell) < 2000 and cell.strip(" =\n"):
                parser.parse(f"${cell.strip()}$")


def _depth(source):
    """How many braces are left open; a closing one too many fails at once."""
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", source):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    return depth


def test_markdown_and_text_say_the_same():
    """Every formula of the biglide is in both."""
    equations = cc.load("biglide").equations
    assert markdown(equations).count("$$") % 2 == 0
    assert "m_{p} \\left(J_{11} b_{1} + J_{21} b_{2}\\right)" in markdown(equations)
    assert "c[1] = m_p*(J[1,1]*b[1] + J[2,1]*b[2])" in text(equations)
    assert "phi1 = atan2(-q1 + y, d/2 + x)" in text(equations)


@pytest.mark.parametrize(
    "name, tex",
    [
        ("m_p", "m_{p}"),
        ("q1", "q_{1}"),
        ("theta1", r"\theta_{1}"),
        ("phi", r"\varphi"),
        ("zz_1", r"\mathrm{zz}_{1}"),
        ("J_2x", "J_{2x}"),
        ("up", r"\mathrm{up}"),
        ("x_D", "x_{D}"),
        ("a_b_c", r"a_{b\_c}"),
        ("l", "l"),
    ],
)
def test_names_are_printed_as_people_write_them(name, tex):
    """Greek letters, subscripts, upright words."""
    assert letter_tex(letter(name)) == tex


def test_a_rate_has_its_dot_on_the_letter():
    """The subscript stays outside."""
    assert letter_tex(letter("theta1", dots=1)) == r"\dot{\theta}_{1}"


@pytest.mark.parametrize(
    "value, form",
    [
        (0.5, sp.Rational(1, 2)),
        (math.sin(math.pi / 3), sp.sqrt(3) / 2),
        (-math.sqrt(3) / 6, -sp.sqrt(3) / 6),
        (math.cos(math.pi / 3), sp.Rational(1, 2)),
        (math.cos(math.pi / 2), sp.Integer(0)),
        (3.0, sp.Integer(3)),
        (0.1, sp.Rational(1, 10)),
    ],
)
def test_numbers_get_their_closed_form(value, form):
    """Fractions, square roots, the residue of a cosine."""
    assert closed_form(value) == form


@pytest.mark.parametrize("value", [math.pi, 9.80665, 1e-12, 1e-17, 1.380649e-23, 0.123456789, 2.7e300])
def test_a_number_without_a_closed_form_keeps_every_digit(value):
    """To the last bit: nothing is rounded to something pretty."""
    assert float(closed_form(value)) == value
