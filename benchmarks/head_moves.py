"""Random moves of a head on six cranks inside its limits: is any pose returned that is on another branch?

    python -m benchmarks.head_moves [--moves 100000]

Reachy Mini's limits are 65° of yaw and 40° of roll and pitch. Between two random poses the cranks' angles change along
a straight line; `track` follows the pose, or reports that it is not sure. A pose that it returns without a report and
that is not the one asked for is followed a second time, by plain Newton steps along the line in 2,000 parts, written
here from the geometry; where that ends elsewhere, the flip was silent. So are a sample of moves that ended as asked.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

import closedchain as cc
from closedchain.arrays import Doubles
from closedchain.model.model import Model
from closedchain.model.tracking import track

LIMITS = np.radians([40.0, 40.0, 65.0])  # roll, pitch, yaw
HOME = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])  # the working mode of the product's home
PARTS = 2000
BATCH = 20_000
SAMPLE = 2  # moves of a batch that are followed a second time whatever they gave


def rotation(x: Doubles) -> Doubles:
    """R of roll, pitch, yaw: about z by yaw after y by pitch after x by roll."""
    (a, b, c), (s, t, u) = np.cos(x), np.sin(x)
    X = np.array([[1, 0, 0], [0, a, -s], [0, s, a]])
    Y = np.array([[b, 0, t], [0, 1, 0], [-t, 0, b]])
    Z = np.array([[c, -u, 0], [u, c, 0], [0, 0, 1]])
    return Z @ Y @ X


class Head:
    """Crank tips and rods, from the robot's own numbers."""

    def __init__(self, model: Model) -> None:
        assert model.mechanism is not None
        bars = model.mechanism.bars
        number = np.vectorize(model.number, otypes=[float])
        cranks = [bar.a if hasattr(bar.a, "about") else bar.b for bar in bars]
        joints = [bar.b if crank is bar.a else bar.a for bar, crank in zip(bars, cranks, strict=True)]
        self.about = np.array([number(list(c.about)) for c in cranks])
        self.plane = np.array([[number(list(e)) for e in c.plane] for c in cranks])
        self.radius = np.array([model.number(c.radius) for c in cranks])
        self.joints = np.array([number(list(j.at)) for j in joints])
        self.rods = np.array([model.number(bar.length) for bar in bars])

    def gaps(self, q: Doubles, x: Doubles) -> Doubles:
        """|tip − joint|² − rod² of each leg."""
        turned = np.cos(q)[:, None] * self.plane[:, 0] + np.sin(q)[:, None] * self.plane[:, 1]
        tips = self.about + self.radius[:, None] * turned
        apart = x[:3] + self.joints @ rotation(x[3:]).T - tips
        return np.asarray((apart**2).sum(axis=1) - self.rods**2)

    def follow(self, start: Doubles, goal: Doubles, x: Doubles) -> Doubles:
        """The pose along a line of drives, by small steps of Newton's method with differences for slopes."""
        x = x.copy()
        for k in range(1, PARTS + 1):
            q = start + k / PARTS * (goal - start)
            for _ in range(2):
                F = self.gaps(q, x)
                steps = 1e-6 * np.eye(6)
                J = np.stack([(self.gaps(q, x + d) - self.gaps(q, x - d)) / 2e-6 for d in steps], axis=-1)
                x = x - np.linalg.solve(J, F)
        return x


def moves(model: Model, count: int, rng: np.random.Generator) -> tuple[Doubles, Doubles, Doubles, Doubles]:
    """Drives and poses at both ends of moves whose ends the legs reach."""
    x = np.zeros((2 * count, 6))
    x[:, 3:] = rng.uniform(-1.0, 1.0, (2 * count, 3)) * LIMITS
    made = model.call("inverse", x=x, sigma=HOME)
    near = (made["slack"] >= 0.0).all(axis=-1).reshape(2, count).all(axis=0)
    q = made["q"].reshape(2, count, 6)[:, near]
    x = x.reshape(2, count, 6)[:, near]
    return q[0], x[0], q[1], x[1]


def main() -> int:
    """Print the numbers; exit code 1 if a flip was silent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    model = cc.load("hexa:reachy-mini")
    head, rng = Head(model), np.random.default_rng(options.seed)
    done = reached = reported = other = silent = checked = 0
    spent = 0.0
    while done < options.moves:
        q_0, x_0, q_1, x_1 = moves(model, BATCH, rng)
        begin = time.process_time()
        found = track(model, q_0, x_0, q_1)
        spent += time.process_time() - begin
        as_asked = found.sure & (np.abs(found.x - x_1).max(axis=-1) < 1e-9)
        elsewhere = found.sure & ~as_asked
        for k in [*np.flatnonzero(elsewhere), *np.flatnonzero(as_asked)[:SAMPLE]]:
            checked += 1
            silent += bool(np.abs(head.follow(q_0[k], q_1[k], x_0[k]) - found.x[k]).max() > 1e-6)
        done += len(q_0)
        reached, reported, other = reached + as_asked.sum(), reported + (~found.sure).sum(), other + elsewhere.sum()
    print(
        f"{done} moves: {reached} end as asked, {reported} reported as not sure, {other} end elsewhere without a report"
    )
    print(f"{checked} followed a second time in {PARTS} parts: {silent} silent flips")
    print(f"{spent / done * 1e6:.1f} us of processor time for a move, in batches of {BATCH}")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
