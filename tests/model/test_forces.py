"""External forces and torques: virtual work by hand, MuJoCo's xfrc_applied, and the power that they put in."""

import mujoco
import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Crank, Free, Mechanism, Recipe
from closedchain.errors import BadInput
from closedchain.model.dynamics import energy, terms
from closedchain.model.forces import with_forces
from closedchain.model.sampling import sample
from closedchain.verify.laws import check


def test_a_force_on_the_tip_of_the_biglide_is_held_by_its_virtual_work(biglide):
    """Feet on vertical rails: dy_i along a foot, the tip by Pythagoras; τ = −(∂C/∂q)ᵀ f with ∂C/∂q by differences."""
    l, d, f = 0.3606, 0.4, np.array([3.0, -7.0])

    def tip(q1, q2):
        middle, half = np.array([0.0, (q1 + q2) / 2]), np.array([d, q2 - q1]) / 2
        return middle + np.array([-half[1], half[0]]) * np.sqrt(l**2 / (half @ half) - 1)

    q, h = np.array([0.02, -0.05]), 1e-6
    slopes = np.array([(tip(*(q + h * e)) - tip(*(q - h * e))) / (2 * h) for e in np.eye(2)])
    state = cc.state(biglide, q=q)
    tau = cc.inverse_dynamics(biglide, state, [0.0, 0.0], forces={"C": f})
    np.testing.assert_allclose(tau, -slopes @ f, atol=1e-9)  # differences over 1e-6 m: rounding is 1e-10
    found = cc.evaluate(biglide, q=q, forces={"C": f})
    np.testing.assert_allclose(found.tau, tau, rtol=1e-14)
    motion = cc.forward_dynamics(biglide, state, tau, forces={"C": f})
    np.testing.assert_allclose(motion.q_ddot, 0.0, atol=1e-13)


def test_a_force_on_a_drives_point_and_a_torque_on_a_crank_are_efforts(biglide, fivebar):
    """On a foot only the part along the rail counts; a crank's torque is its drive's."""
    state = sample(biglide, 1, seed=4)
    free = cc.inverse_dynamics(biglide, state, [[0.1, 0.2]])
    pushed = cc.inverse_dynamics(biglide, state, [[0.1, 0.2]], forces={"A1": (5.0, 2.0)})
    np.testing.assert_allclose(pushed - free, [[-2.0, 0.0]], atol=1e-13)
    state = sample(fivebar, 1, seed=4)
    free = cc.inverse_dynamics(fivebar, state, [[1.0, 2.0]])
    turned = cc.inverse_dynamics(fivebar, state, [[1.0, 2.0]], torques={"q21": 0.3})
    np.testing.assert_allclose(turned - free, [[0.0, -0.3]], atol=1e-13)


def test_a_force_anywhere_on_a_body_of_space_is_held_by_the_legs_by_statics():
    """Legs along u_i to p_i push more by Δτ_i: Σ Δτ_i u_i = −f and Σ p_i × Δτ_i u_i = −r × f, r by hand."""
    robot, f = cc.load("gough"), np.array([1.0, 2.0, 3.0])
    x, y, z, yaw = 0.05, -0.1, 1.2, 0.3
    R = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])

    def at(letter, i):
        return np.array([robot.values[f"{letter}{i}{axis}"] for axis in "xyz"])

    tips = np.array([R @ at("p", i) + (x, y, z) for i in range(1, 7)])
    legs = tips - [at("b", i) for i in range(1, 7)]
    r = R @ (0.1, -0.2, 0.05) + (x, y, z)
    state = {"x": [x, y, z, 0.0, 0.0, yaw]}
    pushed = cc.evaluate(robot, **state, forces={"platform@0.1,-0.2,0.05": f})
    more = (pushed.tau - cc.evaluate(robot, **state).tau)[:, None] * legs / np.linalg.norm(legs, axis=1)[:, None]
    np.testing.assert_allclose(more.sum(axis=0), -f, atol=1e-12)
    np.testing.assert_allclose(np.cross(tips, more).sum(axis=0), -np.cross(r, f), atol=1e-12)
    with pytest.raises(BadInput, match="platform@u,v,w in its frame"):
        cc.evaluate(robot, **state, forces={"platform@0.1,0": f})


def test_a_force_anywhere_on_a_plate_is_one_at_its_origin_and_a_torque(triplate):
    """The moment is r × f with r = R(φ) (u, v)."""
    state = sample(triplate, 30, seed=5)
    f, (u, v) = np.array([2.0, -3.0]), (0.7, -0.4)
    phi = state.x[:, 2]
    r = np.stack([np.cos(phi) * u - np.sin(phi) * v, np.sin(phi) * u + np.cos(phi) * v], axis=-1)
    moment = r[:, 0] * f[1] - r[:, 1] * f[0]
    tau = np.zeros((30, 3))
    one = cc.forward_dynamics(triplate, state, tau, forces={f"plate@{u},{v}": f})
    other = cc.forward_dynamics(triplate, state, tau, forces={"plate": f}, torques={"plate": moment})
    for name in ("q_ddot", "x_ddot"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-10)
    at_a3 = cc.forward_dynamics(triplate, state, tau, forces={"a3": f})
    at_place = cc.forward_dynamics(triplate, state, tau, forces={"plate@2.0,0": f})
    np.testing.assert_allclose(at_a3.x_ddot, at_place.x_ddot, rtol=1e-11, atol=1e-12)


def test_a_torque_on_a_bar_is_a_pair_of_forces_on_its_ends(fivebar):
    """T n / l on one end and −T n / l on the other, n across the bar; a force along the bar is shared by the lever."""
    state = sample(fivebar, 20, seed=6)
    q, C = state.q[:, 0], state.x
    A = np.stack([-0.059 + 0.09 * np.cos(q), 0.09 * np.sin(q)], axis=-1)
    n, l, T = np.stack([-(C - A)[:, 1], (C - A)[:, 0]], axis=-1) / 0.09, 0.09, 0.2
    tau = np.zeros((20, 2))
    one = cc.forward_dynamics(fivebar, state, tau, torques={"A1-C": T})
    pair = cc.forward_dynamics(fivebar, state, tau, forces={"A1": -T * n / l, "C": T * n / l})
    np.testing.assert_allclose(one.q_ddot, pair.q_ddot, rtol=1e-9, atol=1e-10)
    f = np.array([1.0, 2.0])
    one = cc.forward_dynamics(fivebar, state, tau, forces={"A1-C@0.03": f})
    both = cc.forward_dynamics(fivebar, state, tau, forces={"A1": f * 2 / 3, "C": f / 3})
    np.testing.assert_allclose(one.q_ddot, both.q_ddot, rtol=1e-9, atol=1e-10)


def test_a_force_may_be_a_function_of_the_state(biglide):
    """−c v on the tip takes the power c |v|², whatever the state."""
    state = sample(biglide, 10, seed=7)
    drag = {"C": lambda t, s: -4.0 * s.x_dot}
    loaded = biglide.loads(drag).at(0.0, state)
    speed = (state.x_dot**2).sum(axis=-1)
    np.testing.assert_allclose(energy(loaded, state).applied, -4.0 * speed, rtol=1e-13)
    np.testing.assert_allclose(terms(loaded, state).applied[:, 2:], -4.0 * state.x_dot, rtol=1e-13)
    numbers = cc.forward_dynamics(biglide, state, np.zeros((10, 2)), forces={"C": -4.0 * state.x_dot})
    function = cc.forward_dynamics(biglide, state, np.zeros((10, 2)), forces=drag)
    np.testing.assert_array_equal(numbers.q_ddot, function.q_ddot)


FIVEBAR = """
<mujoco>
  <option gravity="0 0 0"/>
  <worldbody>
    <body name="crank1" pos="-0.3 0 0">
      <joint name="q1" axis="0 0 1"/>
      <inertial pos="0.1 0 0" mass="0.4" diaginertia="1 1 0.002"/>
      <body name="bar1" pos="0.25 0 0">
        <joint name="p1" axis="0 0 1"/>
        <inertial pos="0.2 0 0" mass="0.9" diaginertia="1 1 0.012"/>
        <site name="tip1" pos="0.4 0 0"/>
      </body>
    </body>
    <body name="crank2" pos="0.3 0 0">
      <joint name="q2" axis="0 0 1"/>
      <inertial pos="0.1 0 0" mass="0.4" diaginertia="1 1 0.002"/>
      <body name="bar2" pos="0.25 0 0">
        <joint name="p2" axis="0 0 1"/>
        <inertial pos="0.2 0 0" mass="0.9" diaginertia="1 1 0.012"/>
        <site name="tip2" pos="0.4 0 0"/>
      </body>
    </body>
  </worldbody>
  <equality><connect site1="tip1" site2="tip2"/></equality>
</mujoco>
"""


def heavy_fivebar():
    """The robot of the text above."""
    cranks = [
        Crank(f"q{i}", about=(x, 0.0), radius=0.25, mass=0.4, centre=0.1, inertia=0.002, point=f"A{i}")
        for i, x in ((1, -0.3), (2, 0.3))
    ]
    C = Free("C")
    bars = tuple(Bar(crank, C, 0.4, mass=0.9, centre=0.2, inertia=0.012) for crank in cranks)
    return cc.load(Recipe(Mechanism("heavy", drives=tuple(cranks), bars=bars, output=C)))


def test_mujoco_moves_alike_under_xfrc_applied():
    """A force on the tip, one in a bar and a torque on a crank, given to MuJoCo at the bodies' centres of mass.

    Its M, its applied forces and its loop's Jacobian, solved without its soft loops (at rest nothing drifts).
    """
    robot = heavy_fivebar()
    state = cc.state(robot, x=[0.05, 0.45], working="+-")
    m = mujoco.MjModel.from_xml_string(FIVEBAR)
    d = mujoco.MjData(m)
    A = [
        np.array([x, 0.0]) + 0.25 * np.array([np.cos(q), np.sin(q)]) for x, q in zip((-0.3, 0.3), state.q, strict=True)
    ]
    bars = [np.arctan2(*(state.x - a)[::-1]) for a in A]
    d.qpos[:] = [state.q[0], bars[0] - state.q[0], state.q[1], bars[1] - state.q[1]]
    mujoco.mj_forward(m, d)
    tip, inside, turn = np.array([1.5, -0.5]), np.array([-0.7, 0.3]), 0.08

    def at(body, place, force):
        """The force at a place of a body as force and torque about its centre of mass."""
        lever = place - d.xipos[m.body(body).id][:2]
        d.xfrc_applied[m.body(body).id] += [*force, 0.0, 0.0, 0.0, lever[0] * force[1] - lever[1] * force[0]]

    at("bar2", state.x, tip)
    at("bar1", A[0] + 0.1 / 0.4 * (state.x - A[0]), inside)
    d.xfrc_applied[m.body("crank2").id, 5] += turn
    mujoco.mj_forward(m, d)
    M = np.zeros((4, 4))
    mujoco.mj_fullM(m, d, M)
    G = np.array(d.efc_J).reshape(-1, 4)[:2]
    kkt = np.block([[M, -G.T], [G, np.zeros((2, 2))]])
    rigid = np.linalg.solve(kkt, np.concatenate([d.qfrc_smooth, [0.0, 0.0]]))
    ours = cc.forward_dynamics(robot, state, [0.0, 0.0], forces={"C": tip, "A1-C@0.1": inside}, torques={"q2": turn})
    np.testing.assert_allclose(ours.q_ddot, rigid[[0, 2]], rtol=1e-10)  # the loops are closed to 1e-16 m


@pytest.mark.parametrize(
    "name, forces, torques",
    [
        ("biglide", {"C": (1.0, -2.0), "A1-C@0.1": (3.0, 1.0)}, {"A2-C": 0.4}),
        ("fivebar", {"C": (0.1, -0.2)}, {"q11": 0.03, "A1-C": -0.02}),
        ("fourbar", {"C": (1.0, 2.0)}, {"A-C": 0.5}),
        ("slidercrank", {"B": (4.0, 1.0)}, {}),
        ("triplate", {"plate@0.3,-0.2": (1.0, 2.0), "a1": (2.0, 0.0)}, {"plate": 1.5, "d3": 0.7}),
        ("rpr3", {"P2": (30.0, 10.0), "rho1@5": (5.0, 8.0)}, {"plate": 100.0}),
        ("rrr3", {}, {"plate": 2.0}),
        ("delta", {"C": (1.0, 2.0, -3.0)}, {"q1": 0.2}),
        ("furuta", {}, {"q2": 0.01}),
        ("nfourbar", {"P1": (1.0, -2.0)}, {}),
        ("pendulum", {"P": (1.0, -2.0)}, {}),
    ],
)
def test_the_power_of_forces_is_the_rate_of_energy(name, forces, torques):
    """The laws of physics with loads: power balance by the chain rule, which does not go through h_z."""
    robot = cc.load(name)
    points = dict(robot.equations.points)
    forces = {on if on in points or "@" in on else list(points)[-1]: f for on, f in forces.items()}
    torques = {on if on != "q1" else robot.equations.q[0].name: t for on, t in torques.items()}
    loaded = with_forces(robot, forces, torques)
    report = check(loaded, states=40)
    assert report.ok, str(report)
    assert any("power" in row.law for row in report.rows)


def test_the_power_is_force_times_the_speed_of_its_point(rpr3):
    """f · ΔP/Δt of the point's own positions, by differences; and T Δφ/Δt."""
    f, T = np.array([3.0, -4.0]), 7.0
    loaded = with_forces(rpr3, {"P3": f}, {"plate": T})
    state = sample(rpr3, 1, seed=8)
    h = 1e-6
    there, here = (loaded.call("points", q=state.q + s * state.q_dot, x=state.x + s * state.x_dot) for s in (h, -h))
    index = [name for name, _ in rpr3.equations.points].index("P3")
    speed = (there["points"] - here["points"])[:, index] / (2 * h)
    np.testing.assert_allclose(energy(loaded, state).applied, speed @ f + T * state.x_dot[:, 2], rtol=1e-7)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"forces": {"D": (1.0, 2.0)}}, "no point or body 'D'; there are: A1, A2, C, A1-C, A2-C"),
        ({"forces": {"C": (1.0, 2.0, 3.0)}}, "the force on C .* needs 2 finite numbers"),
        ({"forces": {"C": (1.0, np.nan)}}, "needs 2 finite numbers"),
        ({"forces": {"A1-C@a": (1.0, 0.0)}}, "write A1-C@length from its first end"),
        ({"torques": {"C": 1.0}}, "nothing called 'C' turns"),
    ],
)
def test_a_force_on_nothing_is_refused(biglide, options, message):
    """Which it is, and what there is."""
    with pytest.raises(BadInput, match=message):
        cc.inverse_dynamics(biglide, cc.state(biglide, x=[0.0, 0.25]), [0.0, 0.0], **options)


def test_forces_for_other_rows_than_there_are_states_are_refused(biglide):
    """Four rows for five states."""
    with pytest.raises(BadInput, match=r"forces of \(4,\) rows for states of \(5,\)"):
        cc.inverse_dynamics(biglide, sample(biglide, 5, seed=1), np.zeros((5, 2)), forces={"C": np.zeros((4, 2))})
