"""There and back: a robot as MJCF, SDF and URDF, read again, and a file of another program as a robot of ours.

URDF has no loops, Gazebo takes them as a second parent, MuJoCo as an equality. The triplate is written in each of them
and read again: the mass matrix is the same. Then a five-bar as MuJoCo has it, in a vertical plane and with capsules for
masses, becomes a robot with working modes and every solution.
"""

import tempfile
from pathlib import Path

import numpy as np

import closedchain as cc
from closedchain.exchange.importing import import_model
from closedchain.exchange.writing import mjcf_files, sdf_files, urdf_files

THEIRS = Path(__file__).with_name("fivebar.xml")


def main() -> float:
    """How high the five-bar's tip is with both of its joints at zero [m]."""
    robot = cc.load("triplate")
    state = cc.state(robot, x=[-3.0, -1.0, 0.8])
    M = cc.evaluate(robot, q=state.q, x=state.x, q_dot=[0.0, 0.0, 0.0]).M

    # Each format in its own words; what it has no word for is said.
    with tempfile.TemporaryDirectory() as folder:
        for write in (mjcf_files, sdf_files, urdf_files):
            files, notes = write(robot)
            for ending, text in files.items():
                Path(folder, f"triplate{ending}").write_text(text, encoding="utf-8")
            found = import_model(Path(folder, f"triplate{next(iter(files))}"))
            assert found.recipe is not None, found.notes
            back = cc.load(found.recipe)
            again = cc.evaluate(back, q=state.q, x=state.x, q_dot=[0.0, 0.0, 0.0]).M
            change = np.abs(again - M).max() / np.abs(M).max()
            print(f"{' and '.join(files)}: {found.analysis.counts}, M differs by {change:.0e}")
            assert change < 1e-12
            for note in notes:
                print("  said:", note)

    # A file that was not made here: its counts first, then what it is in points and bars.
    found = import_model(THEIRS, output="tip")
    print(found.reading.tree.name, found.analysis.counts)
    for note in found.notes:
        print("  said:", note)
    assert found.recipe is not None, "it can be told in points and bars"
    theirs = cc.load(found.recipe)
    poses = cc.direct(theirs, q=[0.0, 0.0])
    print(poses)
    report = cc.check(theirs, states=200)
    print(report)
    assert report.ok
    return float(poses.x[:, 1].max())


if __name__ == "__main__":
    main()
