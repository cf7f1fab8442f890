"""Which lengths? A square as large as can be for the biglide, and what three plate robots trade of mass for workspace.

The biglide's answer is known in closed form. The second question is that of Chablat, Caro, Ur-Rehman and Wenger (2010),
DETC2010-28650: moving mass against a regular workspace where the robot stays dexterous, for 3-PRR, 3-RPR and 3-RRR.
"""

import math
from pathlib import Path

import numpy as np

from closedchain.design import problem
from closedchain.design.several import dominated, pareto
from closedchain.design.single import optimise

HERE = Path(__file__).parent
WINDOW = (-1.5, 1.5, -1.5, 1.5)
SIZES = {"R": "0.3:1.5", "r": "0.05:0.6"}  # of base and plate; the bars' length L besides, where there is one


def main() -> float:
    """The distance of the biglide's rails [m] for the largest square, bars up to 0.5 m long, 1/κ ≥ 0.5."""
    # One goal. Close rails leave a wide strip, but bars that are nearly parallel: the bound decides.
    square = optimise(
        problem(
            "biglide", {"d": "0.1:0.9", "l": "0.2:0.5"}, maximise=["regular_workspace"], condition=0.5, window=WINDOW
        )
    )
    print(square)
    k = 0.5
    print(f"  by hand d = 2 l k/√(1 + k²) = {2 * 0.5 * k / math.sqrt(1 + k * k):.9g}\n")

    # Two goals, three robots: every design of a front is best at something. As many designs at random do worse.
    for name in ("prr3", "rpr3", "rrr3"):
        lengths = SIZES | ({} if name == "rpr3" else {"L": "0.1:1.5"})
        asked = problem(
            HERE / f"{name}.toml", lengths, minimise=["moving_mass"], maximise=["regular_workspace"], shape="disc",
            third=math.radians(30), working=None if name == "rpr3" else "+++", condition=0.3, window=WINDOW,
        )  # fmt: skip
        front = pareto(asked, evaluations=1000, population=50)
        print(f"{name}: {len(front)} designs, moving mass [kg] → diameter [m]")
        for i in np.linspace(0, len(front) - 1, 5).astype(int):
            sizes = ", ".join(f"{f.name} = {v:.3f}" for f, v in zip(asked.study.factors, front.x[i], strict=True))
            mass, diameter = front.column("moving_mass")[i], front.column("regular_workspace")[i]
            print(f"  {mass:6.2f} → {diameter:.3f}   {sizes}")
        ours = asked.evaluate(front.x).costs
        random = asked.evaluate(
            np.random.default_rng(0).uniform(asked.box[:, 0], asked.box[:, 1], (1000, len(lengths)))
        ).costs
        best = random[~dominated(random, random)]
        print(
            f"  of {len(best)} best of 1000 random designs, {dominated(best, ours).sum()} are beaten by one of these;"
        )
        print(f"  of these {len(ours)}, {dominated(ours, random).sum()} by a random one\n")
    return square.dimensions["d"]


if __name__ == "__main__":
    main()
