"""Transmissions: published ankles by their authors' own formulas, rates by 30-digit differences, limits by power."""

from math import asin, cos, hypot, sin, sqrt
from pathlib import Path

import mpmath
import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput, NoSolution, Singular
from closedchain.exchange.importing import import_model
from closedchain.model.transmission import BranchLost, rotors

EXAMPLES = Path(__file__).parents[2] / "examples"
ACROSS = EXAMPLES / "16_transmission" / "ankle_across.toml"
WALKER = EXAMPLES / "08_exchange" / "ankle.xml"


def turned(pitch, roll, v):
    """Ry(pitch) Rx(roll) v."""
    y, z = cos(roll) * v[1] - sin(roll) * v[2], sin(roll) * v[1] + cos(roll) * v[2]
    return np.array([cos(pitch) * v[0] + sin(pitch) * z, y, -sin(pitch) * v[0] + cos(pitch) * z])


def zhou_tsagarakis(c, shaft, bar, rod, sign=1.0):
    """A crank's angle from the rod's joint c, by the formula of DOI 10.1115/1.4040886, which these codes use."""
    a, b = c[0] - shaft[0], shaft[2] - c[2]
    k = (rod**2 - bar**2 - ((c - shaft) ** 2).sum()) / (2 * bar)
    return asin((b * k + sign * sqrt(b * b * k * k - (a * a + b * b) * (k * k - a * a))) / (a * a + b * b))


def tiangong(pitch, roll):
    """feidedao/Parallel_Ankle_Joint, 5_tiangong/parallelJoint_tg10.py: `ik`."""
    found = []
    for y, h in ((0.04325, 0.215), (-0.04325, 0.14)):
        c, shaft = turned(pitch, roll, (-0.05582, y, 0.022)), np.array([0.0, y, h])
        found.append(zhou_tsagarakis(c, shaft, hypot(0.05582, 0.022), h) - 0.37543059278589647)
    return found


def atom01(pitch, roll):
    """Roboparty's DecoupleAtom01, the left leg, in millimetres."""
    found = []
    for x, h in ((-20.0, 180.0), (20.0, 110.0)):
        c, shaft = turned(pitch, roll, (x, 42.35, 0.0)), np.array([0.0, 42.35, h])
        found.append(zhou_tsagarakis(c, shaft, 20.0, h) * (1.0 if c[0] < 0 else -1.0))
    return found


def webots(pitch, roll):
    """HuNingHe/closed_loop_ankle: `ankle_ik` with d 0.06, L1 0.12, h1 0.49, h2 0.37."""
    found, bar = [], 0.12
    for d, h in ((0.06, 0.49), (-0.06, 0.37)):
        a = -bar * bar * cos(pitch) + bar * d * sin(roll) * sin(pitch)
        b = -bar * bar * sin(pitch) + bar * h - bar * d * sin(roll) * cos(pitch)
        rest = bar * bar + d * d - d * d * cos(roll) - bar * h * sin(pitch) - d * h * sin(roll) * cos(pitch)
        found.append(asin(-rest / hypot(a, b)) - asin(a / hypot(a, b)))
    return found


def slider(roll, pitch):
    """LegoYoda112/slider_joint_control: `ankleIK` in doubles, in millimetres; the foot is turned by Rx(-α) Ry(-β)."""
    found = []
    for side in (1.0, -1.0):
        x, y = -48.9418, -54.33013 * side
        c = np.array([cos(pitch) * x, sin(roll) * sin(pitch) * x + cos(roll) * y, cos(roll) * sin(pitch) * x
                      - sin(roll) * y])  # fmt: skip
        found.append(zhou_tsagarakis(c, np.array([-60.0, -57.8 * side, 186.0]), -40.0, 192.5))
    return found


PUBLISHED = {
    f"{ACROSS}:tiangong": tiangong,
    f"{ACROSS}:atom01": atom01,
    f"{ACROSS}:webots": webots,
    "ankle:slider": slider,
}


@pytest.mark.parametrize("name", PUBLISHED, ids=["tiangong", "atom01", "webots", "slider"])
def test_a_published_ankle_has_its_authors_motors(name):
    """At two hundred poses the motors are those of the published formula, and they lead back to the pose."""
    t = cc.transmission(cc.load(name))
    y = np.random.default_rng(1).uniform([-0.3, -0.15], [0.3, 0.15], (200, 2))
    wanted = np.array([PUBLISHED[name](*row) for row in y])
    np.testing.assert_allclose(t.to_motor(y), wanted, atol=1e-12)  # their subtractions leave 1e-13 near a crank's end
    np.testing.assert_allclose(t.to_joint(wanted), y, atol=1e-11)


def test_the_unitree_ankle_is_where_two_other_codes_find_it():
    """Motors at (0.3, -0.3) rad, by two unrelated programs that agree to 1e-9."""
    t = cc.transmission(cc.load("ankle:g1"))
    np.testing.assert_allclose(t.to_joint([0.3, -0.3]), [-0.216037617, 0.000612785], atol=1e-9)


def closure(p, k, q, y, d):
    """|P − A|² − l² of one rod of `ankle`, in mpmath."""
    m, e, at = ([mpmath.mpf(p[f"{kind}{k}{axis}"]) for axis in "xyz"] for kind in "mep")
    ey, ez = e[1] - m[1], e[2] - m[2]
    A = [m[0], m[1] + ey * mpmath.cos(q) - ez * mpmath.sin(q), m[2] + ez * mpmath.cos(q) + ey * mpmath.sin(q)]
    cy, sy, cr, sr = mpmath.cos(y[0]), mpmath.sin(y[0]), mpmath.cos(y[1]), mpmath.sin(y[1])
    py, pz = cr * at[1] - sr * at[2], sr * at[1] + cr * at[2] - d
    P = [cy * at[0] + sy * pz, py, -sy * at[0] + cy * pz]
    return sum((a - b) ** 2 for a, b in zip(A, P, strict=True)) - mpmath.mpf(p[f"l{k}"]) ** 2


def joints_30(robot, q, near):
    """The joints for motors at q, by Newton's method in 30 digits."""
    p, d = robot.values, mpmath.mpf(robot.values["d"])
    return mpmath.findroot(lambda *y: [closure(p, k, q[k - 1], y, d) for k in (1, 2)], near, tol=1e-50)


def test_jacobians_and_their_rates_are_those_of_thirty_digit_differences():
    """J, its rate along q(t) = q + t q̇, and those of the inverse map, against central differences of the geometry."""
    robot = cc.load("ankle:g1")
    q, q_dot = [0.3, -0.25], [1.5, -0.7]
    at = cc.transmission(robot).at(q=q, q_dot=q_dot)
    with mpmath.workdps(30):
        h = mpmath.mpf(10) ** -7

        def jacobian(t):
            place, rows = [mpmath.mpf(a) + t * b for a, b in zip(q, q_dot, strict=True)], []
            for j in range(2):
                ends = [joints_30(robot, [a + s * h * (i == j) for i, a in enumerate(place)], at.y.tolist())
                        for s in (1, -1)]  # fmt: skip
                rows.append((ends[0] - ends[1]) / (2 * h))
            return mpmath.matrix([[rows[j][i] for j in range(2)] for i in range(2)])

        J, J_dot = jacobian(0), (jacobian(h) - jacobian(-h)) / (2 * h)
        K = J**-1
        K_dot = -K * J_dot * K
    for mine, theirs in ((at.J, J), (at.J_dot, J_dot), (at.K, K), (at.K_dot, K_dot)):
        np.testing.assert_allclose(mine, np.array(theirs.tolist(), dtype=float), rtol=1e-12, atol=1e-12)  # h² = 1e-14


def test_what_the_motors_put_in_comes_out_at_the_joints():
    """Power is the same on both sides for any efforts and rates, and so is the kinetic energy of rotors."""
    t = cc.transmission(cc.load("ankle:g1"))
    rng = np.random.default_rng(2)
    q, q_dot = rng.uniform(-0.4, 0.4, (50, 2)), rng.standard_normal((50, 2))
    at = t.at(q=q, q_dot=q_dot)
    corners = at.torques([20.0, 35.0])
    assert corners.shape == (50, 4, 2)
    by_motor = np.array([[20, 35], [-20, 35], [-20, -35], [20, -35]], dtype=float)
    np.testing.assert_allclose(corners @ at.y_dot[..., None], (q_dot @ by_motor.T)[..., None], atol=1e-11)
    shafts = np.array([3e-5, 4e-5])
    at_joint = np.einsum("bi,bij,bj->b", at.y_dot, at.reflected(shafts), at.y_dot)
    np.testing.assert_allclose(at_joint, (shafts * q_dot**2).sum(axis=-1), rtol=1e-12)
    np.testing.assert_allclose(at.speeds([2.0, 3.0])[:, 0], at.J @ [2.0, 3.0], rtol=1e-14)


def test_the_inertia_at_the_joints_is_that_of_free_joints():
    """With the same efforts at the joints both sides move alike: the whole model's kinetic energy is ½ ẏᵀ M ẏ."""
    robot = cc.load("ankle:g1")
    at = cc.transmission(robot).at(q=[0.2, 0.1], q_dot=[1.0, -2.0])
    state = cc.state(robot, q=at.q, x=at.x, q_dot=at.q_dot)
    assert 0.5 * at.y_dot @ at.M_joint @ at.y_dot == pytest.approx(cc.energy(robot, state).kinetic, rel=1e-12)


def test_a_pose_beyond_the_branch_is_refused():
    """Beyond a Type 2 singularity on the way, or where a rod does not reach, there is an error and no pose."""
    t = cc.transmission(cc.load("ankle:g1"))
    with pytest.raises(BranchLost, match="not sure beyond q"):
        t.to_joint([3.0, 3.0])
    with pytest.raises(BranchLost, match="Type 1"):
        t.to_motor([[0.1, 0.1], [1.5, 1.2]])
    with pytest.raises(BadInput, match="the other follows"):
        t.at(q=[0.0, 0.0], y=[0.0, 0.0])


def test_a_home_may_be_another_branch():
    """The other working mode of the same joints has its own motors, and both maps stay on it."""
    robot = cc.load("ankle:g1")
    t = cc.transmission(robot, working="++")
    np.testing.assert_allclose(t.to_motor([0.0, 0.0]), cc.inverse(robot, x=[0.0, 0.0])["++"].q, atol=1e-12)
    q = t.to_motor([0.05, 0.02])
    np.testing.assert_allclose(q, cc.inverse(robot, x=[0.05, 0.02])["++"].q, atol=1e-12)
    known = cc.transmission(robot, q=q, x=[0.05, 0.02])
    np.testing.assert_allclose(known.to_joint(q), [0.05, 0.02], atol=1e-12)


def test_what_is_no_transmission_says_why():
    """A robot with more coordinates than motors, a home out of reach, a home that is singular."""
    with pytest.raises(BadInput, match="2 motors move 3 output coordinates"):
        cc.transmission(cc.load(EXAMPLES / "robots" / "exoskeleton.toml"))
    with pytest.raises(NoSolution, match="Another home"):
        cc.transmission(cc.load("delta"))
    with pytest.raises(Singular, match="Type 2"):
        cc.transmission(cc.load("fivebar")).at()


def test_an_ankle_of_a_published_file_transmits():
    """Cut out of a MuJoCo model with rods that have mass: both rods keep their lengths, and power is the same."""
    found = import_model(WALKER, part="shank", output="foot")
    t = cc.transmission(cc.load(found.recipe))
    q, y = t.to_motor([0.1, 0.05]), t.to_joint(t.to_motor([0.1, 0.05]))
    np.testing.assert_allclose(y, [0.1, 0.05], atol=1e-12)
    h = 1e-6
    slopes = np.stack([(t.to_joint(q + h * e) - t.to_joint(q - h * e)) / (2 * h) for e in np.eye(2)], axis=-1)
    np.testing.assert_allclose(t.at(q=q).J, slopes, atol=1e-9)  # rounding of 1e-15 over 2e-6


def test_rotors_are_what_the_description_says(tmp_path):
    """An MJCF's armature as it is written; a motor's inertia by its ratio's square; a crank's own inertia is none."""
    found = import_model(WALKER, part="shank", output="foot")
    np.testing.assert_allclose(rotors(cc.load(found.recipe)), [1e-4, 1e-4], rtol=1e-15)
    assert rotors(cc.load("ankle:g1")).tolist() == [0.0, 0.0]
    motor = '[[motors]]\ndrive = "theta2"\nresistance = 1\nkt = 0.1\nkv = 0.1\nratio = 20\ninertia = 3e-5\n'
    file = tmp_path / "geared.toml"
    file.write_text(ACROSS.read_text(encoding="utf-8") + "\n" + motor, encoding="utf-8")
    np.testing.assert_allclose(rotors(cc.load(file)), [0.0, 400 * 3e-5], rtol=1e-15)
