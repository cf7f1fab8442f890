"""What probing the bed tells of a delta printer, and what it does not: absurd numbers that print a flat bed.

printer.cfg is a printer's configuration with the nineteen heights that a calibration saved. Nine numbers are fitted to
them. The bed comes out flat, and yet radius and arms together are known forty times worse than the probe is good:
making all arms longer and the radius larger changes no height by much. Three distances measured on the bed show more.
"""

from pathlib import Path

import numpy as np

import closedchain as cc
from closedchain.calibration import Readings, calibrate, read_data

HERE = Path(__file__).parent
NINE = ("radius", "angle_a", "angle_b", "endstop_a", "endstop_b", "endstop_c", "arm_a", "arm_b", "arm_c")
PROBE, CALIPER = 1e-5, 2e-5  # [m]


def main() -> float:
    """What is left of 0.01 mm of probe noise in the weakest combination [m]."""
    printer = cc.load(HERE / "klipper_delta.toml")
    heights, described = read_data(printer, HERE / "printer.cfg")
    printer = printer.with_values(**described)
    done = calibrate(printer, heights, vary=NINE, sd={"z": PROBE}, lever=0.124)
    print(done)

    # Distances between opposite probe points, by calipers on a printed piece: two configurations in one row each.
    pairs = [(7 + k, 13 + k) for k in (0, 2, 4)]
    q = heights.values[:, :3]
    rows = [[*heights.values[i, :3], *[np.nan] * 3, heights.values[i, 3], np.nan] for i in range(len(q))]
    places = cc.state(done.model, q=q).x  # stands in for what calipers would read
    rows += [[*q[a], *q[b], np.nan, np.linalg.norm(places[a] - places[b])] for a, b in pairs]
    both = Readings(("a", "b", "c", "to.a", "to.b", "to.c", "z", "|C to.C|"), np.array(rows), "heights and distances")
    better = calibrate(printer, both, vary=NINE, sd={"z": PROBE, "|C to.C|": CALIPER}, lever=0.124)
    weakest = done.directions[-1].shares / done.scales  # the same combination, as a row in SI
    then = float(np.sqrt(weakest @ better.covariance @ weakest))
    print(f"\nwith three distances good to {CALIPER * 1e3:.2f} mm the same combination is known to {then * 1e3:.3f} mm")
    return done.directions[-1].sd


if __name__ == "__main__":
    main()
