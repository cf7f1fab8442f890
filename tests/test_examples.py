"""Every example runs and returns its number, which is known from somewhere else."""

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(p.relative_to(EXAMPLES).as_posix() for p in EXAMPLES.rglob("*.py"))


def circles_largest_effort():
    """The example's circle by hand: tensions f along the bars with u1 f1 + u2 f2 = m_p ẍ, τ_i = m_f q̈_i + f_i u_iy."""
    w, l, t = 2 * np.pi, 0.3606, np.linspace(0, 1, 2000, endpoint=False)
    x, y = 0.05 * np.cos(w * t), 0.45 + 0.05 * np.sin(w * t)
    largest = 0.0
    ends = [x + 0.2, x - 0.2]  # across each bar
    u = np.stack([np.stack([a / l, np.sqrt(l**2 - a**2) / l]) for a in ends], axis=-1)  # (2, samples, bars)
    force = 3.0 * -(w**2) * np.stack([x, y - 0.45])
    tension = np.linalg.solve(u.transpose(1, 0, 2), force.T[..., None])[..., 0]
    for i, a in enumerate(ends):
        root, a_dot, a_ddot = np.sqrt(l**2 - a**2), -0.05 * w * np.sin(w * t), -(w**2) * x
        # q = y − √(l² − a²): q̈ = ÿ + (ȧ² + a ä) / root + (a ȧ)² / root³
        q_ddot = -(w**2) * (y - 0.45) + (a_dot**2 + a * a_ddot) / root + (a * a_dot) ** 2 / root**3
        largest = max(largest, np.abs(q_ddot + tension[:, i] * u[1, :, i]).max())
    return largest


def unstable_pole():
    """From θ1…θ6 of seed 003 (TRUTH.md §1.5): M q̈ + diag(θ5, θ6) q̇ + diag(0, −θ4 g) q = 0 upright."""
    t1, t2, t3 = 0.048426150121065395, 0.02033898305084746, 0.020338983050847463
    t4, t5, t6 = 0.10169491525423731, 0.609539225181598, 0.009685230024213077
    M, D, K = np.array([[t1, t3], [t3, t2]]), np.diag([t5, t6]), np.diag([0.0, -t4 * 9.81])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    return np.linalg.eigvals(A).real.max()


def ankle_s_pitch():
    """The foot's pitch at which both rods of examples/08_exchange/ankle.xml have their lengths, by Newton's method."""

    def missed(angles):
        (cp, cr), (sp, sr) = np.cos(angles), np.sin(angles)
        rows = []
        for side, height, motor, length in ((0.03, -0.15, 0.3, 0.15), (-0.03, -0.08, -0.2, 0.22)):
            tip = np.array([0.04, side * np.cos(motor), height + side * np.sin(motor)])
            y, z = cr * side - sr * 0.01, sr * side + cr * 0.01 - 0.01  # rolled, 0.01 m below the pitch axis
            foot = np.array([cp * 0.04 + sp * z, y, cp * z - sp * 0.04 - 0.3])
            rows.append((foot - tip) @ (foot - tip) - length**2)
        return np.array(rows)

    angles = np.zeros(2)
    for _ in range(20):
        slopes = [(missed(angles + h) - missed(angles - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
        angles = angles - np.linalg.solve(np.array(slopes).T, missed(angles))
    return angles[0]


NUMBERS = {
    # TRUTH.md §4 at the control instants; between them the error is 1e-10 m larger
    "04_simulation/a_thousand_runs.py": (2.53259124788352e-06, 2e-10),
    "04_simulation/falling_pendulum.py": (3.61917938, 5.1e-9),  # TRUTH.md §4, trajectory (a), printed with 8 decimals
    "04_simulation/figure_18.py": (0.001250128997138611, 1e-11),  # TRUTH.md §4, the replica of seed 000's Fig. 18
    "04_simulation/your_own_scenario.py": (2 * 1.0 / (2 * 1.0 + 3.0) * 2.0**2 / 2, 1e-12),  # (2 F / m) t² / 2
    "00_start/first_steps.py": (np.sqrt(0.3606**2 - 0.2**2), 1e-15),  # Pythagoras
    "01_geometry/all_branches.py": (0.3606 - 0.4 / 2, 1e-7),  # leg 1 lies flat; followed to 2^-24 of a 5 mm step
    "01_geometry/six_poses.py": (-20.0, 1e-10),  # the pose the lengths were made from
    # half the sliders' distance is 0.1/√2, the tip that much from the corner and √(l² − 0.005) further
    "01_geometry/your_own_robot.py": (0.1 / np.sqrt(2) + np.sqrt(0.4**2 - 0.005), 1e-14),
    "02_dynamics/efforts_of_a_circle.py": (circles_largest_effort(), 1e-11),
    "02_dynamics/furuta_linear.py": (unstable_pole(), 1e-11),
    "03_motion/cross_in_least_time.py": (2 * np.sqrt(5 * 0.2 / 20), 1e-12),  # bang-bang: 5 kg over 0.2 m by 20 N
    "05_singularity/documents_line.py": (0.5367791975326369, 1e-14),  # seed 002 as TRUTH corrects it
    "05_singularity/six_cusps.py": (6.0, 0.0),
    "05_singularity/crossing.py": (0.569500500024304, 1e-10),  # TRUTH.md §3.3, τ2(t_s) from 60 digits
    "05_singularity/both_legs.py": (3.0, 0.0),  # Type 1 of each leg and Type 2 between
    "05_singularity/a_robots_head.py": (93.2102613, 1e-7),  # [deg] established independently, printed with 7 decimals
    "06_planning/which_mode.py": (0.122782, 5e-7),  # seed 002: where the mode of q* meets Type 2
    "03_motion/a_table_for_another_program.py": (0.0, 1e-14),
    "03_motion/a_platform_on_a_screw.py": (np.sqrt(1.36 - 1.2 * np.cos(np.radians(20)) + 1.3**2), 1e-12),
    "07_verify/what_was_wrong_with_adams.py": (np.sqrt(0.13), 1e-12),  # [m] seed 000: the length of the ADAMS bars
    "09_linkages/a_stiff_governor.py": (0.535563103722, 1e-9),  # Radau and DOP853 by another program
    "09_linkages/four_cranks.py": (0.5, 1e-12),  # four alike, of square 1
    "08_exchange/ankle_of_a_walker.py": (ankle_s_pitch(), 1e-12),  # [rad] from the rods' lengths alone
    "08_exchange/there_and_back.py": (0.16 + 0.2, 1e-14),  # elbows 0.16 m up, rods rise 0.2 m
    "09_linkages/a_row_of_windows.py": (0.0, 1e-8),  # [m] off the one pendulum that the row amounts to
    "10_export/course_page.py": (0.12, 5e-6),  # [m] where the line ends; commands held for 1 ms leave micrometres
    "10_export/least_effort.py": (6 * 5.0**2 * 0.1**2 * 400 / 399, 1e-9),  # a double integrator's least effort, held
    "11_lab/biglide_models.py": (np.sqrt(0.2828427**2 - 0.2**2), 1e-15),  # Pythagoras
    "11_lab/furuta_models.py": (3.61917938, 1e-7),  # [rad] seed 003, TRUTH.md §4 (a)
    "11_lab/rrr3_models.py": (np.pi / 2, 1e-15),  # two bars of 1 m over a diagonal of √2 m
    "11_lab/model_eval.py": (0.0, 1e-13),  # right models against the exact plant: rounding
    # feet level, 0.544 m apart on the lab's rails: Pythagoras above the start
    "11_lab/your_own_robot.py": (0.096 + np.sqrt(0.3**2 - 0.272**2), 1e-12),
    "17_real_drives/dry_feet.py": (-0.01, 1e-11),  # [m] 0.1 less three times 2 · 7.5/500, the other way round each time
    "16_transmission/an_ankle.py": (-0.216037617, 1e-9),  # [rad] two unrelated programs, printed with 9 decimals
    # [rad] DecoupleAtom01's formula by hand, tests/model/test_transmission.py
    "16_transmission/code_for_its_processor.py": (-0.008547516394215512, 1e-13),
    "12_design/by_gradients.py": (2.030229, 1e-4),  # [m] differential evolution, 4000 designs
    "18_control/upright.py": (1.0, 1e-4),  # MPC with LQR's cost-to-go commands what LQR does, but for θ²
    "12_design/which_lengths.py": (2 * 0.5 * 0.5 / np.sqrt(1.25), 1e-6),  # [m] closed form, tests/design
    "14_calibration/hexapod.py": (0.0, 1e-12),  # [m] of 42 numbers whose legs were measured by hand
    "14_calibration/a_delta_printer.py": (0.42e-3, 5e-6),  # [m] 0.01 mm over the least singular value, 0.0239
    "15_identification/what_efforts_tell.py": (0.0, 1e-10),  # nine numbers that the efforts were made with
}


def test_no_example_is_without_its_number():
    """A new example comes with the number that it returns."""
    assert set(SCRIPTS) == set(NUMBERS)


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_example_returns_its_number(script, capsys):
    """The story runs to its end, tells something, and its number is right."""
    returned = runpy.run_path(str(EXAMPLES / script))["main"]()
    want, tolerance = NUMBERS[script]
    assert abs(returned - want) <= tolerance
    assert capsys.readouterr().out


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_example_is_a_short_story(script):
    """40 to 100 lines, with what it is about at its head."""
    text = (EXAMPLES / script).read_text(encoding="utf-8")
    assert text.startswith('"""')
    assert 40 <= len(text.splitlines()) <= 100
