"""What makes a loop compile anew: what its law does, what its sensors show; not its numbers."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant
from closedchain.simulation.compiled import Compiled
from closedchain.simulation.plant import Plant

START = {"x": [0.0, 0.3], "duration": 0.05}


def typed_in(law):
    """A law of a class that no file holds, as one typed at a prompt."""
    return type("Typed", (Constant,), {"law": law})(1.0)


def test_a_law_typed_at_a_prompt_compiles_and_another_compiles_anew(biglide):
    """Same name, same key, another factor in its code: another motion."""
    double = typed_in(lambda self, measured, reference, gains: 2 * reference.command)
    triple = typed_in(lambda self, measured, reference, gains: 3 * reference.command)
    for law, factor in ((double, 2.0), (triple, 3.0)):
        run = cc.simulate(biglide, law, **START)
        np.testing.assert_array_equal(run.command, factor)
        np.testing.assert_array_equal(run.x, cc.simulate(biglide, Constant(factor), **START).x)


@pytest.mark.parametrize(
    "changed", [{"delay": True}, {"differences": True}, {"noise_q": 1e-3}, {"values": {"m_p": 3.1}}]
)
def test_what_the_controller_is_told_is_part_of_the_loop(biglide, changed):
    """Exact sensors have a loop of their own, without any sensing in it."""
    exact, sensed = (
        Compiled(biglide, biglide, Constant(1.0), plant, "rk4").library for plant in (Plant(), Plant(**changed))
    )
    assert exact is not sensed


def test_numbers_of_the_plant_are_inputs_and_compile_nothing(biglide):
    """Other values, seeds and limits of the same kind share one loop."""
    plants = [
        Plant(values={"m_p": m}, saturation=s, noise_q=n, seed=k)
        for m, s, n, k in ((3.1, 1.0, 1e-3, 0), (3.2, 2.0, 1e-4, 1))
    ]
    first, second = (Compiled(biglide, biglide, Constant(1.0), plant, "rk4").library for plant in plants)
    assert first is second
