"""Both legs turned over: from "++" to "--" through two Type 1 singularities and one of Type 2.

The tip hangs on two bars. Above both feet it is in working mode "++", below both in "--". A leg changes its mode where
it is at its end, and each at another place, so the motion has two stretches and rests for an instant in between. The
sign of det A differs at the ends as well: somewhere the two bars must be in line, where the drives cannot hold the tip.
"""

import numpy as np

import closedchain as cc
from closedchain import motion
from closedchain.control import CrossingFeedForward
from closedchain.singularity.check import check_crossing

START, END = [0.05, 0.3], [-0.1, -0.15]  # [m]


def main() -> float:
    """How many singularities the tip passes."""
    robot = cc.load("biglide")
    planned = motion.cross(robot, START, END, duration=6.0, working="++", end_working="--")
    print(f"{' → '.join(planned.working)}: at rest after {planned.starts[1]:.3f} s")
    for t, leg in planned.type_1:
        print(f"  {t:.3f} s: leg {leg} is level and turns over")
    for t, passed in zip(planned.type_2, planned.passages, strict=True):
        print(f"  {t:.3f} s: the bars are in line; efforts {passed.tau[0]:+.3f} and {passed.tau[1]:+.3f} N")

    # The checker looks for singularities on samples of its own, and finds these three with bounded efforts.
    report = check_crossing(robot, planned)
    assert report.bounded, "the efforts grow without bound"
    assert len(report.type_1) + len(report.type_2) == len(planned.type_1) + len(planned.type_2)

    # No effort stands out where the bars are in line.
    near, elsewhere = planned.peaks
    print(f"  largest effort near the crossing {near:.3f} N, elsewhere {elsewhere:.3f} N")
    assert near <= 1.1 * elsewhere

    # The efforts alone, from an exact start, carry the tip through.
    run = cc.simulate(robot, CrossingFeedForward(planned), working="++", interval=2e-4, step=2e-4)
    error = np.linalg.norm(run.x - planned(run.t).x, axis=-1).max()
    print(f"  open loop the tip keeps within {error:.1e} m")
    assert error < 1e-6

    # And it is where it was asked to be, in the mode asked for.
    assert np.abs(run.x[-1] - END).max() < 1e-6
    assert np.abs(run.q[-1] - cc.inverse(robot, END)["--"].q).max() < 1e-5

    return float(len(planned.type_1) + len(planned.type_2))


if __name__ == "__main__":
    main()
