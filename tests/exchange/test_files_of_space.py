"""Loops of space in files of other programs: a spatial four-bar, a neck, an ankle in a walker."""

import re
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe.files import loads
from closedchain.describe.writing import dumps
from closedchain.exchange.assembly import assemble
from closedchain.exchange.importing import import_model
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.mjcf_writing import to_mjcf
from closedchain.exchange.tree import BadTree
from tests.exchange.conftest import interpreted

CONNECT = '<connect body1="rod" body2="rocker" anchor="0.4 0 0.3"/>'
WALKER = Path(__file__).parents[2] / "examples" / "08_exchange" / "ankle.xml"
INERTIA = "<inertial pos='{}' mass='{}' diaginertia='1e-3 1e-3 1e-4'/>"
FOUR_BAR = f"""
<mujoco model="rssr"><compiler angle="radian"/>
  <worldbody>
    <body name="crank"><joint name="input" axis="0 0 1" ref="0.1"/>{INERTIA.format("0.1 0 0", 0.2)}
      <body name="rod" pos="0.2 0 0"><joint name="swing" axis="0 0 1"/><joint name="rise" axis="0 1 0"/>
        {INERTIA.format("0.2 0 0.15", 0.3)}</body></body>
    <body name="rocker" pos="0.6 0 0"><joint name="output" axis="0 1 0" stiffness="2" springref="0.4" damping="0.1"
      armature="0.01"/>{INERTIA.format("0 0 0.15", 0.2)}</body>
  </worldbody>
  <equality>{CONNECT}</equality>
  <actuator><motor joint="input"/></actuator>
</mujoco>"""  # the rod's far end is the rocker's, 0.3 m above its hinge


TURNED = f"""
<mujoco model="turned"><compiler angle="degree"/>
  <worldbody>
    <body name="crank" pos="-0.065 -0.345 -0.025" euler="0 90 0"><joint name="m1"/>{INERTIA.format("0 0.15 0", 1)}
      <body name="rod" pos="0 0.3 -0.05" euler="0 0 116"><joint name="p1"/>{INERTIA.format("0 0.15 0", 1)}</body></body>
    <body name="arm" pos="-0.065 -0.1 -0.025" euler="0 0 -90"><joint name="m2" axis="0 1 0"/>
      {INERTIA.format("0.1 0 0", 1)}
      <body name="link" pos="0.3 -0.05 0" euler="-90 0 60"><joint name="p2"/>{INERTIA.format("0 0.15 0", 1)}
        <body pos="0 0.1 0"><joint type="ball"/>{INERTIA.format("0 0.1 0", 0.1)}</body></body></body>
  </worldbody>
  <equality><connect body1="rod" body2="link" anchor="0 0.3 0"/></equality>
  <actuator><motor joint="m1"/><motor joint="m2"/></actuator>
</mujoco>"""  # a plane loop about x from frames that are turned by right angles; a body on a ball keeps it in space


def stored(folder, text, ending=".xml"):
    """A file with the text."""
    path = folder / f"robot{ending}"
    path.write_text(text, encoding="utf-8")
    return path


def test_joints_of_turned_frames_have_zeros_where_rounding_leaves_some(tmp_path):
    """cos 90° is 6e-17 in a file: such a part of an axis would make a closure seem to hold what it does not."""
    text = dumps(import_model(stored(tmp_path, TURNED)).recipe)
    joints = [line for line in text.splitlines() if line.startswith("joint = {")]
    assert len(joints) == 5
    assert not [line for line in joints if re.search(r"e-1[5-9]", line)]


def test_a_spatial_four_bar_is_a_robot_with_its_springs_and_rotor(tmp_path):
    """R-S-S-R with a universal joint for one ball: nothing to spare, and what acts on the passive hinge is kept."""
    found = import_model(stored(tmp_path, FOUR_BAR), output="rocker")
    assert found.analysis.counts == {"nv": 4, "loops": 1, "closure_rows": 3, "rank": 3, "mobility": 1}
    made = loads(dumps(found.recipe)).description
    assert not made.linkage
    hinge = made.output.joint
    acting = (hinge.stiffness, hinge.rest, hinge.damping, hinge.rotor)
    assert [e.value for e in acting] == [2.0, 0.4, 0.1, 0.01]


def test_its_rocker_stands_where_the_rod_s_length_says(tmp_path):
    """|rod| = √(0.4² + 0.3²) gives a cos ψ + b sin ψ = c for the rocker's angle, by hand."""
    robot = cc.load(import_model(stored(tmp_path, FOUR_BAR), output="rocker").recipe)
    names = [c.name for c in robot.equations.x]
    q = 0.5  # the file's coordinate: 0.1 where it stands
    tip = 0.2 * np.array([np.cos(q - 0.1), np.sin(q - 0.1)])
    # the rocker's end (0.6 + 0.3 sin ψ, 0, 0.3 cos ψ) is half a metre from the crank's
    away = 0.6 - tip[0]
    rest = (0.5**2 - away**2 - tip[1] ** 2 - 0.3**2) / (2 * 0.3)
    x = np.zeros(robot.nx)
    psi = np.arcsin(rest / away)
    x[names.index("output")] = psi
    for _ in range(30):
        made = interpreted(robot, "closures", q=np.array([q]), x=x)
        x = x - np.linalg.solve(made["A"], made["phi"])
    assert np.abs(made["gap"]).max() < 1e-14
    assert x[names.index("output")] == pytest.approx(psi, abs=1e-13)


NECK = [("a", 0.0), ("b", 2.0944), ("c", 4.18879)]  # where three legs stand round a head on a ball


def neck(loops):
    """A head on a ball over three legs, each a universal joint and a slide, as URDF."""
    solid = (
        "<inertial><mass value='0.1'/><inertia ixx='1e-3' iyy='1e-3' izz='1e-3' ixy='0' ixz='0' iyz='0'/></inertial>"
    )
    links, joints = ["<link name='base'/>", f"<link name='head'>{solid}</link>"], []
    joints.append(joint("ball", "continuous", "base", "head", "0 0 0.3", "1 0 0"))
    for name, angle in NECK:
        at = f"{0.1 * np.cos(angle)} {0.1 * np.sin(angle)} 0"
        links += [f"<link name='{name}_{part}'>{solid}</link>" for part in ("lower", "upper")]
        links += [f"<link name='{name}_tip'/>", f"<link name='{name}_eye'/>"]
        joints.append(joint(f"{name}_foot", "continuous", "base", f"{name}_lower", at, "1 0 0"))
        joints.append(joint(f"{name}_leg", "prismatic", f"{name}_lower", f"{name}_upper", "0 0 0.2", "0 0 1"))
        joints.append(joint(f"{name}_end", "fixed", f"{name}_upper", f"{name}_tip", "0 0 0.1", "1 0 0"))
        joints.append(joint(f"{name}_hole", "fixed", "head", f"{name}_eye", at, "1 0 0"))
    motors = [f"{name}_leg" for name, _ in NECK]
    feet = [f"{name}_foot" for name, _ in NECK]
    types = f"joint_name: {['ball', *feet]}\njoint_type: {['SPHERICAL', *['UJOINT_XY'] * 3]}\n"
    return f"<robot name='neck'>{''.join(links + joints)}</robot>", f"{loops}\nname_mot: {motors}\n{types}"


def joint(name, kind, parent, child, at, axis):
    """A joint of URDF."""
    ends = f"<parent link='{parent}'/><child link='{child}'/><origin xyz='{at}'/><axis xyz='{axis}'/>"
    return f"<joint name='{name}' type='{kind}'>{ends}<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"


def test_a_neck_of_urdf_and_yaml_is_a_robot_on_three_legs(tmp_path):
    """3-UPS + S: the YAML makes a ball and universal joints of hinges; three drives decide the head's three angles."""
    loops = f"closed_loop: {[[f'{n}_tip', f'{n}_eye'] for n, _ in NECK]}\ntype: ['3d', '3d', '3d']"
    urdf, yaml = neck(loops)
    stored(tmp_path, yaml, ".yaml")
    found = import_model(stored(tmp_path, urdf, ".urdf"), output="head")
    assert found.analysis.counts == {"nv": 12, "loops": 3, "closure_rows": 9, "rank": 9, "mobility": 3}
    made = found.recipe.description
    assert not made.linkage
    assert made.output_names == ("roll", "pitch", "yaw")


def test_a_loop_in_a_floating_tree_is_a_linkage_and_its_part_a_robot(tmp_path):
    """Nine freedoms as a whole; from the shank on, two drives and two loops. Gravity turns with the cut."""
    whole = import_model(WALKER)
    assert whole.analysis.mobility == 9
    assert whole.recipe.description.linkage
    part = import_model(WALKER, part="shank", output="foot")
    assert part.analysis.counts == {"nv": 8, "loops": 2, "closure_rows": 6, "rank": 6, "mobility": 2}
    assert not part.recipe.description.linkage
    assert part.recipe.description.output_names == ("pitch", "roll")
    tilted = WALKER.read_text(encoding="utf-8")
    tilted = tilted.replace('name="shank" pos', f'name="shank" euler="0 {np.pi / 2} 0" pos')
    turned = import_model(stored(tmp_path, tilted), part="shank")
    np.testing.assert_allclose(turned.reading.tree.gravity, [9.81, 0, 0], atol=1e-14)


def test_what_is_cut_through_is_told_and_an_unknown_part_refused():
    """A rod without its foot: its loop is left open."""
    found = import_model(WALKER, part="left_crank")
    assert "cut from left_crank on: connect1 are left open" in found.notes
    with pytest.raises(BadTree, match="no body 'hand'; there are pelvis"):
        import_model(WALKER, part="hand")


def test_two_points_are_a_hinge_and_come_back_as_one(tmp_path):
    """A connect's second place on the same two bodies holds the axis; written again there are two of them."""
    second = CONNECT.replace("0.4 0 0.3", "0.4 0.1 0.3")
    text = FOUR_BAR.replace(CONNECT, CONNECT + second)
    found = import_model(stored(tmp_path, text))
    assert found.analysis.counts["closure_rows"] == 6
    assert found.analysis.rank == 4  # a crank across the rocker's plane is locked
    again = import_model(stored(tmp_path, to_mjcf(found.reading.tree).text))
    assert again.analysis.counts == found.analysis.counts


def test_a_pose_that_does_not_close_is_assembled_and_told(tmp_path):
    """Sites that are 0.05 m apart as written."""
    text = FOUR_BAR.replace(CONNECT, '<connect site1="s" site2="t"/>')
    for body, site in {
        '"rod" pos="0.2 0 0"': ("s", "0.4 0 0.3"),
        '"rocker" pos="0.6 0 0"': ("t", "0 0.05 0.3"),
    }.items():
        text = text.replace(f"<body name={body}>", "<body name={}><site name='{}' pos='{}'/>".format(body, *site))
    found = import_model(stored(tmp_path, text))
    assert found.analysis.assembly.start == pytest.approx(0.05)
    assert found.recipe is not None
    tree = found.reading.tree
    assert np.abs(Posture(tree, assemble(tree).v).gap()).max() < 1e-13


def test_arms_that_point_away_from_each_other_are_closed_from_a_start_near_by(tmp_path):
    """0.3 m arms on pivots 0.4 m apart, stretched outwards: at first no turn lessens the gap of 1 m."""
    arm = "<body name='{0}' pos='{1} 0 0'><joint name='{0}_j'/>" + INERTIA.format("0.1 0 0", 0.2)
    arm += "<site name='{0}_tip' pos='{2} 0 0'/></body>"
    bodies = arm.format("a", 0.0, -0.3) + arm.format("b", 0.4, 0.3)
    loop = "<equality><connect site1='a_tip' site2='b_tip'/></equality><actuator><motor joint='a_j'/></actuator>"
    found = import_model(stored(tmp_path, f"<mujoco model='away'><worldbody>{bodies}</worldbody>{loop}</mujoco>"))
    assert found.analysis.assembly.converged
    assert "as written the loops do not close; they do from a start near it" in found.notes
