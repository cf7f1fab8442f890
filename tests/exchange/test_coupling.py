"""Joints that follow others: read from MJCF, URDF and SDF, as couplings of ours, and written back."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Coupling, Crank, Fixed, Mechanism, Pin, Plate, Recipe
from closedchain.describe.files import BadFile
from closedchain.exchange.from_mechanism import embed
from closedchain.exchange.importing import import_model
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.values import joint_rates, joint_values
from closedchain.exchange.writing import mjcf_files, sdf_files, urdf_files
from closedchain.model.sampling import sample
from closedchain.verify.compare import compare

MJCF = """<mujoco model="gripper"><compiler angle="radian"/>
  <worldbody>
    <body name="left" pos="-0.03 0 0"><joint name="l" axis="0 0 1"/>
      <geom type="box" size=".05 .01 .01" pos="0.05 0 0" mass="0.1"/></body>
    <body name="right" pos="0.03 0 0"><joint name="r" axis="0 0 {axis}" ref="0.2"/>
      <geom type="box" size=".05 .01 .01" pos="0.05 0.01 0" mass="0.1"/></body>
  </worldbody>
  <equality><joint joint1="r" joint2="l" polycoef="{poly}"/></equality>
  <actuator><motor joint="l"/></actuator>
  <keyframe><key name="open" qpos="0.4 -0.1"/><key qpos="1 1"/></keyframe>
</mujoco>"""
SLIDES = """<mujoco model="parallel"><compiler angle="radian"/>
  <worldbody>
    <body name="crank"><joint name="q" axis="0 0 1"/>
      <geom type="box" size=".05 .01 .01" pos="0.05 0 0" mass="0.1"/></body>
    <body name="jaw" pos="0.1 0.2 0"><joint name="s" type="slide" axis="0 1 0"/>
      <geom type="box" size=".01 .01 .01" mass="0.2"/></body>
  </worldbody>
  <equality><joint joint1="s" joint2="q" polycoef="0 0.03 0 0 0"/></equality>
  <actuator><motor joint="q"/></actuator>
</mujoco>"""
URDF = """<robot name="gripper"><link name="base"/>
  <link name="left"><inertial><origin xyz="0.05 0 0"/><mass value="0.1"/>
    <inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>
  <link name="right"><inertial><origin xyz="0.05 0 0"/><mass value="0.1"/>
    <inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>
  <joint name="l" type="continuous"><parent link="base"/><child link="left"/>
    <origin xyz="-0.03 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="r" type="continuous"><parent link="base"/><child link="right"/>
    <origin xyz="0.03 0 0"/><axis xyz="0 0 1"/><mimic joint="{leader}" multiplier="-2" offset="0.1"/></joint>
</robot>"""


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a file and gives its path."""

    def write(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_joint_equality_leaves_a_gripper_one_freedom_as_in_mujoco(written):
    """MuJoCo's own constraint Jacobian has rank 1 of 2 freedoms; so have we, and the robot's angle is the file's."""
    mujoco = pytest.importorskip("mujoco")
    text = MJCF.format(axis=1, poly="0.1 -1 0 0 0")
    found = import_model(written("gripper.xml", text))
    assert found.analysis.mobility == 1
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rows = data.efc_J.reshape(-1, model.nv)[: data.ne]  # the others are contacts
    assert found.analysis.mobility == model.nv - np.linalg.matrix_rank(rows)
    robot = cc.load(found.recipe)
    assert robot.nq == 1
    # r − 0.2 = 0.1 − l, and the right finger lies along x where r is at its reference
    phi = [c.name for c in robot.equations.z].index("phi")
    for state in sample(robot, 5).z:
        assert state[phi] == pytest.approx(0.1 - state[0], abs=1e-12)


def test_a_clockwise_joint_turns_its_plate_the_other_way(written):
    """The same file with the follower's axis reversed: phi = −(r − 0.2) = l − 0.1."""
    robot = cc.load(import_model(written("gripper.xml", MJCF.format(axis=-1, poly="0.1 -1 0 0 0"))).recipe)
    states = sample(robot, 5).z
    phi = [c.name for c in robot.equations.z].index("phi")
    np.testing.assert_allclose(states[:, phi], states[:, 0] - 0.1, atol=1e-12)


def test_a_coupling_that_bends_is_counted_and_refused_as_a_robot_by_name(written):
    """A quadratic one takes a freedom all the same, but is no linear relation."""
    found = import_model(written("gripper.xml", MJCF.format(axis=1, poly="0 1 0.5 0 0")))
    assert found.analysis.mobility == 1
    assert found.recipe is None
    assert "coupling joint1 is not linear" in found.reason


def test_a_slide_follows_a_crank(written):
    """A rack: 0.03 m of the jaw for a radian of the crank, from where it stands."""
    found = import_model(written("parallel.xml", SLIDES))
    assert found.analysis.mobility == 1
    robot = cc.load(found.recipe)
    names, states = [c.name for c in robot.equations.z], sample(robot, 5).z
    np.testing.assert_allclose(states[:, names.index("y")], 0.2 + 0.03 * states[:, 0], atol=1e-12)
    np.testing.assert_allclose(states[:, names.index("x")], 0.1, atol=1e-12)


def test_mimic_of_urdf_and_who_mimics_nobody(written):
    """q_r = −2 q_l + 0.1; a leader that is not there is named with its line."""
    found = import_model(written("gripper.urdf", URDF.format(leader="l")))
    assert found.analysis.mobility == 1
    posture = Posture(found.reading.tree, np.array([0.3, -0.5]))
    assert posture.gap()[-1] == pytest.approx(0.0, abs=1e-15)
    with pytest.raises(BadFile, match=r"mimics 'nobody', which is no joint of this file"):
        import_model(written("gripper.urdf", URDF.format(leader="nobody")))


def geared():
    """A crank and two plates in a row: the second turns against the first as a belt makes it."""
    crank = Crank("q", about=(0, 0), radius=0.1, mass=0.2, point="A")
    arm, hand = Plate("arm", mass=0.3, inertia=0.001), Plate("hand", mass=0.2, centre=(0.02, 0), inertia=0.0005)
    return Mechanism(
        "geared",
        drives=(crank,),
        pins=(
            Pin(Fixed("O", at=(0.3, 0)), arm.point("B", at=(0, 0))),
            Pin(arm.point("E", at=(0.2, 0)), hand.point("F", at=(0, 0))),
        ),
        couplings=(
            Coupling((("q", 2.0), ("phi_arm", 1.0)), 0.3),
            Coupling((("phi", 1.0), ("phi_arm", -0.5)), 0.7, name="belt"),
        ),
        output=hand,
        gravity=(0, -9.81),
    )


@pytest.fixture(scope="module")
def belt():
    """The model of it."""
    return cc.load(Recipe(geared()))


def test_relations_of_the_tree_hold_wherever_the_robot_s_couplings_do(belt):
    """Random states: the tree's gaps and their rates are zero."""
    robot, states = embed(belt), sample(belt, 6, seed=1)
    values = joint_values(robot, states.q, states.x)
    rates = joint_rates(robot, states.q, states.x, states.q_dot, states.x_dot)
    assert len(robot.tree.relations) == 2
    for v, v_dot in zip(values, rates, strict=True):
        posture = Posture(robot.tree, v)
        assert np.abs(posture.gap()).max() < 1e-12
        assert np.abs(posture.constraint() @ v_dot).max() < 1e-11


@pytest.mark.parametrize(("write", "ending"), [(mjcf_files, ".xml"), (sdf_files, ".sdf"), (urdf_files, ".urdf")])
def test_what_is_written_is_read_back(tmp_path, write, ending):
    """A pair of fingers through every format: one freedom, the same relation."""
    crank = Crank("q", about=(0, 0), radius=0.1, mass=0.2, point="A")
    finger = Plate("finger", mass=0.3, inertia=0.001, centre=(0.05, 0))
    pins = (Pin(Fixed("O", at=(0.3, 0)), finger.point("B", at=(0, 0))),)
    pair = Mechanism("pair", (crank,), finger, pins=pins, couplings=(Coupling((("q", 2.0), ("phi", 1.0)), 0.3),))
    files, notes = write(cc.load(Recipe(pair)))
    assert not [note for note in notes if "coupling" in note]
    for end, text in files.items():
        (tmp_path / f"pair{end}").write_text(text)
    found = import_model(tmp_path / f"pair{ending}")
    assert found.analysis.mobility == 1
    again = cc.load(found.recipe)
    states = sample(again, 4).z
    phi = [c.name for c in again.equations.z].index("phi")
    np.testing.assert_allclose(2.0 * states[:, 0] + states[:, phi], 0.3, atol=1e-9)  # degrees of freedom of the text


def test_keyframes_are_starts(written):
    """Named ones are asked for, one without a name goes by its number; an unknown one is refused with the others."""
    path = written("gripper.xml", MJCF.format(axis=1, poly="0.1 -1 0 0 0"))
    found = import_model(path, key="open")
    assert list(found.reading.keys) == ["open", "key1"]
    assert found.analysis.assembly.start < 1e-15  # −0.1 − 0.2 = 0.1 − 0.4
    np.testing.assert_allclose(found.analysis.assembly.v, [0.4, -0.3], atol=1e-15)
    with pytest.raises(BadFile, match="no keyframe 'shut'; there are open, key1"):
        import_model(path, key="shut")


def test_the_first_keyframe_that_closes_is_taken_where_the_written_pose_does_not(written):
    """Two bars of 1 m whose ends are written 3 m apart on one line: from there no step helps; the key has them meet."""
    text = """<mujoco model="pair"><compiler angle="radian"/>
      <worldbody>
        <body name="a"><joint name="qa" axis="0 0 1"/><geom type="box" size=".5 .01 .01" pos="0.5 0 0" mass="1"/>
          <site name="tip" pos="1 0 0"/></body>
        <body name="b" pos="-1.2 0 0"><joint name="qb" axis="0 0 1"/>
          <geom type="box" size=".5 .01 .01" pos="-0.5 0 0" mass="1"/><site name="end" pos="-1 0 0"/></body>
      </worldbody>
      <equality><connect site1="tip" site2="end"/></equality>
      <actuator><motor joint="qa"/></actuator>
      <keyframe><key name="met" qpos="2.2 -0.9"/></keyframe>
    </mujoco>"""
    found = import_model(written("pair.xml", text))
    assert found.analysis.assembly.converged
    assert any("from the keyframe met" in note for note in found.notes)


def test_mujoco_agrees_on_a_robot_with_couplings(belt):
    """Kinematics, M, c, efforts, energies and its own solver; Pinocchio, which has no such thing, is told to be out."""
    pytest.importorskip("mujoco")
    found = compare(belt, motion="random", states=12)
    assert found.ok, str(found)
    assert not any(engine.startswith("Pinocchio") for engine in found.engines)
    assert any("pinocchio knows no couplings" in text for text in found.absent)
