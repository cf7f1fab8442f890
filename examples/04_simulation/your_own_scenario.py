"""A scenario of your own, written as a file, changed, and run.

The biglide is symmetric: with the feet level and both pushed equally, no bar turns and the whole robot glides along y
as one body of mass 2 m_f + m_p. So its end is known: y = y_0 + (2 F / (2 m_f + m_p)) t² / 2. A scenario file says all
that is needed; a mistake in one is told with its line.
"""

import tempfile
from pathlib import Path

from closedchain import scenarios
from closedchain.describe.files import BadFile

SCENARIO = """\
schema = "closedchain.scenario/1"
about = "Both feet of the biglide are pushed with the same force."
origin = "chosen"
robot = "biglide"
interval = "10 ms"
duration = 2

[start]
q = [0, 0]
assembly = "+"

[controller]
kind = "constant"
value = ["1 N", "1 N"]

[limits]
q1 = ["-1 m", "1 m"]
"""


def main() -> float:
    """Returns how far the tip moved [m]."""
    folder = Path(tempfile.mkdtemp())
    path = folder / "push.toml"
    path.write_text(SCENARIO, encoding="utf-8")

    run = scenarios.run(path)
    print(run)

    heavier = scenarios.run(scenarios.find(path, {"parameters.m_p": 8, "method": "rk6"}))
    print(f"with 8 kg at the tip it moves {heavier.x[-1, 1] - heavier.x[0, 1]:.3f} m")

    further = scenarios.run(scenarios.find(path, {"duration": 3}))
    print(f"for 3 s: {further.ended}")

    path.write_text(SCENARIO.replace('"1 N", "1 N"', '"1 N", "1 V"'), encoding="utf-8")
    try:
        scenarios.find(path)
    except BadFile as mistake:
        print(f"a mistake: line {mistake.line}, {mistake.place}: {mistake.problem}")
    return float(run.x[-1, 1] - run.x[0, 1])


if __name__ == "__main__":
    main()
