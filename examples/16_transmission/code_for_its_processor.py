"""Code for a robot's own processor: a published ankle's maps as a header and as an object for a Cortex-M7.

The maps need no history: a polynomial guesses, Newton's steps close the loops, and a guard tells whether the answer is
on the branch. There is no allocation, no loop and no library; instructions and stack are counted.
"""

import tempfile
from pathlib import Path

import numpy as np

import closedchain as cc
from closedchain.export.maps import maps
from closedchain.export.package import GUARD, map_package
from closedchain.export.target_files import header_files
from closedchain.kernels.program import run
from closedchain.kernels.targets import build

ATOM01 = f"{Path(__file__).with_name('ankle_across.toml')}:atom01"
LOW, HIGH = np.radians([-25.0, -12.0]), np.radians([25.0, 12.0])  # pitch and roll


def main() -> float:
    """The first motor for pitch 0.2 and roll -0.1 rad."""
    found = maps(cc.transmission(cc.load(ATOM01)), LOW, HIGH)
    package = map_package(found)
    print(*package.told, sep="\n")

    # A C99 header, a C++17 header and a self-test, which ends with 0 where the target's bits are ours.
    files, notes, _ = header_files(package, "ankle")
    folder = Path(tempfile.mkdtemp())
    for ending, content in files.items():
        (folder / f"ankle{ending}").write_text(str(content))
    print(*notes, sep="\n")

    # The same as an object, from our own LLVM IR.
    made = build(package.programs, "ankle_", "cortex-m7", GUARD)
    for name, bounds in made.bounds.items():
        print(f"{name}: at most {bounds.instructions} instructions, {bounds.stack} bytes of stack")

    # What the code computes, operation by operation; outside of its range it says so.
    to_motor = next(p for p in found.programs if p.name == "joint_to_motor")
    q, margin = run(to_motor, [0.2, -0.1])
    print(f"motors {q} rad, margin {margin:.3f}")
    _, outside = run(to_motor, [0.6, 0.0])
    assert margin > 0.0 >= outside
    return float(q[0])


if __name__ == "__main__":
    main()
