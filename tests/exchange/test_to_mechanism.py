"""Trees in our vocabulary: what is recognised, against the tree's own M and weight; and why something is not ours."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Crank, Plate, Slider, Telescope
from closedchain.exchange.importing import import_model
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.tree import Frame
from closedchain.model.model import Model
from tests.exchange.conftest import interpreted

HEAD = "<mujoco model='thing'><compiler angle='radian'/><option gravity='0 -9.81 0'/><worldbody>"


def model_file(tmp_path, bodies, loops="", drives=(), turned=False):
    """An MJCF file; `turned` lays the plane into the world's x and z."""
    motors = "".join(f"<motor joint='{drive}'/>" for drive in drives)
    if turned:
        bodies = f"<body name='tilt' euler='1.5707963267948966 0 0'>{bodies}</body>"
    head = HEAD.replace("0 -9.81 0", "0 0 -9.81") if turned else HEAD
    path = tmp_path / "thing.xml"
    text = f"{head}{bodies}</worldbody><equality>{loops}</equality><actuator>{motors}</actuator></mujoco>"
    path.write_text(text, encoding="utf-8")
    return path


def body(name, at, inside="", joint="hinge", more="", mass=0.4, centre="0.1 0 0"):
    """A body with one joint of its name."""
    inertial = f"<inertial pos='{centre}' mass='{mass}' diaginertia='1e-3 2e-3 2e-3'/>" if mass else ""
    return f"<body name='{name}' pos='{at}'><joint name='{name}_j' type='{joint}' {more}/>{inertial}{inside}</body>"


def connect(a, b, at):
    """Two bodies that meet at a place of the first."""
    return f"<connect body1='{a}' body2='{b}' anchor='{at}'/>"


SIXBAR = (  # Stephenson's: an arm with two hinges, a triangle, a dyad to the ground
    body(
        "arm", "0 0 0", body("tri", "0.2 0.1 0", centre="0.1 0.05 0") + body("link", "0.1 -0.1 0"), centre="0.1 0.02 0"
    )
    + body("rocker", "0.7 0 0", centre="0 0.1 0")
    + body("guide", "0.5 -0.4 0"),
    connect("tri", "rocker", "0.5 0.1 0") + connect("link", "guide", "0.4 0.1 0"),
    ("arm_j",),
)
ARM = (  # a four-bar whose arm has its centre beside its line, under gravity
    body("arm", "0 0 0", body("rod", "0.2 0.1 0"), centre="0.1 0.02 0") + body("rocker", "0.6 0 0", centre="0 0.1 0"),
    connect("rod", "rocker", "0.4 0.1 0"),
    ("arm_j",),
)
CARRIAGE = (  # a driven carriage with two hinges
    body("car", "0 0 0", body("b1", "0.1 0.1 0") + body("b2", "-0.1 0.1 0"), "slide", "axis='1 0 0'")
    + body("b3", "0.9 0.0 0")
    + body("b4", "-0.9 0 0"),
    connect("b1", "b3", "0.5 0.2 0") + connect("b2", "b4", "-0.5 0.3 0"),
    ("car_j",),
)
SLIDERCRANK = (  # the piston is a block on a rail, its mass a point's
    body("crank", "0 0 0", body("rod", "0.1 0.05 0"), centre="0.06 0.03 0")
    + body("piston", "0.5 0 0", "", "slide", "axis='1 0 0'", centre="0 0.1 0"),
    connect("rod", "piston", "0.4 -0.05 0"),
    ("crank_j",),
)
CYLINDER = (  # a telescope that lifts a boom; its joint is 0 where the leg is 0.5 m long
    body(
        "cyl",
        "0 0 0",
        body("pist", "0.3 0.4 0", "", "slide", "axis='0.6 0.8 0'", centre="-0.06 -0.08 0"),
        centre="0.06 0.08 0",
    )
    + body("boom", "0.8 0 0", centre="-0.2 0.3 0"),
    connect("pist", "boom", "0 0 0"),
    ("pist_j",),
)


YOKE = (  # a crank in the slot of a carriage that nothing is hinged to
    body("crank", "0 0 0", centre="0.05 0.025 0")
    + body(
        "yoke",
        "0.3 0 0",
        body("slot", "-0.2 0.05 0", "", "slide", "axis='0 1 0'", centre="0 0 0"),
        "slide",
        "axis='1 0 0'",
    ),
    connect("crank", "slot", "0.1 0.05 0"),
    ("crank_j",),
)
ROTOR = (  # a four-bar with a rotor on its driven and one on its undriven hinge of the ground
    body("arm", "0 0 0", body("rod", "0.2 0.1 0"), more="armature='0.01'", centre="0.1 0.05 0")
    + body("rocker", "0.6 0 0", more="armature='0.03'", centre="0 0.1 0"),
    connect("rod", "rocker", "0.4 0.1 0"),
    ("arm_j",),
)


MACHINES = [
    pytest.param(YOKE, id="scotch yoke"),
    pytest.param(ROTOR, id="rotors"),
    pytest.param(SIXBAR, id="six-bar"),
    pytest.param(CARRIAGE, id="carriage"),
    pytest.param(ARM, id="arm"),
    pytest.param(SLIDERCRANK, id="slider-crank"),
    pytest.param(CYLINDER, id="cylinder"),
]


def reduced(tree, drives):
    """The tree's own inertia and weight, felt at the drives, as it stands: N spans what the loops allow."""
    posture = Posture(tree, np.zeros(tree.nv))
    C = posture.constraint()
    columns = [tree.columns[d].start for d in drives]
    rows = np.concatenate([C, np.eye(tree.nv)[columns]])
    right = np.concatenate([np.zeros((len(C), len(columns))), np.eye(len(columns))])
    N = np.linalg.lstsq(rows, right, rcond=1e-10)[0]
    weight = np.zeros(tree.nv)
    for b in tree.bodies:
        weight -= b.mass * posture.frame(Frame("", b.name, b.centre))[3].T @ tree.gravity
    return N.T @ posture.mass_matrix() @ N, N.T @ weight


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_recognised_has_the_trees_inertia_and_weight(machine, turned, tmp_path):
    """M and c at rest where the file stands, in the plane of x and y or of x and z."""
    bodies, loops, drives = machine
    found = import_model(model_file(tmp_path, bodies, loops, drives, turned))
    assert found.recipe is not None, found.reason
    assert found.analysis.mobility == len(drives)
    robot, tree = Model(found.recipe), found.reading.tree
    q = np.array([0.5 if machine is CYLINDER else tree.joint(d).zero for d in drives])
    x = np.concatenate([[robot.number(e) for e in body.near] for body in robot.mechanism.bodies])
    assert np.abs(interpreted(robot, "closures", q=q, x=x)["gap"]).max() <= 1e-15
    made = interpreted(robot, "evaluate", q=q, x=x, q_dot=0 * q, q_ddot=0 * q)
    M, weight = reduced(tree, drives)
    np.testing.assert_allclose(made["M"], M, rtol=1e-12)
    np.testing.assert_allclose(made["c"], weight, rtol=1e-12)
    said = " ".join(found.notes)
    assert ("of the file's world" in said) == turned


def test_each_drive_becomes_what_it_is(tmp_path):
    """An arm with two hinges is a plate that a crank leads; a driven slide between hinges is a telescope."""
    kinds = []
    for bodies, loops, drives in (SIXBAR, CARRIAGE, SLIDERCRANK, CYLINDER):
        found = import_model(model_file(tmp_path, bodies, loops, drives))
        kinds.append([type(d) for d in found.recipe.description.drives])
        leads = [n for n in found.notes if "leads" in n]
        assert bool(leads) == (drives[0] in ("arm_j", "car_j"))
    assert kinds == [[Crank], [Slider], [Crank], [Telescope]]


def test_the_length_of_a_leg_is_told_against_the_files_joint(tmp_path):
    """The file's 0 is our 0.5 m."""
    found = import_model(model_file(tmp_path, *CYLINDER[:2], CYLINDER[2]))
    assert "pist_j is the leg's length: 0.5 m + the file's pist_j" in " ".join(found.notes)


def test_the_output_may_be_named(tmp_path):
    """By default the plate with most hinges; any body with a pose of its own, by its name."""
    path = model_file(tmp_path, *SIXBAR)
    usual = import_model(path).recipe.description.output
    named = import_model(path, output="guide").recipe.description.output
    assert isinstance(usual, Plate)
    assert usual.name != named.name
    assert named.name == "guide"
    with pytest.raises(cc.ClosedChainError, match="no body or frame 'nothing'"):
        import_model(path, output="nothing")


def test_a_rotor_between_two_moving_bodies_is_named(tmp_path):
    """No body turns as it does."""
    bodies = ROTOR[0].replace("<joint name='rod_j' type='hinge' ", "<joint name='rod_j' type='hinge' armature='0.02'")
    found = import_model(model_file(tmp_path, bodies, *ROTOR[1:]))
    assert "the rotor on the undriven joint rod_j, 0.02, is left out" in found.notes


def test_a_yoke_is_the_output(tmp_path):
    """It shifts, and nothing is hinged to it: a free point at its origin."""
    output = import_model(model_file(tmp_path, *YOKE)).recipe.description.output
    assert (output.name, [e.value for e in output.near]) == ("yoke", [0.3, 0.0])


def test_an_undriven_chain_is_a_linkage(tmp_path):
    """A four-bar without a motor: one freedom, no drive, and it says so."""
    bodies = body("crank", "0 0 0", body("coupler", "0.1 0.05 0")) + body("rocker", "0.5 0 0", centre="0 0.1 0")
    found = import_model(model_file(tmp_path, bodies, connect("coupler", "rocker", "0.4 0.15 0")))
    assert found.recipe.description.linkage
    assert found.analysis.mobility == 1
    assert "it is a linkage" in " ".join(found.notes)


@pytest.mark.parametrize(
    "bodies, loops, drives, kinds",
    [
        (body("a", "0 0 0", body("b", "0.3 0 0", "", "ball", "")), "", ("a_j",), ["Turn", "Ball"]),
        (body("a", "0 0 0", body("b", "0.3 0 0", "", "hinge", "axis='0 1 9'")), "", ("a_j",), ["Turn", "Turn"]),
        (
            body("a", "0 0 0", body("b", "0.3 0.1 0", "", "slide", "axis='1 0 0'")) + body("c", "0.8 0.1 0"),
            connect("b", "c", "0.1 0 0"),
            ("b_j",),
            ["Turn", "Slide", "Turn"],
        ),
    ],
)  # fmt: skip
def test_what_points_and_bars_do_not_describe_are_bodies_of_space(bodies, loops, drives, kinds, tmp_path):
    """Balls, hinges askew, a telescope beside the line of its hinges: each body stands on its joint of the file."""
    found = import_model(model_file(tmp_path, bodies, loops, drives))
    made = found.recipe.description
    assert [type(body.joint).__name__ for body in sorted(made.solids, key=lambda b: b.name)] == kinds
    assert [drive.name for drive in made.drives] == list(drives)


@pytest.mark.parametrize(
    "bodies, drives",
    [
        (body("a", "0 0 0", body("b", "0.3 0 0")), ("a_j", "b_j")),
        (body("a", "0 0 0", "", "slide", "axis='1 0 0'"), ("a_j",)),
        (body("a", "0 0 0"), ("a_j",)),
    ],
)
def test_a_chain_that_its_drives_decide_has_no_output(bodies, drives, tmp_path):
    """Every joint is driven and no loop is there: nothing is left to find."""
    found = import_model(model_file(tmp_path, bodies, "", drives))
    assert found.recipe is None
    assert "every joint is driven" in found.reason
    assert found.analysis.nv == found.reading.tree.nv


def test_loops_that_never_meet_are_told_with_their_gap(tmp_path):
    """Two arms of 0.304 m on pivots 2 m apart: 2 − 0.608 m is left."""
    ends = "<site name='{}' pos='0.3 0.05 0'/>"
    bodies = body("a", "0 0 0", ends.format("s")) + body("b", "2 0 0", ends.format("t"))
    found = import_model(model_file(tmp_path, bodies, "<connect site1='s' site2='t'/>", ("a_j",)))
    assert not found.analysis.assembly.converged
    assert "did not close: 1.39 is left" in found.reason
