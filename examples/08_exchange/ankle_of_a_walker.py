"""The ankle of a walker: a loop inside a larger tree, cut out of a MuJoCo model and verified against MuJoCo.

The model floats, and its loops are of space: the ankle's two motors move the foot through two rods. As a whole it is a
linkage with nine freedoms; from the shank on it is a robot with two drives.
"""

from pathlib import Path

import closedchain as cc
from closedchain.exchange.importing import import_model

THEIRS = Path(__file__).with_name("ankle.xml")
MOTORS = [0.3, -0.2]  # [rad]


def main() -> float:
    """The foot's pitch with the motors turned [rad]."""
    whole = import_model(THEIRS)
    print(whole.reading.tree.name, whole.analysis.counts)

    # What hangs on the shank, which becomes the ground; the foot is what the robot moves.
    found = import_model(THEIRS, part="shank", output="foot")
    assert found.recipe is not None, found.reason
    ankle = cc.load(found.recipe)
    print(ankle.name, found.analysis.counts, [c.name for c in ankle.equations.x])

    state = cc.state(ankle, q=MOTORS)
    pitch, roll = state.x[:2]
    print(f"motors at {MOTORS} rad: pitch {pitch:.9f}, roll {roll:.9f} rad")

    # What the motors hold still: the foot, the rods and the cranks.
    held = cc.inverse_dynamics(ankle, state, [0.0, 0.0])
    print(f"efforts at rest: {held} N m")

    report = cc.verify(ankle, motion="random", states=5)
    print(report)
    assert report.ok
    return float(pitch)


if __name__ == "__main__":
    main()
