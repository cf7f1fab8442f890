"""Draw docs/pictures/beside.svg: the efforts of three motions through the biglide's Type 2 singularity, and print them.

    python docs/pictures/beside.py [FILE]

Each row has its own scale.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from closedchain import scenarios
from closedchain.view.style import CURVES, blank, dress, legend, save

MOTIONS = {
    "biglide-crossing": "planned to obey the criterion, 5 % more mass",
    "biglide-crossing-violating": "the criterion broken by 0.148 N",
    "biglide-crossing-document": "the document's, as its authors ran it",
}
AROUND = 0.5  # [s] drawn on each side of the crossing


def draw(path: Path) -> None:
    """A row per motion, each with its own scale of efforts; time from where A comes nearest to losing rank."""
    figure = blank(7.2, 5.4)
    rows = figure.subplots(len(MOTIONS), 1, sharex=True)
    for axes, (name, words) in zip(rows, MOTIONS.items(), strict=True):
        run = scenarios.run(name)
        crossing = run.t[np.abs(np.linalg.det(run.model.call("closures", q=run.q, x=run.x)["A"])).argmin()]
        near = np.abs(run.t - crossing) <= AROUND
        for i, colour in enumerate(CURVES[:2]):
            axes.plot(run.t[near] - crossing, run.command[near, i], color=colour, lw=1.2, label=f"τ{'₁₂'[i]}")
        axes.set_title(words, loc="right", fontsize=9)
        dress(axes, "effort [N]")
        largest = np.abs(run.command[near]).max()
        print(f"{name:27} {largest:8.2f} N near Type 2, tip error {np.abs(run.error).max() * 1e3:.3f} mm")
    legend(rows[0])
    rows[-1].set_xlabel("time from the crossing [s]", fontsize=9)
    save(figure, path)


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("beside.svg"))
