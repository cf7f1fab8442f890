"""A control engineer's afternoon with a rotary pendulum: linear model, LQR, Kalman filter, MPC, five hundred trials.

The pendulum stands upright under a motor's voltage. LQR on noisy encoders with rates by differences is compared with
the same gain on a Kalman filter's estimates, over the same random masses and noise. MPC through the robot's own CasADi
`step` is asked for its first command: without limits, and with the LQR's own cost behind its horizon, it must be that
of LQR, up to what is not linear; with a limit it may be no larger than that.
"""

from typing import Any

import casadi as ca
import numpy as np

import closedchain as cc
from closedchain.control import Regulator, observe, regulator
from closedchain.control.regulating import held_model
from closedchain.export.functions import casadi_functions
from closedchain.model import Model
from closedchain.simulation.plant import Plant
from closedchain.simulation.rollouts import Rollouts, rollouts

INTERVAL, NOISE, RUNS = 0.01, 2e-3, 500  # [s], [rad], trials
STATE_COST, INPUT_COST = np.diag([10.0, 100.0, 1.0, 1.0]), np.array([[0.1]])
HORIZON = 25  # intervals


def compared(robot: Model) -> tuple[Regulator, Rollouts, Rollouts]:
    """Largest voltages [V] of each trial by LQR with differences and by LQR on estimates, and how many came through."""
    law = regulator(robot, q=[0, 0], state_cost=STATE_COST, input_cost=INPUT_COST, interval=INTERVAL, inputs="voltage")
    filtered = observe(robot, law, interval=INTERVAL, noise_q=NOISE, disturbance=0.2)
    rng = np.random.default_rng(0)
    trials: dict[str, Any] = {
        "values": {"m_2": robot.values["m_2"] * rng.normal(1.0, 0.05, RUNS)},
        "q": [0.0, 0.1],
        "duration": 2.0,
    }
    trials |= {"interval": INTERVAL, "step": 2e-3}
    rough = rollouts(robot, law, plant=Plant(noise_q=NOISE, differences=True), **trials)
    calm = rollouts(robot, filtered, plant=Plant(noise_q=NOISE), **trials)
    return law, rough, calm


def first_command(robot: Model, start: np.ndarray, limit: float = np.inf) -> float:
    """MPC's first voltage at a state, over the robot's own steps, with the regulator's cost behind the horizon."""
    A, B = held_model(cc.linearise(robot, q=[0, 0], inputs="voltage"), INTERVAL)
    P = STATE_COST
    for _ in range(2000):  # Riccati's recursion, to its end
        K = np.linalg.solve(INPUT_COST + B.T @ P @ B, B.T @ P @ A)
        P = STATE_COST + A.T @ P @ (A - B @ K)
    step = casadi_functions(robot, inputs="voltage")["step"]
    problem = ca.Opti()
    s, u = problem.variable(4, HORIZON + 1), problem.variable(1, HORIZON)
    cost = ca.bilin(P, s[:, HORIZON], s[:, HORIZON])
    for k in range(HORIZON):
        q, _, q_dot, _ = step(s[:2, k], ca.MX(0, 1), s[2:, k], ca.MX(0, 1), u[k], INTERVAL, robot.p)
        problem.subject_to(s[:, k + 1] == ca.vertcat(q, q_dot))
        cost += ca.bilin(STATE_COST, s[:, k], s[:, k]) + INPUT_COST[0, 0] * u[k] ** 2
    problem.subject_to(s[:, 0] == start)
    if np.isfinite(limit):
        problem.subject_to(problem.bounded(-limit, u, limit))
    problem.minimize(cost)
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-10})
    return float(problem.solve().value(u[0]))


def main() -> float:
    """Returns MPC's first command over that of LQR, close to upright."""
    robot = cc.load("furuta")
    law, rough, calm = compared(robot)
    for words, runs in (("differences", rough), ("Kalman filter", calm)):
        most = np.quantile(runs.max_effort[:, 0], [0.5, 0.95])
        up = np.count_nonzero(runs.finished & (np.abs(runs.final.q[:, 1]) < 0.05))
        print(f"{words:<14} {up} of {RUNS} upright after 2 s; largest voltage {most[0]:.2f} V, 95 % {most[1]:.2f} V")
    start = np.array([0.0, 1e-3, 0.0, 0.0])
    free, linear = first_command(robot, start), float(-(law.K @ start)[0])
    print(f"1 mrad off: MPC {free:.6f} V, LQR {linear:.6f} V")
    far = np.array([0.0, 0.2, 0.0, 0.0])
    within = first_command(robot, far, limit=5.0)
    print(f"0.2 rad off: MPC {first_command(robot, far):.3f} V, within 5 V {within:.3f} V")
    return free / linear


if __name__ == "__main__":
    main()
