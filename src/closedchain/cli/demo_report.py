"""The report that `closedchain demo` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.model.evaluation import Evaluation
from closedchain.model.model import Model
from closedchain.model.solutions import Solutions
from closedchain.simulation.run import Run
from closedchain.singularity.maps import Map
from closedchain.verify.comparison import Comparison
from closedchain.verify.laws import Report as Laws
from closedchain.view.figures import figure_efforts, figure_tracking
from closedchain.view.maps import figure_map
from closedchain.view.pictures import figure_branches
from closedchain.view.report import Report


@dataclass(frozen=True, eq=False)
class Story:
    """Everything the demo found."""

    model: Model
    X: Sequence[float]
    up: Solutions
    q: Sequence[float]
    down: Solutions
    found: Evaluation
    reference: Mapping[str, Any]
    misfits: Mapping[str, float]
    laws: Laws
    runs: Mapping[str, Run]
    errors: Mapping[str, tuple[float, str, float]]  # reference [m], what the document shows, ours [m]
    grid: Map
    crossings: Mapping[str, Run]
    witness: Comparison


ABOUT = """# The robot

Two feet slide on parallel rails; two bars of equal length join them to one tip. The feet are driven, everything else
follows: two loops, |C − A₁| = l and |C − A₂| = l, are the whole description. From them closedchain derives every model
on this page, compiles it, and checks it. Only the numbers to compare with were typed in.
"""
GEOMETRY = """# Every solution

Where must the feet be for the tip at x = {x}? Each leg can reach the tip in two ways, so there are four *working
modes*, named by the side of the tip on which each foot is. Solutions are complete: the count is checked against theory.
"""
DIRECT = """Where can the tip be with the feet at q = {q}? Two circles meet twice: two *assembly modes*."""
MODELS = """# All models at a moving state

Positions, velocities, accelerations, passive joints, mass matrix, Coriolis terms, efforts and bar forces (multipliers)
at one state, beside the same numbers computed with 50 digits by other code.
"""
LAWS = """# Does it obey the laws of physics

Each law compares two things that were computed in different ways, on 500 random states of every branch.
`closedchain check FILE.toml` does this for a robot of yours.
"""
WITNESS = """# Does another program agree

The same description, built in {engine} with its loops as soft constraints, and put through the lab's oscillation:
{count} quantities, each with the limit that rounding, the stated softness or the engine's own step sets. The documents
compared with ADAMS and Gazebo. `closedchain verify biglide` prints the whole table, and Pinocchio's where it is there.
"""
KINEMATIC = """# Kinematic control

Seed 000 lets the tip run from (0, 0.3) to (0.1, 0.5) m in 3 s on a quintic, with joint velocities
q̇ = −B⁻¹A (ẋ_ref − λ e), λ = 1. Commands are held between samples, so the error grows with the interval.
"""
TORQUE = """# Computed torque

τ = M (q̈_ref + Kd (q̇_ref − q̇) + Kp (q_ref − q)) + c with Kp = Kd = 100, every 5 ms. With the exact model the tip stays
within micrometres. The document shows a millimetre: its code multiplied the reference's acceleration by 3 (1/t_f where
1/t_f² belongs), used the feet's mass alone for M, left c out, and saw its measurements one sample late. The scenario
`biglide-document` has these slips, and gives that figure.
"""
NUMBERS = """# Beside the document

The largest error of the tip at a control instant. The reference was made by other code with the same law; what the
document shows was read off its figures by eye (1 to 2 %). In the last row the error is that of the tip which the
authors' model computes from the measured joints, as they plotted it.
"""
SINGULAR = """# Singularities, and a way through one

Where det A = 0 the locked drives no longer hold the tip: a Type 2 singularity (thick line). At the edges of the reach a
bar stands square to its rail: Type 1 (dashed). The map shows 1/κ of A for each working mode.
"""
CROSSING = """The document let the tip run through a Type 2 singularity, and its simulator failed. Efforts stay
bounded there only if the tip's inertia asks nothing of the direction that the bars cannot resist. The first run below
was planned so, and crosses with a payload 5 % too heavy under feed-forward and PD. The second meets the same
singularity without that condition: its efforts have no bound, and are cut at {limit:.0f} N.
"""
NEXT = """# How to go on

Change a number and look again, describe a robot of your own, or read the pages in `docs/`.
"""
COMMANDS = """closedchain simulate biglide-computed-torque --set controller.kp=10 --set controller.kd=10 --plot run.png
closedchain simulate furuta-swingup --animate swingup.html
closedchain simulate --list
closedchain singular triplate --from=-1,0,10deg --to=5,0,10deg
closedchain workspace fivebar --plot reach.png
closedchain show biglide --toml > my_robot.toml
closedchain check my_robot.toml"""
PYTHON = """import closedchain as cc

robot = cc.load("biglide")
line = cc.quintic([0.0, 0.3], [0.1, 0.5], duration=3.0)
run = cc.simulate(robot, cc.ComputedTorque(line, kp=100, kd=100), interval=5e-3)
print(run)"""


def tell(story: Story, path: Path) -> Path:
    """Write the report."""
    report = Report("closedchain: the biglide, from two loops to a controlled robot")
    _describe(report, story)
    _solve(report, story)
    _evaluate(report, story)
    _compare(report, story)
    _control(report, story)
    _cross(report, story)
    report.text(NEXT).code(COMMANDS).code(PYTHON)
    return report.save(path)


def _describe(report: Report, story: Story) -> None:
    run = story.runs["biglide-computed-torque"]
    report.text(ABOUT).animation(story.model, run, "The robot under computed torque; press play.")
    rows = [(p.name, story.model.values[p.name], p.unit, p.about, p.source) for p in story.model.equations.parameters]
    report.table(("parameter", "value", "unit", "what it is", "source"), rows)


def _solve(report: Report, story: Story) -> None:
    report.text(GEOMETRY.format(x=tuple(story.X)))
    report.figure(figure_branches(story.model, story.up), "The four working modes of one tip position.")
    head = ("working mode", "q₁ [m]", "q₂ [m]", "assembly mode", "condition of A")
    rows = [(s.mode, f"{s.q[0]:+.12f}", f"{s.q[1]:+.12f}", s.assembly, f"{s.condition:.4g}") for s in story.up]
    report.table(head, [tuple(str(cell).replace("-", "−") for cell in row) for row in rows])
    report.text(DIRECT.format(q=tuple(story.q)))
    report.figure(figure_branches(story.model, story.down), "The two assembly modes of one position of the feet.")


def _evaluate(report: Report, story: Story) -> None:
    rows = []
    for name, known in story.reference.items():
        ours, theirs = np.ravel(getattr(story.found, name)), np.ravel(known)
        rows.append((name, _words(ours), _words(theirs), f"{story.misfits[name]:.0e}"))
    report.text(MODELS).table(("quantity", "closedchain", "50 digits, rounded", "difference"), rows)
    laws = [("✓" if r.ok else "✗", r.law, f"{r.worst:.1e}", f"{r.limit:.0e}", r.states) for r in story.laws.rows]
    report.text(LAWS).table(("", "law", "worst misfit", "limit", "states"), laws)


def _compare(report: Report, story: Story) -> None:
    found = story.witness
    report.text(WITNESS.format(engine=found.engines[0], count=len(found.rows)))
    rows = [(r.quantity, f"{r.max:.1e}", f"{r.limit:.1e}", r.unit, "✓" if r.ok else "✗") for r in found.rows]
    report.table(("quantity", "largest difference", "limit", "unit", ""), [r for r in rows if "taken off" not in r[0]])


def _control(report: Report, story: Story) -> None:
    runs, model = story.runs, story.model
    report.text(KINEMATIC)
    report.figure(figure_tracking(model, runs["biglide-kinematic"]), "Commands every 10 ms.")
    report.figure(figure_tracking(model, runs["biglide-kinematic-slow"]), "Commands every 100 ms: ten times the error.")
    report.text(TORQUE)
    report.figure(figure_tracking(model, runs["biglide-computed-torque"]), "The exact law: micrometres.")
    report.figure(figure_efforts(model, runs["biglide-computed-torque"]), "What the feet's drives do.")
    report.figure(figure_tracking(model, runs["biglide-document"]), "As the authors ran it: millimetres.")
    rows = [(name, shown, f"{ref:.9e}", f"{ours:.9e}") for name, (ref, shown, ours) in story.errors.items()]
    report.text(NUMBERS).table(("scenario", "seed 000 shows", "reference [m]", "closedchain [m]"), rows)


def _cross(report: Report, story: Story) -> None:
    good, bad = story.crossings.values()
    report.text(SINGULAR)
    report.figure(figure_map(story.model, story.grid, "condition"), "Far from singular is light, singular is dark.")
    report.text(CROSSING.format(limit=np.abs(bad.tau).max()))
    report.animation(good.model, good, "Through Type 1, then Type 2, with bounded efforts; press play.")
    report.figure(figure_efforts(good.model, good), "Efforts of the planned crossing.")
    report.figure(figure_efforts(bad.model, bad), "Efforts of a crossing that violates the condition.")


def _words(values: Any) -> str:
    return "  ".join(f"{v:+.12f}".replace("-", "−") for v in values)
