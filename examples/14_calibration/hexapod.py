"""Forty-two numbers of a hexapod from measured poses: without noise to the last digits, with noise as its sd says.

The platform of hexapod.toml is measured at forty poses, with what its six encoders read. The joints' coordinates and
the lengths at which the encoders read zero are unknown: 36 + 6 numbers, which begin millimetres off. The leg lengths of
the real robot are worked out here by hand, |t + R p − b|.
"""

from pathlib import Path

import numpy as np

import closedchain as cc
from closedchain.calibration import Readings, calibrate

HERE = Path(__file__).parent
LEGS = tuple(f"l{i}" for i in range(1, 7))
POSE = ("x", "y", "z", "roll", "pitch", "yaw")
NOMINAL = 0.6048652  # [m] at which an encoder reads zero
REAL = np.array([604.4299, 607.2473, 600.4441, 605.9031, 604.5251, 600.0616]) * 1e-3


def poses(count: int, seed: int = 0) -> np.ndarray:
    """Places within ±0.1 m and ±20° of an upright platform."""
    rng = np.random.default_rng(seed)
    half = np.array([0.1, 0.1, 0.06, *np.radians([20.0, 20.0, 20.0])])
    return np.array([0.0, 0.0, 0.63, 0.0, 0.0, 0.0]) + half * rng.uniform(-1.0, 1.0, (count, 6))


def lengths(values: dict[str, float], x: np.ndarray) -> np.ndarray:
    """|t + R p − b| of every leg, R = Rz(yaw) Ry(pitch) Rx(roll)."""
    found = []
    for *t, roll, pitch, yaw in x:
        (cr, cp, cy), (sr, sp, sy) = (f([roll, pitch, yaw]) for f in (np.cos, np.sin))
        Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
        Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        p, b = (np.array([[values[f"{k}{i}{a}"] for a in "xyz"] for i in range(1, 7)]) for k in "pb")
        found.append(np.linalg.norm(np.array(t) + p @ (Rz @ Ry @ Rx).T - b, axis=1))
    return np.array(found)


def main() -> float:
    """The largest error of the 42 numbers [m] from poses without noise."""
    robot, real = (cc.load(HERE / f"hexapod.toml{preset}") for preset in ("", ":real"))
    x = poses(40)
    read = lengths(real.values, x) - REAL
    begin = {f"{leg}.offset": NOMINAL for leg in LEGS}
    truth = {**real.values, **{f"{leg}.offset": v for leg, v in zip(LEGS, REAL, strict=True)}}

    exact = calibrate(robot, Readings((*LEGS, *POSE), np.hstack([read, x])), offsets=LEGS, start=begin)
    error = max(abs(exact.values[name] - truth[name]) for name in exact.names)
    first = max(abs(start - truth[name]) for name, start in zip(exact.names, exact.start, strict=True))
    print(f"{len(exact.names)} unknowns, up to {first * 1e3:.2f} mm off: found to {error * 1e3:.1e} mm\n")

    # A laser tracker of 10 µm and 20 µrad: sixty poses leave some tenths of that in each joint.
    x = poses(60, seed=1)
    read, sd = lengths(real.values, x) - REAL, np.array([1e-5] * 3 + [2e-5] * 3)
    seen = x + sd * np.random.default_rng(2).standard_normal(x.shape)
    noisy = calibrate(
        robot, Readings((*LEGS, *POSE), np.hstack([read, seen])), offsets=LEGS, start=begin,
        sd=dict(zip(POSE, sd.tolist(), strict=True)),
    )  # fmt: skip
    print(noisy)
    away = np.array([(noisy.values[n] - truth[n]) / s for n, s in zip(noisy.names, noisy.sd, strict=True)])
    print(f"  of the 42 errors {np.count_nonzero(np.abs(away) < 1.96)} are within 1.96 standard deviations")
    return float(error)


if __name__ == "__main__":
    main()
