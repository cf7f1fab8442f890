"""Maps with derivatives: by DLPack as NumPy speaks it, against differences; and what is said without a framework."""

import sys

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.export.gradients import (
    Differentiable,
    DifferentiableModel,
    NoFramework,
    host_array,
    jax_map,
    jax_model,
    torch_map,
    torch_model,
)


class Foreign:
    """An array of another library, which has nothing but DLPack."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.fixture(scope="module")
def ankle():
    """A G1's ankle."""
    return cc.transmission(cc.load("ankle:g1"))


@pytest.mark.parametrize("way", ["joint", "motor"])
def test_the_pull_back_is_that_of_differences(ankle, way):
    """Σ g·f along every direction, for a batch that comes by DLPack."""
    one, rng = Differentiable(ankle, way), np.random.default_rng(6)
    given, g, h = rng.uniform(-0.2, 0.2, (5, 2)), rng.standard_normal((5, 2)), 1e-6
    slopes = [((one(given + h * e) - one(given - h * e)) * g).sum(axis=-1) / (2 * h) for e in np.eye(2)]
    made = one.pullback(Foreign(given), Foreign(g))
    np.testing.assert_allclose(made, np.stack(slopes, axis=-1), atol=1e-8)  # rounding 1e-15 over 2e-6, and h²
    np.testing.assert_array_equal(one(Foreign(given)), one(given))


def test_nothing_is_copied_on_the_way_in():
    """A foreign array of doubles is read where it lies; a result goes out by DLPack as well."""
    values = np.arange(4.0)
    assert np.shares_memory(host_array(Foreign(values)), values)
    assert np.shares_memory(np.from_dlpack(host_array(values)), values)
    assert host_array([1, 2]).dtype == np.float64


def test_a_map_leads_to_joints_or_motors(ankle):
    """Nothing else."""
    with pytest.raises(BadInput, match="'joint' or 'motor'"):
        Differentiable(ankle, "sideways")


@pytest.mark.parametrize("name, make", [("torch", torch_map), ("jax", jax_map)])
def test_a_missing_framework_is_named_in_one_line(ankle, name, make, monkeypatch):
    """Also where it is installed."""
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(NoFramework, match=f"pip install {name}"):
        make(ankle)


@pytest.fixture(scope="module")
def efforts():
    """The biglide's efforts as a function of q, q̇, q̈ and p, where it is asked, and weights."""
    model, rng = cc.load("biglide"), np.random.default_rng(2)
    given = [rng.uniform(-0.1, 0.1, (3, 2)), rng.standard_normal((3, 2)), rng.standard_normal((3, 2)), model.p]
    return DifferentiableModel(model, "tau", "+"), given, rng.standard_normal((3, 2))


def test_a_models_pull_back_is_that_of_differences(efforts):
    """By state and by parameters, of a batch that comes by DLPack; p is one for all of it."""
    one, given, g = efforts
    made, h = one.pullback(*map(Foreign, given), Foreign(g)), 1e-6
    for k, slopes in enumerate(made):
        way = np.random.default_rng(k).standard_normal(given[k].shape)
        ahead, behind = (
            (one(*[v + s * h * way if i == k else v for i, v in enumerate(given)]) * g).sum() for s in (1, -1)
        )
        assert (slopes * way).sum() == pytest.approx((ahead - behind) / (2 * h), rel=1e-7, abs=1e-8)
    with pytest.raises(BadInput, match="all 4 parameters"):
        one(*given[:3], [1.0])


def test_pytorch_differentiates_a_model(efforts):
    """Where it is installed."""
    torch = pytest.importorskip("torch")
    one, given, g = efforts
    tensors = [torch.tensor(v, requires_grad=True) for v in given]
    torch_model(one.model, "tau", "+")(*tensors).backward(torch.tensor(g))
    for tensor, slopes in zip(tensors, one.pullback(*given, g), strict=True):
        np.testing.assert_array_equal(tensor.grad.numpy(), slopes)


def test_jax_differentiates_a_model(efforts):
    """Where it is installed."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    one, given, g = efforts
    _, back = jax.vjp(jax_model(one.model, "tau", "+"), *given)
    for found, slopes in zip(back(g), one.pullback(*given, g), strict=True):
        np.testing.assert_array_equal(np.asarray(found), slopes)
