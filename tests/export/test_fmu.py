"""FMUs: accepted by another tool's validator, run by it both ways, ending where our simulation ends."""

import ctypes
import io
import subprocess
import xml.etree.ElementTree as ET
import zipfile

import fmpy
import numpy as np
import pytest
from fmpy import validation

import closedchain as cc
from closedchain import robots
from closedchain.control.feedforward import Constant
from closedchain.errors import BadInput
from closedchain.export import fmu as fmu_module
from closedchain.export.fmu import NO_BINARY, CannotCompile, default_start, find_compiler, fmu, platform_name
from closedchain.export.fmu_description import exponents_of
from closedchain.model.dynamics import forward_dynamics, motor_efforts
from closedchain.model.forces import with_forces
from closedchain.model.state import State

TESTED = ("biglide", "fivebar", "furuta", "triplate")
ROBOTS = [pytest.param(n, marks=[] if n in TESTED else pytest.mark.slow) for n in robots.names()]
DURATION, INTERVAL = 0.2, 2e-3  # [s]
needs_compiler = pytest.mark.skipif(not (find_compiler() and platform_name()), reason="no C compiler here")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """FMUs by robot, each written once."""
    folder, made = tmp_path_factory.mktemp("fmu"), {}

    def write(name):
        if name not in made:
            model = cc.load(name)
            made[name] = model, fmu(model, folder / f"{name}.fmu")
        return made[name]

    return write


def names_of(model):
    """The states' names: q, x and their rates."""
    return [c.name for c in model.equations.z] + [c.rate.name for c in model.equations.z]


def held(model):
    """A small input for each drive."""
    return {c.name: 0.1 * (i + 1) for i, c in enumerate(model.equations.q) if i in model.driven}


def end_of(result, model):
    """The states at the end of a result of fmpy."""
    return np.array([result[n][-1] for n in names_of(model)])


def ours(model, file, method="rk4", step=None, start=None):
    """Where `simulate` ends."""
    law = Constant(tuple(held(model).values()), output=file.inputs)
    run = cc.simulate(
        model, law, start=start or default_start(model), duration=DURATION, interval=INTERVAL, method=method, step=step
    )
    assert run.finished
    return np.concatenate([run.final.z, run.final.z_dot])


@pytest.mark.parametrize("name", ROBOTS)
@needs_compiler
def test_the_validator_finds_nothing_to_say(name, written):
    """fmpy's checks of the schema, names, units, causalities and the structure."""
    assert validation.validate_fmu(str(written(name)[1].path)) == []


@pytest.mark.parametrize("name", ROBOTS)
@needs_compiler
def test_co_simulation_ends_where_ours_ends(name, written):
    """The same steps and projections under the same held inputs, by another master: 1e-12."""
    model, file = written(name)
    start = {f"{file.inputs}_{drive}": value for drive, value in held(model).items()}
    result = fmpy.simulate_fmu(
        str(file.path), fmi_type="CoSimulation", start_values=start, stop_time=DURATION, step_size=INTERVAL,
        output_interval=INTERVAL, output=names_of(model),
    )  # fmt: skip
    np.testing.assert_allclose(end_of(result, model), ours(model, file), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
@needs_compiler
def test_model_exchange_ends_where_ours_ends(name, written):
    """CVode at a tolerance of 1e-10, against our RK6 with quarter steps: what CVode's tolerance leaves."""
    model, file = written(name)
    start = {f"{file.inputs}_{drive}": value for drive, value in held(model).items()}
    result = fmpy.simulate_fmu(
        str(file.path), fmi_type="ModelExchange", start_values=start, stop_time=DURATION, relative_tolerance=1e-10,
        output_interval=INTERVAL, output=names_of(model),
    )  # fmt: skip
    size = np.abs(end_of(result, model)).max()
    np.testing.assert_allclose(
        end_of(result, model), ours(model, file, "rk6", 2.5e-4), rtol=0, atol=2e-7 * max(size, 1)
    )


@pytest.fixture
def opened(written, tmp_path):
    """A robot's FMU loaded for model exchange or co-simulation, initialised."""
    alive = []

    def open_(name, kind, **start):
        model, file = written(name)
        told = fmpy.read_model_description(str(file.path))
        folder = fmpy.extract(str(file.path), str(tmp_path / name))
        part = told.coSimulation if kind is fmpy.fmi2.FMU2Slave else told.modelExchange
        unit = kind(guid=told.guid, unzipDirectory=folder, modelIdentifier=part.modelIdentifier, instanceName="robot")
        unit.instantiate()
        alive.append(unit)
        unit.setupExperiment(startTime=0.0)
        unit.enterInitializationMode()
        place = {v.name: v.valueReference for v in told.modelVariables}
        if start:
            unit.setReal([place[n] for n in start], list(start.values()))
        unit.exitInitializationMode()
        return model, unit, place

    yield open_
    for unit in alive:
        unit.freeInstance()


@pytest.mark.parametrize("name", TESTED)
@needs_compiler
def test_model_exchange_stepped_by_rk4_is_our_simulation(name, opened, written):
    """The classical method on fmi2GetDerivatives, a hundred steps; ours projects besides, by less than that."""
    model, unit, place = opened(name, fmpy.fmi2.FMU2Model)
    inputs = written(name)[1].inputs
    unit.setReal([place[f"{inputs}_{d}"] for d in held(model)], list(held(model).values()))
    n, h, steps = 2 * len(model.equations.z), 1e-4, 100
    array = np.zeros(n)
    pointer = array.ctypes.data_as(fmpy.fmi2.POINTER(fmpy.fmi2.fmi2Real))
    unit.enterContinuousTimeMode()

    def slope(y):
        array[:] = y
        unit.setContinuousStates(pointer, n)
        unit.getDerivatives(pointer, n)
        return array.copy()

    unit.getContinuousStates(pointer, n)
    y = array.copy()
    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        y = y + h * (k1 / 6 + k2 / 3 + k3 / 3 + k4 / 6)
    law = Constant(tuple(held(model).values()), output=inputs)
    run = cc.simulate(model, law, start=default_start(model), duration=steps * h, interval=h, step=h)
    np.testing.assert_allclose(y, np.concatenate([run.final.z, run.final.z_dot]), rtol=1e-12, atol=1e-12)


@needs_compiler
def test_derivatives_are_our_forward_dynamics_to_the_bit(opened):
    """The furuta under 3 V: C compiled by the system's compiler against ours."""
    model, unit, place = opened("furuta", fmpy.fmi2.FMU2Slave, q1=0.2, q2=0.4, q1_dot=-1.0, q2_dot=2.0)
    unit.setReal([place["voltage_q1"]], [3.0])
    found = unit.getReal([place["der(q1_dot)"], place["der(q2_dot)"], place["der(q1)"]])
    empty = np.zeros(0)
    state = State(np.array([0.2, 0.4]), empty, np.array([-1.0, 2.0]), empty)
    wanted = forward_dynamics(model, state, motor_efforts(model, [3.0], state.q_dot)).q_ddot
    assert found == [*wanted, -1.0]


@needs_compiler
def test_outputs_are_readouts_and_energies(opened):
    """The biglide's bar angles by hand, and half m v² of tip and feet that glide together."""
    height = np.sqrt(0.3606**2 - 0.2**2)
    start = {"q1": 0.0, "q2": 0.0, "x": 0.0, "y": height, "q1_dot": 0.5, "q2_dot": 0.5, "x_dot": 0.0, "y_dot": 0.5}
    _, unit, place = opened("biglide", fmpy.fmi2.FMU2Slave, **start)
    phi1, kinetic = unit.getReal([place["phi1"], place["kinetic_energy"]])
    np.testing.assert_allclose([phi1, kinetic], [np.arctan2(height, 0.2), (3 + 1 + 1) * 0.5**2 / 2], rtol=1e-15)


@needs_compiler
def test_a_parameter_is_tunable(opened, written):
    """A heavier tip, set before the run, moves as our robot with that tip does."""
    model, unit, place = opened("biglide", fmpy.fmi2.FMU2Slave, m_p=6.0)
    unit.setReal([place["tau_q1"], place["tau_q2"]], [0.1, 0.2])
    for k in range(100):
        unit.doStep(k * INTERVAL, INTERVAL)
    heavy = model.with_values(m_p=6.0)
    end = ours(heavy, written("biglide")[1], start=default_start(model))
    np.testing.assert_allclose(unit.getReal([place[n] for n in names_of(model)]), end, rtol=1e-12, atol=1e-12)


@needs_compiler
def test_a_state_can_be_kept_and_returned_to(opened):
    """Also through bytes; going on from there gives the same numbers again."""
    _, unit, place = opened("fivebar", fmpy.fmi2.FMU2Slave)
    unit.doStep(0.0, 0.01)
    kept = unit.getFMUstate()
    packed = unit.serializeFMUstate(kept)
    unit.doStep(0.01, 0.01)
    first = unit.getReal([place["x"], place["q11_dot"]])
    for state in (kept, unit.deSerializeFMUstate(packed)):
        unit.setFMUstate(state)
        unit.doStep(0.01, 0.01)
        assert unit.getReal([place["x"], place["q11_dot"]]) == first
        unit.freeFMUstate(state)


@pytest.mark.parametrize(
    "start",
    [{"q1": 0.5, "q2": -0.5}, {"q1_dot": 1.0}],
    ids=["open loops", "rates that tear them"],
)
@needs_compiler
def test_a_start_that_does_not_close_is_an_error(opened, start):
    """Neither moved silently nor simulated."""
    with pytest.raises(fmpy.fmi1.FMICallException, match="fmi2ExitInitializationMode"):
        opened("biglide", fmpy.fmi2.FMU2Slave, **start)


@pytest.mark.parametrize(
    "setting",
    [("x", 0.1), ("kinetic_energy", 1.0), ("longest_step", 0.0), ("tau_q1", float("nan"))],
    ids=["a state after initialization", "an output", "a step of nothing", "NaN"],
)
@needs_compiler
def test_what_cannot_be_set_is_an_error(opened, setting):
    """And leaves the value as it was."""
    _, unit, place = opened("biglide", fmpy.fmi2.FMU2Slave)
    name, value = setting
    before = unit.getReal([place[name]])
    with pytest.raises(fmpy.fmi1.FMICallException):
        unit.setReal([place[name]], [value])
    assert unit.getReal([place[name]]) == before


@needs_compiler
def test_a_motion_that_grows_without_bound_is_an_error(opened):
    """No infinity reaches the master."""
    _, unit, place = opened("furuta", fmpy.fmi2.FMU2Slave)
    unit.setReal([place["voltage_q1"]], [1e300])
    with pytest.raises(fmpy.fmi1.FMICallException, match="fmi2DoStep"):
        unit.doStep(0.0, 0.1)


@needs_compiler
def test_drifting_closures_are_projected_at_an_event(opened):
    """States pushed 1e-8 m off the loops ask for an event, after which the loops are closed to rounding."""
    model, unit, place = opened("biglide", fmpy.fmi2.FMU2Model)
    unit.enterContinuousTimeMode()
    array = np.zeros(8)
    pointer = array.ctypes.data_as(fmpy.fmi2.POINTER(fmpy.fmi2.fmi2Real))
    unit.getContinuousStates(pointer, 8)
    array[2] += 1e-8
    unit.setContinuousStates(pointer, 8)
    gaps = [place[f"gap_{c.name}"] for c in model.equations.closures]
    assert np.abs(unit.getReal(gaps)).max() > 1e-10
    event, ends = unit.completedIntegratorStep()
    assert (event, ends) == (1, 0)
    unit.enterEventMode()
    assert unit.newDiscreteStates()[3] == 1  # the states have changed
    assert np.abs(unit.getReal(gaps)).max() < 1e-15


@needs_compiler
def test_a_binary_of_another_description_is_refused(written, tmp_path):
    """The GUID is of the sources: another robot's does not fit."""
    _, file = written("biglide")
    folder = fmpy.extract(str(file.path), str(tmp_path))
    unit = fmpy.fmi2.FMU2Slave(guid="{other}", unzipDirectory=folder, modelIdentifier="biglide", instanceName="robot")
    with pytest.raises(Exception, match="instantiate"):
        unit.instantiate()


@needs_compiler
def test_equal_robots_make_equal_sources_and_no_python_is_needed(written, tmp_path):
    """The same text twice; the binary needs the C library and nothing else."""
    model, file = written("biglide")
    again = fmu(model, tmp_path / "again.fmu")
    with zipfile.ZipFile(file.path) as one, zipfile.ZipFile(again.path) as two:
        for name in (n for n in one.namelist() if not n.startswith("binaries")):
            assert one.read(name) == two.read(name)
        binary = next(n for n in one.namelist() if n.startswith("binaries"))
        (tmp_path / "robot.so").write_bytes(one.read(binary))
    if platform_name() == "linux64":
        needs = subprocess.run(["ldd", str(tmp_path / "robot.so")], capture_output=True, text=True, check=True).stdout
        assert "python" not in needs.lower()


def test_without_a_compiler_the_sources_remain_and_it_is_said(tmp_path):
    """The description names them, so that the other tool can compile; the text tells that nobody did."""
    made = fmu(cc.load("furuta"), tmp_path / "furuta.fmu", compiler="")
    assert NO_BINARY in str(made)
    with zipfile.ZipFile(made.path) as pack:
        names = set(pack.namelist())
        told = ET.parse(io.BytesIO(pack.read("modelDescription.xml")))
    assert {"sources/fmi2.c", "sources/kernels.c", "sources/kernels.h", "sources/robot.h"} <= names
    assert not any(n.startswith("binaries") for n in names)
    assert [f.get("name") for f in told.findall("./CoSimulation/SourceFiles/File")] == ["fmi2.c", "kernels.c"]
    assert validation.validate_fmu(str(made.path)) == []


@needs_compiler
def test_a_compiler_that_fails_is_told_of(tmp_path, monkeypatch):
    """With its own first line."""
    monkeypatch.setattr(fmu_module, "FLAGS", ("--no-such-flag",))
    with pytest.raises(CannotCompile, match="refuses the C of furuta"):
        fmu(cc.load("furuta"), tmp_path / "furuta.fmu")
    assert not (tmp_path / "furuta.fmu").exists()


def test_another_ending_and_a_batch_of_starts_are_refused(tmp_path):
    """Before any work."""
    model = cc.load("furuta")
    with pytest.raises(BadInput, match=r"ends in \.fmu"):
        fmu(model, tmp_path / "furuta.zip")
    with pytest.raises(BadInput, match="one state"):
        fmu(model, tmp_path / "furuta.fmu", start=cc.state(model, q=np.zeros((3, 2))))


def test_units_are_told_by_their_si_exponents():
    """A newton metre second per radian."""
    assert exponents_of("N m s/rad") == {"kg": 1, "m": 2, "s": -1, "rad": -1}
    assert exponents_of("kg m^2") == {"kg": 1, "m": 2}
    assert exponents_of("furlong") is None


@needs_compiler
def test_nominal_values_are_the_robots_own_size(opened):
    """Lengths of the biglide by its scale, as rates too; solvers make absolute tolerances of them."""
    model, unit, _ = opened("biglide", fmpy.fmi2.FMU2Model)
    values = (ctypes.c_double * 8)()
    unit.fmi2GetNominalsOfContinuousStates(unit.component, values, 8)
    np.testing.assert_allclose(list(values), model.scale, rtol=1e-15)
    model, unit, _ = opened("fivebar", fmpy.fmi2.FMU2Model)
    unit.fmi2GetNominalsOfContinuousStates(unit.component, values, 8)
    np.testing.assert_allclose(list(values), [1, 1, model.scale, model.scale] * 2, rtol=1e-15)


@needs_compiler
def test_a_robot_of_seven_centimetres_is_solved_as_the_file_proposes(tmp_path):
    """The squeezer with the tool's own solver and no settings; with 0.1 µm as absolute tolerance its loops open."""
    model = cc.load("squeezer")
    file = fmu(model, tmp_path / "squeezer.fmu")
    names = [c.name for c in (*model.equations.q, *model.equations.x)]
    made = fmpy.simulate_fmu(str(file.path), stop_time=0.005, step_size=1e-3, fmi_type="ModelExchange", output=names)
    start = default_start(model)
    run = cc.simulate(model, lambda t, s: [0.0], duration=0.005, interval=1e-3, step=2e-5, start=start)
    np.testing.assert_allclose([made[n][-1] for n in names], [*run.q[-1], *run.x[-1]], atol=1e-4)


@needs_compiler
def test_a_robot_that_is_fast_within_a_step_is_followed_in_parts_of_it(tmp_path):
    """The squeezer's crank reaches hundreds of rad/s: steps of 1 ms would be off by 1e-2, halves of them are not."""
    model = cc.load("squeezer")
    file = fmu(model, tmp_path / "squeezer.fmu")
    names = [c.name for c in (*model.equations.q, *model.equations.x)]
    made = fmpy.simulate_fmu(
        str(file.path), stop_time=0.03, step_size=1e-3, output_interval=1e-3, fmi_type="CoSimulation", output=names
    )
    start = default_start(model)
    ends = [
        cc.simulate(model, lambda t, s: [0.0], duration=0.03, interval=1e-3, step=h, start=start) for h in (1e-3, 2e-6)
    ]
    coarse, fine = (np.array([*run.q[-1], *run.x[-1]]) for run in ends)
    assert np.abs(coarse - fine).max() > 1e-3
    np.testing.assert_allclose([made[n][-1] for n in names], fine, atol=1e-6)
    finest = fmpy.simulate_fmu(  # a tolerance below rounding is met as far as rounding lets it
        str(file.path), stop_time=0.03, step_size=1e-3, output_interval=1e-3, fmi_type="CoSimulation", output=names,
        relative_tolerance=1e-15,
    )  # fmt: skip
    np.testing.assert_allclose([finest[n][-1] for n in names], fine, atol=1e-7)


@needs_compiler
def test_external_forces_are_inputs(tmp_path):
    """A push on the tip and a torque on a bar, set as inputs, move the robot as `simulate` does under them."""
    model, path = cc.load("biglide"), tmp_path / "pushed.fmu"
    fmu(with_forces(model, {"C": (0.0, 0.0)}, {"A1-C": 0.0}), path)
    assert validation.validate_fmu(str(path)) == []
    told = {v.name: v.causality for v in fmpy.read_model_description(str(path)).modelVariables}
    pushes = {"force_C_x": 0.4, "force_C_y": -0.3, "torque_A1_C": 0.05}
    assert {told[name] for name in pushes} == {"input"}
    start = {"tau_q1": 0.1, "tau_q2": 0.2, **pushes}
    result = fmpy.simulate_fmu(
        str(path), fmi_type="CoSimulation", start_values=start, stop_time=DURATION, step_size=INTERVAL,
        output_interval=INTERVAL, output=names_of(model),
    )  # fmt: skip
    run = cc.simulate(
        model, Constant((0.1, 0.2)), start=default_start(model), duration=DURATION, interval=INTERVAL,
        forces={"C": (0.4, -0.3)}, torques={"A1-C": 0.05},
    )  # fmt: skip
    end = np.concatenate([run.final.z, run.final.z_dot])
    np.testing.assert_allclose(end_of(result, model), end, rtol=1e-12, atol=1e-12)
