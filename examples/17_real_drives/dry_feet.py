"""A biglide on dry rails: where friction holds it, when it is let go, what its stops take.

Friction that is set-valued at rest and stops that do not give way are no functions of the state, so that the motion
goes from event to event: between them it is smooth, and each instant is found to rounding. Both feet move alike here,
so that all can be said by hand: 5 kg on 500 N/m against 7.5 N lose 2 · 7.5/500 m of amplitude in each half swing.
"""

from pathlib import Path

import numpy as np

import closedchain as cc
from closedchain import scenarios
from closedchain.control import Constant

HERE = Path(__file__).parent


def main() -> float:
    """Where the feet come to rest [m]."""
    run = scenarios.run(HERE / "swing.toml")
    print(run)
    for event in run.findings["events"]:
        print(f"  {event['t']:.9f} s: {event['name']} {event['what']}")
    print(f"half swings of {np.pi / 10:.9f} s: 0.1, -0.07, 0.04, -0.01 m; there friction holds {250 * 0.01:.2f} N")

    # What friction took is its force times the way of both feet.
    print(f"friction took {run.findings['friction_loss']:.9f} J, by hand {2 * 3.75 * (0.17 + 0.11 + 0.05):.9f} J")

    # Thrown at the stops 0.05 m above, where half of the speed is lost: both feet hit at once.
    robot = cc.load(HERE / "dry_biglide.toml").with_values(high=0.05, F=0.0)
    begin = cc.state(robot, q=[0.0, 0.0], q_dot=[2.0, 2.0], assembly="+")
    thrown = cc.simulate(
        robot, Constant(0.0, "tau"), state=begin, duration=0.1, interval=0.01, step=0.005, method="events"
    )
    hit = next(event for event in thrown.findings["events"] if event["what"] == "hits")
    speed = np.sqrt(2.0**2 - 100 * 0.05**2)
    print(f"hit at {hit['t']:.9f} s with {hit['speed']:.9f} m/s; by hand {speed:.9f}")
    lost = thrown.findings["impact_loss"]
    print(f"the stops took {lost:.9f} J; by hand {0.5 * 5.0 * speed**2 * 0.75:.9f} J")
    return float(run.q[-1, 0])


if __name__ == "__main__":
    main()
