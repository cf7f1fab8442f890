"""The report that `closedchain demo` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.export.html import explorable
from closedchain.model.evaluation import Evaluation
from closedchain.model.model import Model
from closedchain.model.solutions import Solutions
from closedchain.simulation.run import Run
from closedchain.verify import Comparison
from closedchain.verify import Report as Laws
from closedchain.view.figures import figure_efforts, figure_tracking
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
    crossings: Mapping[str, Run]
    witness: Comparison


ABOUT = """# The robot, to be dragged

Two feet slide on parallel rails; two bars of equal length join them to one tip. Two loops, |C − A₁| = l and
|C − A₂| = l, are the whole description; every model here is derived from them, compiled, and checked. Drag the tip or a
foot, choose a branch, change a length: this page computes by itself. Dark on the map is near a singularity.
"""
GEOMETRY = """# Every solution

Where must the feet be for the tip at x = {x}? Each leg can reach it in two ways, so there are four *working modes*.
With the feet at q = {q} the tip can be in {count} places, the *assembly modes*. The counts are checked against theory.
"""
MODELS = """# All models at a moving state

Kinematics to second order, passive joints, mass matrix, Coriolis terms, efforts and bar forces, beside the same numbers
computed with 50 digits by other code.
"""
LAWS = """# Does it obey the laws of physics, and do others agree

Each law compares two things that were computed in different ways, on 500 random states of every branch; all
{laws} hold, none beyond {worst:.0e} of its limit. `closedchain check FILE.toml` does this for a robot of yours.

The same description, built in {engine} and put through the lab's oscillation, agrees in all {count} quantities that
`closedchain verify biglide` prints, each within a limit that rounding or the engine's own step sets.
"""
DISAGREE = "**Something is wrong:** {what}."
CONTROL = """# Under control, beside the document

Seed 000 lets the tip run from (0, 0.3) to (0.1, 0.5) m in 3 s. Under kinematic control the error grows with the
interval; under computed torque with the exact model it stays within micrometres. The document shows a millimetre: it
multiplied the reference's acceleration by 3, used the feet's mass alone for M, left c out, and saw its measurements one
sample late. The scenario `biglide-document` has these slips, and gives that figure.
"""
CROSSING = """# Through a singularity

The document let the tip run through a Type 2 singularity, and its simulator failed. Efforts stay bounded there only if
the tip's inertia asks nothing of the direction that the bars cannot resist. This run was planned so, and crosses with a
payload 5 % too heavy; without that condition the efforts have no bound (they are cut at {limit:.0f} N).
"""
NEXT = """# How to go on

Change a number and look again, describe a robot of your own, or read the pages in `docs/`.
"""
COMMANDS = """closedchain simulate furuta-swingup --animate swingup.html
closedchain workspace fivebar --plot reach.png
closedchain export triplate --to html --out triplate.html
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
    report.text(ABOUT).frame(
        explorable(story.model), "Drag the tip. `closedchain export ROBOT --to html` writes such a page."
    )
    _solve(report, story)
    _evaluate(report, story)
    _control(report, story)
    _cross(report, story)
    report.text(NEXT).code(COMMANDS).code(PYTHON)
    return report.save(path)


def _solve(report: Report, story: Story) -> None:
    report.text(GEOMETRY.format(x=tuple(story.X), q=tuple(story.q), count=len(story.down)))
    report.figure(figure_branches(story.model, story.up), "The four working modes of one tip position.")


def _evaluate(report: Report, story: Story) -> None:
    rows = []
    for name, known in story.reference.items():
        ours, theirs = np.ravel(getattr(story.found, name)), np.ravel(known)
        rows.append((name, _words(ours), _words(theirs), f"{story.misfits[name]:.0e}"))
    report.text(MODELS).table(("quantity", "closedchain", "50 digits, rounded", "difference"), rows)
    laws, witness = story.laws.rows, story.witness
    worst = max(row.worst / row.limit for row in laws if row.limit)
    report.text(LAWS.format(laws=len(laws), worst=worst, engine=witness.engines[0], count=len(witness.rows)))
    wrong = [row.law for row in laws if not row.ok] + [row.quantity for row in witness.broken]
    if wrong:
        report.text(DISAGREE.format(what=", ".join(wrong)))


def _control(report: Report, story: Story) -> None:
    report.text(CONTROL)
    exact, slipped = story.runs["biglide-computed-torque"], story.runs["biglide-document"]
    report.figure(figure_tracking(story.model, exact), "Computed torque, every 5 ms: micrometres.")
    report.figure(figure_tracking(story.model, slipped), "As the authors ran it: millimetres.")
    rows = [(name, shown, f"{ref:.9e}", f"{ours:.9e}") for name, (ref, shown, ours) in story.errors.items()]
    head = ("largest error of the tip", "seed 000 shows", "reference [m]", "closedchain [m]")
    report.table(head, rows)


def _cross(report: Report, story: Story) -> None:
    good, bad = story.crossings.values()
    report.text(CROSSING.format(limit=np.abs(bad.tau).max()))
    report.animation(good.model, good, "Through Type 1, then Type 2, with bounded efforts; press play.")
    report.figure(figure_efforts(good.model, good), "Its efforts.")


def _words(values: Any) -> str:
    return "  ".join(f"{v:+.12f}".replace("-", "−") for v in values)
