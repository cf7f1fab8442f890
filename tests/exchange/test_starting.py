"""Files whose loops do not close as written: read with other joints, told, and written again closed."""

import numpy as np
import pytest

from closedchain.exchange.analysis import analyse
from closedchain.exchange.assembly import assemble
from closedchain.exchange.importing import import_model
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.mjcf_reading import read_mjcf
from closedchain.exchange.naming import LONGEST, clean
from closedchain.exchange.reshaping import standing
from closedchain.exchange.sdf_reading import read_sdf
from closedchain.exchange.sdf_writing import to_sdf
from closedchain.exchange.urdf_reading import read_urdf
from closedchain.exchange.urdf_writing import to_urdf
from tests.exchange.test_urdf import PLANE, chain, stored

HEIGHT = 0.1  # [m] by which the rocker's plane is above the crank's
CRANK = ("crank", "", PLANE, "0 0 1.5", "0 0 1")
ROCKER = ("rocker", "", f"0.3 0 {HEIGHT}", "0 0 1.5", "0 0 1")
TIP = ("B", "rocker", "0.15 0 0", PLANE, "")


def test_hinges_called_spherical_are_balls_where_hinges_do_not_close(tmp_path):
    """Upright hinges leave the rod's end in the crank's plane, 0.1 m below the rocker's; a ball lets it rise."""
    rod = ("spherical_rod", "crank", "0.1 0 0", "0 0 -1.5", "0 0 1")
    text = chain(CRANK, rod, ("A", "spherical_rod", "0.32 0 0", PLANE, ""), ROCKER, TIP)
    found = import_model(stored(tmp_path, text, "closed_loop: [[A, B]]\ntype: [3d]\nname_mot: [crank]\n"))
    assert found.analysis.assembly.converged
    assert [j.kind for j in found.reading.tree.joints if j.name == "spherical_rod"] == ["ball"]
    assert found.analysis.counts == {"nv": 5, "loops": 1, "closure_rows": 3, "rank": 3, "mobility": 2}  # and its spin
    told = next(note for note in found.notes if "as balls" in note)
    assert "spherical_rod" in told
    assert f"as written {HEIGHT:.2g} is left" in told


def test_hinges_called_spherical_stay_where_they_close(tmp_path):
    """In one plane the same rod closes as a hinge: nothing is changed."""
    rod = ("spherical_rod", "crank", "0.1 0 0", "0 0 -1.5", "0 0 1")
    level = ("rocker", "", "0.3 0 0", "0 0 1.5", "0 0 1")
    text = chain(CRANK, rod, ("A", "spherical_rod", "0.32 0 0", PLANE, ""), level, TIP)
    found = import_model(stored(tmp_path, text, "closed_loop: [[A, B]]\ntype: [3d]\nname_mot: [crank]\n"))
    assert {j.kind for j in found.reading.tree.joints} == {"hinge", "fixed"}


def test_welds_that_no_configuration_meets_are_points_and_others_stay(tmp_path):
    """A rod welded level to the rocker never ends in the crank's plane; two hinges on one axis can be welded."""
    wrist = [("w1", "crank", "0.1 0 0", PLANE, "1 0 0"), ("w2", "w1", PLANE, PLANE, "0 1 0")]
    rod = [*wrist, ("w3", "w2", PLANE, "0 0 -1.5", "0 0 1"), ("A", "w3", "0.32 0 0", PLANE, "")]
    pair = [(n, "", "0 -1 0", f"0 0 {a}", "0 0 1") for n, a in (("d1", 0.2), ("d2", 0.7))]
    text = chain(CRANK, *rod, ROCKER, TIP, *pair)
    yaml = "closed_loop: [[A, B], [d1, d2]]\ntype: [6d, 6d]\nname_mot: [crank]\n"
    found = import_model(stored(tmp_path, text, yaml))
    assert [loop.kind for loop in found.reading.tree.loops] == ["point", "weld"]
    assert found.analysis.assembly.converged
    told = next(note for note in found.notes if "another mechanism" in note)
    assert told.endswith("A-B")


def test_names_that_are_cut_stay_different_and_short():
    """Two hundred names that agree in their first thirty letters."""
    taken = set()
    names = {clean("x" * 30 + str(k), taken) for k in range(200)}
    assert len(names) == 200
    assert max(map(len, names)) == LONGEST
    assert len(f"pitch_{'x' * LONGEST}") <= 31  # what a mechanism's coordinate may have


ARM = """<mujoco><worldbody><body name="arm"><joint name="arm" axis="0 0 1"/><inertial pos="0.1 0 0" mass="1"
 diaginertia="1e-3 2e-3 3e-3"/><body name="hand" pos="0.3 0 0"><joint name="wrist" type="ball"/><inertial pos="0 0 0.1"
 mass="0.5" diaginertia="1e-3 1e-3 2e-3"/></body></body></worldbody>
 <actuator><motor joint="arm"/></actuator></mujoco>"""


@pytest.mark.parametrize("form", ["sdf", "urdf"])
def test_joints_called_like_bodies_and_balls_come_back(form, tmp_path):
    """SDF has one space of names, URDF no balls: the joint gets another name, the YAML says which hinge is a ball."""
    (tmp_path / "arm.xml").write_text(ARM, encoding="utf-8")
    tree = read_mjcf(tmp_path / "arm.xml").tree
    path = tmp_path / f"again.{form}"
    if form == "sdf":
        path.write_text(to_sdf(tree).text, encoding="utf-8")
        again = read_sdf(path).tree
        assert again.drives == ("arm_joint",)
    else:
        made, yaml = to_urdf(tree)
        path.write_text(made.text, encoding="utf-8")
        path.with_suffix(".yaml").write_text(yaml, encoding="utf-8")
        again = read_urdf(path).tree
        assert again.drives == ("arm",)
    v = np.array([0.4, 0.3, -0.2, 0.5])
    np.testing.assert_allclose(Posture(again, v).mass_matrix(), Posture(tree, v).mass_matrix(), atol=1e-15)


def test_a_tree_stands_where_its_loops_close(tmp_path):
    """Its joints at 0 are the other's at v: the same M there and a step away, the loops closed, q as before."""
    rod = ("free", "crank", "0.1 0 0", "0 0 -1.5", "0 0 1")
    level = ("rocker", "", "0.3 0 0", "0 0 1.5", "0 0 1")
    text = chain(CRANK, rod, ("A", "free", "0.32 0 0", PLANE, ""), level, TIP)
    follows = '<mimic joint="crank" multiplier="2" offset="0.3"/>'
    extra = chain(CRANK, ("gear", "", "0 2 0", PLANE, "0 0 1")).split("<joint name='gear'")[1]
    text = text.replace("</robot>", "<joint name='gear'" + extra.replace("</joint>", f"{follows}</joint>"))
    tree = read_urdf(stored(tmp_path, text, "closed_loop: [[A, B]]\ntype: [3d]\nname_mot: [crank]\n")).tree
    v = assemble(tree).v
    assert np.abs(v).max() > 0.1
    stands = standing(tree, v)
    assert np.abs(Posture(stands, np.zeros(tree.nv)).gap()).max() < 1e-13
    step = np.linspace(-0.2, 0.3, tree.nv)
    np.testing.assert_allclose(
        Posture(stands, step).mass_matrix(), Posture(tree, v + step).mass_matrix(), rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(Posture(stands, step).gap(), Posture(tree, v + step).gap(), atol=1e-14)
    assert stands.joint("crank").zero == tree.joint("crank").zero + v[tree.columns["crank"]][0]
    assert analyse(stands).counts == analyse(tree).counts
