"""Every assembly: what it costs, in processor time; beside exact algebra where that can be run.

    python -m benchmarks.assemblies [--msolve PATH] [--rounds 20] [--platforms 100]

Forty postures of Dietmaier's platform with certificates, warm and with an empty cache folder (with the generic
solutions that come with the package, and without); plates on three legs; counts of the shipped robots; one mode
followed; and random platforms, each with every path accounted for. msolve (GPL, no part of this project) solves the
same equations, written from the geometry by `exact_counts`, in the same rounds.
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
from benchmarks.exact_counts import Geometry, instance, real_solutions
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


def forty(rounds: int, msolve: Path | None) -> None:
    """Dietmaier's postures, ours and msolve's in the same rounds."""
    robot = cc.load("gough:dietmaier")
    found = cc.direct(robot, LEGS)
    worst = float((found.residual / np.array(LEGS).min()).max())
    told = f"{len(found)} real of {count(robot, 'direct').total}, {int(found.certified.sum())} certified"
    print(f"Dietmaier: {told}, complete {bool(found.complete.all())}, largest relative residual {worst:.1e}")
    ours, exact = list[float](), list[float]()
    equations = Geometry(robot, np.array(LEGS)).equations()
    for k in range(rounds):
        ours.append(timed(lambda: cc.direct(robot, LEGS), 5))
        if msolve is not None and k < 3:
            exact.append(timed(lambda: real_solutions(msolve, equations), 1))
    print(f"  warm, from Python: {statistics.median(ours) * 1e3:.2f} ms (quickest round {min(ours) * 1e3:.2f} ms)")
    if exact:
        print(f"  msolve, the same equations: {statistics.median(exact) * 1e3:.0f} ms")
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


def platforms(number: int) -> int:
    """Random 6-UPS platforms with drives that close their loops; how many did not account for every path."""
    open_, missed = 0, 0
    for k in range(number):
        robot, q = instance("gough", np.random.default_rng((7, k)))
        found = cc.direct(robot, q)
        open_ += not found.complete.all()
        missed += not len(found)  # drives are those of a pose, so one at least is real
    print(f"{number} random 6-UPS platforms: {open_} with a path not accounted for, {missed} without a real pose")
    return open_ + missed


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the numbers; exit code 1 if a platform lost a path."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--msolve", type=Path, help="the binary")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--platforms", type=int, default=100)
    options = parser.parse_args(arguments)
    print("processor time of one process; on a shared machine it varies by a third")
    forty(options.rounds, options.msolve)
    plates(options.rounds)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CLOSEDCHAIN_CACHE"] = folder
        print("counts:")
        counts()
    following(options.rounds)
    return 1 if platforms(options.platforms) else 0


if __name__ == "__main__":
    sys.exit(main())
