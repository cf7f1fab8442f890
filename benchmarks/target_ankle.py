"""The G1 ankle's header: its size, its processor time a call, and its branch on random inputs.

    python -m benchmarks.target_ankle [--inputs 10000000]

Inputs are joints inside the range; the motors that belong to them come from the law of cosines, written by hand with
the C library's functions (target_ankle.c). A wrong branch is an answer that counts and is off by more than 1e-6 rad.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import closedchain as cc
from closedchain.export.headers import c99_header
from closedchain.export.maps import maps
from closedchain.export.package import map_package

HERE = Path(__file__).parent
LOW, HIGH = np.radians([-50.0, -15.0]), np.radians([30.0, 15.0])  # of a G1's pitch and roll, as its URDF has them
ONLY = """
#include "ankle_g1.h"
int a(const double *q, double *x, double *m) { return ankle_g1_motor_to_joint(q, x, m); }
int b(const double *y, double *q, double *m) { return ankle_g1_joint_to_motor(y, q, m); }
"""


def main(words: list[str] | None = None) -> int:
    """Print what was measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=10_000_000)
    args = parser.parse_args(words)
    found = measured(args.inputs)
    print(f"code of both maps {found['code']} bytes, constants {found['constants']} bytes (gcc -O2)")
    print(f"motor to joint {1e6 * found['direct']:.3f} µs, joint to motor {1e6 * found['inverse']:.3f} µs a call")
    print(
        f"{found['inputs']} inputs that the rods reach ({found['beyond']} more were beyond reach): "
        f"wrong branch {found['wrong']} and {found['wrong_back']}, refused {found['refused']} and "
        f"{found['refused_back']}, largest error {found['worst']:.1e} and {found['worst_back']:.1e} rad"
    )
    return int(found["wrong"] + found["wrong_back"] > 0)


def measured(inputs: int) -> dict[str, float]:
    """Everything by name."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise SystemExit("no C compiler here")
    package = map_package(maps(cc.transmission(cc.load("ankle:g1")), LOW, HIGH))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "ankle_g1.h").write_text(c99_header(package))
        (folder / "only.c").write_text(ONLY)
        plain = [compiler, "-std=c99", "-O2", f"-I{folder}"]
        subprocess.run(
            [*plain, "-fno-asynchronous-unwind-tables", "-c", folder / "only.c", "-o", folder / "only.o"], check=True
        )
        ends = zip(("LOW_PITCH", "LOW_ROLL", "HIGH_PITCH", "HIGH_ROLL"), (*LOW, *HIGH), strict=True)
        defines = [f"-D{key}={float(value).hex()}" for key, value in ends]
        subprocess.run([*plain, *defines, HERE / "target_ankle.c", "-o", folder / "run", "-lm"], check=True)
        sizes = subprocess.run(["size", "-A", folder / "only.o"], check=True, capture_output=True, text=True).stdout
        told = subprocess.run([folder / "run", str(inputs)], check=True, capture_output=True, text=True).stdout
    keys = ("inputs", "beyond", "wrong", "refused", "worst", "wrong_back", "refused_back", "worst_back", "direct",
            "inverse")  # fmt: skip
    found = {k: float(v) if k in ("worst", "worst_back", "direct", "inverse") else int(v)
             for k, v in zip(keys, told.split(), strict=True)}  # fmt: skip
    rows = {w[0]: int(w[1]) for line in sizes.splitlines() if len(w := line.split()) == 3 and w[1].isdigit()}
    found["code"] = rows[".text"]
    found["constants"] = sum(size for section, size in rows.items() if section.startswith(".rodata"))
    return found


if __name__ == "__main__":
    sys.exit(main())
