"""Linkages that are robots, too: stiff springs on light links, springs on angles, parts that never turn."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Body, Mechanism, Turn
from closedchain.describe.files import loads
from closedchain.errors import BadInput
from closedchain.exchange.from_mechanism import embed
from closedchain.model.model import Model
from closedchain.verify.bodies import bodies_of
from closedchain.verify.compare import verify
from closedchain.verify.diagnosis import diagnose
from closedchain.verify.motions import Branch, oscillation, squared_rates, tempo, trajectory

PARALLEL = """
name = "parallel"
output = "P"

[points]
D = { fixed = [0.4, 0] }

[plates.P]
mass = 0.4
inertia = 0.002
near = [0.2, 0.27, 0]
points = { b1 = [-0.2, 0], b2 = [0.2, 0] }

[drives.q]
crank = { about = [0, 0], radius = 0.3 }
mass = 0.2
point = "A"

[[pins]]
between = ["A", "b1"]

[[bars]]
between = ["D", "b2"]
length = 0.3
mass = 0.2

[[readouts]]
name = "flat"
angle = ["b1", "b2"]
"""

ROCKING = """
name = "rocking"
output = "B"

[points]
D = { fixed = [0.5, 0.05] }
B = { free = true, mass = 0.4 }

[drives.q]
crank = { about = [0, 0], radius = 0.2 }
mass = 0.3
point = "A"

[[bars]]
between = ["A", "B"]
length = 0.35
mass = 0.2

[[bars]]
between = ["D", "B"]
length = 0.4
mass = 0.2

[[springs]]
angle = "rock"
stiffness = 4.0
rest = 1.0

[[readouts]]
name = "rock"
angle = ["D", "B"]
"""


@pytest.mark.parametrize(
    "motion, engine",
    [("random", "all"), ("trajectory", "mujoco"), pytest.param("oscillation", "all", marks=pytest.mark.slow)],
)
def test_the_squeezer_is_what_the_engines_say(motion, engine):
    """4.5 N/mm on links of grams; two bars without mass, whose given masses must not make MuJoCo's loops soft."""
    found = verify("squeezer", engine=engine, motion=motion, states=10)
    assert found.ok, str(found)
    driven = [row for row in found.rows if row.way == "driven" and "gap" not in row.quantity]
    assert all(row.limit <= 1.001e-3 * row.size for row in driven)
    assert bool(driven) == (motion != "random")


def test_a_swing_by_hand_is_the_rate_that_motions_are_fitted_to():
    """The pendulum on a crank: a point mass m at r under g swings with ω² = g / r, and falls so when it stands."""
    text = 'name = "swing"\noutput = "B"\ngravity = [0, -9.81]\n[points]\nB = { free = true, mass = 2 }\n'
    text += '[drives.q]\ncrank = { about = [0, 0], radius = 0.25 }\npoint = "A"\n'
    robot = Model(loads(text + '[[pins]]\nbetween = ["A", "B"]\n'))
    hangs, stands = np.array([-np.pi / 2, 0.0, -0.25]), np.array([np.pi / 2, 0.0, 0.25])
    found = squared_rates(robot, np.array([hangs, stands]))[:, 0]
    np.testing.assert_allclose(found, [9.81 / 0.25, -9.81 / 0.25], rtol=1e-8)
    assert tempo(robot, hangs[None]) == 1.0
    assert tempo(robot, stands[None]) == pytest.approx(np.sqrt(9.81 / 0.25) / 0.3)


def test_a_stiff_robot_is_moved_at_its_own_pace():
    """All times are shorter by one factor; a robot without weights and springs keeps the lab's."""
    run = trajectory(cc.load("squeezer"), Branch(), 0)
    assert run.t[-1] / run.interval == pytest.approx(300, abs=1)
    assert run.t[-1] < 0.1
    assert oscillation(cc.load("rrr3"), Branch(), 0, duration=0.1).interval == 0.01


def test_what_never_turns_agrees_to_the_rounding_of_what_does():
    """A parallelogram's plate: its angle's rates are zero in one program and 1e-17 rad/s in the other."""
    found = verify(Model(loads(PARALLEL)), engine="mujoco", motion="trajectory")
    assert found.ok, str(found)
    still = [r for r in found.rows if r.quantity in ("output angle velocity", "flat velocity") and r.way == "pieces"]
    assert len(still) == 2
    assert all(0.0 < row.limit < 1e-11 for row in still)


def test_a_spring_on_an_angle_acts_the_shorter_way_round_in_the_engines_too():
    """At rest at 1 rad: where the bar points to −3 rad it is 2.28 rad away, not −4."""
    robot = Model(loads(ROCKING))
    found = verify(robot, motion="random")
    assert found.ok, str(found)
    rock = found.answers[0].ours["rock"][:, 0]
    assert (rock < 1.0 - np.pi).any()  # states where the longer way would be another force
    for q in np.linspace(0, 2 * np.pi, 12):
        for x in cc.direct(robot, q=[q]).x:
            (joint,) = [j for j in embed(robot, q=[q], x=x).tree.joints if j.stiffness]
            assert abs(joint.rest) <= np.pi + 1e-12


@pytest.mark.parametrize("name", ["bennett", "bricard", "sarrus", "governor", "rrr4", "nfourbar:2"])
def test_a_linkage_is_what_the_engines_say(name):
    """Its places, their rates, what efforts and weights make of them, and its energies, at random states."""
    found = verify(name, motion="random", states=6)
    assert found.ok, str(found)
    told = {row.quantity for row in found.rows if row.way == "pieces"}
    assert told >= {"engine's closure gap", "kinetic energy"}
    assert any(quantity.startswith("output") and quantity.endswith("acceleration") for quantity in told)


def test_a_linkage_that_is_let_go_moves_as_the_engines_say():
    """Four drives that are idle on a plate with three freedoms: MuJoCo and Pinocchio integrate the same two seconds."""
    found = verify("rrr4", motion="release")
    assert found.ok, str(found)
    driven = {row.quantity: row.max for row in found.rows if row.way == "driven" and row.engine == "pinocchio"}
    assert driven["output, release"] < 1e-9
    assert found.traces[0].t[-1] > 1.9
    with pytest.raises(BadInput, match="drives that decide its motion; `oscillation` and `trajectory`"):
        verify("biglide", motion="release")
    with pytest.raises(BadInput, match="need not decide its motion; `release` lets it go"):
        verify("rrr4", motion="trajectory")


@pytest.mark.parametrize(
    "name, parameter", [("bennett", "alpha"), ("bricard", "w"), ("rrr4", "l2"), ("nfourbar:2", "g")]
)
def test_a_thousandth_in_a_linkage_is_noticed_and_named(name, parameter):
    """Lengths, angles between hinges, masses and weights that the engine's linkage has otherwise."""
    value = cc.load(name).values[parameter]
    found = verify(name, "mujoco", motion="random", states=6, engine_values={parameter: 1.001 * value})
    assert not found.ok
    (cause,) = diagnose(found).causes
    assert cause.words.startswith(f"{parameter} is ")
    assert cause.value == pytest.approx(1.001 * value, rel=1e-5)


def test_a_linkage_upside_down_is_left_out_and_told():
    """Two right angles leave the axis of a hinge its sign; the engine's hinge has one, and other states are told."""
    found = verify("sarrus", "pinocchio", motion="random", states=20)
    assert found.ok, str(found)
    assert "2 states are left out: loops are put together the other way round there" in found.notes


def test_a_spring_on_a_body_s_own_joint_counts_whole_turns():
    """A flap on a spring, wound up by over half a turn: V = k θ² / 2 of the whole angle, in the engines as well."""
    flap = Body("flap", 1.0, (0.2, 0, 0), (0.01, 0.02, 0.03), joint=Turn("theta", axis=(0, 0, 1), stiffness=3.0))
    robot = cc.load(Mechanism("flap", drives=(), output=flap, linkage=True, gravity=(0, 0, -9.81)))
    for theta in (0.5, 4.0, -5.0):
        bodies = bodies_of(robot, cc.state(robot, q=[], x=[0.1]))
        assert bodies.guess(np.zeros((1, 0)), np.array([[theta]]))[0, 0] == pytest.approx(theta - 0.1, abs=1e-14)


def test_a_linkage_has_no_modes():
    """A mode that is asked for all the same is refused."""
    with pytest.raises(BadInput, match="its drives need not decide where it is, so that it has no modes"):
        verify("nfourbar:2", assembly="+")
