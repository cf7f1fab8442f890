"""Random mechanisms through geometry, dynamics, models and `check`: is a law ever called broken that is not, or missed?

Run it with `python -m benchmarks.random_laws` from the checkout, whose tests hold the generator, the walk and the
faults planted in the derivation. `--part 1/2` and `--part 2/2` share the work among two processes.
"""

from __future__ import annotations

import argparse
import sys
from itertools import islice

from tests.planted_faults import planted
from tests.random_mechanisms import case
from tests.verify.test_random_mechanisms import found, walked

SHOWN = 50  # mechanisms after which the counts are shown


def main(count: int = 1000, first: int = 0, faults: int = 54, part: str = "1/1") -> dict[str, int]:
    """Print every mechanism that does not hold, every fault that is not noticed, and the counts."""
    own, parts = map(int, part.split("/"))
    seeds = range(first + own - 1, first + count, parts)
    held = 0
    for number, seed in enumerate(seeds):
        if number % SHOWN == 0:
            print(f"{number} mechanisms, {number - held} do not hold", file=sys.stderr, flush=True)
        told = _told(seed)
        held += not told
        if told:
            print(f"WRONG {case(seed)}\n{told}", flush=True)
    print(f"{held} of {len(seeds)} right mechanisms (from seed {first}) break no law", flush=True)
    pairs = list(islice(planted(faults), own - 1, None, parts))
    noticed = 0
    for made, fault in pairs:
        seen = found(made, fault)
        noticed += seen
        if not seen:
            print(f"MISSED {fault} in {made}", flush=True)
    print(f"{noticed} of {len(pairs)} planted faults break one", flush=True)
    return {"right": len(seeds), "held": held, "faults": len(pairs), "noticed": noticed}


def _told(seed: int) -> str:
    """Why a mechanism does not hold; empty where it does."""
    try:
        report = walked(seed)
    except Exception as error:  # whatever a right mechanism raises is the finding
        return f"{type(error).__name__}: {error}"
    return "" if report.verdict == "holds" else str(report)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in {"count": 1000, "first": 0, "faults": 54}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--part", default="1/1", help="which of how many parts: 1/2")
    main(**vars(parser.parse_args()))
