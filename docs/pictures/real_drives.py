"""Draw docs/pictures/real_drives.svg: a swing on dry rails, a bouncing stop, a motor's current; and print figures.

python docs/pictures/real_drives.py [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

import closedchain as cc
from closedchain import scenarios
from closedchain.control import Constant
from closedchain.describe import Body, Friction, Mechanism, Motor, Recipe, Slide, Spring, Stop, Turn
from closedchain.view.style import CURVES, blank, dress, legend, save

FREE = Constant(0.0, "tau")
EXAMPLE = Path(__file__).parents[2] / "examples/17_real_drives/swing.toml"


def draw(path: Path) -> None:
    """Three panels, one below the other."""
    figure = blank(7.2, 7.0)
    swing, bounce, current = figure.subplots(3, 1)
    draw_swing(swing)
    draw_bounces(bounce)
    draw_current(current)
    save(figure, path)


def draw_swing(axes: Axes) -> None:
    """Set-valued, and with two widths: where it holds, and where it creeps."""
    run = scenarios.run(EXAMPLE)
    axes.plot(run.t, run.q[:, 0], color=CURVES[0], lw=1.4, label="set-valued")
    for width, colour in zip((0.1, 0.02), CURVES[1:], strict=False):
        s = Slide("s", axis=(1, 0, 0))
        acting = {"springs": (Spring(s, stiffness=500.0),), "frictions": (Friction(s, coulomb=7.5, width=width),)}
        block = cc.load(Recipe(Mechanism("block", (s,), Body("block", mass=5.0, joint=s), **acting)))
        soft = cc.simulate(block, FREE, q=[0.1], duration=1.2, interval=0.01)
        axes.plot(soft.t, soft.q[:, 0], color=colour, lw=1.0, ls="--", label=f"width {width:g} m/s")
        print(f"width {width:g} m/s: {soft.q[-1, 0] * 1e3:+.2f} mm at 1.2 s; set-valued {run.q[-1, 0] * 1e3:+.2f} mm")
    axes.axhspan(-0.015, 0.015, color="0.85", lw=0)
    axes.set_title("a swing on dry rails; shaded: friction holds", loc="right", fontsize=9)
    dress(axes, "foot [m]")
    axes.set_xlabel("time [s]", fontsize=9)
    legend(axes)


def draw_bounces(axes: Axes) -> None:
    """A stop that gives half of the speed back, and one that gives way."""
    acting = {
        "firm, restitution ½": {"restitution": 0.5},
        "stiff, 5 kN/m, loss 0.4 s/m": {"stiffness": 5e3, "loss": 0.4},
    }
    for (words, kind), colour in zip(acting.items(), CURVES, strict=False):
        s = Slide("s", axis=(0, 0, 1))
        body = Body("block", mass=2.0, joint=s)
        made = Mechanism("block", (s,), body, gravity=(0, 0, -9.81), stops=(Stop(s, low=0.0, **kind),))
        method = "events" if "restitution" in kind else "rk6"
        run = cc.simulate(cc.load(Recipe(made)), FREE, q=[1.0], duration=1.6, interval=0.005, step=5e-4, method=method)
        axes.plot(run.t, run.q[:, 0], color=colour, lw=1.2, label=words)
        print(f"{words}: balance {run.summary['energy_residual']:.0e} J")
    axes.set_title("2 kg fall onto an end stop", loc="right", fontsize=9)
    dress(axes, "height [m]")
    axes.set_xlabel("time [s]", fontsize=9)
    legend(axes)


def draw_current(axes: Axes) -> None:
    """A step of 12 V: with inductance, and behind an amplifier of 3 A."""
    for words, kind, colour in (
        ("no inductance", {}, CURVES[2]),
        ("5 mH", {"inductance": 5e-3}, CURVES[0]),
        ("5 mH, at most 3 A", {"inductance": 5e-3, "most_current": 3.0}, CURVES[1]),
    ):
        hub = Turn("q")
        motor = Motor("q", resistance=2.0, kt=0.05, kv=0.05, ratio=10.0, **kind)
        wheel = Body("wheel", mass=1.0, inertia=(0.2, 0.2, 0.2), joint=hub)
        robot = cc.load(Recipe(Mechanism("wheel", (hub,), wheel, motors=(motor,))))
        run = cc.simulate(robot, Constant(12.0, "voltage"), q=[0.0], duration=0.05, interval=1e-3, step=1e-4)
        i = run.current[:, 0] if run.current is not None else (12.0 - 0.5 * run.q_dot[:, 0]) / 2.0
        axes.plot(run.t * 1e3, i, color=colour, lw=1.2, label=words)
        print(f"{words}: {i.max():.3f} A at most, {run.q_dot[-1, 0]:.4f} rad/s after 50 ms")
    axes.set_title("the current of a motor after a step of 12 V", loc="right", fontsize=9)
    dress(axes, "current [A]")
    axes.set_xlabel("time [ms]", fontsize=9)
    axes.set_ylim(0.0, None)
    axes.set_xticks(np.arange(0, 51, 10))
    legend(axes)


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("real_drives.svg"))
