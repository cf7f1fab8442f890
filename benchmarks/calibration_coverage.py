"""How often the 95 % ellipsoid of a hexapod's 42 calibrated numbers holds the truth (not a speed; from the checkout).

Each trial measures 25 poses with 1 µm and 2 µrad of noise and calibrates all joints and length offsets from the
nominal numbers, up to 5 mm away. The ellipsoid is (θ − θ̂)ᵀ C⁻¹ (θ − θ̂) ≤ χ²(42; 0.95).
"""

import argparse
import runpy
from pathlib import Path
from typing import Any

import numpy as np

import closedchain as cc
from closedchain.calibration import Readings, calibrate
from closedchain.model import Model

EXAMPLE = Path(__file__).parents[1] / "examples/14_calibration/hexapod.py"
CHI2 = 58.12403768086803  # 95 % of 42 freedoms
SD = np.array([1e-6] * 3 + [2e-6] * 3)  # [m, rad]


def trial(example: dict[str, Any], robot: Model, real: Model, seed: int) -> float:
    """(θ − θ̂)ᵀ C⁻¹ (θ − θ̂) of one data set."""
    legs, pose, zeros = example["LEGS"], example["POSE"], example["REAL"]
    x = example["poses"](25)
    read = example["lengths"](real.values, x) - zeros
    seen = x + SD * np.random.default_rng(seed).standard_normal(x.shape)
    begin = {f"{leg}.offset": example["NOMINAL"] for leg in legs}
    sd = dict(zip(pose, SD.tolist(), strict=True))
    done = calibrate(robot, Readings((*legs, *pose), np.hstack([read, seen])), offsets=legs, start=begin, sd=sd)
    known = {**real.values, **dict(zip(begin, zeros.tolist(), strict=True))}
    away = done.J @ (done.theta - np.array([known[name] for name in done.names]))
    return float(away @ away)


def measure(trials: int = 1000) -> dict[str, float]:
    """The share of ellipsoids that hold the truth, and the mean of their sizes, which is 42."""
    example = runpy.run_path(str(EXAMPLE))
    robot, real = (cc.load(EXAMPLE.with_name(f"hexapod.toml{preset}")) for preset in ("", ":real"))
    sizes = np.array([trial(example, robot, real, seed) for seed in range(trials)])
    return {"trials": trials, "covered": float(np.mean(sizes <= CHI2)), "mean": float(sizes.mean())}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=1000)
    found = measure(parser.parse_args().trials)
    print(f"{found['trials']:.0f} trials: {100 * found['covered']:.1f} % covered; mean size {found['mean']:.2f} (42)")
