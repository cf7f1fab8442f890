"""A robot leaves the house: as CasADi functions for an optimal control problem, as C, as JavaScript and as an FMU.

The biglide is to move its tip 0.1 m along y in one second, from rest to rest, with the least sum of squared efforts.
By symmetry no bar turns and the robot is a mass of 2 m_f + m_p = 5 kg, pushed by two equal efforts that are held for
N intervals: the least cost is known by hand, 6 m² d² / T³ · N² / (N² − 1). The solver knows nothing of symmetry.
"""

import tempfile
from pathlib import Path

import casadi as ca
import numpy as np

import closedchain as cc
from closedchain.export.c99 import c99
from closedchain.export.fmu import fmu
from closedchain.export.functions import casadi_functions
from closedchain.export.javascript import javascript
from closedchain.model.model import Model

N, T, D = 20, 1.0, 0.1  # intervals, [s], [m]


def least_effort(robot: Model) -> float:
    """The least h Σ |u|² for the move, by direct multiple shooting over the robot's own step."""
    step, start = casadi_functions(robot)["step"], cc.state(robot, q=[0, 0])
    h, problem = T / N, ca.Opti()
    y, u = problem.variable(8, N + 1), problem.variable(2, N)  # (q, x, q_dot, x_dot), efforts
    first = np.concatenate([start.q, start.x, np.zeros(4)])
    last = first + D * np.array([1, 1, 0, 1, 0, 0, 0, 0])
    for k in range(N):
        now = ca.vertsplit(y[:, k], 2)
        problem.subject_to(y[:, k + 1] == ca.vertcat(*step(*now, u[:, k], h, robot.p)))
    problem.subject_to(y[:, 0] == first)
    problem.subject_to(y[[0, 1, 4, 5], N] == last[[0, 1, 4, 5]])  # the tip follows from the feet
    problem.minimize(h * ca.sumsqr(u))
    problem.set_initial(y, np.linspace(first, last, N + 1).T)
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-12})
    return float(problem.solve().value(problem.f))


def main() -> float:
    """Returns the least cost [N² s]."""
    robot = cc.load("biglide")
    cost = least_effort(robot)
    by_hand = 6 * 5.0**2 * D**2 / T**3 * N**2 / (N**2 - 1)
    print(f"least effort {cost:.12f} N² s, by hand {by_hand:.12f}")

    folder = Path(tempfile.mkdtemp())
    header, source = c99(robot).save(folder)
    module = javascript(robot, kernels=["closures", "inverse", "group0", "scale"])
    print(f"C99          {source.name} {len(source.read_text())} bytes, {header.read_text().count('void')} functions")
    print(f"JavaScript   {len(module)} bytes for all of its geometry")
    print(f"FMU          {str(fmu(robot, folder / 'biglide.fmu')).partition(': ')[2]}")
    return cost


if __name__ == "__main__":
    main()
