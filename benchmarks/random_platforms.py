"""Random Gough–Stewart platforms: is any of the forty assemblies lost?

    python -m benchmarks.random_platforms [--count 10000] [--seed 0]

Feet and joints anywhere in a cube, a pose anywhere near, and the legs' lengths from these by hand. A platform is whole
when all forty complex solutions (their number is exact algebra's) are found, each proven in a ball of its own, and the
pose that the lengths came from is one of the real ones.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import closedchain as cc
from closedchain.arrays import Complex, Doubles
from closedchain.derive.blocks import Block
from closedchain.model.blocks import in_order
from closedchain.model.completing import wide_family
from closedchain.model.polynomials import task_of
from closedchain.solver import Family, Roots, roots

FORTY = 40
CHUNK = 500
NEAR = 1e-9  # of the pose that the lengths came from, to the same one found


@dataclass(frozen=True, eq=False)
class Platforms:
    """Platforms and the pose of each from which its lengths came."""

    family: Family
    C: Complex  # (count, m) their equations
    place: Doubles  # (count, 3) over the robot's size
    turned: Doubles  # (count, 4) quaternion w, x, y, z


def rotation(e: Doubles) -> Doubles:
    """R of unit quaternions, (count, 3, 3), as R v = v + 2 w (u × v) + 2 u × (u × v)."""
    w, (x, y, z) = e[:, 0, None, None], e[:, 1:].T
    none = np.zeros_like(x)
    U = np.array([[none, -z, y], [z, none, -x], [-y, x, none]]).transpose(2, 0, 1)
    return np.eye(3) + 2 * w * U + 2 * U @ U


def platforms(count: int, rng: np.random.Generator) -> Platforms:
    """Random ones, their lengths by hand: |t + R p − b|."""
    robot = cc.load("gough")
    block: Block = in_order(robot, range(robot.nq, robot.nq + robot.nx))[0]
    task = task_of(robot, block)
    family = wide_family(task)
    base, joints = rng.uniform(-1.0, 1.0, (2, count, 6, 3))
    t, e = rng.uniform(-1.0, 1.0, (count, 3)), rng.standard_normal((count, 4))
    e /= np.linalg.norm(e, axis=1)[:, None]
    q = np.linalg.norm(t[:, None] + joints @ np.swapaxes(rotation(e), 1, 2) - base, axis=-1)
    points = {"b": base, "p": joints}
    values = {
        f"{k}{i + 1}{a}": rows[:, i, j] for k, rows in points.items() for i in range(6) for j, a in enumerate("xyz")
    }
    z = np.concatenate([q, np.zeros((count, robot.nx))], axis=1)
    return Platforms(family, family.space.coefficients(task.system(z, values).S), t / robot.scale, e)


def solved(made: Platforms) -> Iterator[tuple[Roots, bool]]:
    """The solutions of each, and whether its own pose is among the real ones."""
    for C, t, e in zip(made.C, made.place, made.turned, strict=True):
        found = roots(made.family, C)
        own, g = found.Z[found.real, :4].real, found.Z[found.real, 4:8].real
        gaps = 1.0 - np.abs(own @ e)  # e and −e are one
        place = 2.0 * np.cross(own[:, 1:], g[:, 1:])  # p = 2 Im(g ē)
        place += 2.0 * (own[:, :1] * g[:, 1:] - g[:, :1] * own[:, 1:])
        size = 1.0 + np.abs(t).max()
        yield found, bool(((gaps < NEAR) & (np.abs(place - t).max(axis=1) < 1e-6 * size)).any())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what became of the platforms; exit code 1 if any is not whole."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rng, counts, broken, strange, spent = np.random.default_rng(options.seed), list[int](), 0, 0, 0.0
    for first in range(0, options.count, CHUNK):
        made = platforms(min(CHUNK, options.count - first), rng)
        begin = time.process_time()
        for k, (found, own) in enumerate(solved(made)):
            whole = found.complete and len(found.Z) == FORTY and bool(found.proven.all())
            broken, strange = broken + (not whole), strange + (not own)
            counts.append(int(found.real.sum()))
            if not (whole and own):
                lost = (
                    f"{found.far} far, {found.lost} lost, {found.undecided} undecided, {len(found.clusters)} clusters"
                )
                print(f"platform {first + k}: {len(found.Z)} proven, {lost}, own pose {own}", file=sys.stderr)
        spent += time.process_time() - begin
    real = f"{min(counts)} to {max(counts)} real, {np.mean(counts):.2f} on average"
    print(f"{len(counts)} random platforms, {FORTY} solutions each: {broken} with one lost or not proven; {real};")
    print(f"{strange} without the pose their lengths came from; {spent / len(counts) * 1e3:.1f} ms each")
    return 1 if broken or strange else 0


if __name__ == "__main__":
    sys.exit(main())
