"""How many assembly modes robots have: numbers that exact algebra or the literature gives, and known poses."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.model.counting import count
from closedchain.model.poses import output_poses
from closedchain.model.sampling import sample

# Counts over the complex numbers, established by Gröbner bases (generic inputs, these dimensions).
COUNTS = {
    "biglide": 2,
    "delta": 2,
    "rpr3": 6,
    "rrr3": 6,
    "triplate": 6,
    "wrist": 8,
    "ankle": 8,
    "ankle:g1": 8,
    "rps3": 16,
    "prs3": 16,
    "gough:octahedral": 16,
    "gough:semi-regular": 28,
    "gough:rubin-camera": 36,
    "gough:dietmaier": 40,
    "hexa": 40,
    "hexaglide": 40,
    "upu3": 78,
}
LEGS = [1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071]
POSTURES = (  # two of Dietmaier's forty: t, quaternion (w, x, y, z)
    ((0.485480780, -0.200817988, -0.850870465), (0.553954677, -0.557894382, -0.386973037, -0.481809032)),
    ((0.803267816, -0.296007116, 0.516856463), (0.376508834, -0.729371604, -0.543667135, 0.175169084)),
)


@pytest.mark.parametrize("name", COUNTS)
def test_the_count_is_that_of_exact_algebra(name):
    """Theorems for circles and lines; for the others monodromy, closed by a trace test."""
    found = count(cc.load(name), "direct")
    assert found.total == COUNTS[name]
    assert found.proof.startswith(("theorem", "monodromy closed by a trace test"))


@pytest.mark.parametrize(
    "name, modes", [("rps3", [8, 8]), ("prs3", [8, 8]), ("upu3", [64, 6, 4, 2, 2]), ("ankle", [8])]
)
def test_operation_modes_are_the_parts_that_inputs_do_not_leave(name, modes):
    """The 3-RPS's two (e0 = 0 and e3 = 0); Tsai's 3-UPU has a general component of 64."""
    (block,) = count(cc.load(name), "direct").blocks
    assert block.modes == modes


def test_dietmaiers_platform_has_forty_real_postures_all_proven():
    """Published lengths; two of the postures are known to nine digits."""
    robot = cc.load("gough:dietmaier")
    found = cc.direct(robot, LEGS)
    assert len(found) == 40
    assert found.complete.all()
    assert found.certified.all()
    assert found.residual.max() < 1e-14  # of lengths of 1 m, closed by Newton's method
    poses = output_poses(robot, found.q, found.x)
    for place, quaternion in POSTURES:
        same = np.abs(poses.quaternion @ quaternion) > 1 - 1e-8  # ± is one orientation; nine digits are given
        near = np.abs(poses.position - place).max(axis=-1) < 2e-9
        assert (same & near).sum() == 1


def test_the_telescopes_camera_hexapod_has_eight_real_poses_at_home():
    """Two of them are known by hand: at home, and mirrored below."""
    robot = cc.load("gough:rubin-camera")
    lengths = [0.493017809, 0.493017809, 0.492932003, 0.492939367, 0.492939367, 0.492932003]
    home = cc.inverse(robot, np.zeros(6)).q[0]
    np.testing.assert_allclose(home, lengths, atol=1e-9)
    found = cc.direct(robot, home)
    assert (len(found), bool(found.complete.all())) == (8, True)
    assert np.abs(found.x).max(axis=-1).min() < 1e-12
    tilted = [0.0, 0.131470539, -0.349369779]
    assert np.abs(found.x[:, :3] - tilted).max(axis=-1).min() < 1e-9


def test_a_head_on_six_cranks_has_sixteen_real_poses_at_home():
    """Reachy Mini: 16 of 40; the maker's home is the working mode of alternating cranks."""
    robot = cc.load("hexa:reachy-mini")
    modes = cc.inverse(robot, np.zeros(6))
    assert len(modes) == 64
    home = modes["-+-+-+"].q
    np.testing.assert_allclose(home, 0.62654 * np.array([1, -1, 1, -1, 1, -1]), atol=1e-5)
    found = cc.direct(robot, home)
    assert (len(found), bool(found.complete.all()), bool(found.certified.all())) == (16, True, True)


def test_an_ankle_has_the_published_modes():
    """Four real ones at zero; the foot's angles for two motor angles, to nine digits (two unrelated programs agree)."""
    robot = cc.load("ankle:g1")
    at_zero = cc.direct(robot, [0.0, 0.0])
    known = [(0, 0), (2.740981182, -0.100216712), (2.484243240, -2.897771126), (-0.638543320, 3.092255235)]
    assert len(at_zero) == 4
    for pair in known:
        assert np.abs(at_zero.x - pair).max(axis=-1).min() < 2e-9
    moved = cc.direct(robot, [0.3, -0.3])
    assert np.abs(moved.x - [-0.216037617, 0.000612785]).max(axis=-1).min() < 1e-9


@pytest.mark.parametrize("name", ["gough", "hexa", "hexaglide", "rps3", "prs3", "wrist", "ankle", "upu3"])
def test_the_pose_that_made_the_drives_is_among_the_solutions(name):
    """Random configurations, found by Newton's method without the solver: none is missed, each is closed and proven."""
    robot = cc.load(name)
    states = sample(robot, 6, seed=3)
    for q, x in zip(states.q, states.x, strict=True):
        found = cc.direct(robot, q)
        assert found.complete.all()
        assert found.residual.max() < 1e-12 * robot.scale  # rounding of a few hundred operations
        there, wanted = (output_poses(robot, found.q, found.x), output_poses(robot, q, x))
        gaps = np.abs(there.R - wanted.R).max(axis=(-2, -1)) + np.abs(there.position - wanted.position).max(axis=-1)
        assert (gaps < 1e-6).sum() == 1  # a configuration with A regular by 1 %: well apart from others
