"""Derivatives against differences in fifty digits, for every robot; and against each other."""

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.derive.total import Total
from closedchain.describe.parameters import Parameter, slopes_of
from closedchain.errors import BadInput, ClosedChainError
from closedchain.kernels.program import run
from closedchain.model import sample
from closedchain.model.derivatives import derivatives, gradient, shapes
from tests.many_digits import Robot, numbers, slope

FEW = ("ankle", "biglide", "delta", "fivebar", "furuta")  # of the plane, of space, with several bodies, with a motor
ROBOTS = [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in robots.names()]
CLOSE = 1e-10  # of the sum of the derivative's terms: rounding of some thousand operations through A⁻¹


def drawn(model, moved_by, seed=1):
    """A state with accelerations or efforts, and a direction to go from there: 1 of each number's own size."""
    rng, at = np.random.default_rng(seed), sample(model, 1, seed=seed, margin=0.1)
    size = len(model.driven) if moved_by == "tau" else model.nq
    given = {"q": at.q[0], "x": at.x[0], "q_dot": at.q_dot[0], moved_by: rng.standard_normal(size), "p": model.p}
    along = {k: rng.standard_normal(v.shape) * (np.abs(v) if k == "p" else 1.0) for k, v in given.items() if k != "x"}
    return given, along


def pulled(program, given, weights):
    """The gradient program's outputs, interpreted in doubles."""
    arrays = given | {f"g_{name}": g for name, g in weights.items()}
    made = run(program, *(arrays[o.name] for o in program.inputs))
    return dict(zip((o.name for o in program.outputs), made, strict=True))


def compare(program, given, along, function, weights):
    """Σ g·y along the direction, by the gradient and by differences of the models in fifty digits."""
    made = pulled(program, given, weights)
    terms = np.concatenate([made[k] * along[k] for k in along if k in made])
    seen = slope(
        function, {k: numbers(v) for k, v in given.items()}, {k: numbers(along.get(k, 0 * v)) for k, v in given.items()}
    )
    expected = sum(float(g @ seen[name]) for name, g in weights.items())
    assert abs(terms.sum() - expected) <= CLOSE * np.abs(terms).sum(), (terms.sum(), expected)


@pytest.mark.parametrize("moved_by", ["q_ddot", "tau"])
@pytest.mark.parametrize("name", ROBOTS)
def test_the_gradient_of_every_model_is_that_of_differences_in_fifty_digits(name, moved_by):
    """Every model of every robot, with random weights, along a random change of state and parameters together."""
    model = cc.load(name)
    total = Total(model.equations, "q", moved_by, moved_by == "tau" and model.massless)
    names = [n for n in total.models if n != "room" and (moved_by != "tau" or n in ("q_ddot", "x_ddot", "lam"))]
    given, along = drawn(model, moved_by)
    rng = np.random.default_rng(2)
    weights = {n: rng.standard_normal(total.models[n].numel()) for n in names}
    compare(total.gradient(names), given, along, Robot(model).models, weights)


@pytest.mark.parametrize("name", ["biglide", "triplate", "delta", pytest.param("gough", marks=pytest.mark.slow)])
def test_the_same_where_the_output_is_given(name):
    """The drives and their rates follow from the output's, by inverse kinematics."""
    model = cc.load(name)
    total = Total(model.equations, "x", "x_ddot", False)
    given, along = drawn(model, "x_ddot")
    given["x_dot"] = given.pop("q_dot")
    along = {"x": along["q"], "x_dot": along["q_dot"], "x_ddot": along["x_ddot"], "p": along["p"]}
    names = ["q", "x", "tau", "J", "margin", "kinetic", "M"]
    weights = {n: np.random.default_rng(2).standard_normal(total.models[n].numel()) for n in names}
    compare(total.gradient(names), given, along, Robot(model).models_by_output, weights)


@pytest.mark.parametrize("name", ["biglide", "delta", "furuta"])
def test_every_single_derivative_is_that_of_differences_in_fifty_digits(name):
    """Through the compiled programs, element by element and parameter by parameter."""
    model, robot = cc.load(name), Robot(cc.load(name))
    given, _ = drawn(model, "q_ddot")
    place = {"q": given["q"], "q_dot": given["q_dot"]} | ({"x": given["x"]} if model.nx else {})
    of = [n for n in ("x", "M", "c", "tau", "J", "kinetic", "potential", "margin") if n in shapes(model, False)]
    found = derivatives(model, of, q_ddot=given["q_ddot"], **place)
    for by in ("q", "q_dot", "q_ddot", "p"):
        for i in range(len(given[by])):
            along = {k: numbers(np.eye(len(v))[i] if k == by else np.zeros(len(v))) for k, v in given.items()}
            seen = slope(robot.models, {k: numbers(v) for k, v in given.items()}, along)
            for n in of:
                size = max(np.abs(found[n, by]).max(), 1e-3)
                np.testing.assert_allclose(
                    np.ravel(found[n, by][..., i]), seen[n], atol=CLOSE * size, err_msg=f"{n} by {by}"
                )


@pytest.mark.parametrize("name", ROBOTS)
def test_what_has_derivatives_is_told_without_deriving_it(name):
    """The table of shapes is that of the expressions."""
    model = cc.load(name)
    for moved_by in ("q_ddot", "tau"):
        models = Total(model.equations, "q", moved_by, model.massless).models
        assert {k: e.numel() for k, e in models.items()} == {
            k: int(np.prod(shape)) for k, shape in shapes(model, moved_by == "tau").items()
        }


def test_a_gradient_is_the_weighted_sum_of_derivatives():
    """For a batch, with weights of its own for each state."""
    model = cc.load("fivebar")
    at, rng = sample(model, 5, seed=3, margin=0.1), np.random.default_rng(4)
    g, tau = rng.standard_normal((5, 2)), rng.standard_normal((5, 2))
    every = derivatives(model, "q_ddot M", state=at, tau=tau)
    one = gradient(model, {"q_ddot": g}, state=at, tau=tau)
    for by in ("q", "q_dot", "tau", "p"):
        np.testing.assert_allclose(one[by], np.einsum("ni,nij->nj", g, every["q_ddot", by]), atol=1e-11)
    assert every["M", "p"].shape == (5, 2, 2, len(model.p))
    assert one.by_name["tau_q11"].shape == (5,)
    np.testing.assert_array_equal(every.by_name("M")[next(iter(model.values))], every["M", "p"][..., 0])


def test_the_biglides_height_by_hand():
    """y = y_m + √(l² − d_y²/4 …): its tip stands l² − (d/2)² above the rails' middle when its feet are level."""
    model = cc.load("biglide")
    found = derivatives(model, "x", "q p", q=[0.0, 0.0], assembly="+")
    l, d = model.values["l"], model.values["d"]
    height = np.sqrt(l * l - d * d / 4)
    by_name = found.by_name("x")
    np.testing.assert_allclose(by_name["l"], [0.0, l / height], atol=1e-14)
    np.testing.assert_allclose(by_name["d"], [0.0, -d / 4 / height], atol=1e-14)


def test_formulas_follow_what_stands_in_them():
    """A parameter given by a formula moves with the others, as `with_values` moves it; one that was given stays."""
    a = Parameter(2.0, "m", name="a")
    b = Parameter(3 * a, "m", name="b")
    c = Parameter(a * b, "m^2", name="c")
    assert slopes_of([a, b, c], {}, ["a"]) == {"a": {"a": 1.0}, "b": {"a": 3.0}, "c": {"a": 6.0 + 2.0 * 3.0}}
    assert slopes_of([a, b, c], {"b": 5.0}, ["a"]) == {"a": {"a": 1.0}, "c": {"a": 5.0}}
    assert slopes_of([a, b, c], {}, ["a", "b"])["c"] == {"a": 6.0, "b": 2.0}


def test_at_a_singularity_nothing_has_a_derivative():
    """Both bars on one line: the tip does not follow from the feet."""
    model = cc.load("biglide")
    reach = np.sqrt(4 * model.values["l"] ** 2 - model.values["d"] ** 2)
    with pytest.raises(ClosedChainError, match="Type 2"):
        derivatives(model, "x", q=[0.0, reach], assembly="+")


@pytest.mark.parametrize(
    "asked, words",
    [
        ({"of": "torque"}, "no derivatives of 'torque'"),
        ({"of": "tau", "by": "x"}, "no derivatives by 'x'"),
        ({"of": "tau", "x_ddot": [0, 0]}, "moved by q_ddot or by tau"),
        ({"of": ""}, "derivatives of what"),
    ],
)
def test_what_makes_no_sense_is_one_line(asked, words):
    """It says what there is."""
    of = asked.pop("of")
    with pytest.raises(BadInput, match=words):
        derivatives(cc.load("biglide"), of, q=[0.1, 0.02], **asked)


def test_weights_have_the_models_shape():
    """Or they are refused."""
    with pytest.raises(BadInput, match="whose shape ends in"):
        gradient(cc.load("biglide"), {"tau": [1.0, 0.0, 0.0]}, q=[0.1, 0.02])
