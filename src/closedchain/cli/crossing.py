"""`closedchain crossing`: a motion through a Type 2 singularity with bounded efforts, or a check of a scenario's."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import numpy as np

from closedchain import scenarios
from closedchain.arrays import Doubles
from closedchain.cli.destination import check_file
from closedchain.cli.failures import NO_SOLUTION
from closedchain.cli.main import fail
from closedchain.cli.output import document, number, print_json, row_of
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.simulate import changes
from closedchain.cli.values import announce, coordinates, efforts, note, robot, scalar, vector
from closedchain.motion.conversion import joint
from closedchain.motion.crossing import WINDOW, Crossing
from closedchain.motion.crossing_search import cross
from closedchain.motion.reference import Trajectory
from closedchain.motion.tables import sample, write_table
from closedchain.singularity.check import CrossingReport, check_crossing

INTERVAL = 2e-3  # [s] the rows of the document's files
TABLES = (".csv", ".txt", ".dat")


def run(args: Arguments) -> int:
    """Plan and print a crossing, or check a scenario's trajectory; exit code 4 if its efforts are not bounded."""
    check_file("--plot", args.plot)
    check_file("--table", args.table, TABLES)
    if args.scenario is not None:
        return of_scenario(args)
    needed = {"ROBOT": args.robot, "--from": args.start, "--to": args.goal}
    needed |= {"--duration": args.duration}
    missing = [name for name, value in needed.items() if value is None]
    if missing:
        raise Usage(f"crossing needs {', '.join(missing)}; or --scenario; see `closedchain crossing --help`")
    model = robot(args)
    named = coordinates(model.equations.x)
    planned = cross(
        model,
        vector(args.start, "--from", named) or (),
        vector(args.goal, "--to", named) or (),
        scalar(args.duration, "--duration", "s") or 0.0,
        working=args.working,
        end_working=args.end_working,
        push=scalar(args.push, "--push", "N") or 0.0,
    )
    write_drives(args, planned.joint)
    if args.plot:  # brings Matplotlib
        note(f"wrote {importlib.import_module('closedchain.cli.illustrating').passing(planned, args.plot)}")
    if args.json:
        print_json(document("crossing", model, **answer(planned)))
    else:
        print(answer_text(planned))
    return 0


def write_drives(args: Arguments, drives: Trajectory) -> None:
    """The drives over time as a table, where one is asked for."""
    if args.table is None:
        return
    interval = scalar(args.interval, "--interval", "s")
    write_table(args.table, sample(drives, INTERVAL if interval is None else interval))
    note(f"wrote {args.table}")


def peaks(planned: Crossing) -> tuple[float | None, float]:
    """The largest effort near the Type 2 instants, None where it has no bound, and that of the rest."""
    if all(p.bounded for p in planned.passages):
        return planned.peaks if planned.type_2 else (None, planned.peaks[1])
    away = [np.abs(planned.times - t) > WINDOW * planned.duration for t in planned.type_2]
    return None, float(np.abs(planned.efforts(planned.times[np.all(away, axis=0)])).max())


def passing(planned: Crossing) -> list[tuple[float, Doubles, Doubles, str]]:
    """When and where the stretches of a motion meet, and the working mode there."""
    t = planned.starts[1:-1]
    at = planned.whole(t)
    return list(zip(t.tolist(), at.x, at.q, planned.working[1:-1], strict=True))


def answer(planned: Crossing) -> dict[str, Any]:
    """The motion as a document; efforts that have no bound are null."""
    near, elsewhere = peaks(planned)
    bounded = all(p.bounded for p in planned.passages)
    course = planned.whole(np.array(planned.type_2)) if planned.type_2 else None
    ends = planned.whole(np.array([0.0, planned.duration]))
    return {
        "duration": planned.duration,
        "working": planned.working,
        "bounded": bounded,
        "max_effort": max(near or 0.0, elsewhere) if bounded else None,
        "max_effort_near": near,
        "max_effort_elsewhere": elsewhere,
        "t_singular": planned.type_2,
        "x_singular": [] if course is None else course.x,
        "q_singular": [] if course is None else course.q,
        "effort_at_singularity": [p.tau if p.bounded else None for p in planned.passages],
        "margin": 1.0 - near / elsewhere if near is not None and elsewhere else None,
        "criterion": [{"push": p.push, "of": p.size, "free_motion": p.free} for p in planned.passages],
        "t_type_1": [{"t": t, "leg": leg} for t, leg in planned.type_1],
        "passing": [{"t": t, "x": x, "q": q, "working": mode} for t, x, q, mode in passing(planned)],
        "q": ends.q,
        "x": ends.x,
    }


def answer_text(planned: Crossing) -> str:
    """The same for people."""
    near, elsewhere = peaks(planned)
    model = planned.model
    units = ", ".join(f"{name} [{unit}]" for name, unit in efforts(model))
    through = " through ".join([planned.working[0], *planned.working[1:-1]])
    lines = [f"{model.name}: from {through} to {planned.working[-1]} in {planned.duration:g} s"]
    lines += [f"  at rest at {number(t)} s, x = {row_of(x)} in {mode}" for t, x, _, mode in passing(planned)]
    lines += [f"  Type 1 at {number(t)} s: leg {leg} is at its end and changes its mode" for t, leg in planned.type_1]
    for t, p in zip(planned.type_2, planned.passages, strict=True):
        x = planned(np.array([t])).x[0]
        lines.append(f"  Type 2 at {number(t)} s, x = {row_of(x)}: A's free motion {row_of(p.free)}")
        limit = f"efforts {row_of(p.tau)} there" if p.bounded else f"efforts grow as {row_of(p.growth)} / (t − t_s)"
        lines.append(f"    push {p.push:.2e} of {p.size:.3g} N along it, so {limit}")
    if not planned.type_2:
        lines.append("  no Type 2 singularity lies on this motion")
    if near is not None:
        lines.append(f"  largest effort near the crossing {near:.6g}, elsewhere {elsewhere:.6g} ({units})")
    else:
        lines.append(f"  largest effort{' elsewhere' * bool(planned.type_2)} {elsewhere:.6g} ({units})")
    return "\n".join(lines)


# A scenario's own trajectory -----------------------------------------------------------------------


def of_scenario(args: Arguments) -> int:
    """What the trajectory of a scenario meets, and whether the efforts stay bounded there."""
    given = [args.robot, args.start, args.goal, args.duration, args.end_working, args.push]
    if any(value is not None for value in given) or args.plot:
        raise Usage(
            "--scenario brings its own robot and trajectory; only --working, --set, --table and --json go with it"
        )
    chosen = scenarios.find(args.scenario, changes(args))
    model = replace(chosen.model, announce=announce)
    if chosen.reference is None:
        raise Usage(f"{chosen.name} follows no trajectory, so there is nothing to check")
    working = args.working or chosen.working
    found = check_crossing(model, chosen.reference, working=working)
    if args.table:
        write_drives(args, joint(model, chosen.reference, working=working, through=True))
    if args.json:
        print_json(document("crossing", model, **report(found)))
    else:
        print(found)
    if found.bounded:
        return 0
    return fail(
        f"{chosen.name}: its efforts are not bounded; `closedchain crossing` plans a motion whose are", NO_SOLUTION
    )


def report(found: CrossingReport) -> dict[str, Any]:
    """The instants as a document; `margin` is null: this motion was not planned."""
    return {
        "working": found.working,
        "bounded": found.bounded,
        "max_effort": found.peak,
        "t_singular": [e.t for e in found.type_2],
        "x_singular": [e.x for e in found.type_2],
        "effort_at_singularity": [e.passage.tau if e.bounded else None for e in found.type_2],
        "margin": None,
        "criterion": [
            {"push": e.passage.push, "of": e.passage.size, "free_motion": e.passage.free} for e in found.type_2
        ],
        "t_type_1": [{"t": e.t, "leg": e.leg, "bounded": e.bounded} for e in found.type_1],
        "samples": found.samples,
    }
