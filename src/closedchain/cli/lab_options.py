"""What can be typed after `lab`. Nothing heavy is imported."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from closedchain.cli.options import Parser, count, json, whole_number

RUN_VALUES = {
    "--duration": ("SECONDS", "of simulation, after which Ctrl-C is pressed: the script's closing code runs"),
    "--robot": ("ROBOT", "in place of the one that the script names: a robot's name or a mechanism file"),
    "--engine": ("NAME", "what moves: exact (our own model) or mujoco"),
    "--clock": ("NAME", "what the script's `time` goes by: simulated, or wall (so with --real-time)"),
    "--out": ("DIR", "where page, pictures and motions go (lab-runs/SCRIPT-1, -2, …)"),
    "--html": ("FILE.html", "only the page, and where"),
}
PARAMETERS = ("--robot-param", "--set")
FLAGS = {
    "--real-time": "10 ms of simulation take 10 ms (as fast as it can)",
    "--live": "a page in the browser that is up to date while the script runs",
    "--no-page": "write nothing",
}
CHOICES = {"--engine": ("exact", "mujoco"), "--clock": ("simulated", "wall")}
VALUES = {
    *RUN_VALUES,
    *PARAMETERS,
    "--csv",
    "--pages",
    "--results",
    "--task",
    "--tolerance",
    "--weights",
    "--modes",
    "--workers",
    "--timeout",
    "--port",
}
SUB = {
    "run": "a lab script as it is, without ROS, Gazebo and Qt",
    "new": "fresh files for a group to start from",
    "grade": "evaluate the models that a group wrote",
    "serve": "a folder of runs in the browser",
}


def split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our words and the script's: after SCRIPT, what is no option of ours is the script's, and all after `--`."""
    words = list(argv)
    if words[:2] != ["lab", "run"]:
        return words, []
    theirs: list[str] = []
    ours, script, rest = words[:2], False, iter(words[2:])
    for word in rest:
        name = word.partition("=")[0]
        if word == "--":
            tail = list(rest)
            ours, theirs = (ours, theirs + tail) if script else (ours + tail[:1], tail[1:])
            break
        if name in FLAGS or (name in {*RUN_VALUES, *PARAMETERS} and "=" in word):
            ours.append(word)
        elif name in {*RUN_VALUES, *PARAMETERS}:
            ours.append(word)
            ours += [value] if (value := next(rest, None)) is not None else []
        elif script:
            theirs.append(word)
        else:
            ours.append(word)
            script = not word.startswith("-")
    return ours, theirs


def lab(parser: Parser) -> None:
    """Options of `lab`."""
    kinds = parser.add_subparsers(title="what to do", metavar="|".join(SUB), dest="kind", required=True)
    for kind, ask in {"run": _run, "new": _new, "grade": _grade, "serve": _serve}.items():
        ask(kinds.add_parser(kind, help=SUB[kind], description=f"{SUB[kind][:1].upper()}{SUB[kind][1:]}."))


def _run(parser: Parser) -> None:
    parser.usage = "closedchain lab run [options] SCRIPT [what the script takes …]"
    parser.add_argument("script", metavar="SCRIPT", help="a Python file; what follows it is its own, surely after `--`")
    text = "another value of the robot's: --robot-param l=0.3606; may be repeated"
    parser.add_argument(*PARAMETERS, metavar="NAME=VALUE", action="append", default=[], dest="settings", help=text)
    for option, (word, text) in RUN_VALUES.items():
        parser.add_argument(option, metavar=word, choices=CHOICES.get(option), help=text)
    for option, text in FLAGS.items():
        parser.add_argument(option, action="store_true", help=text)


def _new(parser: Parser) -> None:
    text = "which robot the group models: biglide and fivebar are the lab's; any robot's name, or a mechanism file"
    parser.add_argument("robot", metavar="ROBOT", help=text)
    parser.add_argument("folder", metavar="DIR", help="a new or empty folder")
    parser.set_defaults(settings=[])


def _grade(parser: Parser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="model files, control.py, or folders of submissions")
    json(parser)
    parser.add_argument("--html", metavar="FILE.html", help="write a report")
    parser.add_argument("--csv", metavar="FILE.csv", help="write a summary table, one row per file")
    parser.add_argument("--pages", metavar="DIR", help="write one page for each group, to hand back")
    parser.add_argument("--results", metavar="results.json", help="write one submission's grade as autograders read it")
    parser.add_argument("--workers", type=count, metavar="N", help="how many at once (the number of processors)")
    text = "of processor time, for one function (10), or for a whole control.py (60)"
    parser.add_argument("--timeout", type=_positive, metavar="SECONDS", help=text)
    text = "where a file's name does not tell: a robot's name, or a mechanism file"
    parser.add_argument("--robot", metavar="ROBOT", help=text)
    parser.add_argument("--seed", type=whole_number, metavar="S", help="of the random states (another each time)")
    text = "largest error of a right answer, of the quantity's size (1e-6)"
    parser.add_argument("--tolerance", type=_positive, default=1e-6, metavar="SHARE", help=text)
    parser.add_argument("--weights", default="", metavar="IGM=2,…", help="what functions count, in place of 1 each")
    text = "which modes count: all, or lab (the figure's: the tip above, gamma1 = gamma2 = -1)"
    parser.add_argument("--modes", choices=("all", "lab"), help=text)
    text = "what control.py is to do: five-bar, five-bar-crossing, biglide, or a TOML file; may be repeated"
    parser.add_argument("--task", metavar="TASK", action="append", default=[], help=text)
    text = "simulated, of control.py (10)"
    parser.add_argument("--duration", type=_positive, default=10.0, metavar="SECONDS", help=text)
    parser.set_defaults(settings=[])


def _serve(parser: Parser) -> None:
    parser.add_argument("folder", metavar="DIR", nargs="?", default="lab-runs", help="a folder of runs (lab-runs)")
    parser.add_argument("--port", type=_port, default=0, metavar="N", help="of 127.0.0.1 (any that is free)")


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number") from None
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text[:40]} is not positive")
    return value


def _port(text: str) -> int:
    number = whole_number(text)
    if number > 65535:
        raise argparse.ArgumentTypeError(f"{number} is not a port: they end at 65535")
    return number
