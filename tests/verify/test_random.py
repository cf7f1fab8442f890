"""Random mechanisms of every kind, size and mass: a right one is never called wrong, a planted fault always is."""

import numpy as np
import pytest

import closedchain as cc
from benchmarks import random_verify
from closedchain.describe import Recipe
from closedchain.verify.compare import compare
from tests.random_mechanisms import case

pytest.importorskip("mujoco")

KINDS = (2, 5, 8, 16, 23)  # plates, a mix, a hexapod, points, space: 1e-4 to 1e5 m, 8e-9 to 7e3 kg
CLOSE = (10594,)  # its branches are 0.003 rad apart: an engine must be told which one is meant
LARGE = (239, 272, 364, 599, 854)  # 2e4 to 8e5 m: what was measured in metres, not in the robot's size, showed there
FAULTY = (1, 5, 19)  # with parameters
SLIGHT = 1e-3


def model_of(seed):
    """The random robot of a seed."""
    return cc.load(Recipe(case(seed).mechanism))


@pytest.mark.parametrize("seed", KINDS + LARGE + CLOSE)
def test_a_right_robot_is_never_called_wrong(seed):
    """Both engines at random states: springs on any angle, rotors, telescopes in space, massless bodies."""
    found = compare(model_of(seed), motion="random", states=8)
    assert found.ok, str(found)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_condition_that_limits_follow_does_not_depend_on_the_size(size):
    """The biglide a million times larger or smaller: κ stays, so that limits are the same share of its numbers."""
    found = compare(cc.load("biglide").with_values(l=0.3606 * size, d=0.4 * size), motion="random", states=6)
    assert found.ok, str(found)
    shares = [row.limit / row.size for row in found.rows if row.quantity.startswith("output") and row.way == "pieces"]
    np.testing.assert_allclose(shares, 200 * np.finfo(float).eps * 9.67, rtol=1e-3)


@pytest.mark.parametrize("seed", FAULTY)
def test_a_thousandth_of_a_parameter_is_always_noticed(seed):
    """Each mass, inertia and length in turn is 0.1 % larger in the engine than in the model."""
    model = model_of(seed)
    names = [p.name for p in model.recipe.description.parameters if p.unit in ("kg", "kg m^2", "m")]
    values = {name: model.values[name] for name in names if model.values[name]}
    rng = np.random.default_rng(seed)
    for name in rng.permutation(list(values))[:4]:
        told = model.with_values(**{name: (1 + SLIGHT) * values[name]})
        found = compare(model, engine_model=told, engine="mujoco", motion="random", states=6)
        assert not found.ok, f"{name}: {found}"


@pytest.mark.parametrize(("seed", "name"), [(239, "p53"), (599, "p25"), (599, "p53")])
def test_masses_that_a_solver_needs_hide_no_fault(seed, name):
    """A rotor and a telescope's base 0.1 % off, in robots whose massless ends an engine's solver cannot do without."""
    model = model_of(seed)
    told = model.with_values(**{name: (1 + SLIGHT) * model.values[name]})
    found = compare(model, engine_model=told, engine="mujoco", motion="random", states=6)
    assert not found.ok
    assert any("solver was given" in note for note in found.notes)


@pytest.mark.slow
@pytest.mark.parametrize("first", [84, 400, 20000])
def test_further_right_robots_are_not_called_wrong_and_their_faults_are_noticed(first):
    """Forty each; `python -m benchmarks.random_verify` takes as many as one likes."""
    counts = random_verify.main(count=40, first=first, faults=2)
    assert counts["held"] == counts["right"] == 40
    assert counts["noticed"] == counts["faults"] > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 3, 7, 17, 18, 21])
def test_their_motions_are_the_engines_too(seed):
    """Every motion, also driven in time: chaotic ones as far as they are known."""
    found = compare(model_of(seed))
    assert found.ok, str(found)
