"""Draw Dietmaier's platform in its forty real postures: `python docs/pictures/forty.py` writes forty.png."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import closedchain as cc

LENGTHS = [1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071]
BASE, LEGS, PLATFORM = "#4a5568", "#2b6cb0", "#c05621"


def main() -> Path:
    """All postures on one grid, named by their modes, seen from one side."""
    robot = cc.load("gough:dietmaier")
    found = cc.direct(robot, LENGTHS)
    points = robot.call("points", q=found.q, x=found.x)["points"]
    names = [name for name, _ in robot.equations.points]
    feet, tips = ([names.index(f"{letter}{i}") for i in range(1, 7)] for letter in "BP")
    figure, axes = plt.subplots(5, 8, figsize=(12, 8), subplot_kw={"projection": "3d"})
    for axis, places, mode in zip(axes.flat, points, found.mode, strict=True):
        for rows, colour in ((feet, BASE), (tips, PLATFORM)):
            corners = places[[*rows, rows[0]]]
            axis.plot(*corners.T, color=colour, lw=1.2)
            axis.plot_trisurf(*places[rows].T, color=colour, alpha=0.25, lw=0)
        for foot, tip in zip(feet, tips, strict=True):
            axis.plot(*places[[foot, tip]].T, color=LEGS, lw=0.9)
        axis.set(xlim=(-0.6, 1.8), ylim=(-1.2, 1.2), zlim=(-1.2, 1.2))
        axis.set_title(mode, fontsize=8, pad=-4)
        axis.set_box_aspect((1, 1, 1), zoom=1.6)
        axis.set_axis_off()
        axis.view_init(elev=18, azim=-60)
    figure.subplots_adjust(0, 0, 1, 0.97, 0, 0.02)
    target = Path(__file__).with_suffix(".png")
    figure.savefig(target, dpi=110)
    assert np.isclose(len(found), 40)
    return target


if __name__ == "__main__":
    print(main())
