"""SDF: poses relative to anything, loops by a second parent or a plugin, defaults that are told."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe.files import BadFile
from closedchain.exchange.analysis import analyse
from closedchain.exchange.from_mechanism import embed
from closedchain.exchange.importing import import_model
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.sdf_inertia import solid
from closedchain.exchange.sdf_reading import read_sdf
from closedchain.exchange.sdf_writing import to_sdf

DATA = Path(__file__).parents[1] / "data/exchange"


def test_a_plugin_that_attaches_two_links_closes_the_loop():
    """Four hinges, six rows of which three are of the plane: one freedom; the links stand as the poses say."""
    reading = read_sdf(DATA / "attached.sdf")
    tree = reading.tree
    assert analyse(tree).counts == {"nv": 4, "loops": 1, "closure_rows": 6, "rank": 3, "mobility": 1}
    assert reading.joints == 4
    assert tree.drives == ("motor",)
    assert tree.joint("motor").damping == 0.02
    posture = Posture(tree, np.zeros(4))
    turn = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    for name, place in {"left_end": (0, 0.3), "top": (0, 0.3), "right": (0.4, 0), "right_again": (0.4, 0.3)}.items():
        at = posture.frame(tree.place(name))[1]
        np.testing.assert_allclose(at, [*(turn @ place + [0.5, 0]), 0.1], atol=1e-15)
    np.testing.assert_allclose(posture.body("top")[0][:2, :2], turn, atol=1e-15)


def test_the_masses_that_sdf_gives_by_default_are_told():
    """A link without <inertial> weighs 1 kg; a plugin that does nothing here is named; no gravity acts."""
    reading = read_sdf(DATA / "attached.sdf")
    said = " | ".join(reading.notes)
    assert "1 kg and 1 kg m² hold: right_again" in said
    assert "plugins are left out: gz::sim::systems::WindEffects" in said
    assert "ranges are left out" in said
    assert reading.tree.body("right_again").mass == 1.0
    assert not reading.tree.gravity.any()


def test_a_child_with_two_parents_closes_the_loop_and_is_the_biglide():
    """0.25 m bars over rails 0.4 m apart: the tip at Pythagoras' height, its weld's 2 kg on the left bar's end."""
    found = import_model(DATA / "two_parents.sdf")
    assert found.analysis.counts == {"nv": 4, "loops": 1, "closure_rows": 5, "rank": 2, "mobility": 2}
    assert found.reading.joints == 6
    robot = cc.load(found.recipe)
    np.testing.assert_allclose(
        cc.direct(robot, q=[0.1, 0.1])["+"].x, [0.2, 0.1 + np.sqrt(0.25**2 - 0.2**2)], atol=1e-14
    )
    # both feet together lift everything: M summed over all is the whole mass, 1 + 1 + 1 + 2 + 0.5
    M = cc.evaluate(robot, q=[0.1, 0.1], q_dot=[0.0, 0.0]).M
    assert np.sum(M) == pytest.approx(5.5, rel=1e-12)
    assert cc.check(robot, states=50).ok


def test_a_link_without_a_joint_floats_and_a_joint_may_be_taken_backwards(tmp_path):
    """`hand` is a parent only, of a link that the world holds: it hangs on it, turned about the reversed axis."""
    path = tmp_path / "loose.sdf"
    link = "<link name='{}'><inertial><mass>1</mass></inertial></link>"
    joint = "<joint name='{}' type='revolute'><parent>{}</parent><child>{}</child><axis><xyz>0 0 1</xyz></axis></joint>"
    text = link.format("hand") + link.format("arm") + link.format("ball")
    text += joint.format("wrist", "hand", "arm") + joint.format("shoulder", "world", "arm")
    path.write_text(f"<sdf version='1.7'><model name='loose'>{text}</model></sdf>", encoding="utf-8")
    tree = read_sdf(path).tree
    assert tree.body("hand").parent == "arm"
    np.testing.assert_array_equal(tree.joint("wrist").axis, [0, 0, -1])
    assert tree.joint("ball_free").kind == "free"
    assert tree.nv == 8


def test_what_we_write_has_loops_as_second_parents_and_masses_everywhere(load):
    """The child of a loop's joint is the child of another joint, too; no link is without mass."""
    root = ElementTree.fromstring(to_sdf(embed(load("rrr3")).tree).text)
    model = root.find("world/model")
    children = [j.findtext("child") for j in model.findall("joint")]
    assert len(children) - len(set(children)) == 2
    assert all(float(link.findtext("inertial/mass")) > 0 for link in model.findall("link"))
    assert root.find("world").findtext("gravity") == "0 0 0"


def link(name, pose="", inside="<inertial><mass>1</mass></inertial>"):
    """A link at a pose."""
    return f"<link name='{name}'><pose>{pose}</pose>{inside}</link>"


def joint(name, parent, child, kind="revolute", pose="", axis="0 0 1", more=""):
    """A joint at a pose of its child."""
    ends = f"<parent>{parent}</parent><child>{child}</child><pose>{pose}</pose>"
    return f"<joint name='{name}' type='{kind}'>{ends}<axis><xyz>{axis}</xyz>{more}</axis></joint>"


def world_file(folder, model, beside="", words=""):
    """A world with one model."""
    path = folder / "world.sdf"
    text = f"<sdf version='1.11'><world name='w'>{beside}<model name='m' {words}>{model}</model></world></sdf>"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_model_stands_where_its_placement_frame_is_put(tmp_path):
    """Its pose is that of the frame, counted from a frame of the world: 1 m, a quarter turn, then 0.3 m back."""
    beside = "<frame name='table'><pose>1 0 0 0 0 1.5707963267948966</pose></frame>"
    model = "<pose relative_to='table'>0 0 0.2 0 0 0</pose>" + link("a", "0.1 0 0 0 0 0") + joint("j", "world", "a")
    model += "<frame name='foot' attached_to='a'><pose>0.2 0 0 0 0 0</pose></frame>"
    tree = read_sdf(world_file(tmp_path, model, beside, "placement_frame='foot'")).tree
    np.testing.assert_allclose(Posture(tree, np.zeros(1)).body("a")[1], [1, -0.2, 0.2], atol=1e-15)


def test_a_driven_joint_is_never_the_one_that_closes_the_loop(tmp_path):
    """A cylinder between ground and boom, its slide written last: a robot with a telescope."""
    model = link("boom", "0.8 0 0 0 0 0") + link("barrel") + link("rod", "0.3 0.4 0 0 0 0")
    model += joint("b", "world", "boom") + joint("c", "world", "barrel") + joint("pin", "boom", "rod")
    model += joint("lift", "barrel", "rod", "prismatic", axis="0.6 0.8 0")
    model += "<plugin name='gz::sim::systems::ApplyJointForce'><joint_name>lift</joint_name></plugin>"
    found = import_model(world_file(tmp_path, model))
    assert [type(d).__name__ for d in found.recipe.description.drives] == ["Telescope"]
    assert [loop.name for loop in found.reading.tree.loops] == ["pin"]
    assert found.analysis.mobility == 1


def test_masses_may_come_from_the_collision_shapes(tmp_path):
    """A box of 0.1 x 0.2 x 0.3 m at 500 kg/m³ and a ball of 0.1 m at water's density beside it."""
    ball = 4 / 3 * np.pi * 0.1**3 * 1000
    shape = "<collision name='{}'><pose>{} 0 0 0 0 0</pose>{}<geometry>{}</geometry></collision>"
    shapes = shape.format("c", 0, "<density>500</density>", "<box><size>0.1 0.2 0.3</size></box>")
    shapes += shape.format("d", 1, "", "<sphere><radius>0.1</radius></sphere>")
    for stated, mass in (("", 3 + ball), ("<mass>5</mass>", 5.0)):
        inside = f"<inertial auto='true'>{stated}</inertial>{shapes}"
        body = read_sdf(world_file(tmp_path, link("a", "", inside) + joint("j", "world", "a"))).tree.body("a")
        assert body.mass == pytest.approx(mass, rel=1e-14)
        assert body.centre[0] == pytest.approx(ball / (3 + ball), rel=1e-14)
        about_z = 3 / 12 * (0.1**2 + 0.2**2) + 0.4 * ball * 0.1**2 + 3 * ball / (3 + ball)
        assert body.inertia[2, 2] == pytest.approx(about_z * mass / (3 + ball), rel=1e-14)


@pytest.mark.parametrize(
    "model, beside, said",
    [
        ("", "<include><uri>model://sun</uri></include>", "included models are left out: model://sun"),
        ("", "<joint name='k' type='fixed'/>", "outside its models, are left out: k"),
        ("<static>true</static>", "", "the model is static"),
        (
            joint("k", "a", "b", more="<mimic joint='j'/>") + joint("l", "world", "b"),
            "",
            "couplings of joints that close a loop, or are no hinge or slide, are left out: k_mimic",
        ),
        (
            joint("k", "a", "b", more="<dynamics><damping>1</damping></dynamics>") + joint("l", "world", "b"),
            "",
            "dampers on joints that close a loop are left out: k",
        ),
    ],
)
def test_what_stands_beside_the_tree_is_named(model, beside, said, tmp_path):
    """Nothing is left out silently."""
    text = link("a") + link("b", "1 0 0 0 0 0") + joint("j", "world", "a") + model
    assert any(said in note for note in read_sdf(world_file(tmp_path, text, beside)).notes)


def test_a_joint_mimics_another(tmp_path):
    """k = 2 (j − 0.1) + 0.3: one freedom of two; a leader that is not there is refused."""
    said = "<mimic joint='j'><multiplier>2</multiplier><offset>0.3</offset><reference>0.1</reference></mimic>"
    text = link("a") + link("b", "1 0 0 0 0 0") + joint("j", "world", "a") + joint("k", "a", "b", more=said)
    found = import_model(world_file(tmp_path, text))
    assert found.analysis.mobility == 1
    assert Posture(found.reading.tree, np.array([0.4, 0.9])).gap() == pytest.approx([0.0], abs=1e-15)
    with pytest.raises(BadFile, match="mimics 'i', which is no joint"):
        read_sdf(world_file(tmp_path, text.replace("<mimic joint='j'>", "<mimic joint='i'>")))


HELD = "<joint name='j' type='fixed'><parent>world</parent><child>a</child></joint>"


@pytest.mark.parametrize(
    "model, complaint",
    [
        ("<include><uri>x</uri></include>", "included models are not read"),
        ("<frame name='a'/>", "holds no link"),
        ("<pose relative_to='b'/><link name='a'/>" + HELD, "no frame of the world"),
        ("<link name='a'/><link name='a'/>", "needs a name of its own"),
        ("<link name='a'><pose relative_to='b'>0 0 0 0 0 0</pose></link>" + HELD, "no link, joint or frame 'b'"),
        ("<link name='a'><pose relative_to='f'/></link><frame name='f' attached_to='a'/>" + HELD, "depends on itself"),
        ("<link name='a'/>" + HELD.replace("fixed", "gearbox"), "'gearbox' is not read"),
        ("<link name='a'/>" + HELD.replace("world", "b"), "parent 'b' is no link"),
        ("<link name='a'><pose>0 0 0</pose></link>" + HELD, "has 3 numbers"),
        ("<link name='a'><inertial><mass>much</mass></inertial></link>" + HELD, "is not made of numbers"),
    ],
)
def test_a_bad_file_is_refused_with_its_place(model, complaint, tmp_path):
    """One sentence each."""
    path = tmp_path / "bad.sdf"
    path.write_text(f"<sdf version='1.7'><model name='m'>{model}</model></sdf>", encoding="utf-8")
    with pytest.raises(BadFile, match=complaint):
        read_sdf(path)


BLOCK = [0.1, 0.2, 0.3]
SHAPES = [("sphere", [0.3]), ("box", BLOCK), ("ellipsoid", BLOCK), ("cylinder", [0.2, 0.5]), ("capsule", [0.2, 0.5])]


@pytest.mark.parametrize("kind, size", SHAPES)
def test_a_shape_has_the_volume_and_moments_of_its_points(kind, size):
    """A million random points of the box around it, those inside averaged."""
    inside = {
        "sphere": lambda p: (p**2).sum(-1) <= 0.09,
        "box": lambda p: (np.abs(p) <= size).all(-1),
        "ellipsoid": lambda p: ((p / size) ** 2).sum(-1) <= 1,
        "cylinder": lambda p: (np.hypot(p[:, 0], p[:, 1]) <= 0.2) & (np.abs(p[:, 2]) <= 0.5),
        "capsule": lambda p: (p[:, :2] ** 2).sum(-1) + (np.maximum(np.abs(p[:, 2]) - 0.5, 0)) ** 2 <= 0.04,
    }[kind]
    points = np.random.default_rng(0).uniform(-0.7, 0.7, (1_000_000, 3))
    points = points[inside(points)]
    made = solid(kind, np.array(size))
    assert made.volume == pytest.approx(len(points) / 1e6 * 1.4**3, rel=0.03)  # three sigma of a few thousand points
    x, y, z = (points**2).mean(axis=0)
    np.testing.assert_allclose(made.moments, [y + z, x + z, x + y], rtol=0.03)
