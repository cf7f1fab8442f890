"""Which masses do efforts tell? Base parameters of a five-bar, a motion that shows them, and their values.

Nineteen dynamic parameters (mass, moment and inertia of each link, rotors, friction) act on the efforts by nine
combinations only; four have no effect at all. A motion is searched on which the nine are seen as equally as can be. The
efforts along it are made here by the model with friction; without noise they give back the nine numbers.
"""

import numpy as np

import closedchain as cc
from closedchain.fitting import Readings
from closedchain.identification import Regressor, base_parameters, excite, identify

LIMITS = {"q11": (1.2, 2.0), "q21": (1.1, 1.9)}  # [rad]


def main() -> float:
    """The largest error of a base parameter from efforts without noise, in SI."""
    robot = cc.load("fivebar")
    print(f"{robot.name}: {base_parameters(Regressor(robot))}\n")

    motion = excite(robot, limits=LIMITS, period=4.0, evaluations=600, assembly="+")
    print(motion, "\n")
    table = motion.table(0.01)
    q, q_dot, q_ddot = motion(table["t"])
    tau = cc.inverse_dynamics(robot, cc.state(robot, q=q, q_dot=q_dot, assembly="+"), q_ddot)
    tau = tau + 0.02 * q_dot + 0.05 * np.sign(q_dot)
    names = (*table.names, "tau_q11", "tau_q21")

    exact = identify(robot, Readings(names, np.column_stack([table.values, tau])), assembly="+")
    friction = {"viscous": 0.02, "coulomb": 0.05}
    known = [
        friction.get(label.partition(".")[2], value)
        for label, value in zip(exact.base.labels, exact.described, strict=True)
    ]
    error = float(np.abs(exact.estimate.beta - known).max())
    print(f"without noise the nine come out to {error:.1e}\n")

    noise = 0.005 * np.random.default_rng(0).standard_normal(tau.shape)
    noisy = identify(robot, Readings(names, np.column_stack([table.values, tau + noise])), assembly="+")
    print(noisy)
    away = (noisy.estimate.beta - known) / noisy.estimate.sd
    print(f"  of nine errors {np.count_nonzero(np.abs(away) < 1.96)} are within 1.96 standard deviations")
    return error


if __name__ == "__main__":
    main()
