"""How well must the masses be known? A thousand biglides under one computed torque, in one call.

The law goes on believing in 3 kg and 360.6 mm. Each robot has a mass and bars of its own, begins on its own loops, and
the number of threads changes no bit.
"""

import numpy as np

from closedchain import scenarios
from closedchain.simulation.rollouts import Rollouts

RUNS = 1000


def largest(runs: Rollouts) -> np.ndarray:
    """Each run's largest error [m]."""
    assert runs.max_error is not None, "the scenario has a trajectory"
    return np.array([error.max() for error in runs.max_error])


def main() -> float:
    """Returns the largest error of the robot that is as the law believes [m]."""
    rng = np.random.default_rng(0)
    masses = rng.normal(3.0, 0.1, RUNS)  # [kg]
    bars = rng.normal(0.3606, 1e-4, RUNS)  # [m]
    masses[0], bars[0] = 3.0, 0.3606
    many = scenarios.rollouts("biglide-computed-torque", values={"m_p": masses, "l": bars}, threads=2)
    worst = largest(many)
    print(f"{np.count_nonzero(many.finished)} of {RUNS} runs came to their end")
    print(f"as the law believes: {worst[0] * 1e6:.2f} µm")
    for share in (0.5, 0.95, 1.0):
        print(f"{share:4.0%} stay within {np.quantile(worst, share) * 1e3:.3f} mm")

    heavy = largest(scenarios.rollouts("biglide-computed-torque", values={"m_p": masses}))
    print(f"with exact bars all of them stay within {heavy.max() * 1e3:.3f} mm: the lengths are what matters")

    print("\nDo higher gains help the worst of them? Hardly: a wrong length is an error of the geometry")
    bad = int(np.argmax(worst))
    values = {"m_p": masses[bad], "l": bars[bad]}
    K = np.array([25.0, 50.0, 100.0, 200.0])
    stiffer = scenarios.rollouts("biglide-computed-torque", values=values, gains=np.stack([K, K], axis=-1))
    for gain, error in zip(K, largest(stiffer), strict=True):
        print(f"  Kp = Kd = {gain:3.0f}: {error * 1e3:.3f} mm")
    return float(worst[0])


if __name__ == "__main__":
    main()
