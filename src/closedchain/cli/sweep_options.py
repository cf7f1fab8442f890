"""What can be typed after `sweep` and `design`. Nothing heavy is imported."""

from __future__ import annotations

import argparse
import math

from closedchain.cli.options import STATE_OPTIONS, Parser, json, mode, vector, whole_number

VALUES = {
    "--param", "--compute", "--sample", "--points", "--workers", "--grid", "--centre", "--cluster", "--report",
    "--checkpoint", "--minimise", "--maximise", "--subject-to", "--evaluations",
}  # fmt: skip
SAMPLES = ("grid", "random", "latin", "sobol", "saltelli")
VARIED = "0.30:0.50:21, 0.30:0.50, 0.3,0.4,0.5, normal(0.36,1mm), uniform(a,b) or triangular(a,b,c)"


def sweep(parser: Parser) -> None:
    """Options of `sweep`."""
    _subject(parser, "a robot's name, a mechanism file, or a study file (.toml)")
    parser.add_argument("--param", metavar="NAME=RANGE", action="append", default=[], help=f"{VARIED}; may be repeated")
    text = "what to compute at each point; may be repeated. `--compute list` tells what there is"
    parser.add_argument("--compute", metavar="NAME", action="append", default=[], help=text)
    parser.add_argument("--sample", choices=SAMPLES, help="how points are chosen (grid; random for distributions)")
    parser.add_argument("--points", type=whole_number, metavar="N", help="how many, unless they are a grid")
    _looking(parser)
    _state(parser)
    text = "where every point goes: .csv or .parquet; without it a table is printed"
    parser.add_argument("--out", metavar="FILE", help=text)
    parser.add_argument("--plot", metavar="FILE.png", help="heat map, curves or parallel coordinates, by what varies")
    parser.add_argument("--report", metavar="FILE.html", help="all of it in one page, with sensitivities")
    _running(parser)
    json(parser)


def design(parser: Parser) -> None:
    """Options of `design`."""
    _subject(parser, "a robot's name, a mechanism file, or a design file (.toml)")
    parser.add_argument("--param", metavar="NAME=LOW:HIGH", action="append", default=[], help="a dimension to choose")
    for option in ("--minimise", "--maximise"):
        text = "a measure of `closedchain sweep`; several give a Pareto front"
        parser.add_argument(option, metavar="NAME", action="append", default=[], help=text)
    text = "a bound: min_conditioning>=0.3 or moving_mass<=4; may be repeated"
    parser.add_argument("--subject-to", metavar="BOUND", action="append", default=[], help=text)
    tried = "designs the search tries; with one goal, making the best one finer takes some hundred more"
    parser.add_argument("--evaluations", type=whole_number, metavar="N", help=tried)
    _looking(parser)
    _state(parser)
    text = "from the robot's own dimensions to the best ones nearby, by exact derivatives: few designs, one goal"
    parser.add_argument("--gradient", action="store_true", help=text)
    parser.add_argument("--out", metavar="FILE.csv", help="the best design, or every design of the front")
    parser.add_argument("--plot", metavar="FILE.png", help="draw the front")
    json(parser)


def _subject(parser: Parser, text: str) -> None:
    parser.add_argument("robot", metavar="ROBOT|FILE", help=text)
    text = "another value for a parameter that does not vary; may be repeated"
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], dest="settings", help=text)


def _looking(parser: Parser) -> None:
    """Where measures look."""
    text = "part of the plane that is looked at; where the reach has no end, twice the robot's size unless given"
    parser.add_argument("--window", metavar="X,X,Y,Y", help=text)
    parser.add_argument("--grid", type=whole_number, metavar="N", help="cells along the window's longer side (64)")
    parser.add_argument("--working", metavar="MODE", type=mode, help="working mode (the first one)")
    parser.add_argument("--orientation", metavar="ANGLE", help="of a plate")
    parser.add_argument("--height", metavar="LENGTH", help="of a point in space")
    parser.add_argument("--condition", metavar="LEAST", type=_share, help="the least 1/κ that counts as dexterous (0)")
    parser.add_argument("--centre", metavar="X,Y", help="of the regular workspace (the window's)")
    parser.add_argument("--shape", choices=("square", "disc"), help="of the regular workspace (square)")
    parser.add_argument("--scenario", metavar="NAME|FILE", help="whose trajectory or run is meant")
    parser.add_argument("--seed", type=whole_number, metavar="S", help="of everything random (0)")


def _state(parser: Parser) -> None:
    """Where evaluate.… is asked."""
    for option in STATE_OPTIONS:
        vector(parser, option)
    parser.add_argument("--assembly", metavar="MODE", type=mode, help="of the state of evaluate.…, with --q")


def _running(parser: Parser) -> None:
    """How a study is run."""
    text = "processes (as many as there are cores); 0 runs in this one. The numbers do not depend on it"
    parser.add_argument("--workers", type=whole_number, metavar="N", help=text)
    parser.add_argument("--time-limit", type=_positive, metavar="SECONDS", help="of one point, which is then marked")
    parser.add_argument(
        "--memory-limit", type=_positive, metavar="MB", help="of one point, beyond what a process holds"
    )
    text = "where finished points are kept (beside --out, ending in .sqlite)"
    parser.add_argument("--checkpoint", metavar="FILE", help=text)
    parser.add_argument("--resume", action="store_true", help="run only what the checkpoint does not have")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler, tls://host:8786")
    for option, text in (("--tls-ca", "who signs"), ("--tls-cert", "our certificate"), ("--tls-key", "its key")):
        parser.add_argument(option, metavar="FILE.pem", help=f"of the cluster: {text}")
    parser.add_argument("--insecure", action="store_true", help="allow tcp:// to another computer")


def _share(text: str) -> float:
    value = _number(text)
    if not 0.0 <= value < 1.0:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not between 0 and 1")
    return value


def _positive(text: str) -> float:
    value = _number(text)
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not above 0")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number") from None
