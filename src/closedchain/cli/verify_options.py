"""What can be typed after `closedchain verify`. Nothing heavy is imported."""

from __future__ import annotations

from closedchain.cli import options
from closedchain.cli.options import MODE_OPTIONS, ROBOT, Parser

ENGINES = ("mujoco", "pinocchio", "all", "none")
MOTIONS = ("oscillation", "trajectory", "release", "random", "all")
VALUES = {"--engine", "--motion", "--model", "--engine-set"}


def verify(parser: Parser) -> None:
    """ROBOT or --all, the engines, the motions, the branch, the files."""
    parser.add_argument("robot", metavar="ROBOT", nargs="?", help=f"{ROBOT}; or --all")
    parser.add_argument("--all", action="store_true", help="every shipped robot with every parameter set")
    text = "another value for a parameter, with a unit if you like: --set l=282.8mm; may be repeated"
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], dest="settings", help=text)
    parser.add_argument("--engine", choices=ENGINES, default="all", help="which engines; all that are installed")
    text = (
        f"on which motions: {', '.join(MOTIONS)} (all); or your own: formulas of each coordinate, "
        '"q1 = 0.1*sin(t); q2 = 0", a table of numbers (.csv, .txt), or a scenario (.toml)'
    )
    parser.add_argument("--motion", metavar="MOTION", default="all", help=text)
    parser.add_argument("--duration", metavar="SECONDS", help="of a motion by formulas (3 s)")
    text = "also compare the model functions of your own Python file, which is run; may be repeated"
    parser.add_argument("--model", metavar="FILE.py", action="append", default=[], dest="models", help=text)
    text = "another value in the engine's robot only: --engine-set l=360.555mm; may be repeated"
    parser.add_argument("--engine-set", metavar="NAME=VALUE", action="append", default=[], help=text)
    for option, words in MODE_OPTIONS.items():
        text = words.partition(",")[0] + " that the motions stay on"
        parser.add_argument(option, metavar="MODE", type=options.mode, help=text)
    parser.add_argument("--states", type=options.count, default=60, metavar="N", help="how many random states (60)")
    parser.add_argument("--seed", type=options.whole_number, default=0, metavar="S", help="of random states (0)")
    parser.add_argument("--html", metavar="FILE.html", help="write tables and figures as one page")
    parser.add_argument("--plot", metavar="FILE.png", help="draw both programs and their differences: .png, .svg, .pdf")
    parser.add_argument("--markdown", action="store_true", help="answer with a table for a document")
    options.json(parser)
