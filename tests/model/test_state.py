"""A state from either side, checked where both are given."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Crank, Fixed, Free, Mechanism, Plate, Recipe, Telescope
from closedchain.errors import BadInput, NoSolution, Singular, Unreachable
from closedchain.model.sampling import sample


def test_rates_of_one_side_give_the_other(biglide):
    """q̇ → ẋ = J q̇ and back."""
    a = cc.state(biglide, q=[0.1, 0.02], q_dot=[0.3, -0.2])
    np.testing.assert_allclose(a.x_dot, [0.343887021, -0.053070845], atol=5e-10)  # TRUTH.md §1, printed digits
    b = cc.state(biglide, x=a.x, x_dot=a.x_dot, working="++")
    np.testing.assert_allclose(b.q_dot, [0.3, -0.2], rtol=1e-13)
    np.testing.assert_allclose(b.q, [0.1, 0.02], atol=1e-15)


def test_z_stacks_drives_and_output(biglide):
    """z = (q, x)."""
    s = cc.state(biglide, q=[[0.1, 0.02], [0.2, 0.1]])
    np.testing.assert_array_equal(s.z, np.hstack([s.q, s.x]))
    assert s.z_dot.shape == (2, 4)


def test_without_a_mode_the_plus_branch_is_taken(biglide):
    """ "+" and "++" are what a figure shows."""
    assert cc.state(biglide, q=[0.1, 0.02]).x[1] > 0.1
    np.testing.assert_array_equal(cc.state(biglide, x=[0.03, 0.25]).q, cc.inverse(biglide, [0.03, 0.25])["++"].q)


def test_where_no_branch_is_plain_plus_one_must_be_chosen(rpr3, cases):
    """Six poses "+1" … "-3": the error lists them."""
    q = cases["P02"]["input"]["leg_lengths"]
    with pytest.raises(NoSolution, match="choose one with assembly="):
        cc.state(rpr3, q=q)
    assert cc.state(rpr3, q=q, assembly="+1").x.shape == (3,)


def test_the_other_sides_mode_chooses_too(biglide, rpr3, cases):
    """Level feet: the tip below them has both legs in "-" and det A < 0. Of six poses of the 3-RPR none says which."""
    below = cc.state(biglide, q=[0.0, 0.0], working="--")
    np.testing.assert_allclose(below.x, [0.0, -np.sqrt(0.3606**2 - 0.2**2)], atol=1e-15)
    np.testing.assert_array_equal(cc.state(biglide, x=[0.03, 0.25], working="-+", assembly="+").q[1] < 0.25, True)
    batch = cc.state(biglide, q=[[0.0, 0.0], [0.1, 0.02]], working="--", assembly="-")
    np.testing.assert_array_equal(batch.x[0], below.x)
    with pytest.raises(NoSolution, match=r"2 working modes here, choose one with working= or --working: -\+, --"):
        cc.state(biglide, x=[-0.03, 0.25], assembly="-")
    with pytest.raises(NoSolution, match="6 assembly modes here"):
        cc.state(rpr3, q=cases["P02"]["input"]["leg_lengths"], working="+")


def test_modes_that_contradict_each_other_are_refused(biglide, furuta):
    """The answer would carry a name that is not its own."""
    with pytest.raises(NoSolution, match=r"no solution of working mode '\+\+' and assembly mode '-'; .*'--' in '-'"):
        cc.state(biglide, x=[0.03, 0.25], working="++", assembly="-")
    with pytest.raises(
        NoSolution, match=r"'-\+' and assembly mode '\+' at element 1; there are working modes '\+\+' in '\+'"
    ):
        cc.state(biglide, q=[[0.45, 0.0], [0.0, 0.0]], working="-+", assembly="+")
    with pytest.raises(Unreachable, match="misses"):
        cc.state(biglide, x=[0.5, 0.0], assembly="+")
    x = cc.direct(biglide, [0.1, 0.02])["-"].x
    for named in ({"assembly": "+"}, {"working": "++"}):
        with pytest.raises(NoSolution, match="q and x are in"):
            cc.state(biglide, q=[0.1, 0.02], x=x, **named)
    np.testing.assert_array_equal(cc.state(biglide, q=[0.1, 0.02], x=x, assembly="-", working="--").x, x)
    with pytest.raises(BadInput, match="no working or assembly modes"):
        cc.state(furuta, q=[0.0, 0.0], assembly="+")


def test_both_sides_must_close(biglide):
    """A pair (q, x) that is a millimetre apart is refused with its gap; one that closes is taken as it is."""
    x = cc.direct(biglide, [0.1, 0.02])["-"].x
    np.testing.assert_array_equal(cc.state(biglide, q=[0.1, 0.02], x=x).x, x)
    with pytest.raises(NoSolution, match="do not close the loops"):
        cc.state(biglide, q=[0.1, 0.02], x=x + np.array([0.0, 1e-3]))


def test_rates_of_both_sides_must_keep_the_loops_closed(biglide):
    """Both feet at 1 m/s carry the tip straight along: (0, 1) m/s, and no other rate with them."""
    moved = cc.state(biglide, q=[0.0, 0.0], q_dot=[1.0, 1.0], x_dot=[0.0, 1.0])
    np.testing.assert_array_equal(moved.x_dot, [0.0, 1.0])
    with pytest.raises(NoSolution, match=r"these velocities open closure A1-C at 0\.55"):
        cc.state(biglide, q=[0.0, 0.0], q_dot=[1.0, 1.0], x_dot=[1.0, 1.0])  # d / 2 l = 0.5546 of it along each bar


def test_batches_broadcast_from_either_side(biglide):
    """One place, many rates."""
    x_dot = np.linspace(-1, 1, 6).reshape(3, 2)
    s = cc.state(biglide, x=[0.03, 0.25], x_dot=x_dot)
    assert s.q.shape == s.x.shape == s.q_dot.shape == s.x_dot.shape == (3, 2)
    t = cc.state(biglide, q=[0.1, 0.02], q_dot=x_dot)
    assert t.q.shape == t.x.shape == t.q_dot.shape == t.x_dot.shape == (3, 2)


def test_a_state_needs_a_place(biglide, furuta):
    """Neither q nor x; and at Type 1 the output's rates do not give the drives'."""
    with pytest.raises(BadInput, match="needs q or x"):
        cc.state(biglide, q_dot=[1.0, 1.0])
    with pytest.raises(BadInput):
        cc.state(furuta, q=[1.0])
    with pytest.raises(Singular, match="Type 1"):
        cc.state(biglide, x=[0.1606, 0.25], x_dot=[0.0, 1.0], working="0+")


def near_the_other_branch(**at):
    """A five-bar whose description says about where its tip is."""
    A1 = Crank("q1", about=(0, 0), radius=0.3, mass=1.0)
    A2 = Crank("q2", about=(0.5, 0), radius=0.3, mass=1.0)
    C = Free("C", mass=1.0, **at)
    return cc.load(Recipe(Mechanism("said", drives=(A1, A2), bars=(Bar(A1, C, 0.4), Bar(A2, C, 0.4)), output=C)))


def test_near_chooses_the_branch_and_the_answer_says_which():
    """Below the cranks "-" is meant, above them "+", and nothing said is "+"; a mode that is asked for comes first."""
    q = [1.4, 1.7]
    modes = {s.mode: s.x for s in cc.direct(near_the_other_branch(), q)}
    low, high = sorted(modes, key=lambda mode: modes[mode][1])
    for near, wanted in (((0.25, -0.2), low), ((0.25, 0.6), high)):
        robot = near_the_other_branch(near=near)
        found = cc.evaluate(robot, q=q)
        assert found.assembly == wanted
        np.testing.assert_array_equal(found.x, modes[wanted])
        np.testing.assert_array_equal(cc.state(robot, q=[q, q]).x, [modes[wanted]] * 2)
        other = high if wanted == low else low
        np.testing.assert_array_equal(cc.state(robot, q=q, assembly=other).x, modes[other])
        assert cc.follow(robot, q=[q, q]).mode == wanted
    assert cc.evaluate(near_the_other_branch(), q=q).assembly == "+"


def plate_on_telescopes(near=None):
    """A plate on three telescopes, up to six poses for given lengths."""
    plate = Plate("plate", mass=1.0, inertia=0.1, near=near)
    ends = zip(((0, 0), (1, 0), (0.4, 0.9)), ((0, 0), (0.5, 0), (0.2, 0.4)), strict=True)
    legs = [
        Telescope(f"q{i}", Fixed(f"A{i}", at=a), plate.point(f"B{i}", at=b), tip_mass=1.0)
        for i, (a, b) in enumerate(ends, start=1)
    ]
    return cc.load(Recipe(Mechanism("said", drives=tuple(legs), output=plate)))


def test_near_tells_poses_of_a_plate_apart_that_share_a_sign():
    """A plate on three circles has several poses with one sign of det A: the full name is told."""
    robot = plate_on_telescopes()
    found = cc.direct(robot, sample(robot, 60).q)
    best = int(np.argmax(np.bincount(found.index)))
    rows = np.flatnonzero(found.index == best)
    assert len(rows) >= 4
    for i in rows:
        said = plate_on_telescopes(near=tuple(found.x[i] + 0.001))
        assert cc.evaluate(said, q=found.q[i]).assembly == found.assembly[i]
