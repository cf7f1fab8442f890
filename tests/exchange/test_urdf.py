"""URDF with its YAML of closed loops: counts of case P13's kind, absurd masses, what pinocchio makes of ours."""

import numpy as np
import pytest

from closedchain.describe.files import BadFile
from closedchain.exchange.analysis import analyse
from closedchain.exchange.from_mechanism import embed
from closedchain.exchange.importing import import_model
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.reshaping import jointed_at_origin, single_jointed
from closedchain.exchange.urdf_reading import read_urdf
from closedchain.exchange.urdf_writing import to_urdf

LINK = "<link name='{name}'><inertial><origin xyz='0.1 0 0'/><mass value='{mass}'/>{moments}</inertial></link>"
MOMENTS = "<inertia ixx='1e-5' ixy='0' ixz='0' iyy='{i}' iyz='0' izz='{i}'/>"
JOINT = (
    "<joint name='{name}' type='{kind}'><origin xyz='{at}' rpy='{rpy}'/><parent link='{parent}'/>"
    "<child link='{name}_link'/><axis xyz='{axis}'/></joint>"
)


def chain(*joints, mass=0.3):
    """Links on joints (name, parent, place, rpy, axis); a link is called after its joint."""
    parts = []
    for name, parent, at, rpy, axis in joints:
        kind = "fixed" if axis == "" else "revolute"
        mother = "base" if parent == "" else f"{parent}_link"
        parts.append(JOINT.format(name=name, parent=mother, at=at, rpy=rpy, axis=axis or "0 0 1", kind=kind))
        weight = 0.0 if axis == "" else mass
        parts.append(LINK.format(name=f"{name}_link", mass=weight, moments=MOMENTS.format(i=weight * 0.01)))
    return f"<robot name='chain'><link name='base'/>{''.join(parts)}</robot>"


def stored(tmp_path, text, loops):
    """A robot's folder, as the public ones are: robot.urdf and robot.yaml."""
    (tmp_path / "robot.urdf").write_text(text, encoding="utf-8")
    (tmp_path / "robot.yaml").write_text(loops, encoding="utf-8")
    return tmp_path / "robot.urdf"


PLANE = "0 0 0"
LEFT = [("mot1", "", "-0.1 0 0", "0 0 2", "0 0 1"), ("free1", "mot1", "0.3 0 0", "0 0 -1.2", "0 0 1")]
RIGHT = [("mot2", "", "0.1 0 0", "0 0 1", "0 0 1"), ("free2", "mot2", "0.3 0 0", "0 0 1.3", "0 0 1")]


def test_five_hinges_and_a_point_leave_two_freedoms(tmp_path):
    """Case P13's isostatic five-bar: one hinge across the plane makes all three rows of the point independent."""
    across = [("ortho", "free1", "0.2 0 0.02", PLANE, "0 1 0"), ("A", "ortho", "0.1 0 -0.02", PLANE, "")]
    text = chain(*LEFT, *across, *RIGHT, ("B", "free2", "0.3 0 0", PLANE, ""))
    path = stored(tmp_path, text, "closed_loop: [['A_link', 'B_link']]\ntype: ['3d']\nname_mot: ['mot1', 'mot2']\n")
    found = import_model(path)
    assert found.analysis.counts == {"nv": 5, "loops": 1, "closure_rows": 3, "rank": 3, "mobility": 2}
    assert found.analysis.assembly.residual <= 1e-10
    assert found.analysis.assembly.start > 1e-2
    assert not found.recipe.description.linkage
    assert [joint.name for joint in found.recipe.description.drives] == ["mot1", "mot2"]
    assert found.reading.joints == 7


def test_six_hinges_of_the_plane_and_a_weld_are_redundant_by_three_and_heavy(tmp_path):
    """Case P13's five-bar with closing hinges: z and two turns say nothing new; 654,000 kg at a tip is told."""
    ends = [("A", "free1", "0.3 0 0", PLANE, "0 0 1"), ("B", "free2", "0.3 0 0", PLANE, "0 0 1")]
    text = chain(*LEFT, *RIGHT, *ends)
    heavy = text.replace("<link name='A_link'><inertial><origin xyz='0.1 0 0'/><mass value='0.3'/>",
                         "<link name='A_link'><inertial><origin xyz='0 0 0'/><mass value='654498.5'/>")  # fmt: skip
    assert heavy != text
    path = stored(tmp_path, heavy, "closed_loop: [['A', 'B']]  # joints\ntype: [6d]\nname_mot:\n- mot1\n- mot2\n")
    analysis = analyse(read_urdf(path).tree)
    assert analysis.counts == {"nv": 6, "loops": 1, "closure_rows": 6, "rank": 3, "mobility": 3}
    assert analysis.redundant == ("A-B: z", "A-B: about x", "A-B: about y")
    assert analysis.assembly.residual <= 1e-10
    assert len(analysis.odd) == 1
    assert "A_link: 6.545e+05 kg" in analysis.odd[0]
    assert "times" in analysis.odd[0]


def test_eight_hinges_and_a_weld_leave_two_freedoms(tmp_path):
    """Case P13's third: a hinge across and a spherical wrist of three hinges make six rows of rank six."""
    wrist = [
        ("ortho", "free1", "0.2 0 0.03", PLANE, "0 1 0"),
        ("w1", "ortho", "0.1 0 -0.03", PLANE, "1 0 0"),
        ("w2", "w1", PLANE, PLANE, "0 1 0"),
        ("w3", "w2", PLANE, PLANE, "0 0 1"),
        ("A", "w3", "0 0 0", "0.1 0.2 0.3", ""),
    ]
    text = chain(*LEFT, *wrist, *RIGHT, ("B", "free2", "0.3 0 0", PLANE, ""))
    path = stored(tmp_path, text, "closed_loop: [['A_link', 'B_link']]\ntype: ['6d']\nname_mot: [mot1, mot2]\n")
    analysis = analyse(read_urdf(path).tree)
    assert analysis.counts == {"nv": 8, "loops": 1, "closure_rows": 6, "rank": 6, "mobility": 2}
    assert analysis.assembly.residual <= 1e-10


@pytest.mark.parametrize(
    "urdf, yaml, complaint",
    [
        ("<robot name='r'><link name='a'/><link name='b'/></robot>", "", "2 links hang on nothing"),
        (chain(*LEFT), "closed_loop: [['mot1_link', 'x']]\ntype: ['3d']", "'x' is no link or joint"),
        (chain(*LEFT), "closed_loop: [['mot1_link', 'base']]\ntype: ['4d']", "write two frames and 3d or 6d"),
        (chain(*LEFT), "closed_loop: [['a', 'b']]\ntype: []", "0 types for 1 closed loops"),
        (chain(*LEFT), "name_mot: [mot3]", "'mot3' is no joint"),
        (chain(*LEFT).replace("revolute", "planar"), "", "'planar' is not read"),
        (chain(*LEFT, LEFT[0]), "", "needs a name of its own"),
        (chain(*LEFT).replace("link='mot1_link'", "link='nowhere'"), "", "'nowhere' is no link"),
    ],
)
def test_a_bad_robot_is_refused_with_its_file(urdf, yaml, complaint, tmp_path):
    """The sentence says which of the two files, and what."""
    with pytest.raises(BadFile, match=complaint):
        read_urdf(stored(tmp_path, urdf, yaml))


# YAML --------------------------------------------------------------------------------------------


WRITTEN = [
    "closed_loop: [['A_link', B_link]] # one\ntype: ['3d']\nname_mot: [mot1, 'mot2']\n",
    "closed_loop:\n- - A_link\n  - B_link\ntype:\n  - 3d\nname_mot:\n  - mot1\n  - mot2\n",
    'closed_loop:\n  [\n    ["A_link", "B_link"],\n  ]\ntype: ["3d"]\nname_mot:\n  [\n    mot1,\n    "mot2",\n  ]\n',
]


@pytest.mark.parametrize("text", WRITTEN)
def test_yaml_is_read_however_it_is_written(text, tmp_path):
    """In brackets, with dashes, over several lines."""
    urdf = chain(*LEFT, ("A", "free1", "0.3 0 0", PLANE, ""), *RIGHT, ("B", "free2", "0.3 0 0", PLANE, ""))
    tree = read_urdf(stored(tmp_path, urdf, text)).tree
    assert tree.drives == ("mot1", "mot2")
    assert [(loop.a.body, loop.b.body, loop.kind) for loop in tree.loops] == [("A_link", "B_link", "point")]


def test_the_yaml_makes_balls_and_universal_joints_of_hinges(tmp_path):
    """URDF has neither; a universal joint turns about two axes of the joint's frame, one after the other."""
    text = "joint_name: [mot1, free1]\njoint_type: [UJOINT_ZY, SPHERICAL]\n"
    joints = read_urdf(stored(tmp_path, chain(*LEFT), text)).tree.joints
    assert [(j.name, j.kind) for j in joints] == [("mot1_Z", "hinge"), ("mot1_Y", "hinge"), ("free1", "ball")]
    np.testing.assert_array_equal([j.axis for j in joints[:2]], [[0, 0, 1], [0, 1, 0]])


REFUSED = {
    "a: !!python/object:os.system x": "is no YAML",
    "a: [1": "is no YAML",
    "- a": "must be keys with lists",
    "closed_loop: 3": "is no list",
    "joint_name: [mot1]\njoint_type: [SCREW]": "'SCREW' is not read",
    "joint_name: [mot1]": "0 types for 1 joints",
}


@pytest.mark.parametrize("text, complaint", REFUSED.items())
def test_other_yaml_is_refused(text, complaint, tmp_path):
    """Tags are never run; what is not understood is said."""
    with pytest.raises(BadFile, match=complaint):
        read_urdf(stored(tmp_path, chain(*LEFT), text))


# Writing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["biglide", "rrr3", "triplate", "slidercrank", "delta", "pinned"])
def test_pinocchio_reads_what_we_write_as_the_same_tree(load, name):
    """M of random joint values is the tree's; the frames that close the loops meet at the zero configuration."""
    pin = pytest.importorskip("pinocchio")
    tree = embed(load(name)).tree
    made, _ = to_urdf(tree)
    model = pin.buildModelFromXML(made.text)
    data = model.createData()
    moved = jointed_at_origin(single_jointed(tree))
    v = np.random.default_rng(2).uniform(-0.5, 0.5, tree.nv)
    q = pin.neutral(model)
    order = []
    for joint in moved.joints:
        j = model.joints[model.getJointId(joint.name)]
        value = v[moved.columns[joint.name]][0]
        q[j.idx_q : j.idx_q + j.nq] = [np.cos(value), np.sin(value)] if j.nq == 2 else [value]
        order.append(j.idx_v)
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    ours = Posture(moved, v).mass_matrix()
    np.testing.assert_allclose(M[np.ix_(order, order)], ours, rtol=0, atol=1e-13 * np.abs(ours).max())
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    for i in range(1, len(tree.loops) + 1):
        a, b = (data.oMf[model.getFrameId(f"closedloop3D_{i}{side}")].translation for side in "AB")
        np.testing.assert_allclose(a, b, atol=1e-13 * load(name).scale)


def test_a_folder_stands_for_its_only_model(tmp_path):
    """Its settings and a package's description are no models; two models are, and none is none."""
    path = stored(tmp_path, chain(("a", "", "0 0 0", "0 0 0", "0 0 1")), "closed_loop: []\n")
    (tmp_path / "package.xml").write_text("<package/>", encoding="utf-8")
    assert import_model(tmp_path).reading.tree.name == "chain"
    (tmp_path / "other.urdf").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(BadFile, match=r"2 models \(other.urdf, robot.urdf\); name one"):
        import_model(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadFile, match="a folder without a model"):
        import_model(tmp_path / "empty")
