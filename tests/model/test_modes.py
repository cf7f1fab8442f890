"""Working modes by name: every robot's own names are taken, and no others."""

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.errors import BadInput
from closedchain.model.modes import leg_signs, named_modes, working_names
from closedchain.model.sampling import sample
from closedchain.model.solutions import mode_of_each
from closedchain.singularity.check import check_crossing
from closedchain.singularity.loci import loci
from closedchain.singularity.maps import mode_names

CLOSED = ("biglide", "delta", "fivebar", "rpr3", "rrr3", "triplate")
START, GOAL = np.array([10.0, 20.0, 0.3]), np.array([12.0, 21.0, 0.3])  # of rpr3, far from singularities [m, rad]


@pytest.mark.parametrize("name", CLOSED)
def test_the_signs_of_a_named_mode_give_the_drives_of_that_mode(name):
    """The names are those of the inverse solutions, one for each."""
    model = cc.load(name)
    x = sample(model, 1, seed=3).x[0]
    found = cc.inverse(model, x)
    assert set(found.working) <= set(working_names(model))
    for solution in found:
        q = model.call("inverse", x=x, sigma=leg_signs(model, solution.working))["q"]
        np.testing.assert_allclose(q, solution.q, rtol=1e-9, atol=1e-9 * model.scale)  # the solver's last step


@pytest.mark.parametrize("asked", ["+-+", "", "0+", "x"])
def test_a_name_that_is_none_is_refused_with_the_names_there_are(biglide, asked):
    """And a typographic minus is a minus."""
    with pytest.raises(BadInput, match=r"no working mode .*; there are \+\+, \+-, -\+, --"):
        named_modes(biglide, [asked])
    assert named_modes(biglide, ["+−", "+, -"]) == ("+-",)


def test_a_robot_without_a_choice_has_one_mode_and_takes_its_name_everywhere():
    """Three telescopes: the name that `inverse` gives is taken by curves, paths, motions and the check of a motion."""
    model = cc.load("rpr3")
    assert cc.inverse(model, START).working == working_names(model) == mode_names(model, "+") == ("+",)
    window = ((-20.0, 60.0), (-40.0, 60.0))
    curves = [loci(model, fixed={"phi": 0.3}, window=window, lines=8, working=mode) for mode in ("+", None)]
    assert len(curves[0].pieces) == len(curves[1].pieces) > 0
    line = motion.quintic(START, GOAL, duration=1.0)
    assert motion.joint(model, line, working="+").working == "+"
    assert check_crossing(model, line, working="+").working == check_crossing(model, line).working == ("+",)
    with pytest.raises(BadInput, match=r"no working mode '-'; there is only \+"):
        check_crossing(model, line, working="-")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("legs", [0, 1, 3, 6])
def test_a_batch_has_the_names_of_its_rows(legs, order):
    """However the signs lie in memory; without a choice the mode is "+"."""
    signs = np.array(np.random.default_rng(legs).integers(-1, 2, (200, legs)), dtype=np.int8, order=order)
    words = ["".join({-1: "-", 0: "0", 1: "+"}[int(sign)] for sign in row) or "+" for row in signs]
    assert mode_of_each(signs).tolist() == words
