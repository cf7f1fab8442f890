"""What can be typed after `singular`, `map`, `workspace`, `plan` and `crossing`. Nothing heavy is imported."""

from __future__ import annotations

import argparse
import re

from closedchain.cli.options import MODE_OPTIONS, Parser, chart, json, mode, robot, vector

MODES = ("--goal-working", "--end-working")
VALUES = {
    "--from", "--to", "--type", "--plot", "--window", "--shape", "--quantity", "--orientation", "--height", "--out",
    "--condition", "--width", "--obstacle", "--ignore", "--objective", "--margin", "--resolution", "--duration",
    "--push", "--scenario", "--table", "--space", "--fix", "--lines", "--box", "--grow", "--hold",
}  # fmt: skip
QUANTITIES = ("det_A", "det_B", "condition", "effort", "slack")
OBJECTIVES = ("shortest", "clearance")
PLOT = "FILE.png"
OBSTACLE = "disc:x,y,radius, wall:x,y,x,y[,thickness] or polygon:x,y,x,y,x,y,…; may be repeated"


def singular(parser: Parser) -> None:
    """Options of `singular`."""
    robot(parser)
    for option in ("--q", "--x"):
        vector(parser, option)
    parser.add_argument("--assembly", metavar="MODE", type=mode, help=MODE_OPTIONS["--assembly"])
    text = 'working mode, "++", "+-" …, or the one that the robot is built in; "all" on a segment, as without one'
    parser.add_argument("--working", metavar="MODE", type=mode, help=text)
    _ends(parser, required=False)
    chart(parser)
    parser.add_argument("--type", choices=("1", "2"), help="which type, on a segment or of curves (both unless given)")
    text = "prove a box of poses free of singularities: roll=-20deg:20deg,yaw=-60deg:60deg; other coordinates as in --x"
    parser.add_argument("--box", metavar="NAME=A:B,…", help=text)
    text = "grow such a box about --x by steps to each side, as far as that is proven: roll=5deg,yaw=5deg"
    parser.add_argument("--grow", metavar="NAME=STEP,…", help=text)
    _locus(parser)
    _plot(parser, "draw the pose with its free motion, det A along the segment, or the curves")
    json(parser)


def map_(parser: Parser) -> None:
    """Options of `map`."""
    robot(parser)
    _plane(parser)
    text = "rows and columns of the grid (1000,1000; 400,400 for a picture)"
    parser.add_argument("--shape", metavar="N,M", type=_pair, help=text)
    text = f"{', '.join(QUANTITIES)}; may be repeated. All unless given; of several a picture shows the first"
    parser.add_argument("--quantity", metavar="NAME", choices=QUANTITIES, action="append", help=text)
    text = "where the map goes: .npz or .npy holds numbers; .png, .svg or .pdf is a picture"
    parser.add_argument("--out", metavar="FILE", required=True, help=text)
    json(parser)


def workspace(parser: Parser) -> None:
    """Options of `workspace`."""
    robot(parser)
    _plane(parser)
    parser.add_argument("--aspects", action="store_true", help="the parts between which Type 2 singularities lie")
    text = "also the area where 1/κ of A is at least this, between 0 and 1"
    parser.add_argument("--condition", metavar="LEAST", type=_share, help=text)
    _plot(parser, "draw the reach, its aspects and the singular curves, a panel for each working mode")
    json(parser)


def plan(parser: Parser) -> None:
    """Options of `plan`."""
    robot(parser)
    _ends(parser, required=True)
    parser.add_argument("--working", metavar="MODE", type=mode, help="working mode at the start (any)")
    parser.add_argument("--goal-working", metavar="MODE", type=mode, help="working mode at the goal (any)")
    parser.add_argument("--keep-mode", action="store_true", help="no change of working mode on the way")
    text = "least σ_min/σ_max of A and least sine of a leg (0.02)"
    parser.add_argument("--margin", metavar="LEAST", type=_share, default=0.02, help=text)
    parser.add_argument("--width", metavar="LENGTH", help="of the links, which may not meet (0)")
    parser.add_argument("--obstacle", metavar="SHAPE", action="append", default=[], help=OBSTACLE)
    text = 'a body, or a pair "a|b", that may meet; may be repeated'
    parser.add_argument("--ignore", metavar="NAME", action="append", default=[], help=text)
    text = "what the motion is to be: shortest, or with the most room (clearance)"
    parser.add_argument("--objective", choices=OBJECTIVES, default="shortest", help=text)
    parser.add_argument("--resolution", metavar="LENGTH", help="step of the grid that is searched")
    _plot(parser, "draw the way, the robot along it and the obstacles")
    json(parser)


def crossing(parser: Parser) -> None:
    """Options of `crossing`."""
    parser.add_argument("robot", metavar="ROBOT", nargs="?", help="the robot; not with --scenario")
    text = "another value for a parameter: --set l=282.8mm; may be repeated"
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], dest="settings", help=text)
    _ends(parser, required=False)
    parser.add_argument("--duration", metavar="SECONDS", help="of the motion")
    parser.add_argument("--working", metavar="MODE", type=mode, help="working mode at the start (one that crosses)")
    text = "and at the end (the same; without --working one that crosses)"
    parser.add_argument("--end-working", metavar="MODE", type=mode, help=text)
    text = "break the criterion by this force along the free motion, to see what happens (0)"
    parser.add_argument("--push", metavar="FORCE", help=text)
    parser.add_argument("--scenario", metavar="NAME", help="check a scenario's own trajectory instead of planning one")
    text = "write the drives over time: .csv with commas, or .txt with spaces, columns named like them"
    parser.add_argument("--table", metavar="FILE.csv", help=text)
    parser.add_argument("--interval", metavar="SECONDS", help="between the rows of --table (2 ms)")
    _plot(parser, "draw efforts and det A over time, and the efforts near the crossing")
    json(parser)


def _locus(parser: Parser) -> None:
    parser.add_argument("--locus", action="store_true", help="trace the singular curves of a plane instead")
    text = "which plane: of two coordinates of the output, or of two drives (output)"
    parser.add_argument("--space", choices=("output", "joint"), help=text)
    text = "a coordinate that stays: --fix phi=10deg, --fix rho1=14.98; may be repeated"
    parser.add_argument("--fix", metavar="NAME=VALUE", action="append", default=[], help=text)
    text = "from, to, from, to of the two that vary (whole turns, three times the robot's size, for drives)"
    parser.add_argument("--window", metavar="A,A,B,B", help=text)
    parser.add_argument("--lines", metavar="N", type=int, default=24, help="grid lines each way on which to look (24)")


def _ends(parser: Parser, required: bool) -> None:
    parser.add_argument("--from", metavar="X,X,…", dest="start", required=required, help="the output at the start")
    parser.add_argument("--to", metavar="X,X,…", dest="goal", required=required, help="the output at the end")


def _plane(parser: Parser) -> None:
    parser.add_argument(
        "--window", metavar="X,X,Y,Y", help="x from, to, y from, to (the whole reach, if it has an end)"
    )
    text = "working mode; may be repeated (all unless given)"
    parser.add_argument("--working", metavar="MODE", type=mode, action="append", help=text)
    parser.add_argument("--orientation", metavar="ANGLE", help="of a plate: 10deg")
    parser.add_argument("--height", metavar="LENGTH", help="of a point in space")
    text = "of a body in space: the coordinates that stay, all but two: x=0,y=0,z=0,roll=10deg"
    parser.add_argument("--hold", metavar="NAME=VALUE,…", help=text)


def _plot(parser: Parser, text: str) -> None:
    parser.add_argument("--plot", metavar=PLOT, help=f"{text}: .png, .svg or .pdf")


def _pair(text: str) -> tuple[int, int]:
    if not re.fullmatch(r"\d{1,6},\d{1,6}", text):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not two whole numbers with a comma, rows and columns")
    rows, columns = map(int, text.split(","))
    return rows, columns


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number") from None
    if not 0.0 <= value < 1.0:
        raise argparse.ArgumentTypeError(f"{text[:40]} is not between 0 and 1")
    return value
