"""MJCF: what we write MuJoCo reads as the same bodies, and what it reads we read as it does."""

from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

from closedchain.describe.files import BadFile
from closedchain.exchange.from_mechanism import embed
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.mjcf_reading import read_mjcf
from closedchain.exchange.mjcf_writing import to_mjcf
from closedchain.exchange.values import joint_rates, joint_values
from closedchain.model.sampling import sample
from tests.exchange.conftest import ODD, SHIPPED

PRESS = Path(__file__).parents[1] / "data/exchange/press.xml"


def mass_matrix(model, data):
    """MuJoCo's M as a full matrix."""
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    return M


@pytest.mark.parametrize("name", [*SHIPPED, *ODD])
def test_mujoco_reads_what_we_write_as_the_same_tree(load, name):
    """M is the tree's but for the floors, qpos of a drive is its coordinate, the loops are closed and stay so."""
    model = load(name)
    robot, s = embed(model), sample(model, 6, seed=1)
    made = to_mjcf(robot.tree)
    theirs = mujoco.MjModel.from_xml_string(made.text)
    data = mujoco.MjData(theirs)
    assert theirs.nv == robot.tree.nv
    assert [theirs.actuator(i).name for i in range(theirs.nu)] == [c.name for c in model.equations.q]
    order = [theirs.joint(j.name).dofadr[0] + k for j in robot.tree.joints for k in range(j.freedoms)]
    values = joint_values(robot, s.q, s.x)
    rates = joint_rates(robot, s.q, s.x, s.q_dot, s.x_dot)
    for i in range(6):
        step = np.zeros(theirs.nv)
        step[order] = values[i]
        data.qpos[:], data.qvel[order] = theirs.qpos0, rates[i]
        for body in robot.tree.bodies:  # MuJoCo shifts floating bodies along the world's axes
            if body.joints[0].kind == "free":
                at = theirs.joint(body.joints[0].name).dofadr[0] + np.arange(3)
                step[at], data.qvel[at] = body.rotation @ step[at], body.rotation @ data.qvel[at]
        mujoco.mj_integratePos(theirs, data.qpos, step, 1.0)
        for k, drive in enumerate(robot.tree.drives):
            assert data.joint(drive).qpos[0] == pytest.approx(s.q[i, k], abs=1e-12 * model.scale)
        mujoco.mj_forward(theirs, data)
        M = mass_matrix(theirs, data)[np.ix_(order, order)]
        for body in robot.tree.bodies:
            if body.joints[0].kind == "free":
                at = robot.tree.columns[body.joints[0].name].start + np.arange(3)
                M[at] = body.rotation.T @ M[at]
                M[:, at] = M[:, at] @ body.rotation
        ours = Posture(robot.tree, values[i]).mass_matrix()
        given = 2e-8 * max(np.abs(ours).max(), sum(b.mass for b in robot.tree.bodies))  # ≤ 10 floors of 1e-9
        np.testing.assert_allclose(M, ours, rtol=0, atol=given)
        assert np.abs(data.efc_pos[: data.ne]).max(initial=0.0) <= 1e-12 * model.scale
        assert np.abs(data.efc_vel[: data.ne]).max(initial=0.0) <= 1e-11 * model.scale * max(
            1.0, np.abs(rates[i]).max()
        )


def test_there_is_one_body_under_the_world(load):
    """Some readers keep only the first and say nothing; floating bodies MuJoCo wants beside it."""
    for name in SHIPPED:
        tree = embed(load(name)).tree
        floating = sum(joint.kind == "free" for joint in tree.joints)
        root = ElementTree.fromstring(to_mjcf(tree).text)
        assert len(root.find("worldbody").findall("body")) == 1 + floating


@pytest.mark.parametrize("name", ["biglide", "rrr3", "triplate", "slidercrank"])
def test_pinocchio_keeps_every_joint_of_what_we_write(load, name, tmp_path):
    """Its reader drops all but the first child of the world without a word: there is one; M where the file stands."""
    pin = pytest.importorskip("pinocchio")
    tree = embed(load(name)).tree
    path = tmp_path / "robot.xml"
    path.write_text(to_mjcf(tree).text, encoding="utf-8")
    model = pin.buildModelFromMJCF(str(path))
    assert model.nv == tree.nv
    order = [model.joints[model.getJointId(joint.name)].idx_v for joint in tree.joints]
    M = pin.crba(model, model.createData(), model.referenceConfigurations["qpos0"])
    M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
    ours = Posture(tree, np.zeros(tree.nv)).mass_matrix()
    np.testing.assert_allclose(M, ours, rtol=0, atol=2e-8 * np.abs(ours).max())  # ≤ 10 floors of 1e-9


def test_a_mass_that_mujoco_demands_is_said_and_taken_back(load, tmp_path):
    """The triplate's leg has none: it is given 1e-9 of the whole, said in the file and the notes, and read as none."""
    tree = embed(load("triplate")).tree
    made = to_mjcf(tree)
    whole = sum(b.mass for b in tree.bodies)
    assert {"d3_rod:mass", "d3_cylinder:mass"} <= set(made.floors)
    assert any("d3_rod has no mass" in note for note in made.notes)
    assert "d3_rod has no mass" in made.text
    theirs = mujoco.MjModel.from_xml_string(made.text)
    assert theirs.body("d3_rod").mass[0] == pytest.approx(1e-9 * whole)
    path = tmp_path / "triplate.xml"
    path.write_text(made.text, encoding="utf-8")
    back = read_mjcf(path).tree
    assert back.body("d3_rod").mass == 0.0
    assert not back.body("d3_rod").inertia.any()


# Reading -----------------------------------------------------------------------------------------


def stripped(text):
    """The press without what MuJoCo needs a file for."""
    root = ElementTree.fromstring(text)
    ram = next(b for b in root.iter("body") if b.get("name") == "ram")
    ram.remove(next(g for g in ram.findall("geom") if g.get("type") == "mesh"))
    return ElementTree.tostring(root, encoding="unicode")


def test_classes_frames_angles_and_shapes_mean_what_they_mean_to_mujoco():
    """Masses, M at random joint values, the closing point, the tendon's force and the springs of the press."""
    tree = read_mjcf(PRESS).tree
    theirs = mujoco.MjModel.from_xml_string(stripped(PRESS.read_text(encoding="utf-8")))
    data = mujoco.MjData(theirs)
    assert tree.nv == theirs.nv
    for body in tree.bodies:
        assert body.mass == pytest.approx(theirs.body(body.name).mass[0], rel=1e-12)
    rng = np.random.default_rng(5)
    for _ in range(5):
        v = rng.uniform(-0.6, 0.6, tree.nv)
        data.qpos[:] = theirs.qpos0 + v
        mujoco.mj_forward(theirs, data)
        posture = Posture(tree, v)
        np.testing.assert_allclose(posture.mass_matrix(), mass_matrix(theirs, data), rtol=0, atol=1e-14)
        gap = posture.gap()  # of the closing point, then of the coupling, as MuJoCo has them
        np.testing.assert_allclose(np.linalg.norm(gap[:3]), np.linalg.norm(data.efc_pos[:3]), rtol=1e-12)
        np.testing.assert_allclose(np.abs(gap[3:]), np.abs(data.efc_pos[3 : data.ne]), rtol=1e-12)
        for name in ("elbow", "grip", "post"):
            np.testing.assert_allclose(posture.frame(tree.place(name))[1], data.site(name).xpos, atol=1e-15)
        drive, place = tree.joint("drive"), theirs.joint("drive").dofadr[0]
        spring = -drive.stiffness * (drive.zero + v[tree.columns["drive"]][0] - drive.rest)
        assert data.qfrc_spring[place] - _tendon(theirs, data, place) == pytest.approx(spring, rel=1e-12)
    np.testing.assert_array_equal(tree.gravity, theirs.opt.gravity)


def _tendon(model, data, dof):
    """The spring force of the tendon on a joint."""
    J = np.zeros((model.ntendon, model.nv))
    mujoco.mju_sparse2dense(J, data.ten_J.ravel(), model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind)
    return float(J[0, dof] * -20.0 * (data.ten_length[0] - 0.1))


def test_what_a_tree_cannot_hold_is_named():
    """Servos, tendons that sum, switched-off loops; every joint and coupling of the file is in the tree."""
    reading = read_mjcf(PRESS)
    said = " | ".join(reading.notes)
    for name in ("servo", "pull", "sum", "off"):
        assert f": {name}" in said, name
    assert [relation.name for relation in reading.tree.relations] == ["gear"]
    assert "ranges are left out" in said
    assert reading.joints == len(reading.tree.joints) == 5
    assert reading.tree.drives == ("ram_slide", "drive")
    assert [(link.name, link.stiffness, link.rest, link.damping) for link in reading.tree.links] == [
        ("return", 20.0, 0.1, 0.3)
    ]


def text_file(folder, head, bodies, more=""):
    """An MJCF file of these parts."""
    path = folder / "thing.xml"
    path.write_text(f"<mujoco>{head}<worldbody>{bodies}</worldbody>{more}</mujoco>", encoding="utf-8")
    return path


ODDLY = (
    "<body name='a'><joint axis='0 1 0'/><geom type='box' size='0.1 0.02 0.03'/>"
    "<body name='b' pos='0.2 0 0'><joint/>"
    "<inertial pos='0.1 0 0' euler='0 0 20' mass='0.02' diaginertia='1 1 4'/></body></body>"
)


@pytest.mark.parametrize("words", ["boundmass='0.1' boundinertia='2' balanceinertia='true'", "balanceinertia='true'"])
@pytest.mark.parametrize("total", [None, 3.0])
def test_masses_are_what_the_compilers_settings_make_of_them(words, total, tmp_path):
    """Bounds, balanced moments, a stated total: M as MuJoCo has it."""
    path = text_file(tmp_path, f"<compiler {words}/>", ODDLY)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    if total is not None:  # the attribute itself makes MuJoCo warn that it is old
        path = text_file(tmp_path, f"<compiler {words} settotalmass='{total}'/>", ODDLY)
        mujoco.mj_setTotalmass(theirs, total)
    data = mujoco.MjData(theirs)
    tree = read_mjcf(path).tree
    v = np.array([0.3, -0.8])
    data.qpos[:] = v
    mujoco.mj_forward(theirs, data)
    for body in tree.bodies:
        assert body.mass == pytest.approx(theirs.body(body.name).mass[0], rel=1e-12)
    np.testing.assert_allclose(Posture(tree, v).mass_matrix(), mass_matrix(theirs, data), rtol=1e-12, atol=1e-14)


def test_flags_switch_gravity_springs_dampers_and_loops_off(tmp_path):
    """As MuJoCo does; the loop is named."""
    flags = "<flag gravity='disable' spring='disable' damper='disable' equality='disable'/>"
    bodies = ODDLY.replace("1 1 4", "1 1 1").replace("<joint/>", "<joint stiffness='3' damping='0.2'/>")
    reading = read_mjcf(
        text_file(tmp_path, f"<option>{flags}</option>", bodies, "<equality><weld body1='b'/></equality>")
    )
    assert not reading.tree.gravity.any()
    assert reading.tree.loops == ()
    assert "loops that are switched off are left out: weld1" in reading.notes
    assert not any(joint.stiffness or joint.damping for joint in reading.tree.joints)


def test_springs_that_mujoco_works_out_are_its_own(tmp_path):
    """springdamper, a time and a ratio, overrides the stiffness beside it."""
    bodies = ODDLY.replace("1 1 4", "1 1 1").replace("<joint/>", "<joint name='j' stiffness='3' springdamper='0.1 1'/>")
    path = text_file(tmp_path, "", bodies)
    theirs = mujoco.MjModel.from_xml_path(str(path)).joint("j")
    joint = read_mjcf(path).tree.joint("j")
    assert (joint.stiffness, joint.damping) == (theirs.stiffness[0], theirs.damping[0])
    assert joint.stiffness > 30.0


def test_includes_and_copies_are_read(tmp_path):
    """A scene that includes a robot, three copies of a body, an attached model: the bodies that MuJoCo has."""
    shape = "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.01'/>"
    body = f"<body name='arm'><joint name='turn' axis='0 1 0'/>{shape}</body>"
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/robot.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>", encoding="utf-8")
    copies = body.replace("arm", "leaf").replace("turn", "swing")
    attached = "<asset><model name='other' file='parts/robot.xml'/></asset>"
    bodies = (
        f"<replicate count='3' offset='0 0.1 0'>{copies}</replicate><attach model='other' body='arm' prefix='far_'/>"
    )
    path = text_file(tmp_path, "<include file='parts/robot.xml'/>" + attached, bodies)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    tree = read_mjcf(path).tree
    assert [b.name for b in tree.bodies] == [theirs.body(i).name for i in range(1, theirs.nbody)]
    assert {"arm", "leaf0", "leaf2", "far_arm"} <= {b.name for b in tree.bodies}
    np.testing.assert_allclose(tree.body("leaf2").position, [0, 0.2, 0])


@pytest.mark.parametrize(
    "text", ["<mujoco><include file='thing.xml'/></mujoco>", "<mujoco><include file='.'/></mujoco>"]
)
def test_a_file_that_includes_itself_ends_in_one_sentence(text, tmp_path):
    """So does one that names a folder."""
    (tmp_path / "thing.xml").write_text(text, encoding="utf-8")
    with pytest.raises(BadFile, match=r"includes itself|is not there"):
        read_mjcf(tmp_path / "thing.xml")


CORNERS = "".join(f"v {x} {y} {z}\n" for x in (0, 0.1) for y in (0, 0.2) for z in (0, 0.3))
SIDES = ("132", "234", "567", "687", "125", "265", "374", "478", "153", "357", "246", "486")
CUBE = CORNERS + "".join(f"f {' '.join(side)}\n" for side in SIDES)


def test_a_mesh_weighs_where_its_file_is_there_and_is_told_where_not(tmp_path):
    """A block of 0.1 × 0.2 × 0.3 m of water, 6 kg; without its file the mass is left out and said so."""
    block = "<body name='block'><joint/><geom type='mesh' mesh='cube'/></body>"
    path = text_file(tmp_path, "<asset><mesh name='cube' file='cube.obj'/></asset>", block)
    (tmp_path / "cube.obj").write_text(CUBE, encoding="utf-8")
    body = read_mjcf(path).tree.body("block")
    assert body.mass == pytest.approx(6.0, rel=1e-6)  # MuJoCo keeps vertices in single precision
    np.testing.assert_allclose(body.centre, [0.05, 0.1, 0.15], atol=1e-7)
    (tmp_path / "cube.obj").unlink()
    reading = read_mjcf(path)
    assert reading.tree.body("block").mass == 0.0
    assert any("the mass of meshes is left out" in note and "cube.obj" in note for note in reading.notes)


def test_pictures_need_no_files_and_massless_bodies_stay_so(tmp_path):
    """Textures, materials and meshes beside a stated mass are not opened; a frame on a joint weighs nothing."""
    assets = (
        "<asset><texture name='t' type='2d' file='no.png'/><material name='m' texture='t'/>"
        "<mesh name='v' file='no.stl'/></asset>"
    )
    bodies = (
        "<body name='a'><joint/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>"
        "<geom type='mesh' mesh='v' material='m'/><body name='frame'><joint name='w'/></body></body>"
    )
    reading = read_mjcf(text_file(tmp_path, assets, bodies))
    assert [b.mass for b in reading.tree.bodies] == [2.0, 0.0]
    assert not reading.tree.body("frame").inertia.any()
    assert not any("mesh" in note for note in reading.notes)


def test_a_contact_with_a_picture_that_is_taken_out_goes_with_it(tmp_path):
    """MuJoCo refuses a pair that names a shape which is not there; other contacts are still told of."""
    assets = "<asset><mesh name='v' file='no.stl'/></asset>"
    bodies = (
        "<geom name='floor' type='plane' size='1 1 1'/><body name='a'><joint/><geom name='toe' size='0.1'/>"
        "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/><geom name='foot' type='mesh' mesh='v'/></body>"
    )
    pairs = "<contact><pair geom1='floor' geom2='foot'/><pair geom1='floor' geom2='toe'/></contact>"
    reading = read_mjcf(text_file(tmp_path, assets, bodies, pairs))
    assert [b.mass for b in reading.tree.bodies] == [2.0]
    assert any("contacts are left out" in note for note in reading.notes)


def test_a_number_that_is_none_is_refused(tmp_path):
    """MuJoCo only warns of a NaN."""
    path = text_file(
        tmp_path, "", ODDLY.replace("1 1 4", "1 1 1").replace("axis='0 1 0'", "axis='0 1 0' pos='nan 0 0'")
    )
    with pytest.raises(BadFile, match="jnt_pos: MuJoCo reads a number there that is not finite"):
        read_mjcf(path)


def test_a_weld_holds_the_second_bodys_anchor_at_its_relative_pose(tmp_path):
    """The gap at random joint values is MuJoCo's."""
    weld = "<weld body1='a' body2='b' anchor='0.1 0.02 0' relpose='0.3 0.1 0 0.8 0 0 0.6'/>"
    path = text_file(tmp_path, "", ODDLY.replace("1 1 4", "1 1 1"), f"<equality>{weld}</equality>")
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    tree = read_mjcf(path).tree
    for v in np.random.default_rng(3).uniform(-1, 1, (5, 2)):
        data.qpos[:] = v
        mujoco.mj_forward(theirs, data)
        np.testing.assert_allclose(
            np.linalg.norm(Posture(tree, v).gap()[:3]), np.linalg.norm(data.efc_pos[:3]), rtol=1e-12
        )


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("<mujoco><include file='x.xml'/></mujoco>", "included file 'x.xml' is not there"),
        ('<!DOCTYPE m [<!ENTITY a "aa">]><mujoco>&a;</mujoco>', "document type or entity"),
        ("<mujoco><worldbody></mujoco>", "not XML: mismatched tag"),
        ("<mujoco><worldbody><body><joint axis='1 0'/></body></worldbody></mujoco>", "does not have enough data"),
        (
            "<mujoco><worldbody><body><joint axis='a b c'/></body></worldbody></mujoco>",
            "bad format in attribute 'axis'",
        ),
        ("<mujoco><worldbody><body><joint type='screw'/></body></worldbody></mujoco>", "invalid keyword: 'screw'"),
        ("<mujoco><worldbody><body><joint class='x'/></body></worldbody></mujoco>", "unknown default class name 'x'"),
        ("<mujoco><equality><connect body1='a' anchor='0 0 0'/></equality></mujoco>", "unknown element 'a'"),
        ("<mujoco><actuator><motor joint='j'/></actuator></mujoco>", "unknown transmission target 'j'"),
        ("<robot/>", "is not MJCF"),
    ],
)
def test_a_bad_file_is_one_sentence_with_its_line(text, complaint, tmp_path):
    """What and where, by MuJoCo's own word; nothing is expanded."""
    path = tmp_path / "bad.xml"
    path.write_text(f"<!-- a line before -->\n{text}", encoding="utf-8")
    with pytest.raises(BadFile, match=complaint) as caught:
        read_mjcf(path)
    assert caught.value.line == 2


@pytest.mark.parametrize("inside", ["{}", "<frame>{}</frame>", '<body><geom size="1">{}</geom></body>'])
def test_a_joint_that_moves_no_body_is_refused_as_by_mujoco(tmp_path, inside):
    """In the world, in a frame of the world or in a geom it moves nothing."""
    joint = inside.format('<joint name="q"/>')
    text = f"<mujoco><worldbody>{joint}</worldbody></mujoco>"
    with pytest.raises(ValueError, match=r"(?i)schema|joint"):
        mujoco.MjModel.from_xml_string(text)
    (tmp_path / "robot.xml").write_text(text)
    with pytest.raises(BadFile, match=r"robot.xml:1: <(joint|geom)>: MuJoCo refuses it"):
        read_mjcf(tmp_path / "robot.xml")
