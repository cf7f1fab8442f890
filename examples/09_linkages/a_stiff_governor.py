"""A governor whose lower rods are stiff springs with stiff dampers: what decays at once need not be followed.

Explicit steps must be shorter than its fastest motion lasts, 0.1 ms, for the whole run. The implicit method takes as
long ones as the slow motion allows; the energy that the run cannot account for says how good they are.
"""

import numpy as np

import closedchain as cc
from closedchain.arrays import Doubles
from closedchain.model import Model
from closedchain.simulation import Run

TURNING = {"theta": 2 * np.pi, "s": 0.0, "beta1": 0.0, "beta2": 0.0}


def main() -> float:
    """Returns the sleeve's height after 5 s [m]."""
    governor = cc.load("governor")
    start = cc.state(governor, x_dot=TURNING)
    energy = cc.energy(governor, start)
    print(f"it starts with {energy.kinetic:.3f} J of motion and {energy.potential:.3f} J of height\n")

    explicit = cc.simulate(governor, start=start, duration=5, interval=1e-3)
    print(f"rk4, 1 ms: {explicit.ended}\n")

    chosen = cc.simulate(governor, start=start, duration=5, interval=0.1, step=0.1, method="stiff", precision=1e-9)
    print(f"steps of its own: s = {chosen.x[-1, 1]:.12f} m, {chosen.summary['energy_residual']:.0e} J unaccounted for")

    height = 0.0
    for step in (1e-2, 1e-3, 2.5e-4):
        run = cc.simulate(governor, start=start, duration=5, interval=step, step=step, method="rodas")
        height = float(run.x[-1, 1])
        print(f"rodas, {step * 1e3:g} ms: s = {height:.12f} m, {run.summary['energy_residual']:.0e} J unaccounted for")
        turned = momentum(governor, run) / momentum(governor, run)[0] - 1
        print(f"  its angular momentum stays within {np.abs(turned).max():.0e} of itself")
    return height


def momentum(governor: Model, run: Run) -> Doubles:
    """L = ∂T/∂ω about the shaft, from the mass matrix at each row."""
    M = governor.call("mass", q=run.q, x=run.x)["M_z"]
    return np.asarray(np.einsum("tj,tj->t", M[:, 0, :], run.x_dot))


if __name__ == "__main__":
    main()
