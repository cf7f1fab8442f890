"""Do the tests see a wrong formula? Twenty lines of the mechanics, chosen by chance, each made wrong by cosmic-ray.

Run it with `python -m benchmarks.mutation` from the checkout, after `pip install cosmic-ray`; it takes half an hour or
more. Each mutant lives in a copy of the checkout; the tests of the mechanics run against it until the first one fails.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

ROOT = Path(__file__).parents[1]
MECHANICS = (
    "describe/elements.py", "derive/mechanics.py", "derive/models.py", "derive/linear.py", "derive/geometry.py",
    "derive/reactions.py", "model/dynamics.py", "model/kinematics.py", "model/geometry.py", "model/reasons.py",
    "model/state.py",
)  # fmt: skip
# What a slip of the pen looks like. Changes that crash at once (shifts, bit operations) would flatter the tests.
SLIPS = (
    "ReplaceBinaryOperator_Add_Sub", "ReplaceBinaryOperator_Sub_Add", "ReplaceBinaryOperator_Mul_Div",
    "ReplaceBinaryOperator_Div_Mul", "ReplaceBinaryOperator_Pow_Mul", "ReplaceUnaryOperator_Delete_USub",
    "NumberReplacer", "ReplaceComparisonOperator_Lt_Gt", "ReplaceComparisonOperator_Gt_Lt",
)  # fmt: skip
TESTS = ("tests/derive", "tests/seeds", "tests/model", "tests/verify/test_laws.py", "tests/robots")
LIMIT = 1200.0  # [s] for the tests of one mutant; a mutant that hangs counts as seen


@dataclass(frozen=True)
class Mutant:
    """One slip: the operator's occurrence-th place in a file, which is on `line`."""

    file: str
    line: int
    operator: str
    occurrence: int

    def code(self) -> str:
        """The file with the slip in it."""
        text = (ROOT / "src/closedchain" / self.file).read_text(encoding="utf-8")
        changed: str = mutate_code(text, get_operator(f"core/{self.operator}")(), self.occurrence)
        return changed

    def __str__(self) -> str:
        before = (ROOT / "src/closedchain" / self.file).read_text(encoding="utf-8").splitlines()[self.line - 1]
        after = self.code().splitlines()[self.line - 1]
        return f"{self.file}:{self.line}\n    - {before.strip()}\n    + {after.strip()}"


def mutants() -> Iterator[Mutant]:
    """Every slip in the mechanics."""
    for file in MECHANICS:
        tree = get_ast((ROOT / "src/closedchain" / file).read_text(encoding="utf-8"))
        for name in SLIPS:
            operator = get_operator(f"core/{name}")()
            occurrence = 0
            for node in _nodes(tree):
                for (line, _), _ in operator.mutation_positions(node):
                    yield Mutant(file, line, name, occurrence)
                    occurrence += 1


def _nodes(tree: object) -> Iterator[object]:
    yield tree
    for child in getattr(tree, "children", []):
        yield from _nodes(child)


def choose(count: int, seed: int) -> list[Mutant]:
    """So many different lines by chance, with one slip by chance in each."""
    lines: dict[tuple[str, int], list[Mutant]] = {}
    for mutant in mutants():
        lines.setdefault((mutant.file, mutant.line), []).append(mutant)
    chance = random.Random(seed)
    return [chance.choice(lines[place]) for place in chance.sample(sorted(lines), count)]


def seen(mutant: Mutant) -> bool:
    """Whether a test fails on the mutant."""
    try:
        return _tests(mutant.file, mutant.code()) != 0
    except subprocess.TimeoutExpired:
        return True


def _tests(file: str, text: str) -> int:
    """The exit code of the tests in a copy of the checkout with another text in one file.

    The cache is the copy's own: a kernel's key does not tell all of these files from their mutants.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "checkout"
        skipped = shutil.ignore_patterns(".git", ".venv", "node_modules", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, copy, ignore=skipped)
        (copy / "src/closedchain" / file).write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *TESTS]
        place = {**os.environ, "PYTHONPATH": str(copy / "src"), "CLOSEDCHAIN_CACHE": str(Path(folder) / "cache")}
        return subprocess.run(command, cwd=copy, env=place, capture_output=True, timeout=LIMIT, check=False).returncode


def check_tests() -> None:
    """End here if the tests fail without any slip: then they would see every one."""
    file = MECHANICS[0]
    if _tests(file, (ROOT / "src/closedchain" / file).read_text(encoding="utf-8")) != 0:
        raise SystemExit("the tests fail on the code as it is: mend that first, `pytest -x` on " + " ".join(TESTS))


def main(count: int = 20, seed: int = 0, workers: int = 2) -> float:
    """Print each mutant with its fate; the share that was seen."""
    check_tests()
    chosen = choose(count, seed)
    with ThreadPoolExecutor(workers) as pool:
        fates = []
        for mutant, fate in zip(chosen, pool.map(seen, chosen), strict=True):
            fates.append(fate)
            print(f"{'seen    ' if fate else 'SURVIVED'}  {mutant}", flush=True)
    print(f"{sum(fates)} of {len(fates)} wrong lines were seen by the tests (seed {seed})")
    return sum(fates) / len(fates)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    main(**vars(parser.parse_args()))
