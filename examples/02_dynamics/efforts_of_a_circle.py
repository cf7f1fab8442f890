"""Efforts of a circle: what the biglide's feet must do to carry 3 kg round a circle once a second.

The tip's path is given with its first and second derivatives; the working mode says how the robot does it. One call
answers for all instants. Power then tells whether it can be true: over a whole turn the efforts do no work.
"""

import numpy as np

import closedchain as cc

CENTRE, RADIUS, PERIOD = (0.0, 0.45), 0.05, 1.0  # [m], [m], [s]


def circle(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, ẋ and ẍ of a uniform motion round the circle, (samples, 2) each."""
    w = 2 * np.pi / PERIOD
    out = np.stack([np.cos(w * t), np.sin(w * t)], axis=-1)
    across = np.stack([-np.sin(w * t), np.cos(w * t)], axis=-1)
    return np.array(CENTRE) + RADIUS * out, RADIUS * w * across, -RADIUS * w**2 * out


def main() -> float:
    """The largest effort over the turn [N]."""
    robot = cc.load("biglide")
    t = np.linspace(0.0, PERIOD, 2000, endpoint=False)
    x, x_dot, x_ddot = circle(t)

    run = cc.evaluate(robot, x=x, x_dot=x_dot, x_ddot=x_ddot, working="++")
    assert set(run.assembly.tolist()) == {"+"}, "the path would cross a Type 2 singularity"
    peak = np.abs(run.tau).max(axis=0)
    print(f"feet move over {np.ptp(run.q, axis=0)} m, efforts up to {peak} N")

    # Power: what the motors give is what kinetic energy takes, at every instant; over a turn it is nothing.
    power = np.sum(run.tau * run.q_dot, axis=-1)
    rate = (np.roll(run.kinetic, -1) - np.roll(run.kinetic, 1)) / (2 * t[1])
    print(f"power up to {np.abs(power).max():.3f} W; against the rate of energy {np.abs(power - rate).max():.1e} W")
    print(f"work over the turn {power.mean() * PERIOD:.1e} J")
    assert np.abs(power - rate).max() < 1e-4 * np.abs(power).max()
    assert abs(power.mean() * PERIOD) < 1e-10

    # The other working modes carry the same tip with other efforts.
    for working in ("+-", "-+", "--"):
        try:
            other = cc.evaluate(robot, x=x, x_dot=x_dot, x_ddot=x_ddot, working=working)
            print(f"  on {working} the largest effort is {np.abs(other.tau).max():.1f} N")
        except cc.ClosedChainError as refusal:
            print(f"  {refusal}")
    return float(peak.max())


if __name__ == "__main__":
    main()
