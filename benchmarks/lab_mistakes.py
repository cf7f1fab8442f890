"""Seeded mistakes in model files that were written by hand for nine robots: which of them `lab grade` names, and truly.

python -m benchmarks.lab_mistakes --count 60 --seed 0 [--robot rrr3]

A mistake is a change of the *hand-written* file, whose derivation is not the grader's: a sign, an index, a factor, a
power, sine for cosine, another leg, a wrong or exchanged constant, an argument that is ignored, a root or a quadrant
that is forgotten. Counted are those that give numbers, some of them wrong, by the first function that shows them. A
name is true if the same one explains the answers at other states; one that does not is false.
"""

from __future__ import annotations

import argparse
import ast
import copy
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from closedchain_lab.grading.answers import read
from closedchain_lab.grading.functions import grade_function
from closedchain_lab.grading.models import exercises
from closedchain_lab.grading.question import Exercise
from closedchain_lab.grading.results import FunctionGrade
from closedchain_lab.sandbox.child.desk import plain

ROOT = Path(__file__).parents[1]
RIGHT = ROOT / "tests/lab/grading"
FILES = {
    "biglide": RIGHT / "right/biglide_vectors.txt",
    "fivebar": RIGHT / "right/fivebar_vectors.txt",
    "triplate": RIGHT / "triplate_models.txt",
    "furuta": ROOT / "examples/11_lab/furuta_models.py",
    "rrr3": RIGHT / "others/rrr3_bars.txt",
    "rpr3": RIGHT / "others/rpr3_lengths.txt",
    "delta": RIGHT / "others/delta_knees.txt",
    "gough": RIGHT / "others/gough_vectors.txt",
    str(ROOT / "examples/robots/prr3.toml"): RIGHT / "others/prr3_bars.txt",
}
Change = tuple[str, ast.expr]  # the kind of mistake, and what stands in place
SLOW = ("singular_x", "open_modes", "simulate")  # of these no formula is known
SWAPPED = {"sin": "cos", "cos": "sin", "arccos": "arcsin", "cross": "dot"}


def changes(node: ast.expr, arguments: set[str], constants: set[str]) -> Iterator[Change]:
    """What a group may have written instead."""
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Add | ast.Sub):
            other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            yield "sign", ast.BinOp(node.left, other, node.right)
        elif isinstance(node.op, ast.Pow):
            yield "power", ast.BinOp(node.left, ast.Mult(), node.right)
            yield "power", node.left
        elif isinstance(node.op, ast.Mult | ast.Div) and isinstance(node.left, ast.Constant):
            yield "factor", node.right if isinstance(node.op, ast.Mult) else node
        elif isinstance(node.op, ast.Div) and isinstance(node.right, ast.Constant):
            yield "factor", node.left
            yield "factor", ast.BinOp(node.left, ast.Div(), ast.Constant(2 * node.right.value))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
        yield "sign", node.operand
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id in arguments:
            yield "sign", ast.UnaryOp(ast.USub(), node)
            yield "ignored", ast.Constant(0.0)
            stem, digit = node.id.rstrip("D"), "1" if "2" in node.id else "2"
            leg = "".join(digit if c.isdigit() else c for c in stem) + node.id[len(stem) :]
            yield from (("leg", ast.Name(other, ast.Load())) for other in ({leg} & arguments) - {node.id})
        elif node.id in constants:
            yield "constant", ast.BinOp(ast.Constant(2.0), ast.Mult(), node)
            yield from (("constant", ast.Name(c, ast.Load())) for c in sorted(constants - {node.id})[:2])
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value in (0, 1):
        yield "index", ast.Subscript(node.value, ast.Constant(1 - node.slice.value), ast.Load())
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in SWAPPED:
            yield "sin and cos", ast.Call(ast.Attribute(node.func.value, SWAPPED[name], ast.Load()), node.args, [])
        elif name == "sqrt" and not isinstance(node.args[0], ast.Constant):
            yield "root", node.args[0]
        elif name == "arctan2":
            slope = ast.BinOp(node.args[0], ast.Div(), node.args[1])
            yield "root", ast.Call(ast.Attribute(node.func.value, "arctan", ast.Load()), [slope], [])
            yield "root", ast.Call(node.func, node.args[::-1], [])


def mistakes(text: str) -> Iterator[tuple[str, str, str]]:
    """Kind, words and text of every change of the functions of a file."""
    tree = ast.parse(text)
    assigned = [t for s in tree.body if isinstance(s, ast.Assign) for t in ast.walk(s) if isinstance(t, ast.Name)]
    constants = {t.id for t in assigned if (isinstance(t.ctx, ast.Store) and not t.id.isupper()) or t.id in "SRL"}
    for k, function in enumerate(tree.body):
        if not isinstance(function, ast.FunctionDef):
            continue
        arguments = {a.arg for a in function.args.args}
        count = sum(1 for _ in ast.walk(function))
        for place in range(count):
            node = list(ast.walk(function))[place]
            if not isinstance(node, ast.expr):
                continue
            for kind, new in changes(node, arguments, constants):
                other = copy.deepcopy(tree)
                target = list(ast.walk(other.body[k]))[place]
                _replace(other.body[k], target, new)
                words = f"{function.name}: {ast.unparse(node)} → {ast.unparse(new)}"
                yield kind, words, ast.unparse(ast.fix_missing_locations(other))


def _replace(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if value is old:
                setattr(node, field, new)
            elif isinstance(value, list):
                value[:] = [new if item is old else item for item in value]


def shown(exercise: Exercise, text: str, only: str = "") -> FunctionGrade | None:
    """The grade of the first function (or of one) that answers with numbers and not with the right ones."""
    names: dict[str, object] = {"__name__": "models"}
    try:
        exec(text, names)  # noqa: S102 (our own text, changed by us)
    except Exception:
        return None
    for name, question in exercise.questions.items():
        if name not in names or name in SLOW or (only and name != only):
            continue
        replies = [reply(names[name], row) for row in question.inputs]
        if sum("value" in one for one in replies) < len(replies) / 2:
            return None
        answers = read(question, replies)
        if not answers.finite[question.reachable].any():
            return None
        grade = grade_function(exercise, question, answers)
        if grade.verdict != "right":
            return grade
    return None


def whole(grade: FunctionGrade) -> bool:
    """Whether the changes that are named explain all that is wrong."""
    return bool(grade.mistakes) and all(" formula " in said for said in grade.says)


def reply(function: object, row: np.ndarray) -> dict[str, object]:
    """As the sandbox gives it."""
    try:
        with np.errstate(all="ignore"):
            return {"value": plain(function(*row.tolist()))}  # type: ignore[operator]
    except Exception as error:
        return {"raised": repr(error)}


def sampled(path: Path, rng: np.random.Generator) -> Iterator[tuple[str, str, str]]:
    """Mistakes of a file in a random order, each kind as often as others."""
    pool: dict[str, list[tuple[str, str]]] = {}
    for kind, words, text in mistakes(path.read_text(encoding="utf-8")):
        pool.setdefault(kind, []).append((words, text))
    while pool:
        kind = sorted(pool)[int(rng.integers(len(pool)))]
        yield kind, *pool[kind].pop(int(rng.integers(len(pool[kind]))))
        pool = {name: rest for name, rest in pool.items() if rest}


def main() -> tuple[int, int, int]:
    """How many were tried, are named, and are named falsely."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=90)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--robot", choices=[Path(robot).stem for robot in FILES])
    args = parser.parse_args()
    tried, named, false = Counter[str](), Counter[str](), Counter[str]()
    chosen = {robot: path for robot, path in FILES.items() if args.robot in (None, Path(robot).stem)}
    for robot, path in chosen.items():
        here, elsewhere = (exercises(robot, seed)[0] for seed in (args.seed, args.seed + 1))
        wanted = args.count // len(chosen)
        for kind, words, text in sampled(path, np.random.default_rng(args.seed)):
            grade = shown(here, text)
            if grade is None:
                continue
            again = shown(elsewhere, text, grade.name) if grade.mistakes else None
            wrong = bool(grade.mistakes) and (again is None or again.mistakes != grade.mistakes)
            for key in (Path(robot).stem, kind, grade.name, "all"):
                tried[key] += 1
                named[key] += whole(grade) and not wrong
                false[key] += wrong
            said = f"{'FALSE ' * wrong}{'; '.join(grade.mistakes) or ' '.join(grade.says)}"
            print(f"{Path(robot).stem:8} {grade.name:11} {kind:11} {words[:60]:60} {said[:110]}", flush=True)
            wanted -= 1
            if not wanted:
                break
    print("\n| | tried | named | falsely |\n|---|---|---|---|")
    for key in tried:
        print(f"| {key} | {tried[key]} | {named[key]} | {false[key]} |")
    return tried["all"], named["all"], false["all"]


if __name__ == "__main__":
    main()
