"""The words of the command line that several commands share. Nothing heavy is imported."""

from __future__ import annotations

import argparse
import functools
import re
from typing import Any, NoReturn

Arguments = argparse.Namespace
ROBOT = "a robot's name, name:preset, or a mechanism file (.toml)"
STATE_OPTIONS = {
    "--q": "the drives' coordinates; with --x a known configuration, which needs no closed form",
    "--q-dot": "their rates",
    "--q-ddot": "their accelerations",
    "--x": "the output's coordinates, or those of every body",
    "--x-dot": "their rates",
    "--x-ddot": "their accelerations",
    "--tau": "efforts of the drives; the accelerations follow",
    "--voltage": "voltages of the motors; the accelerations follow",
}
MODE_OPTIONS = {
    "--assembly": 'assembly mode, with --q: "+", "-", "+1" … as `solve direct` names them',
    "--working": 'working mode, with --x: "++", "+-" … as `solve inverse` names them',
}
CHARTS = ("rpy", "quaternion", "vector")
RUN_OPTIONS = {
    "--interval": ("SECONDS", "between commands, in place of the scenario's: 0.01 or 10ms"),
    "--duration": ("SECONDS", "of the run, in place of the scenario's"),
    "--step": ("SECONDS", "longest integration step (1 ms)"),
    "--method": (
        "NAME",
        "rk4, rk6, gauss4, rodas (implicit, for stiff robots), dop853, events (dry friction)",
    ),
}
COMMAND_OPTIONS = {
    "--voltage": ("FORMULA", 'of the motors in place of the scenario\'s law: "5*sin(2*pi*t)"; or "q1 = …; q2 = …"'),
    "--effort": ("FORMULA", "of the drives likewise [N, N m]"),
}
START_OPTIONS = {
    "--q": ("V,V,…", "where the drives begin, in place of the scenario's start (0); with --x a known configuration"),
    "--x": ("V,V,…", "where the output begins, in place of the scenario's start"),
    "--q-dot": ("V,V,…", "with which rates (0)"),
    "--assembly": ("MODE", "the assembly mode they begin in"),
}
FILE_OPTIONS = {
    "--out": ("FILE.npz", "write every history"),
    "--csv": ("FILE.csv", "write every history as a table"),
    "--plot": ("FILE.png", "draw tracking, efforts and energy: .png, .svg or .pdf"),
    "--animate": ("FILE", "write an animation: .html plays in any browser; also .gif, .mp4"),
}


LOAD_OPTIONS = {
    "--force": ("POINT=F,F", "an external force on a point, or on a place of a body, plate@0.1,0=2,0; may be repeated"),
    "--torque": ("BODY=T", "an external torque on a plate, bar, crank or telescope; may be repeated"),
}


class Usage(Exception):
    """A command line that cannot be understood."""


class Parser(argparse.ArgumentParser):
    """argparse with one-line errors, whole option names, and our text left as it is written."""

    def __init__(self, **options: Any) -> None:
        options.setdefault(
            "formatter_class", functools.partial(argparse.RawDescriptionHelpFormatter, max_help_position=32)
        )
        super().__init__(**options, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise Usage(f"{message}; see `{self.prog} --help`")


def robot(parser: Parser) -> None:
    """ROBOT and --set."""
    parser.add_argument("robot", metavar="ROBOT", help=ROBOT)
    text = "another value for a parameter, with a unit if you like: --set l=282.8mm; may be repeated"
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], dest="settings", help=text)


def json(parser: Parser) -> None:
    """--json."""
    parser.add_argument("--json", action="store_true", help="answer with one JSON document")


def vector(parser: Parser, option: str, required: bool = False) -> None:
    """An option whose value is a vector of the state."""
    parser.add_argument(option, metavar="V,V,…", required=required, help=STATE_OPTIONS[option])


def chart(parser: Parser) -> None:
    """--chart."""
    text = "how a pose in space is typed: x,y,z and roll,pitch,yaw (rpy), w,x,y,z (quaternion), or a rotation vector"
    parser.add_argument("--chart", choices=CHARTS, default=CHARTS[0], help=text)


def loads(parser: Parser) -> None:
    """--force and --torque."""
    for option, (word, text) in LOAD_OPTIONS.items():
        parser.add_argument(option, metavar=word, action="append", default=[], help=text)


def mode(text: str) -> str:
    """A mode's name, after argparse, with its minus signs."""
    return text.replace("−", "-")


def whole_number(text: str) -> int:
    """Nine digits at most."""
    if not re.fullmatch(r"\d{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number of at most nine digits")
    return int(text)


def count(text: str) -> int:
    """From 1 to a million."""
    number = whole_number(text)
    if not 1 <= number <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{number} is not between 1 and 1000000")
    return number
