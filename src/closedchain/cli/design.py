"""`closedchain design`: which dimensions are best, and what is traded for what."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from closedchain import design  # pareto and draw bring packages late
from closedchain.cli.destination import PICTURES, check_file
from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.sweep import given, looking, refuse_with_a_file, state, varied
from closedchain.cli.values import note
from closedchain.design import DESIGN, Best, Problem, descend, optimise, problem
from closedchain.files import atomic_write
from closedchain.sweep.measures import measure

SHOWN = 12  # designs of a front that are printed


def run(args: Arguments) -> int:
    """Search, write, print the best design or the front."""
    check_file("--out", args.out, (".csv",))
    check_file("--plot", args.plot, PICTURES)
    asked = asked_problem(args)
    if len(asked.goals) == 1:
        if args.plot:
            raise Usage("--plot draws a front, of two goals or more; leave it out")
        search = descend if args.gradient else optimise
        one(args, search(asked, evaluations=args.evaluations))
    elif args.gradient:
        raise Usage("--gradient leads to the best design of one goal; leave it out for a front")
    else:
        several(args, asked)
    return 0


def asked_problem(args: Arguments) -> Problem:
    """The problem of a file, with what options change, or of the options alone."""
    changed: dict[str, Any] = {**looking(args), **varied(args)}
    goals = {"minimise": args.minimise, "maximise": args.maximise, "subject_to": args.subject_to}
    changed |= {key: value for key, value in goals.items() if value}
    if DESIGN.is_in(args.robot):
        refuse_with_a_file(args, "a design file")
        return DESIGN.read(args.robot, **changed)
    return problem(args.robot, **({"vary": {}} | changed | state(args)), values=given(args))


def one(args: Arguments, best: Best) -> None:
    """The best design."""
    if args.out:
        text = io.StringIO()
        rows = {f.column: best.dimensions[f.name] for f in best.problem.study.factors}
        rows |= {measure(name).column: value for name, value in best.values.items()}
        csv.writer(text, lineterminator="\n").writerows([list(rows), [repr(v) for v in rows.values()]])
        atomic_write(args.out, text.getvalue())
        note(f"wrote {args.out}")
    if args.json:
        answer: dict[str, Any] = {
            "goal": str(best.problem.goals[0]),
            "subject_to": [str(b) for b in best.problem.bounds],
        }
        answer |= {"dimensions": best.dimensions, "values": best.values, "evaluations": best.evaluations}
        print_json(document("design", best.problem.ready.model, **answer))
    else:
        print(best)


def several(args: Arguments, asked: Problem) -> None:
    """The front."""
    front = design.pareto(asked, evaluations=args.evaluations)
    if args.out:
        atomic_write(args.out, front.csv())
        note(f"wrote {args.out}")
    if args.plot:
        note(f"wrote {design.draw([front], Path(args.plot))}")
    rows = [[float(v) for v in (*x, *values)] for x, values in zip(front.x, front.values, strict=True)]
    if args.json:
        answer: dict[str, Any] = {"goals": [str(g) for g in asked.goals], "subject_to": [str(b) for b in asked.bounds]}
        answer |= {"evaluations": front.evaluations, "header": front.header, "designs": rows}
        print_json(document("pareto", asked.ready.model, **answer))
        return
    goals = ", ".join(map(str, asked.goals))
    print(f"{asked.ready.model.name}: {len(front)} designs none of which is best in all of: {goals}")
    step = max(1, len(rows) // SHOWN)
    print(table(front.header, rows[::step]))
    print(f"  {front.evaluations} designs tried; {'every' if step == 1 else f'one in {step}'} shown")
