"""A pendulum falls, is driven, and is swung up: three scenarios of one machine, and how far to trust them.

The furuta of seed 003 starts 0.01 rad beside upright with its motor's terminals shorted. What motor and friction take
out must be missing in the energy: the balance tells how well the motion was integrated, without knowing it.
"""

import numpy as np

from closedchain import scenarios


def main() -> float:
    """Returns the pendulum's angle after two seconds of falling [rad]."""
    fall = scenarios.run("furuta-fall")
    print(fall)
    kinetic, potential = fall.energies
    lost = kinetic[0] + potential[0] - kinetic[-1] - potential[-1]
    print(f"  energy lost to the motor and friction {lost:.4f} J, unaccounted for {np.abs(fall.balance).max():.0e} J")

    print("\nThe same fall with coarser steps and a lower order:")
    for method in ("rk4", "rk6", "gauss4"):
        for step in (0.02, 0.01, 0.005):
            changes = {"method": method, "step": step, "interval": 0.02}
            run = scenarios.run(scenarios.find("furuta-fall", changes))
            error = abs(run.q[-1, 1] - fall.q[-1, 1])
            balance = np.abs(run.balance).max()
            print(f"  {method:7} {step * 1e3:4.0f} ms   angle off by {error:.0e} rad, balance {balance:.0e} J")

    pushed = scenarios.run("furuta-step")
    print(f"\n5 V for two seconds: the arm has turned {np.degrees(pushed.q[-1, 0]):.0f} degrees,")
    print(f"and the pendulum, thrown outwards, was {np.degrees(np.abs(pushed.q[:, 1]).max()):.0f} degrees from hanging")

    up = scenarios.run("furuta-swingup")
    tilt = np.abs(np.arctan2(np.sin(up.q[:, 1]), np.cos(up.q[:, 1])))
    caught = up.t[np.nonzero(tilt > 0.1)[0][-1]]
    print(f"\nSwung up: upright within 0.1 rad from {caught:.2f} s on, with {np.abs(up.command).max():.1f} V at most")
    return float(fall.q[-1, 1])


if __name__ == "__main__":
    main()
