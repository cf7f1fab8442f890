"""Random mechanisms of every kind, size and mass: a right one is never called wrong, a planted fault always is."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Recipe
from closedchain.verify.compare import compare
from tests.random_mechanisms import case, robots

pytest.importorskip("mujoco")

KINDS = (2, 5, 8, 16, 23)  # plates, a mix, a hexapod, points, space: 1e-4 to 1e5 m, 8e-9 to 7e3 kg
FAULTY = (1, 5, 19)  # with parameters
SLIGHT = 1e-3


def model_of(seed):
    """The random robot of a seed."""
    return cc.load(Recipe(case(seed).mechanism))


@pytest.mark.parametrize("seed", KINDS)
def test_a_right_robot_is_never_called_wrong(seed):
    """Both engines at random states: springs on any angle, rotors, telescopes in space, massless bodies."""
    found = compare(model_of(seed), motion="random", states=8)
    assert found.ok, str(found)


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


@pytest.mark.slow
@pytest.mark.parametrize("made", list(robots(60, first=24)), ids=lambda made: str(made.seed))
def test_further_right_robots_are_not_called_wrong(made):
    """Random states of further structures and sizes."""
    found = compare(cc.load(Recipe(made.mechanism)), motion="random", states=12)
    assert found.ok, f"{made}\n{found}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 3, 7, 17, 18, 21])
def test_their_motions_are_the_engines_too(seed):
    """Every motion, also driven in time: chaotic ones as far as they are known."""
    found = compare(model_of(seed))
    assert found.ok, str(found)
