"""Stiff stops, play between motor and link, and both kinds of friction beside MuJoCo."""

import mujoco
import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant
from closedchain.describe import BadMechanism, Body, Damper, Friction, Mechanism, Recipe, Slide, Spring, Stop, Turn
from closedchain.describe.files import loads
from closedchain.describe.writing import dumps
from closedchain.errors import BadInput
from closedchain.exchange.from_mechanism import embed
from closedchain.export.programs import check_moving
from closedchain.identification.regressor import Regressor
from closedchain.model.linearisation import linearise
from closedchain.model.model import Model

FREE = Constant(0.0, "tau")


def block(**acting):
    """A block of 2 kg on a level guide, and what acts on it."""
    s = Slide("s", axis=(1, 0, 0))
    given = {name: tuple(make(s) for make in makes) for name, makes in acting.items()}
    return cc.load(Recipe(Mechanism("block", (s,), Body("block", mass=2.0, joint=s), **given)))


def in_mujoco(joint, q, q_dot, duration, step):
    """(t, q) of a block of 2 kg there, without gravity."""
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" gravity="0 0 0" integrator="RK4" tolerance="1e-14" iterations="200"/>'
        f'<worldbody><body><joint type="slide" axis="1 0 0" {joint}/>'
        '<geom type="sphere" size="0.1" mass="2" contype="0" conaffinity="0"/></body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, q_dot
    rows = []
    for _ in range(round(duration / step)):
        rows.append((data.time, float(data.qpos[0])))
        mujoco.mj_step(model, data)
    return np.array(rows).T


def test_a_stiff_stop_throws_back_as_mujocos_limit():
    """Met at 1 m/s with 2e4 N/m under 2 kg: 10 mm deep, gone after π/100 s; MuJoCo's limit with the same stiffness."""
    robot = block(stops=[lambda s: Stop(s, low=0.0, stiffness=2e4)])
    run = cc.simulate(robot, FREE, q=[0.1], q_dot=[-1.0], duration=0.2, step=1e-4, method="rk6")
    deep, gone = 1.0 / 100.0, 0.1 + np.pi / 100.0
    np.testing.assert_allclose(run.q.min(), -deep, rtol=1e-4)
    late = run.t > gone + 1e-3
    np.testing.assert_allclose(run.q[late, 0], run.t[late] - gone, atol=1e-5)
    assert run.summary["energy_residual"] < 1e-6
    limit = 'limited="true" range="0 9" solreflimit="-1e4 0" solimplimit="0.9999 0.9999 0.001 0.5 2"'
    t, q = in_mujoco(limit, 0.1, -1.0, 0.2, 1e-4)
    assert np.abs(q - np.interp(t, run.t, run.q[:, 0])).max() < 2e-4


def test_friction_beside_mujocos_frictionloss():
    """An oscillator with 3 N of dry friction: MuJoCo's is soft, and comes nearer with shorter steps."""
    robot = block(springs=[lambda s: Spring(s, stiffness=200.0)], frictions=[lambda s: Friction(s, coulomb=3.0)])
    run = cc.simulate(robot, FREE, q=[0.1], duration=0.9, interval=0.01, step=0.005, method="events")
    off = []
    for step in (2e-4, 5e-5):
        soft = f'solimpfriction="0.9999 0.9999 0.001 0.5 2" solreffriction="{10 * step} 1"'
        t, q = in_mujoco(f'stiffness="200" frictionloss="3" {soft}', 0.1, 0.0, 0.9, step)
        off.append(np.abs(np.interp(run.t, t, q) - run.q[:, 0]).max())
    assert off[1] < 0.4 * off[0] < 2e-4


def test_a_narrow_width_comes_near_the_set_valued_law():
    """The end of the same oscillation, regularised: it creeps within the width; a tenth of it is nearer."""
    off = []
    for width in (1e-2, 1e-3):
        robot = block(
            springs=[lambda s: Spring(s, stiffness=200.0)],
            frictions=[lambda s, w=width: Friction(s, coulomb=3.0, width=w)],
        )
        run = cc.simulate(robot, FREE, q=[0.1], duration=0.7, interval=0.01, method="adaptive", precision=1e-9)
        amplitude = np.cos(10 * (run.t[-1] - np.pi / 5)) * 0.025 + 0.015  # the third half swing, from 0.04 m
        off.append(abs(run.q[-1, 0] - amplitude))
        assert run.summary["energy_residual"] < 1e-6
    assert off[1] < 0.25 * off[0] < 2e-3


def test_hunt_and_crossleys_loss_is_the_work_of_the_stop():
    """What comes back is slower, and what the stop took is the account's: energy before less energy after."""
    robot = block(stops=[lambda s: Stop(s, low=0.0, stiffness=2e4, loss=0.3)])
    run = cc.simulate(robot, FREE, q=[0.1], q_dot=[-1.0], duration=0.2, step=1e-4, method="rk6")
    assert 0.75 < run.q_dot[-1, 0] < 0.9  # about 1 − ⅔ · 0.3
    np.testing.assert_allclose(run.work[-1], run.q_dot[-1, 0] ** 2 - 1.0, atol=1e-6)


def test_play_between_motor_and_link_is_crossed_before_the_link_moves():
    """A link on the rotor's shaft with 0.02 rad of play: crossed after √(2 δ I/τ), then both share the momentum."""
    motor, play = Turn("motor"), None
    rotor = Body("rotor", mass=0.1, inertia=(2e-3,) * 3, joint=motor)
    play = Turn("play", by=rotor)
    link = Body("link", mass=1.0, inertia=(6e-3,) * 3, joint=play, near=(0.01,))
    stops = (Stop(play, low=-0.01, high=0.01, restitution=0.0),)
    made = Mechanism("geared", (motor,), link, stops=stops, linkage=True)
    robot = cc.load(Recipe(made))
    run = cc.simulate(
        robot, Constant(0.05, "tau"), q=[0.0], x=[0.01], duration=0.06, interval=0.005, step=0.001, method="events"
    )
    (hit,) = [e for e in run.findings["events"] if e["what"] == "hits"]
    crossed = np.sqrt(2 * 0.02 * 2e-3 / 0.05)
    assert hit["name"] == "play.low"
    np.testing.assert_allclose(hit["t"], crossed, rtol=1e-10)
    angle = run.q[:, 0] + run.x[:, 0]
    np.testing.assert_allclose(angle[run.t < crossed], 0.01, atol=1e-12)
    together = 0.05 * crossed / 8e-3 + 0.05 / 8e-3 * (run.t[-1] - crossed)
    np.testing.assert_allclose(run.q_dot[-1, 0], together, rtol=1e-9)
    lost = 0.5 * (0.05 * crossed) ** 2 * (1 / 2e-3 - 1 / 8e-3)
    np.testing.assert_allclose(run.findings["impact_loss"], lost, rtol=1e-9)
    assert run.summary["energy_residual"] < 1e-9


def test_files_keep_what_acts_on_a_joint():
    """TOML and back: a passive joint of a body with a damper, friction, a stop and a spring that pulls always alike."""
    hinge = Turn("h", axis=(0, 1, 0))
    bob = Body("bob", mass=1.0, centre=(0, 0, -1), joint=hinge, near=(0.1,))
    made = Mechanism(
        "bob",
        (),
        bob,
        springs=(Spring(hinge, preload=0.3),),
        dampers=(Damper(hinge, 0.1),),
        frictions=(Friction(hinge, coulomb=0.1, static=0.2, stribeck=0.1, width=1e-3),),
        stops=(Stop(hinge, high=1.0, stiffness=50.0, loss=0.2, name="upper"),),
        linkage=True,
    )
    text = dumps(Recipe(made))
    again = Model(loads(text))
    assert dumps(again.recipe) == text
    state = cc.state(again, x=[1.2], x_dot={"h": -0.5})
    accelerations = again.forward(state.q, state.x, state.q_dot, state.x_dot, np.zeros(0)).x_ddot
    dry = (0.1 + 0.1 * np.exp(-25.0)) * 0.5 / np.sqrt(0.25 + 1e-6) + 0.1 * 0.5
    pushed = -0.3 + dry - 50.0 * 0.2 * (1 - 0.2 * 0.5)
    np.testing.assert_allclose(accelerations, [pushed / 1.0], rtol=1e-13)


BROKEN = {
    "nothing stopped": (lambda s: {"stops": (Stop(s, stiffness=1.0),)}, "give low, high or both"),
    "no room": (lambda s: {"stops": (Stop(s, low=1.0, high=0.0, restitution=0.0),)}, "leaves no room"),
    "both kinds": (lambda s: {"stops": (Stop(s, low=0.0, stiffness=1.0, restitution=0.5),)}, "not both"),
    "gives more": (lambda s: {"stops": (Stop(s, low=0.0, restitution=1.5),)}, "above 1"),
    "holds less": (lambda s: {"frictions": (Friction(s, coulomb=2.0, static=1.0, stribeck=0.1),)}, "less than coulomb"),
    "no Stribeck": (lambda s: {"frictions": (Friction(s, coulomb=1.0, static=2.0),)}, "go together"),
    "no width": (lambda s: {"frictions": (Friction(s, coulomb=1.0, width=0.0),)}, "must be positive"),
}


@pytest.mark.parametrize("make, problem", BROKEN.values(), ids=BROKEN)
def test_what_cannot_act_is_refused(make, problem):
    """One sentence with the element and what to do."""
    s = Slide("s")
    with pytest.raises(BadMechanism, match=problem):
        Mechanism("block", (s,), Body("block", mass=1.0, joint=s), **make(s))


def test_what_has_no_like_of_it_says_so():
    """A linear model at rest, identification, and trees for other engines each name the element."""
    robot = block(frictions=[lambda s: Friction(s, coulomb=1.0)])
    with pytest.raises(BadInput, match="friction s: at rest there is no slope"):
        linearise(robot, q=[0.0])
    with pytest.raises(BadInput, match="friction s: its motion has events"):
        check_moving(robot)
    with pytest.raises(BadInput, match="friction s is not linear in what is sought"):
        Regressor(robot)
    with pytest.raises(BadInput, match="friction s is neither a plain spring nor a damper"):
        embed(robot)


def test_a_start_beyond_a_firm_stop_is_refused_with_the_distance():
    """The stop stands at 0.5 m: nothing brings the block to 0.7 m; at the stop itself it may begin."""
    robot = block(stops=[lambda s: Stop(s, high=0.5, restitution=0.5)])
    with pytest.raises(BadInput, match=r"0\.2 m beyond .*a stop that does not give"):
        cc.simulate(robot, FREE, q=[0.7], duration=0.01, method="events")
    assert cc.simulate(robot, FREE, q=[0.5], duration=0.01, method="events").finished
