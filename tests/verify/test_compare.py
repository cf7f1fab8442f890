"""Every shipped robot against MuJoCo and Pinocchio: built there from its bodies, compared quantity by quantity."""

import importlib.util

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.describe import Recipe
from closedchain.errors import BadInput
from closedchain.exchange.guiding import guides_of
from closedchain.verify import compare, engine
from closedchain.verify.comparison import Comparison, Row, markdown
from closedchain.verify.engine import NoEngine
from tests.verify.mechanisms import busy_fivebar

EVERY = [name + (f":{p}" if p else "") for name in robots.names() for p in [None, *robots.find(name).presets]]
HEAVY = [
    n for n in EVERY if (m := cc.load(n).mechanism) is not None and m.solids and n not in ("ankle", "prs3", "wrist")
]
MOVING = [pytest.param(n, marks=[pytest.mark.slow] if n in HEAVY else []) for n in EVERY]  # minutes for bodies of space
ENGINES = [name for name, module in engine.PACKAGES.items() if importlib.util.find_spec(module)]
# LAB.md, "Results to reproduce and beat": a lab report's largest errors of its models against Gazebo
GAZEBO = {"output": 9e-7, "output velocity": 6e-5, "output acceleration": 5e-3, "efforts": 1.6e-2}
GAZEBO |= {
    "drives from output": 1.3e-6,
    "drives from output velocity": 1.1e-4,
    "drives from output acceleration": 8.9e-3,
}
GAZEBO |= {"passive": 7e-6, "passive velocity": 5.6e-4, "passive acceleration": 6e-2}
# seed 000, Figs 6 to 12: its models against ADAMS, whose bars are 0.045 mm shorter
ADAMS = {"output": 5.4e-5, "output velocity": 2.7e-5, "output acceleration": 2.37e-5, "efforts": 8.7e-5}
ADAMS |= {"passive": 9.8e-5, "passive velocity": 1.54e-5, "passive acceleration": 3.2e-5}


@pytest.fixture(scope="module")
def biglide():
    """Both engines, every motion."""
    return compare.verify("biglide", states=20)


@pytest.mark.parametrize("name", EVERY)
def test_every_shipped_robot_is_what_the_engines_say(name):
    """Random states of every branch: kinematics, M, c, efforts, accelerations, loop forces, energies, the solvers."""
    found = compare.verify(name, motion="random", states=25)
    assert found.ok, str(found)
    assert len(found.engines) == len(ENGINES)
    quantities = {row.quantity for row in found.rows}
    assert {"M", "c", "efforts", "drives' accelerations", "kinetic energy"} <= quantities
    model = cc.load(name)
    if model.nx:
        told = {"output" if c.unit == "m" else "output angle" for c in model.equations.x[: model.outputs]}
        assert {f"{kind}{rate}" for kind in told for rate in ("", " velocity", " acceleration")} <= quantities
        assert "engine's closure gap" in quantities
    if model.nx and model.nx == model.nq:
        assert {f"drives from output{rate}" for rate in ("", " velocity", " acceleration")} <= quantities
    for readout in model.equations.readouts:
        assert {f"{readout.name}{rate}" for rate in ("", " velocity", " acceleration")} <= quantities
    if model.mechanism is not None and len(model.mechanism.bars) > len(guides_of(model.mechanism)):
        assert "loop forces" in quantities
    if model.mechanism is None or model.mechanism.gravity is not None:
        assert "potential energy" in quantities


@pytest.mark.parametrize("name", MOVING)
def test_every_shipped_robot_moves_as_the_engines_say(name):
    """The lab's oscillation and a trajectory, at instants and integrated by the engine under the same efforts."""
    found = compare.verify(name, states=10)
    assert found.ok, str(found)
    silent = [note for note in found.notes if "has no words for" in note]  # of inclined axes
    assert {row.motion for row in found.rows if row.way == "driven"} == (
        set() if silent else {"oscillation", "trajectory"}
    )
    assert bool(silent) == name.startswith(("upu3", "wrist"))


def test_the_biglide_holds_on_every_motion(biglide):
    """All rows of both engines, with curves for the figures."""
    assert biglide.ok, str(biglide)
    assert {row.way for row in biglide.rows} == {"pieces", "solver", "driven"}
    assert {trace.motion for trace in biglide.traces} == {"oscillation", "trajectory"}
    assert "all" in biglide.headline
    assert biglide.headline in str(biglide)


def test_the_lab_s_oscillation_is_the_lab_s(biglide):
    """±0.01 N; each drive is turned round about 0.01 m from zero, so it stays within twice that."""
    drives = next(t for t in biglide.traces if t.quantity == "drives" and t.motion == "oscillation")
    efforts = next(t for t in biglide.traces if t.quantity == "efforts" and t.motion == "oscillation")
    assert 0.01 < np.abs(drives.ours).max() < 0.021
    np.testing.assert_allclose(np.abs(efforts.ours), 0.01, rtol=1e-12)


@pytest.mark.parametrize("theirs", [GAZEBO, ADAMS], ids=["Gazebo", "ADAMS"])
def test_every_difference_is_smaller_than_the_documents(biglide, theirs):
    """Whether at the same state or driven in time, and in all motions together."""
    seen = set()
    for row in biglide.rows:
        name = row.quantity.partition(",")[0].replace("phi1", "passive").replace("phi2", "passive")
        if name in theirs and row.way != "solver":
            assert row.max < theirs[name], row
            seen.add(name)
    assert seen == set(theirs)


def test_mujoco_s_softness_is_what_it_states(biglide):
    """Its solver is off by R f, a ten-thousandth; with that taken off 1e-8 is left. The limit is the stated part."""
    rows = {row.quantity: row for row in biglide.rows if row.engine == "mujoco" and row.way == "solver"}
    soft, firm = rows["drives' accelerations"], rows["drives' accelerations, softness taken off"]
    assert 1e-6 < soft.max / soft.size < 1e-2
    assert soft.limit < 1.02 * soft.max + 1e-8 * soft.size
    assert firm.max < 1e-7 * firm.size


def test_pinocchio_agrees_to_a_billionth_on_accelerations(biglide):
    """constraintDynamics with mu = 1e-10, relative to the largest."""
    if "pinocchio" not in ENGINES:
        pytest.skip("pinocchio is not installed")
    rows = [row for row in biglide.rows if row.engine == "pinocchio" and row.way == "solver"]
    assert len(rows) == 4
    for row in rows:
        assert row.max < 1e-9 * row.size


@pytest.mark.parametrize("motion", ["random", pytest.param("oscillation", marks=pytest.mark.slow)])
def test_springs_dampers_and_rotors_are_in_the_engines_too(motion):
    """Forces, energies and the motion that they make."""
    found = compare.verify(cc.load(Recipe(busy_fivebar())), motion=motion)
    assert found.ok, str(found)


@pytest.mark.parametrize("name", ["klann", "palletizer", "exoskeleton"])
def test_robots_of_many_bodies_are_compared_where_they_are_most_regular(name):
    """No configuration of theirs has a condition of A below 10; the engines agree all the same."""
    found = compare.verify(f"examples/robots/{name}.toml", motion="random", states=20)
    assert found.ok, str(found)


def test_massless_bars_get_a_mass_whose_effect_is_measured():
    """A four-bar of which only the crank has mass: no engine can hold it. The masses given are told, and doubled."""
    found = compare.verify(cc.load("fourbar", m_b=0.0, m_c=0.0), engine="mujoco", motion="oscillation")
    assert found.ok, str(found)
    assert any("kg for each massless body" in note for note in found.notes)
    row = next(r for r in found.rows if r.quantity == "output, oscillation")
    assert "doubling the given masses" in row.why
    assert row.limit < 1e-5


def test_a_branch_that_was_asked_for_is_kept():
    """Every random state of "+-" lies in it; a mode that does not exist is refused with those that do."""
    found = compare.verify("fivebar", engine="mujoco", motion="random", working="+-", states=12)
    assert found.ok
    model, samples = cc.load("fivebar"), found.answers[0].samples
    modes = {str(mode) for mode in cc.evaluate(model, x=samples.x, working="+-").working}
    assert modes == {"+-"}
    with pytest.raises(BadInput, match=r"no working mode '\+\+\+'.*there are"):
        compare.verify("fivebar", engine="mujoco", motion="random", working="+++", states=5)


def test_an_engine_that_is_not_installed_is_absent_not_failed(monkeypatch):
    """Asked for by name it is one clear error; with all it is told and the other one is used."""
    monkeypatch.setitem(engine.PACKAGES, "pinocchio", "no_such_package")
    with pytest.raises(NoEngine, match=r"pip install pin$"):
        compare.verify("biglide", engine="pinocchio", motion="random", states=5)
    found = compare.verify("biglide", motion="random", states=5)
    assert found.ok
    assert {row.engine for row in found.rows} == {"mujoco"}
    assert "pinocchio is not installed" in str(found)
    monkeypatch.setitem(engine.PACKAGES, "mujoco", "no_such_package")
    with pytest.raises(NoEngine, match=r"mujoco is not installed.*pinocchio is not installed"):
        compare.verify("biglide")


def test_wrong_words_are_refused():
    """An unknown engine, an unknown motion, two modes at once, equations without bodies."""
    with pytest.raises(NoEngine, match="no engine 'gazebo'; there are mujoco, pinocchio"):
        compare.verify("biglide", engine="gazebo")
    with pytest.raises(BadInput, match="no motion 'dance'; there are oscillation"):
        compare.verify("biglide", motion="dance")
    with pytest.raises(BadInput, match="an assembly mode or a working mode, not both"):
        compare.verify("biglide", motion="random", assembly="+", working="++")
    with pytest.raises(BadInput, match="it has no loops, so that it has no modes"):
        compare.verify("furuta", motion="random", working="+")
    with pytest.raises(BadInput, match="says nothing of bodies"):
        compare.verify("examples/robots/cartpole.toml", motion="random")


def test_the_package_can_be_called():
    """`cc.verify(robot)`: the package of that name is its own main function."""
    found = cc.verify("furuta", engine="mujoco", motion="random", states=5)
    assert isinstance(found, Comparison)
    assert found.ok


def test_a_number_that_is_not_finite_breaks_its_row():
    """No limit is large enough for it; an empty comparison proves nothing."""
    row = Row("M", "mujoco", "pieces", "random", np.inf, np.inf, 1.0, "SI", "a limit")
    assert not row.ok
    assert not Row("M", "mujoco", "pieces", "random", np.nan, 0.0, 1.0, "SI", "a limit").ok
    assert not Comparison("nothing", (), ()).ok
    lines = markdown([Comparison("robot", ("MuJoCo",), (row,))]).splitlines()
    assert lines[2].startswith("| robot | mujoco |")
    assert lines[2].endswith("| 0 of 1 |")
    assert len({line.count("|") for line in lines}) == 1
