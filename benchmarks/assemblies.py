"""Every assembly: what it costs, in processor time; beside exact algebra where that can be run.

    python -m benchmarks.assemblies [--msolve PATH] [--phc PATH] [--fksgp FOLDER] [--rounds 20]

Forty postures of Dietmaier's platform with certificates, warm and with an empty cache folder (with the generic
solutions that come with the package, and without); plates on three legs; counts of the shipped robots; and one mode
followed. Other programs (`contestants`) solve the same platform in the same rounds, where they are given.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import closedchain as cc
from benchmarks.contestants import elimination, phc, study
from benchmarks.exact_counts import Geometry, real_solutions
from closedchain import robots
from closedchain.model.counting import count
from closedchain.model.model import NoClosedForm
from closedchain.model.sampling import sample
from closedchain.model.tracking import track

LEGS = [1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071]  # P. Dietmaier, 1998
PRESETS = ("gough:dietmaier", "gough:octahedral", "gough:semi-regular", "gough:rubin-camera", "hexa:reachy-mini")
COLD = """
import time, closedchain as cc, closedchain.model.completing as completing
if {alone}:
    completing.stored = lambda *_: None
robot = cc.load("gough:dietmaier")
begin = time.process_time()
assert len(cc.direct(robot, {legs})) == 40
print(begin, time.process_time())
"""


def spent() -> float:
    """[s] of processor time, of this process and of those that it started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timed(call: Callable[[], object], rounds: int) -> float:
    """The median [s] of one call."""
    times = []
    for _ in range(rounds):
        begin = spent()
        call()
        times.append(spent() - begin)
    return statistics.median(times)


def contestants(options: argparse.Namespace) -> dict[str, tuple[int, Callable[[], object]]]:
    """The other programs that are given, each with the rounds in which it takes part."""
    at = cc.load("gough:dietmaier").values
    base, joints = ([(at[f"{k}{i}x"], at[f"{k}{i}y"], at[f"{k}{i}z"]) for i in range(1, 7)] for k in "bp")
    equations, quadrics = Geometry(cc.load("gough:dietmaier"), np.array(LEGS)).equations(), study(base, joints, LEGS)
    made: dict[str, tuple[int, Callable[[], object]]] = {}
    if options.msolve is not None:
        made["msolve"] = 3, lambda: f"{real_solutions(options.msolve, equations)} real"
    if options.phc is not None:
        made["PHCpack"] = 1, lambda: phc(options.phc, quadrics)
    if options.fksgp is not None:
        made["fkSGP"] = options.rounds, elimination(options.fksgp, base, joints, LEGS)
    return made


def forty(rounds: int, others: dict[str, tuple[int, Callable[[], object]]]) -> None:
    """Dietmaier's postures, ours and other programs' in the same rounds."""
    robot = cc.load("gough:dietmaier")
    found = cc.direct(robot, LEGS)
    worst = float((found.residual / np.array(LEGS).min()).max())
    told = f"{len(found)} real of {count(robot, 'direct').total}, {int(found.certified.sum())} certified"
    print(f"Dietmaier: {told}, complete {bool(found.complete.all())}, largest relative residual {worst:.1e}")
    ours, theirs = list[float](), {name: list[float]() for name in others}
    answers: dict[str, object] = {}
    for k in range(rounds):
        ours.append(timed(lambda: cc.direct(robot, LEGS), 5))
        for name, (most, call) in others.items():
            if k < most:
                begin = spent()
                answers[name] = call()
                theirs[name].append(spent() - begin)
    print(f"  warm, from Python: {statistics.median(ours) * 1e3:.2f} ms (quickest round {min(ours) * 1e3:.2f} ms)")
    for name, times in theirs.items():
        print(f"  {name}: {statistics.median(times) * 1e3:.1f} ms, {answers[name]}")
    for alone in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            text = COLD.format(alone=alone, legs=LEGS)
            environment = os.environ | {"CLOSEDCHAIN_CACHE": folder}
            done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, check=True)
        begin, end = map(float, done.stdout.split())
        how = "no stored solutions" if alone else "stored generic solutions"
        print(f"  empty cache, {how}: {end - begin:.2f} s after {begin:.2f} s of imports")


def plates(rounds: int) -> None:
    """Plates on three legs: one at a time, and in a batch."""
    robot = cc.load("rpr3")
    q = sample(robot, 1000, seed=0).q
    one = timed(lambda: cc.direct(robot, q[0]), rounds)
    many = timed(lambda: cc.direct(robot, q), 3) / len(q)
    print(f"3-RPR: {one * 1e6:.0f} us alone, {many * 1e6:.1f} us in a batch of {len(q)}")


def counts() -> None:
    """How many, and how long that takes with generic solutions from the package and no others."""
    slowest = ("", 0.0)
    for name in (*robots.names(), *PRESETS):
        robot = cc.load(name)
        if not robot.nx or robot.linkage:
            continue
        begin = spent()
        try:
            total = count(robot, "direct").total
        except NoClosedForm:
            continue
        slowest = max(slowest, (name, spent() - begin), key=lambda pair: pair[1])
        print(f"  {name}: {total} in {(spent() - begin) * 1e3:.0f} ms")
    print(f"  slowest: {slowest[0]}, {slowest[1]:.2f} s")


def following(rounds: int) -> None:
    """One mode of a 6-UPS to other drives: from Python, with passive joints, and in compiled batches."""
    robot = cc.load("gough")
    at = cc.inverse(robot, [0.0, 0.0, 1.2, 0.1, 0.0, 0.05]).row(0)
    follower, ends, calls = robot.track(at.q, at.x), (at.q, at.q + 0.003), 2000

    def go(read: Callable[[], object] = lambda: None) -> None:
        for k in range(calls):
            follower.to(ends[k % 2])
            read()

    go()
    alone, passive = timed(go, rounds) / calls, timed(lambda: go(lambda: follower.passive), 3) / calls
    q = np.broadcast_to(ends[1], (20_000, 6)).copy()
    batch = timed(lambda: track(robot, at.q, at.x, q), rounds) / len(q)
    read = len(robot.equations.readouts)
    told = f"{alone * 1e6:.2f} us a call from Python, {passive * 1e6:.2f} us with its {read} passive joints read"
    print(f"track, 6-UPS: {told}, {batch * 1e6:.2f} us in a batch of {len(q)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--msolve", type=Path, help="the binary")
    parser.add_argument("--phc", type=Path, help="PHCpack's binary")
    parser.add_argument("--fksgp", type=Path, help="the folder of fkSGP's sources")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args(arguments)
    print("processor time of one process; on a shared machine it varies by a third")
    forty(options.rounds, contestants(options))
    plates(options.rounds)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CLOSEDCHAIN_CACHE"] = folder
        print("counts:")
        counts()
    following(options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
