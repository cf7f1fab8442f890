"""`closedchain import`: what a model file of another program holds, and the robot of ours that it is."""

from __future__ import annotations

from typing import Any

from closedchain.cli.destination import check_place
from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import Arguments
from closedchain.describe.writing import dumps
from closedchain.exchange.importing import Imported, import_model
from closedchain.files import atomic_write

NOT_OURS = 4


def run(args: Arguments) -> int:
    """Print what was found; exit code 4 where a mechanism file is wanted and the model is none of ours."""
    if args.out:
        check_place("--out", args.out)
    found = import_model(args.file, args.output or "", args.key or "", args.part or "")
    if args.out and found.recipe is not None:
        atomic_write(args.out, dumps(found.recipe))
    if args.json:
        print_json(document("import", **answer(found)))
    else:
        print(answer_text(found, args.out))
    return NOT_OURS if args.out and found.recipe is None else 0


def answer(found: Imported) -> dict[str, Any]:
    """The counts, what was left out, and the robot as a mechanism file, or why it is none."""
    tree, analysis = found.reading.tree, found.analysis
    return {
        "format": found.reading.format,
        "name": tree.name,
        "joints_in_file": found.reading.joints,
        "bodies": [body.name for body in tree.bodies],
        "drives": list(tree.drives),
        "keys": list(found.reading.keys),
        **analysis.counts,
        "generic_rank": analysis.generic_rank,
        "residual": analysis.assembly.residual,
        "assembled": analysis.assembly.converged,
        "redundant": list(analysis.redundant),
        "odd_masses": list(analysis.odd),
        "notes": list(found.notes),
        "mechanism": dumps(found.recipe) if found.recipe is not None else None,
        "reason": found.reason or None,
    }


def answer_text(found: Imported, out: str | None) -> str:
    """The same for people."""
    tree, analysis = found.reading.tree, found.analysis
    count = f"{found.reading.joints} joints in the file, {len(tree.bodies)} bodies, {len(tree.drives)} drives"
    rows = [[name.replace("_", " "), value] for name, value in analysis.counts.items()]
    lines = [f"{tree.name} ({found.reading.format}): {count}", table(("count", "value"), rows)]
    lines += [f"  loops: {analysis.assembly.message}"] if tree.rows else []
    lines += (
        [f"  keyframes (--key NAME starts from one): {', '.join(found.reading.keys)}"] if found.reading.keys else []
    )
    if analysis.generic_rank != analysis.rank:
        lines.append(f"  the rank is {analysis.generic_rank} nearby: this configuration is singular")
    lines += [f"  redundant: {row}" for row in analysis.redundant]
    lines += [f"  odd: {text}" for text in analysis.odd]
    lines += [f"  note: {text}" for text in found.notes]
    if found.recipe is None:
        return "\n".join([*lines, f"  no robot of ours: {found.reason}"])
    where = f"written to {out}" if out else "see it with --json, or write it with --out ROBOT.toml"
    return "\n".join([*lines, f"  a robot of ours: {where}"])
