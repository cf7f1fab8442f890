"""A run's histories, its summary, and its files."""

import csv
import json

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.control import ComputedTorque, Constant, KinematicControl
from closedchain.errors import BadInput
from closedchain.simulation.plant import Plant
from closedchain.simulation.run import FORMAT, BadRun, read_header
from closedchain.simulation.simulate import simulate
from closedchain.view.figures import figure_tracking

KEYS = {
    "max_error",
    "max_error_rad",
    "max_error_axes",
    "final_error",
    "final_error_rad",
    "final_error_axes",
    "max_effort",
    "max_effort_axes",
    "energy_residual",
    "closure_residual",
    "final_q",
    "final_x",
    "final_q_dot",
    "final_x_dot",
    "duration",
    "ended",
}


@pytest.fixture(scope="module")
def run(biglide, line):
    """Three seconds of computed torque."""
    return cc.simulate(biglide, ComputedTorque(line), interval=5e-3, plant=Plant(seed=9), title="a test")


def test_the_histories_belong_together(biglide, run, line):
    """x is the direct geometry of q, ẋ = J q̇, the command is held over each interval, the error is against the line."""
    n = len(run.t)
    assert run.t[0] == 0.0
    assert run.t[-1] == pytest.approx(3.0, abs=1e-15)
    np.testing.assert_allclose(run.x, cc.state(biglide, q=run.q, assembly="+").x, rtol=0, atol=1e-15)
    rates = cc.evaluate(biglide, q=run.q, q_dot=run.q_dot, assembly="+").x_dot
    np.testing.assert_allclose(run.x_dot, rates, rtol=0, atol=1e-14)
    held = run.command[: n - 1].reshape(-1, 5, 2)
    np.testing.assert_array_equal(held, np.broadcast_to(held[:, :1], held.shape))
    np.testing.assert_array_equal(run.error, run.x - line(run.t).x)


def test_the_work_is_the_integral_of_the_power(run):
    """∫ τ·q̇ dt over held efforts is Σ τ·Δq."""
    work = np.sum(run.command[:-1] * np.diff(run.q, axis=0), axis=-1).cumsum()
    np.testing.assert_allclose(run.work[1:], work, rtol=0, atol=1e-13)
    np.testing.assert_allclose(run.balance, 0.0, atol=1e-13)


def test_friction_is_taken_off_the_work(furuta):
    """Without a motor's effort the pendulum's energy only falls, and the balance is still level."""
    run = cc.simulate(furuta, Constant(0.0, "tau"), q=[0.0, 2.0], duration=2.0, method="rk6")
    total = sum(run.energies)
    assert total[-1] < total[0] - 0.01
    assert (np.diff(run.work) <= 1e-16).all()
    np.testing.assert_allclose(run.balance, 0.0, atol=1e-12)


def test_the_summary_has_the_figures_and_is_json(run):
    """Sixteen keys, largest values of the histories and where it ended; a point has no angle."""
    s = run.summary
    assert set(s) == KEYS
    assert s["max_error"] == np.abs(run.error).max() == max(s["max_error_axes"])
    assert s["final_error_axes"] == run.error[-1].tolist()
    assert s["max_error_rad"] is s["final_error_rad"] is None
    assert s["max_effort_axes"] == np.abs(run.command).max(axis=0).tolist()
    assert s["closure_residual"] == run.closure.max()
    assert s["energy_residual"] == np.abs(run.balance).max()
    for name in ("q", "x", "q_dot", "x_dot"):
        assert s[f"final_{name}"] == getattr(run, name)[-1].tolist()
    assert json.loads(json.dumps(s)) == s


def test_the_text_says_the_same(run):
    """Title, duration, error, effort, balance."""
    text = str(run)
    assert text.startswith("biglide: a test")
    assert "3 s simulated; the end of the run" in text
    assert f"largest error {run.summary['max_error']:.3e} m" in text


def test_a_run_without_a_reference_has_no_error(furuta, biglide):
    """None, not zero."""
    for robot, place in ((furuta, {"q": [0.0, 1.0]}), (biglide, {"x": [0.0, 0.3]})):
        run = cc.simulate(robot, Constant(0.0, "tau"), duration=0.01, **place)
        assert run.error is None
        assert run.summary["max_error"] is None
        assert "largest error" not in str(run)


def test_a_plates_error_is_told_in_metres_and_in_radians(triplate):
    """Never one number of both: x and y in `max_error`, phi in `max_error_rad`; in the text with their units."""
    line = cc.quintic([-3.0, -1.0, 0.8], [-2.8, -0.9, 0.6], duration=0.2)
    run = cc.simulate(triplate, ComputedTorque(line), interval=1e-2)
    worst, last, s = np.abs(run.error).max(axis=0), np.abs(run.error[-1]), run.summary
    assert (s["max_error"], s["max_error_rad"]) == (worst[:2].max(), worst[2])
    assert (s["final_error"], s["final_error_rad"]) == (last[:2].max(), last[2])
    assert s["max_error_axes"] == worst.tolist()
    assert f"largest error {worst[:2].max():.3e} m" in str(run)
    assert f"of the angle {worst[2]:.3e} rad" in str(run)


def test_drives_that_turn_are_followed_in_radians(furuta):
    """No length among them: the error is an angle, and the text says so."""

    def still(t, state):
        return [0.0]

    still.reference = motion.rest([0.1, 3.0], 0.05, space="joint")
    run = cc.simulate(furuta, still, q=[0.0, 3.0], command="effort")
    assert run.error_unit == "rad"
    assert run.summary["max_error"] == np.abs(run.error).max()
    assert run.summary["max_error_rad"] is None
    assert f"largest error {run.summary['max_error']:.3e} rad" in str(run)


def test_fewer_rows_are_rows_of_the_whole_run(biglide, line, run):
    """At most 100 asked for: every 30th, and the end."""
    few = cc.simulate(biglide, ComputedTorque(line), interval=5e-3, rows=100)
    assert len(few.t) <= 101
    np.testing.assert_array_equal(few.q[:-1], run.q[::30][: len(few.q) - 1])
    np.testing.assert_array_equal(few.final.z, run.final.z)
    np.testing.assert_array_equal(few.t[:-1], run.t[::30][: len(few.t) - 1])


# Files ----------------------------------------------------------------------------------------------------------------


def test_a_saved_run_is_read_back_to_the_bit(run, tmp_path):
    """Arrays, and a header with version, parameters, seed and summary; no pickles."""
    path = tmp_path / "run.npz"
    run.save(path)
    with np.load(path, allow_pickle=False) as saved:
        for name in ("t", "q", "x", "q_dot", "x_dot", "command", "work", "ref"):
            np.testing.assert_array_equal(saved[name], getattr(run, name))
    header = read_header(path)
    assert header["format"] == FORMAT
    assert header["robot"] == "biglide"
    assert header["parameters"] == run.model.values
    assert header["settings"]["seed"] == 9
    assert header["summary"] == run.summary
    assert header["interval"] == 5e-3
    assert header["version"] == cc.__version__


def test_a_saved_table_is_read_back_to_the_bit(run, tmp_path):
    """17 digits, one column for each quantity with its unit."""
    path = tmp_path / "run.csv"
    run.save_csv(path)
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:3] == ["t_s", "q1_m", "q2_m"]
    assert {"q1_dot_m/s", "tau_q1_SI", "closure_m", "balance_J"} <= set(rows[0])
    table = np.array(rows[1:], dtype=np.float64)
    for name, column in run.columns().items():
        np.testing.assert_array_equal(table[:, rows[0].index(name)], column)


def test_a_table_holds_passive_joints_accelerations_multipliers_errors_and_energies(run):
    """By hand on the biglide: atan2, m_p ẍ = Aᵀλ, m_f q̈ = τ − Bᵀλ… and ½ Σ m v²; rounding of values near 1."""
    c = run.columns()
    legs = [(c["x_m"] + 0.2, c["y_m"] - c["q1_m"]), (c["x_m"] - 0.2, c["y_m"] - c["q2_m"])]
    lam = [c["lam_A1-C_SI"], c["lam_A2-C_SI"]]
    for i, (across, along) in enumerate(legs, start=1):
        np.testing.assert_allclose(c[f"phi{i}_rad"], np.arctan2(along, across), rtol=0, atol=1e-14)
        speed = (-np.sin(c[f"phi{i}_rad"]), np.cos(c[f"phi{i}_rad"]))
        rate = (speed[0] * c["x_dot_m/s"] + speed[1] * (c["y_dot_m/s"] - c[f"q{i}_dot_m/s"])) / 0.3606
        np.testing.assert_allclose(c[f"phi{i}_dot_rad/s"], rate, rtol=0, atol=1e-14)
        np.testing.assert_allclose(
            c[f"q{i}_ddot_m/s^2"], c[f"tau_q{i}_SI"] - 2 * along * lam[i - 1], rtol=0, atol=1e-12
        )
    force = [2 * sum(leg[k] * each for leg, each in zip(legs, lam, strict=True)) for k in (0, 1)]
    np.testing.assert_allclose(3.0 * c["x_ddot_m/s^2"], force[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(3.0 * c["y_ddot_m/s^2"], force[1], rtol=0, atol=1e-12)
    moving = c["q1_dot_m/s"] ** 2 + c["q2_dot_m/s"] ** 2 + 3.0 * (c["x_dot_m/s"] ** 2 + c["y_dot_m/s"] ** 2)
    np.testing.assert_allclose(c["kinetic_J"], moving / 2, rtol=1e-13, atol=1e-18)
    np.testing.assert_array_equal(c["y_error_m"], c["y_m"] - c["y_ref_m"])
    np.testing.assert_allclose(c["kinetic_J"] + c["potential_J"] - c["work_J"], c["balance_J"], rtol=0, atol=1e-14)


@pytest.mark.parametrize("kind", ["voltage", "velocity"])
def test_accelerations_of_a_table_are_the_rates_of_its_velocities(furuta, biglide, line, kind):
    """Differences over a hundredth of the time that commands are held: 1e-4 of the largest, what such steps leave."""
    if kind == "voltage":
        run = cc.simulate(furuta, Constant(3.0, "voltage"), q=[0, 2.0], duration=0.1, interval=0.01, step=1e-4)
        names = ("q1_dot_rad/s", "q2_dot_rad/s")
    else:
        run = cc.simulate(biglide, KinematicControl(line), duration=1.0, interval=0.1)
        names = ("x_dot_m/s", "y_dot_m/s")
        assert "lam_A1-C_SI" not in run.columns()  # no forces move a kinematic plant
    table = run.columns()
    for name in names:
        rate = np.diff(table[name]) / np.diff(run.t)
        wanted = table[name.replace("_dot_", "_ddot_").replace("/s", "/s^2")]
        middle = 0.5 * (wanted[:-1] + wanted[1:])
        inside = np.arange(len(rate)) % 100 != (99 if kind == "voltage" else 0)  # not across a change of the command
        np.testing.assert_allclose(rate[inside], middle[inside], rtol=0, atol=1e-4 * np.abs(wanted).max())


def test_a_saved_run_names_the_columns_of_its_arrays(run, tmp_path):
    """Passive joints, accelerations, multipliers, errors and energies; the header says whose each column is."""
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as saved:
        arrays = dict(saved)
    names, table = read_header(tmp_path / "run.npz")["columns"], run.columns()
    assert names["passive"] == ["phi1", "phi2"]
    assert names["lam"] == ["A1-C", "A2-C"]
    np.testing.assert_array_equal(arrays["passive_ddot"][:, 1], table["phi2_ddot_rad/s^2"])
    np.testing.assert_array_equal(arrays["x_ddot"][:, 0], table["x_ddot_m/s^2"])
    np.testing.assert_array_equal(arrays["lam"][:, 0], table["lam_A1-C_SI"])
    for name in ("error", "kinetic", "potential", "balance", "closure", "q_ddot", "passive", "passive_dot"):
        assert len(arrays[name]) == len(run.t)


@pytest.mark.parametrize("save", ["save", "save_csv"])
def test_a_file_that_cannot_be_written_leaves_the_old_one(run, tmp_path, save, monkeypatch):
    """Interrupted before it is renamed: the old file is whole, and nothing lies beside it."""
    path = tmp_path / "run.out"
    path.write_bytes(b"old")

    def full(*_args):
        raise OSError("no space left on device")

    monkeypatch.setattr("os.replace", full)
    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OSError, match="no space"):
        getattr(run, save)(path)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["run.out"]


def test_what_is_not_a_saved_run_is_refused(tmp_path):
    """Missing, text, another archive, another format."""
    text, other, foreign = tmp_path / "a.npz", tmp_path / "b.npz", tmp_path / "c.npz"
    text.write_text("t, q\n0, 1\n")
    np.savez(other, t=np.zeros(3))
    np.savez(foreign, header=np.frombuffer(b'{"format": "something/9"}', dtype=np.uint8))
    for path in (tmp_path / "none.npz", text, other):
        with pytest.raises(BadRun, match="not a saved run"):
            read_header(path)
    with pytest.raises(BadRun, match="format 'something/9'"):
        read_header(foreign)


# Arguments ------------------------------------------------------------------------------------------------------------


def test_a_run_begins_where_its_reference_does_moving_as_it_does(biglide):
    """A line at constant speed: x, ẋ, q̇ of its first instant."""
    from_path = motion.constant_velocity([0.0, 0.3], [0.05, 0.4], duration=1.0)
    assert from_path(0.0).x_dot[0] > 0
    run = cc.simulate(biglide, KinematicControl(from_path), interval=0.01)
    np.testing.assert_allclose(run.x[0], from_path(0.0).x, rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.x_dot[0], from_path(0.0).x_dot, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"method": "euler"}, "no method 'euler'; there are rk4, rk6, gauss4, rodas, dop853"),
        ({"q": [0.0]}, "q"),
        ({"q": [0.0, np.nan]}, "q"),
        ({"x": [5.0, 5.0]}, "misses"),
        ({"duration": 0.0}, "duration"),
    ],
)
def test_bad_arguments_are_told(biglide, line, more, message):
    """One sentence from the place that knows."""
    with pytest.raises(cc.ClosedChainError, match=message):
        simulate(biglide, ComputedTorque(line), **more)


def test_a_run_without_end_or_beginning_is_refused(biglide, furuta):
    """A constant has no duration and no place."""
    with pytest.raises(BadInput, match="give the duration"):
        cc.simulate(furuta, Constant(0.0, "tau"), q=[0.0, 0.0])
    with pytest.raises(BadInput, match="give q or x to begin at"):
        cc.simulate(biglide, Constant((0.0, 0.0)), duration=1.0)


def test_a_motion_of_the_drives_is_compared_with_the_drives():
    """A crank from 0.5 to 2.5 rad: q is followed, the piston's place is not what was asked for."""
    robot = cc.load("slidercrank")
    asked = cc.quintic([0.5], [2.5], duration=1.0, space="joint")
    run = cc.simulate(robot, cc.ComputedTorque(asked, kp=100, kd=20), interval=1e-3)
    np.testing.assert_array_equal(run.error, run.q - asked(run.t).x)
    assert run.x_ref is None
    assert run.error_unit == "rad"
    assert run.summary["max_error"] == np.abs(run.error).max()
    assert 0.0 < run.summary["max_error"] < 6e-4  # a held command lags by half an interval: q⃛ T/2 kp, q⃛ ≤ 120 rad/s³
    assert "largest error of the drives" in str(run)
    np.testing.assert_array_equal(run.columns()["q1_ref_rad"], asked(run.t).x[:, 0])
    figure_tracking(run.model, run)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"start": "given", "q": [0.0, 0.0]}, "begins at start; leave q out"),
        ({"x": [0.0, 0.3], "x_dot": [0.1, 0.0]}, "x_dot is for linkages"),
        ({"x": [0.0, 0.3], "precision": 1e-9}, "precision is for adaptive and stiff"),
        ({"x": [0.0, 0.3], "method": "dop853", "tolerance": 1e-6}, "finer steps would change nothing"),
    ],
)
def test_options_that_would_be_left_unused_are_refused(biglide, options, words):
    """A second start, rates and precisions that this kind of run does not read, a tolerance that cannot fail."""
    given = {k: cc.state(biglide, x=[0.0, 0.3]) if k == "start" else v for k, v in options.items()}
    with pytest.raises(BadInput, match=words):
        cc.simulate(biglide, Constant(0.0), duration=0.1, **given)
