"""Maps with derivatives: by DLPack as NumPy speaks it, against differences; and what is said without a framework."""

import sys

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.export.gradients import Differentiable, NoFramework, host_array, jax_map, torch_map


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
