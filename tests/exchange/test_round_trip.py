"""Every planar robot, written as MJCF, SDF and URDF and read again, is the same model."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe.files import loads
from closedchain.describe.writing import dumps
from closedchain.exchange import writing
from closedchain.exchange.assembly import assemble
from closedchain.exchange.from_mechanism import embed
from closedchain.exchange.importing import import_model
from closedchain.exchange.kinematics import Posture
from closedchain.model.model import Model
from closedchain.model.sampling import sample
from tests.exchange.conftest import PLANAR, interpreted

FORMATS = ("mjcf", "sdf", "urdf")


def passed(model, form, folder):
    """The model after a trip through files of a format, by way of our own TOML."""
    files, notes = getattr(writing, f"{form}_files")(model)
    for ending, text in files.items():
        (folder / f"robot{ending}").write_text(text, encoding="utf-8")
    found = import_model(folder / f"robot{next(iter(files))}")
    assert found.recipe is not None, found.reason
    return Model(loads(dumps(found.recipe))), found, notes


def compare(model, again, states):
    """M, c, J and closures at the same q and x; 1e-12 of each quantity's size, closures of the robot's.

    A plate with two hinges comes back as a bar, so that there may be fewer coordinates, never other ones.
    """
    names = [c.name for c in model.equations.x]
    kept = [names.index(c.name) for c in again.equations.x]
    assert [c.name for c in again.equations.q] == [c.name for c in model.equations.q]
    rates = {"q_dot": states.q_dot, "q_ddot": np.zeros_like(states.q)}
    ours = model.call("evaluate", q=states.q, x=states.x, **rates)
    theirs = interpreted(again, "evaluate", q=states.q, x=states.x[:, kept], **rates)
    for name, mine in {"M": ours["M"], "J": ours["J"][:, kept], "c": ours["c"]}.items():
        np.testing.assert_allclose(
            theirs[name], mine, rtol=0, atol=1e-12 * max(np.abs(mine).max(), 1e-300), err_msg=name
        )
    gap = interpreted(again, "closures", q=states.q, x=states.x[:, kept])["gap"]
    assert np.abs(gap).max() <= 1e-12 * model.scale


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", [*PLANAR, "rpr3:cusps", "examples/robots/prr3.toml"])
def test_a_planar_robot_comes_back_as_the_same_model(load, name, form, tmp_path):
    """Same coordinates, same M, c and J, same closed configurations, on all branches."""
    model = load(name)
    again, found, _ = passed(model, form, tmp_path)
    compare(model, again, sample(model, 40, seed=3, margin=0.05))
    assert found.analysis.mobility == model.nq
    assert found.reading.joints == len(found.reading.tree.joints) + (
        len(found.reading.tree.loops) if form == "sdf" else 0
    )


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["slotted", "offset", "pinned", "reversed"])
def test_slots_offsets_pins_and_reversed_drives_come_back_too(load, name, form, tmp_path):
    """What no shipped robot has: rails on plates, carried points, two plates on a pin, cranks that count backwards."""
    model = load(name)
    again, _, _ = passed(model, form, tmp_path)
    compare(model, again, sample(model, 20, seed=5, margin=0.05))


def test_springs_dampers_and_rotors_come_back_from_mjcf(load, tmp_path):
    """c holds weight, springs and dampers: on the drive, between points, on passive angles; M holds the rotor."""
    model = load("sprung")
    again, _, notes = passed(model, "mjcf", tmp_path)
    states = sample(model, 40, seed=3, margin=0.05)
    compare(model, again, states)
    assert any("voltages" in note for note in notes)


@pytest.mark.parametrize("form", ["sdf", "urdf"])
def test_what_a_format_has_no_word_for_is_said(load, form, tmp_path):
    """Springs between points, and in URDF springs at all, are left out and named."""
    _, notes = getattr(writing, f"{form}_files")(load("sprung"))
    said = " ".join(notes)
    assert "D-C was left out" in said
    assert "rotor inertia" in said
    assert ("no springs" in said) == (form == "urdf")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["delta", "gough", "hexa", "hexaglide", "rps3", "prs3", "ankle:g1"])
def test_a_robot_of_space_comes_back_as_bodies_on_joints(name, form, tmp_path):
    """Legs are bodies now, on universal joints and slides; as many freedoms, the same energy in the same motion."""
    model = cc.load(name)
    files, notes = getattr(writing, f"{form}_files")(model)
    for ending, text in files.items():
        (tmp_path / f"robot{ending}").write_text(text, encoding="utf-8")
    found = import_model(tmp_path / f"robot{next(iter(files))}")
    assert not [note for note in notes if "left open" in note]
    made = loads(dumps(found.recipe)).description
    assert not made.linkage
    assert [drive.name for drive in made.drives] == [drive.name for drive in model.mechanism.drives]
    assert found.analysis.mobility == model.nq
    assert effective(found.reading.tree) == pytest.approx(effective(embed(model).tree), rel=1e-6)  # floors of 1e-9


def effective(tree):
    """M at the drives, Tᵀ M T with the loops closed, where the file stands."""
    v = assemble(tree).v
    posture, columns = Posture(tree, v), [tree.columns[name].start for name in tree.drives]
    drives = np.eye(tree.nv)[columns]
    T = np.linalg.pinv(np.concatenate([posture.constraint(), drives]))[:, -len(columns) :]
    return T.T @ posture.mass_matrix() @ T
