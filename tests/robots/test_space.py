"""The shipped robots of space and planar six-bars: their counts, and numbers from hand geometry."""

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.model.counting import count
from closedchain.model.renaming import renamings

NEW = (
    *("linear_delta", "orthoglide", "quattro", "pentapod", "neck", "rrs3", "cassie_leg"),
    *("watt", "stephenson", "jansen"),
)


def has(rows, wanted, atol=1e-12):
    """Whether one of the rows is the one wanted."""
    return bool((np.abs(np.asarray(rows) - wanted).max(axis=-1) < atol).any())


@pytest.mark.parametrize("name", NEW)
def test_the_laws_hold(name):
    """Closures, derivatives, energy and geometry of each, at random states on all branches."""
    report = cc.check(cc.load(name), states=40)
    assert report.ok, str(report)


COUNTS = {"linear_delta": 2, "orthoglide": 2, "quattro": 8, "neck": 8, "cassie_leg": 4, "watt": 4, "stephenson": 6}


@pytest.mark.parametrize(("name", "number"), [*COUNTS.items(), ("jansen", 8)])
def test_how_many_assembly_modes_there_are(name, number):
    """Two spheres' worth for ideal Deltas, 8 for a neck (exact, by a Gröbner basis), dyad after dyad for linkages."""
    assert count(cc.load(name), "direct").total == number


def test_a_3_rrs_has_two_operation_modes_of_eight():
    """As every symmetric 3-RPS, 3-PRS and 3-RRS: 16 = 8 + 8."""
    (block,) = count(cc.load("rrs3"), "direct").blocks
    assert block.modes == [8, 8]


def test_a_pentapod_has_eight_places_each_told_once():
    """(yaw, pitch) and (yaw + 180°, 180° − pitch) are one direction; collinear joints allow eight (exact)."""
    robot = cc.load("pentapod")
    (block,) = count(robot, "direct").blocks
    assert (block.count, block.modes) == (8, [8])
    x = np.array([0.1, -0.05, 1.1, 0.3, 1.2])
    found = cc.direct(robot, cc.inverse(robot, x)["+"].q)
    assert has(found.x, x)
    assert found.complete.all()
    yaw, pitch = found.x[:, 3], found.x[:, 4]
    along = np.stack([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), -np.sin(pitch)], axis=-1)
    places = np.concatenate([found.x[:, :3], along], axis=-1)
    apart = np.abs(places[:, None] - places[None]).max(axis=-1)
    assert apart[~np.eye(len(places), dtype=bool)].min(initial=1.0) > 1e-6


def test_other_robots_have_one_name_for_each_place():
    """Angles that turn joints off a line, or directions that closures speak of, are not renamed."""
    for name in ("ankle", "wrist", "neck", "quattro", "rrs3"):
        robot = cc.load(name)
        assert not any(renamings(robot, block.block) for block in count(robot, "direct").blocks), name


def test_a_hyphen_is_another_way_to_write_a_name():
    """`linear-delta` is the robot of linear_delta.py."""
    assert cc.load("linear-delta").name == "linear_delta"
    assert robots.knows("linear-delta")
    assert not robots.knows("linear-deltas")


def test_a_linear_delta_with_level_carriages_hangs_at_pythagoras_height():
    """Each parallelogram spans the rails' radius less the platform's."""
    robot = cc.load("linear_delta")
    v = robot.values
    height = np.sqrt(v["l"] ** 2 - (v["r_b"] - v["r_p"]) ** 2)
    found = cc.direct(robot, [0.1, 0.1, 0.1]).x
    np.testing.assert_allclose(np.sort(found[:, 2]), [0.1 - height, 0.1 + height], atol=1e-15)
    np.testing.assert_allclose(found[:, :2], 0.0, atol=1e-15)


def test_an_orthoglide_with_equal_drives_is_on_the_diagonal():
    """(s − l)² + 2 s² = l² has s = 0 and s = 2 l / 3; at the origin each drive moves its own axis: J = 1."""
    robot = cc.load("orthoglide")
    l = robot.values["l"]
    found = cc.direct(robot, [l, l, l]).x
    assert has(found, [0.0, 0.0, 0.0])
    assert has(found, [2 * l / 3] * 3)
    state = cc.state(robot, q=[l, l, l], x=[0.0, 0.0, 0.0], q_dot=[1.0, 2.0, 3.0])
    np.testing.assert_allclose(state.x_dot, [1.0, 2.0, 3.0], atol=1e-14)


def test_a_quattro_with_equal_arms_stands_in_the_middle():
    """Each leg then spans from (r_b + L cos) / √2 in x and y to half the nacelle's link, and its half's offset."""
    robot = cc.load("quattro")
    v, angle = robot.values, 0.3
    out = (v["r_b"] + v["L"] * np.cos(angle)) / np.sqrt(2)
    span = (out - v["d"] / 2) ** 2 + (out - v["r_p"]) ** 2
    z = -v["L"] * np.sin(angle) - np.sqrt(v["l"] ** 2 - span)
    assert has(cc.direct(robot, [angle] * 4).x[:, :4], [0.0, 0.0, z, 0.0])


def test_a_quattro_turns_its_link_between_halves_that_do_not():
    """Turned by yaw and in the middle, its halves are half a link away from the axis."""
    robot = cc.load("quattro")
    found = cc.inverse(robot, x=[0.02, -0.01, -0.8, 0.5])
    half = robot.values["d"] / 2 * np.array([np.cos(0.5), np.sin(0.5), 0.0])
    assert len(found) == 16
    state = cc.state(robot, q=found.row(0).q, x=[0.02, -0.01, -0.8, 0.5])
    np.testing.assert_allclose(state.x[4:], [*(state.x[:3] + half), *(state.x[:3] - half)], atol=1e-14)


def test_a_necks_legs_are_the_distances_of_their_joints():
    """With the head upright the first leg goes from azimuth 0 to azimuth 20°, h up; the legs lead back there."""
    robot = cc.load("neck")
    v, legs = robot.values, cc.inverse(robot, [0.0, 0.0, 0.0])["+"].q
    level = v["r_b"] ** 2 + v["r_p"] ** 2 - 2 * v["r_b"] * v["r_p"] * np.cos(20 * np.pi / 180)
    assert legs[0] == pytest.approx(np.sqrt(level + v["h"] ** 2), abs=1e-15)
    assert has(cc.direct(robot, legs).x, [0.0, 0.0, 0.0], atol=1e-9)


def circles(a, r, b, s, side):
    """Where circles about a and b meet, to the left (+1) or right of a → b."""
    gap = b - a
    d = np.hypot(*gap)
    along = (d**2 + r**2 - s**2) / (2 * d)
    up = side * np.sqrt(r**2 - along**2)
    return a + (along * gap + up * np.array([-gap[1], gap[0]])) / d


@pytest.mark.parametrize("crank", [0.0, 1.0, 2.5, 4.0, 5.5])
def test_jansens_foot_is_found_by_circles(crank):
    """Point after point from his numbers, as he drew it."""
    robot = cc.load("jansen")
    v = robot.values
    B, M = np.zeros(2), np.array([v["a"], v["l"]]) + v["m"] * np.array([np.cos(crank), np.sin(crank)])
    J1 = circles(B, v["b"], M, v["j"], 1)
    J2 = circles(B, v["d"], J1, v["e"], 1)
    J3 = circles(B, v["c"], M, v["k"], -1)
    J4 = circles(J2, v["f"], J3, v["g"], -1)
    foot = circles(J4, v["h"], J3, v["i"], -1)
    assert has(cc.direct(robot, [crank]).x[:, :2], foot)


def test_stephensons_plate_has_a_rod_of_the_right_length_in_every_mode():
    """Distances between the plate's joints and what its links hold on to, from its pose alone."""
    robot = cc.load("stephenson")
    v = robot.values
    found = cc.direct(robot, [0.7]).x
    assert len(found) in (2, 4, 6)
    for x, y, phi in found:
        P = np.array([x, y]) + np.array([[0, 0], [v["s"], 0], [v["u"], v["v"]]]) @ [
            [np.cos(phi), np.sin(phi)],
            [-np.sin(phi), np.cos(phi)],
        ]
        ends = np.array([[v["d_1"], 0], [v["d_2"], 0], [v["a"] * np.cos(0.7), v["a"] * np.sin(0.7)]])
        np.testing.assert_allclose(np.hypot(*(P - ends).T), [v["b"], v["c"], v["l"]], atol=1e-14)


def test_cassies_heel_closes_its_four_bar_in_the_plane():
    """Thigh, shin, tarsus and rod by sines and cosines: everything turns about y, at zero hangs down."""
    robot = cc.load("cassie_leg")
    v, q = robot.values, np.array([0.4, -1.2, 0.3])

    def down(angle, length):
        return -length * np.array([np.sin(angle), np.cos(angle)])  # x and z of a link that hangs, turned about y

    found = cc.direct(robot, q)
    assert len(found) in (2, 4)
    for x, z, pitch, heel in found.x:
        knee = down(q[0], v["thigh"])
        ankle = knee + down(q[0] + q[1], v["shin"])
        tarsus = q[0] + q[1] + heel
        c, s = np.cos(q[0]), np.sin(q[0])
        A = np.array([c * v["a_x"] + s * v["a_z"], -s * v["a_x"] + c * v["a_z"]])
        assert np.hypot(*(ankle + down(tarsus, -v["e"]) - A)) == pytest.approx(v["rod"], abs=1e-13)
        np.testing.assert_allclose([x, z], ankle + down(tarsus, v["tarsus"]), atol=1e-13)
        shaft, turn = ankle + down(tarsus, v["c_t"]), tarsus + q[2]
        C = shaft + v["crank"] * np.array([np.cos(turn), -np.sin(turn)])
        P = np.array([x, z]) + v["f"] * np.array([np.cos(pitch), -np.sin(pitch)])
        assert np.hypot(*(P - C)) == pytest.approx(v["push"], abs=1e-13)


def test_a_platform_with_heavy_legs_falls_faster_than_free():
    """Released at rest: z̈ from the kinetic energy of an upright motion, whose legs lean as it falls.

    u is a leg's direction and u' = (e_z − (h/l) u) / l its change with height, of which every mass has its share.
    """
    robot = cc.load("gough")
    v, h = robot.values, 1.2
    l = cc.inverse(robot, [0.0, 0.0, h, 0.0, 0.0, 0.0])["+"].q[0]
    lean = (1 - (h / l) ** 2) / l  # of u' both its z and, times 1 / l, its square
    squared = lean / l
    upper = 1 - 2 * v["c_2"] * lean + v["c_2"] ** 2 * squared
    mass = v["m"] + 6 * ((v["m_1"] * v["c_1"] ** 2 + v["i_1"] + v["i_2"]) * squared + v["m_2"] * upper)
    weight = v["g"] * (v["m"] + 6 * (v["m_1"] * v["c_1"] * lean + v["m_2"] * (1 - v["c_2"] * lean)))
    state = cc.state(robot, x=[0.0, 0.0, h, 0.0, 0.0, 0.0])
    x_ddot = cc.forward_dynamics(robot, state, np.zeros(6)).x_ddot
    np.testing.assert_allclose(x_ddot, [0.0, 0.0, -weight / mass, 0.0, 0.0, 0.0], atol=1e-12)
    assert x_ddot[2] == pytest.approx(-10.0599402, abs=5e-8)  # another program's, to its printed digits
