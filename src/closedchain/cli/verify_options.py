"""What can be typed after `closedchain verify`. Nothing heavy is imported."""

from __future__ import annotations

from closedchain.cli import options
from closedchain.cli.options import MODE_OPTIONS, ROBOT, Parser

ENGINES = ("mujoco", "pinocchio", "all")
MOTIONS = ("oscillation", "trajectory", "random", "all")


def verify(parser: Parser) -> None:
    """ROBOT or --all, the engines, the motions, the branch, the files."""
    parser.add_argument("robot", metavar="ROBOT", nargs="?", help=f"{ROBOT}; or --all")
    parser.add_argument("--all", action="store_true", help="every shipped robot with every parameter set")
    text = "another value for a parameter, with a unit if you like: --set l=282.8mm; may be repeated"
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], dest="settings", help=text)
    parser.add_argument("--engine", choices=ENGINES, default="all", help="which engines; all that are installed")
    parser.add_argument("--motion", choices=MOTIONS, default="all", help="on which motions (all)")
    for option, words in MODE_OPTIONS.items():
        text = words.partition(",")[0] + " that the motions stay on"
        parser.add_argument(option, metavar="MODE", type=options.mode, help=text)
    parser.add_argument("--states", type=options.count, default=60, metavar="N", help="how many random states (60)")
    parser.add_argument("--seed", type=options.whole_number, default=0, metavar="S", help="of random states (0)")
    parser.add_argument("--html", metavar="FILE.html", help="write tables and figures as one page")
    parser.add_argument("--plot", metavar="FILE.png", help="draw both programs and their differences: .png, .svg, .pdf")
    parser.add_argument("--markdown", action="store_true", help="answer with a table for a document")
    options.json(parser)
