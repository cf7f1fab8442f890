"""`closedchain demo`: the whole story on the biglide, ending in one HTML report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from closedchain import scenarios
from closedchain.cli.check import laws
from closedchain.cli.demo_report import Story, tell
from closedchain.cli.destination import check_place
from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import announce, note
from closedchain.model.evaluation import Evaluation, evaluate
from closedchain.model.geometry import direct, inverse
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.simulation.run import Run
from closedchain.verify import check, verify

X = [0.03, 0.25]  # [m] where the tip shall be
STATE = {"q": [0.05, -0.05], "q_dot": [0.0866, -0.0866], "q_ddot": [-0.05, 0.05]}
REFERENCE = {  # TRUTH.md §2, the biglide's third state: 50-digit arithmetic, correctly rounded
    "x": [0.07175627047820404, 0.28702508191281617],
    "x_dot": [0.11342156523714711, -0.043441180924409115],
    "x_ddot": [-0.11913379967829098, -0.03902986607819457],
    "passive": [0.7172404159835782, 1.9343949113524868],
    "M": [[2.472799916746183, -0.725245313820244], [-0.725245313820244, 3.9776907108943047]],
    "c": [-0.1533221892933964, -0.03901194864859342],
    "tau": [-0.31322445082171774, 0.19613485258713403],
    "lam": [-0.5552670812250544, 0.21680115283665616],
}
ERRORS = {  # [m] the largest error at a control instant: TRUTH.md §4, and what the document shows
    "biglide-kinematic": (0.0003562497592460301, "0.345 mm (Fig. 14)"),
    "biglide-kinematic-slow": (0.003785491645970418, "4.55 mm (Fig. 16)"),
    "biglide-computed-torque": (2.53259124788352e-06, "“less than 1 mm”"),
    "biglide-document": (0.001250128997138611, "1.25 mm (Fig. 18)"),
}
CROSSINGS = ("biglide-crossing", "biglide-crossing-violating")
BATCH = 100_000
TIGHT = 1e-13  # of 1 + its size: the models against 50 digits
SAME = 1e-11  # [m] a simulated error against one made by another program


def run(args: Arguments) -> int:
    """Tell the story, or its numbers as a document, and write the report; exit code 1 if anything is wrong."""
    check_name(args.out)
    story = gather()
    model = story.model
    path = tell(story, Path(args.out))
    seconds = time_batch(model)
    if args.json:
        print_json(document("demo", model, **answer(story, path), batch={"states": BATCH, "seconds": seconds}))
    else:
        print(
            *lines(story),
            "",
            story.laws,
            "",
            errors_table(story),
            story.witness.headline,
            *ending(seconds, path),
            sep="\n",
        )
    return 0 if right(story) else 1


def gather(say: Callable[[str], None] = note) -> Story:
    """Solve, evaluate, check, simulate and compare: everything that the story tells; `say` hears how far it is."""
    model = load("biglide", announce=announce)
    found = evaluate(model, q=STATE["q"], q_dot=STATE["q_dot"], q_ddot=STATE["q_ddot"], assembly="+")
    up, down = inverse(model, X), direct(model, STATE["q"])
    say("1 of 4: solved and evaluated; checking the laws of physics ...")
    laws = check(model, states=500)
    say("2 of 4: simulating it under control, and through a singularity ...")
    runs, crossings = ({name: scenarios.run(name) for name in names} for names in (ERRORS, CROSSINGS))
    say("3 of 4: building it in MuJoCo and comparing ...")
    witness = verify(model, "mujoco", motion="oscillation")
    say("4 of 4: writing the report ...")
    return Story(
        model=model,
        X=X,
        up=up,
        q=STATE["q"],
        down=down,
        found=found,
        reference=REFERENCE,
        misfits=compare(found),
        laws=laws,
        runs=runs,
        errors={name: (*ERRORS[name], largest_error(model, name, made)) for name, made in runs.items()},
        crossings=crossings,
        witness=witness,
    )


def check_name(out: str) -> None:
    """Refuse a report that could not be written before the work, not after it."""
    if Path(out).suffix.lower() not in (".html", ".htm"):
        raise Usage(f"--out {out[:60]!r}: a report's name ends in .html")
    check_place("--out", out)


def compare(found: Evaluation) -> dict[str, float]:
    """The largest difference of each quantity from its reference, relative to 1 + its size."""
    pairs = {name: (np.asarray(getattr(found, name)), np.asarray(known)) for name, known in REFERENCE.items()}
    return {name: float((np.abs(a - b) / (1 + np.abs(b))).max()) for name, (a, b) in pairs.items()}


def largest_error(model: Model, name: str, made: Run) -> float:
    """At the control instants; in the document's own run, of the tip that its model sees."""
    every = round(made.interval / made.settings["step"])
    seen = direct(model, made.q[::every]).unwrap("+") if name == "biglide-document" else made.x[::every]
    return float(np.abs(seen - made.x_ref[::every]).max())  # type: ignore[index]


def right(story: Story) -> bool:
    """Whether every law holds and every number is what it should be."""
    errors = [abs(reference - ours) for reference, _, ours in story.errors.values()]
    return story.laws.ok and story.witness.ok and max(story.misfits.values()) < TIGHT and max(errors) < SAME


def time_batch(model: Model) -> float:
    """Seconds for all models of many states in one call."""
    rng = np.random.default_rng(0)
    q, q_dot, q_ddot = rng.uniform(-0.1, 0.1, (3, BATCH, 2))
    evaluate(model, q=q[:10], q_dot=q_dot[:10], q_ddot=q_ddot[:10], assembly="+")
    start = time.perf_counter()
    evaluate(model, q=q, q_dot=q_dot, q_ddot=q_ddot, assembly="+")
    return time.perf_counter() - start


def answer(story: Story, path: Path) -> dict[str, Any]:
    """The numbers of the story."""
    errors = {name: {"reference": reference, "error": ours} for name, (reference, _, ours) in story.errors.items()}
    rows = {"inverse": story.up.q, "direct": story.down.x, "misfit": story.misfits, "laws": laws(story.laws)}
    rows["witness"] = {"ok": story.witness.ok, "engines": list(story.witness.engines)}
    return rows | {"errors": errors, "report": str(path)}


def lines(story: Story) -> Iterator[str]:
    """The description, the solutions, the models beside their references."""
    model = story.model
    yield f"The biglide. {model.equations.about}"
    yield "  " + ", ".join(
        f"{p.about} {p.name} = {model.values[p.name]:g} {p.unit}" for p in model.equations.parameters
    )
    yield from (f"  closure {c.name}: {c.residual} = 0" for c in model.equations.closures)
    yield f"\nWhere must the feet be for the tip at x = {X}? One answer per working mode:"
    yield str(story.up)
    yield f"\nWhere can the tip be with the feet at q = {STATE['q']}? One answer per assembly mode:"
    yield str(story.down)
    yield "\nAll models at a moving state, beside numbers computed with 50 digits:"
    yield table(("quantity", "value", "difference"), [_row(story, name) for name in story.misfits])


def _row(story: Story, name: str) -> tuple[str, str, str]:
    values: Any = np.ravel(getattr(story.found, name))
    return name, "  ".join(f"{v:+.9f}" for v in values), f"{story.misfits[name]:.0e}"


def errors_table(story: Story) -> str:
    """The largest tracking errors beside the reference and the document."""
    rows = [(name, f"{ours:.6e}", f"{ref:.6e}", shown) for name, (ref, shown, ours) in story.errors.items()]
    head = ("closed loop, 3 s", "error [m]", "reference [m]", "seed 000 shows")
    return "Under control, the tip's largest error at a control instant:\n" + table(head, rows)


def ending(seconds: float, path: Path | str = "closedchain-demo.html") -> Iterator[str]:
    """How long a batch took here, where the report is, and what to try next."""
    rate = BATCH / seconds
    yield f"\n{BATCH} states, all models, in {seconds * 1e3:.0f} ms on this machine, now ({rate:.2g} states a second)."
    yield f"\nOpen {path} in a browser and drag the robot. Try next:"
    yield "  closedchain list                                        the other robots"
    yield "  closedchain solve direct triplate --q -0.1,0.2,5        every pose of a plate on three legs"
    yield "  closedchain simulate furuta-swingup --animate up.html   the pendulum swung up and caught"
    yield "  closedchain verify triplate                             beside MuJoCo and Pinocchio, quantity by quantity"
    yield "  closedchain show biglide --toml > my_robot.toml         then change it, and"
    yield "  closedchain check my_robot.toml                         see whether it obeys the laws of physics"
