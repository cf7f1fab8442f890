"""A delta printer by Klipper's nine numbers: its singular values, its weak direction, its saved heights."""

from pathlib import Path

import mpmath
import numpy as np
import pytest

import closedchain as cc
from closedchain.calibration import Readings, calibrate, probe_sd, read_klipper
from closedchain.errors import BadInput

FILE = Path(__file__).parents[2] / "examples/14_calibration/klipper_delta.toml"
NINE = ("radius", "angle_a", "angle_b", "endstop_a", "endstop_b", "endstop_c", "arm_a", "arm_b", "arm_c")
REAL = {"radius": 0.1243, "endstop_a": 0.2504, "endstop_b": 0.2497, "arm_a": 0.2503, "arm_b": 0.2499, "arm_c": 0.2501}


@pytest.fixture(scope="module")
def printer():
    """Klipper's model with nominal numbers."""
    return cc.load(FILE)


def probe_points():
    """The middle, six points at 60 mm and twelve at 100 mm."""
    rings = [(0.06, 6), (0.1, 12)]
    turns = [(r, 2 * np.pi * k / n) for r, n in rings for k in range(n)]
    return np.array([(0.0, 0.0), *((r * np.cos(a), r * np.sin(a)) for r, a in turns)])


def travels(points, radius=0.124, arm=0.25, endstop=0.25):
    """How far each carriage went down for a nozzle at (x, y, 0), by Pythagoras; towers at 210°, 330° and 90°."""
    towers = [(radius * np.cos(a), radius * np.sin(a)) for a in np.radians([210.0, 330.0, 90.0])]
    up = np.array([[np.sqrt(arm**2 - (x - a) ** 2 - (y - b) ** 2) for a, b in towers] for x, y in points])
    return endstop + np.sqrt(arm**2 - radius**2) - up


def height(theta, travel, lib=mpmath):
    """The lower point of three spheres, by elimination: two planes meet in a line, which a sphere cuts."""
    radius, *rest = theta
    angles, ends, arms = [rest[0], rest[1], lib.pi / 2], rest[2:5], rest[5:8]
    towers = [
        (radius * lib.cos(a), radius * lib.sin(a), e + lib.sqrt(l**2 - radius**2) - s)
        for a, e, l, s in zip(angles, ends, arms, travel, strict=True)
    ]
    (a, b, c), *others = towers
    rows = [[2 * (p[0] - a), 2 * (p[1] - b), 2 * (p[2] - c)] for p in others]
    right = [
        arms[0] ** 2 - l**2 + sum(v * v for v in p) - (a * a + b * b + c * c)
        for p, l in zip(others, arms[1:], strict=True)
    ]
    det = rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    x = [
        (right[0] * rows[1][1] - right[1] * rows[0][1]) / det,
        (rows[0][1] * rows[1][2] - rows[1][1] * rows[0][2]) / det,
    ]
    y = [
        (rows[0][0] * right[1] - rows[1][0] * right[0]) / det,
        (rows[1][0] * rows[0][2] - rows[0][0] * rows[1][2]) / det,
    ]
    A, B = x[1] ** 2 + y[1] ** 2 + 1, x[1] * (x[0] - a) + y[1] * (y[0] - b) - c
    C = (x[0] - a) ** 2 + (y[0] - b) ** 2 + c**2 - arms[0] ** 2
    return (-B - lib.sqrt(B * B - A * C)) / A


def test_the_heights_have_the_published_singular_values_and_the_weak_direction_is_named(printer):
    """Radius 124, arms 250, 19 points to 100 mm, angles in mm at the tower: nine values, four digits each."""
    points = probe_points()
    data = Readings(("a", "b", "c", "z"), np.column_stack([travels(points), np.zeros(19)]))
    done = calibrate(printer, data, vary=NINE, lever=0.124, sd={"z": 1e-5})
    singular = [d.singular for d in done.directions]
    known = [2.8451, 1.7508, 1.7178, 0.5145, 0.4547, 0.3264, 0.0407, 0.0334, 0.0239]
    np.testing.assert_allclose(singular, known, atol=5.1e-5)  # half of the last digit that is known
    weakest = done.weak[0]
    shares = dict(zip(weakest.names, np.abs(weakest.shares), strict=True))
    assert shares["radius"] == pytest.approx(0.176, abs=5e-4)
    assert [shares[f"arm_{a}"] for a in "abc"] == pytest.approx([0.568] * 3, abs=5e-4)
    assert weakest.sd == pytest.approx(0.42e-3, abs=5e-6)  # 0.01 mm of probe noise leaves 0.42 mm
    assert "radius" in str(weakest)
    assert all(f"arm_{a}" in str(weakest) for a in "abc")


def test_slopes_are_those_of_thirty_digits(printer):
    """∂z/∂(nine numbers) through the loops equals 30-digit differences of three spheres, at numbers off the nominal."""
    points = probe_points()
    travel = travels(points)
    robot = printer.with_values(**REAL)
    data = Readings(("a", "b", "c", "z"), np.column_stack([travel, np.zeros(19)]))
    done = calibrate(robot, data, vary=NINE, sd={"z": 1.0}, priors={n: (robot.values[n], 1e-9) for n in NINE})
    theta = [mpmath.mpf(done.values[n]) for n in NINE]
    with mpmath.workdps(30):
        for row in (0, 4, 11):
            for k in range(9):
                h = mpmath.mpf(10) ** -12
                up, down = ([t + s * h if i == k else t for i, t in enumerate(theta)] for s in (1, -1))
                slope = float(
                    (height(up, map(mpmath.mpf, travel[row])) - height(down, map(mpmath.mpf, travel[row]))) / 2 / h
                )
                assert done.J[row, k] == pytest.approx(slope, abs=1e-10)


def test_all_angles_together_are_told_as_unseen(printer):
    """A height does not show a turn of the whole printer about its axis."""
    real = printer.with_values(**REAL)
    travel = travels(probe_points())
    z = cc.state(real, q=travel).x[:, 2]
    done = calibrate(printer, Readings(("a", "b", "c", "z"), np.column_stack([travel, z])), lever=0.124)
    assert done.unseen == ("angle_a + angle_b + angle_c",)
    assert done.rank == 9
    assert not np.isfinite(done.sd[done.names.index("angle_a")])
    assert done.rms()["z"] < 1e-12  # all else is found: the heights are explained


def klipper(tmp_path, heights, extra=""):
    """A printer.cfg with the saved positions of probe points."""
    text = ["[printer]", "kinematics: delta", "delta_radius: 124.0  # mm", "max_velocity: 300"]
    for a, angle in zip("abc", (210, 330, 90), strict=True):
        text += [f"[stepper_{a}]", "microsteps: 16", "rotation_distance: 40", f"angle: {angle}", "step_pin: PF0"]
        text += ["position_endstop: 250", "arm_length: 250.0"] if a == "a" else []
    text += ["[delta_calibrate]", "radius: 100", extra, "#*# <--- SAVE_CONFIG --->", "#*#", "#*# [delta_calibrate]"]
    for i, travel in enumerate(heights):
        steps = ", ".join(f"{v * 1e3 / 40 * 3200:.3f}" for v in travel)  # 40 mm are 200 × 16 steps
        text += [f"#*# height{i} = 0.0", f"#*# height{i}_pos = {steps}"]
    path = tmp_path / "printer.cfg"
    path.write_text("\n".join(text) + "\n")
    return path


def test_klippers_saved_heights_give_the_numbers_of_the_printer_that_was_probed(tmp_path, printer):
    """Every probe touches the bed, z = 0: the steps tell the real printer to what a thousandth of a step leaves."""
    real = printer.with_values(**REAL)
    bed = np.column_stack([probe_points(), np.zeros(19)])
    path = klipper(tmp_path, cc.state(real, x=bed, working="+++").q)
    data, values = read_klipper(path, printer)
    assert values["radius"] == 0.124
    assert values["arm_c"] == 0.25
    assert data.names == ("a", "b", "c", "z")
    done = calibrate(printer, path, vary=NINE)
    # the file keeps 0.001 step = 1.25e-8 m: 1/0.0239 times that, by √19, is 2.3e-6 m at most in the weak direction
    for name in NINE:
        assert done.values[name] == pytest.approx(real.values[name], abs=2.5e-6), name


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("kinematics: delta", "kinematics: corexy", "only delta"),
        ("height0 = 0.0", "height0 = __import__('os')", "not a number"),
        ("[printer]", "[toolhead]", "no section"),
        ("microsteps: 16", "macrosteps: 16", "no microsteps"),
        ("microsteps: 16", "microsteps: 0", "40 mm in a turn of 0 steps"),
        ("rotation_distance: 40", "rotation_distance: -40", "must be above 0"),
        ("microsteps: 16", "microsteps: 16\ngear_ratio: 1.2.3:1", "not like 57:11"),
    ],
)
def test_a_configuration_that_is_not_understood_says_what(tmp_path, printer, old, new, problem):
    """Nothing in the file runs; what cannot be read is told with its place."""
    path = klipper(tmp_path, travels(probe_points()))
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(BadInput, match=problem):
        read_klipper(path, printer)


def test_distances_that_klipper_saves_show_the_scale_that_heights_hardly_do(tmp_path, printer):
    """Two distances on the bed are worth more for the weak direction than nineteen heights."""
    points = probe_points()
    travel = travels(points)
    pair = ", ".join(f"{v * 1e3 / 40 * 3200:.3f}" for v in travel[7])
    other = ", ".join(f"{v * 1e3 / 40 * 3200:.3f}" for v in travel[13])
    extra = f"distance0 = 200.0\ndistance0_pos1 = {pair}\ndistance0_pos2 = {other}"
    path = klipper(tmp_path, travel, extra)
    sd = {"z": 1e-5}
    alone = calibrate(printer, klipper(tmp_path, travel), vary=NINE, sd=sd, lever=0.124)
    both = calibrate(printer, klipper(tmp_path, travel, extra), vary=NINE, sd=sd | {"|C to.C|": 1e-5}, lever=0.124)
    assert path.exists()
    assert both.directions[-1].sd < 0.8 * alone.directions[-1].sd


def test_a_log_of_probe_accuracy_tells_the_standard_deviation(tmp_path):
    """Two results of 3 and 4 µm are 3.54 µm together; a log without any, or with nothing but zero, is refused."""
    line = "// probe accuracy results: maximum 2.5, minimum 2.5, range 0, average 2.5, median 2.5, standard deviation"
    path = tmp_path / "klippy.log"
    path.write_text(f"start\n{line} 0.003000\n{line} 0.004000\n")
    assert probe_sd(path) == pytest.approx(np.sqrt(12.5) * 1e-6)
    path.write_text(f"{line} 0.000000\n")
    with pytest.raises(BadInput, match="of 0 only"):
        probe_sd(path)
    path.write_text("nothing\n")
    with pytest.raises(BadInput, match="no line"):
        probe_sd(path)
