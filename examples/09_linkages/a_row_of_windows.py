"""A row of parallelograms swings through the position where all its bars lie flat, and does not fold.

Three windows of seven bars: lying flat, each coupler says only what its two uprights say already. Three closures are
lost, four motions are possible instead of one, and the row could go on folded. It goes on as it came.
"""

import numpy as np

import closedchain as cc

WINDOWS = 3


def main() -> float:
    """Returns how far the first top joint is from where the one pendulum is that the row amounts to [m]."""
    row = cc.load(f"nfourbar:{WINDOWS}")

    rough = np.array([[i, 1.0] for i in range(WINDOWS + 1)]) + 0.2 * np.random.default_rng(1).uniform(-1, 1, (4, 2))
    print(f"assembled from a rough guess: {cc.assemble(row, rough.ravel()).message}")
    print(cc.assemblies(row, {"B0": (0.6, 0.8)}).message)

    print("\nupright, and flat:")
    print(cc.analyse(row, cc.state(row)))
    flat = [c for i in range(WINDOWS + 1) for c in (i + 1.0, 0.0)]
    print(cc.analyse(row, flat))

    start = cc.state(row, x_dot={"x": 1.0})  # the first joint's velocity; the others follow
    run = cc.simulate(row, start=start, duration=10, interval=5e-3, step=5e-3, method="rk6")
    print(f"\n{run}")
    bent = np.ptp(run.x[:, 1::2], axis=1).max()
    print(f"  the joints' heights never differ by more than {bent:.0e} m")
    return float(np.hypot(*(run.x[-1, :2] - pendulum(10.0))))


def pendulum(t: float) -> np.ndarray:
    """The same row as one pendulum: its angle ψ from hanging by RK4 with tiny steps, ψ̈ = −c sin ψ."""
    N = WINDOWS
    c = 9.81 * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
    y, h = np.array([np.pi, -1.0]), 1e-3

    def rate(y: np.ndarray) -> np.ndarray:
        return np.array([y[1], -c * np.sin(y[0])])

    for _ in range(round(t / h)):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
    return np.array([np.sin(y[0]), -np.cos(y[0])])


if __name__ == "__main__":
    print(f"\noff the pendulum by {main():.0e} m")
