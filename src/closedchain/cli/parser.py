"""What can be typed: every command and its options. Nothing heavy is imported, so that --help answers at once."""

from __future__ import annotations

import argparse
import difflib
import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from closedchain import __version__

Arguments = argparse.Namespace
ROBOT = "a robot's name, name:preset, or a mechanism file (.toml)"
STATE_OPTIONS = {
    "--q": "the drives' coordinates",
    "--q-dot": "their rates",
    "--q-ddot": "their accelerations",
    "--x": "the output's coordinates",
    "--x-dot": "their rates",
    "--x-ddot": "their accelerations",
    "--tau": "efforts of the drives; the accelerations follow",
    "--voltage": "voltages of the motors; the accelerations follow",
}
MODE_OPTIONS = {
    "--assembly": 'assembly mode, with --q: "+", "-", "+1" … as `solve direct` names them',
    "--working": 'working mode, with --x: "++", "+-" … as `solve inverse` names them',
}
RUN_OPTIONS = {
    "--interval": ("SECONDS", "between commands, in place of the scenario's: 0.01 or 10ms"),
    "--duration": ("SECONDS", "of the run, in place of the scenario's"),
    "--step": ("SECONDS", "longest integration step (1 ms)"),
    "--method": ("NAME", "rk4, rk6, gauss4 or dop853"),
}
FILE_OPTIONS = {
    "--out": ("FILE.npz", "write every history"),
    "--csv": ("FILE.csv", "write every history as a table"),
    "--plot": ("FILE.png", "draw tracking, efforts and energy: .png, .svg or .pdf"),
    "--animate": ("FILE.html", "write an animation that plays in any browser"),
}
TAKES_VALUE = {*STATE_OPTIONS, *MODE_OPTIONS, *RUN_OPTIONS, *FILE_OPTIONS, "--set", "--states", "--seed", "--format"}
EPILOG = """\
Vectors are written with commas, in SI or with a unit each: --q -0.1,0.2   --x "-3, -1, 45deg"
Exit codes: 0 ok, 1 a check failed, 2 usage, 3 bad input file, 4 no solution or singular, 5 limit, 130 cancelled.
"""


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


def parse(argv: Sequence[str]) -> Arguments:
    """The command and its options; raises Usage."""
    whole = build()
    words = join_values(argv)
    _check_command(words)
    return whole.parse_args(words)


def join_values(argv: Sequence[str]) -> list[str]:
    """`--q -0.1,0.2` becomes `--q=-0.1,0.2`: argparse takes a value that begins with a minus for an option.

    It also drops a value that is "--", the working mode, so modes go through it with the typographic minus.
    """
    joined: list[str] = []
    for word in argv:
        waiting = bool(joined) and joined[-1] in TAKES_VALUE
        if waiting and word != "-h" and not re.match("--[A-Za-z]", word):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    modes = tuple(f"{option}=" for option in MODE_OPTIONS)
    return [w[: w.index("=")] + w[w.index("=") :].replace("-", "−") if w.startswith(modes) else w for w in joined]


def _check_command(words: Sequence[str]) -> None:
    """An unknown command, with the known ones."""
    first = words[0] if words else ""
    if not words:
        raise Usage(f"which command? There are {', '.join(COMMANDS)}; see `closedchain --help`")
    if not first.startswith("-") and first not in COMMANDS:
        near = difflib.get_close_matches(first, COMMANDS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(COMMANDS)}"
        raise Usage(f"unknown command {first[:40]!r}; {hint}")


def build() -> Parser:
    """The whole parser."""
    about = "Parallel robots and Lagrangian dynamics: from one short description to every model."
    whole = Parser(prog="closedchain", description=about, epilog=EPILOG)
    whole.add_argument("--version", action="version", version=f"closedchain {__version__}")
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for name, (question, options) in COMMANDS.items():
        options(commands.add_parser(name, help=question, description=f"{question[:1].upper()}{question[1:]}."))
    return whole


# Options that several commands share ---------------------------------------------------------------


def _robot(parser: Parser) -> None:
    parser.add_argument("robot", metavar="ROBOT", help=ROBOT)
    text = "another value for a parameter, with a unit if you like: --set l=282.8mm; may be repeated"
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], dest="settings", help=text)


def _json(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="answer with one JSON document")


def _vector(parser: Parser, option: str, required: bool = False) -> None:
    parser.add_argument(option, metavar="V,V,…", required=required, help=STATE_OPTIONS[option])


def _mode(text: str) -> str:
    return text.replace("−", "-")


def _whole_number(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number")
    return int(text)


def _count(text: str) -> int:
    number = _whole_number(text)
    if not 1 <= number <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{number} is not between 1 and 1000000")
    return number


# The commands --------------------------------------------------------------------------------------


def _show(parser: Parser) -> None:
    _robot(parser)
    parser.add_argument("--toml", action="store_true", help="print it as a mechanism file")
    _json(parser)


def _check(parser: Parser) -> None:
    _robot(parser)
    parser.add_argument("--states", type=_count, default=2000, metavar="N", help="how many random states (2000)")
    parser.add_argument("--seed", type=_whole_number, default=0, metavar="S", help="of the random states (0)")
    _json(parser)


def _equations(parser: Parser) -> None:
    _robot(parser)
    formats = ("markdown", "latex", "text")
    parser.add_argument("--format", choices=formats, default="markdown", help="markdown, a LaTeX document, or text")
    _json(parser)


def _solve(parser: Parser) -> None:
    kinds = parser.add_subparsers(title="which way", metavar="inverse|direct", dest="kind", required=True)
    texts = {"inverse": ("--x", "every q that puts the output at x"), "direct": ("--q", "every x that q allows")}
    for kind, (option, text) in texts.items():
        one = kinds.add_parser(kind, help=text, description=f"{text[:1].upper()}{text[1:]}.")
        _robot(one)
        _vector(one, option, required=True)
        _json(one)


def _evaluate(parser: Parser) -> None:
    _robot(parser)
    for option in STATE_OPTIONS:
        _vector(parser, option)
    for option, text in MODE_OPTIONS.items():
        parser.add_argument(option, metavar="MODE", type=_mode, help=text)
    _json(parser)


def _simulate(parser: Parser) -> None:
    parser.add_argument("scenario", metavar="SCENARIO", nargs="?", help="a scenario's name, or a scenario file (.toml)")
    parser.add_argument("--list", action="store_true", help="which scenarios there are")
    text = "another value: of a parameter, --set l=282.8mm, or of the file, --set controller.kp=50; may be repeated"
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], dest="settings", help=text)
    for option, (word, text) in (RUN_OPTIONS | FILE_OPTIONS).items():
        parser.add_argument(option, metavar=word, help=text)
    _json(parser)


def _demo(parser: Parser) -> None:
    text = "where the report goes (closedchain-demo.html)"
    parser.add_argument("--out", metavar="FILE.html", default="closedchain-demo.html", help=text)
    _json(parser)


def _schema(parser: Parser) -> None:
    kinds = ("mechanism", "scenario")
    parser.add_argument("kind", choices=kinds, nargs="?", default="mechanism", help="of which files (mechanism)")


def _bench(parser: Parser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="which benchmarks; all unless given")
    _json(parser)


COMMANDS: dict[str, tuple[str, Callable[[Parser], None]]] = {
    "demo": ("the whole story on the biglide, ending in one HTML report", _demo),
    "list": ("which robots there are", _json),
    "show": ("what a robot is: its parts, parameters and coordinates", _show),
    "check": ("does it obey the laws of physics", _check),
    "equations": ("its equations as formulas", _equations),
    "solve": ("every solution of its geometry", _solve),
    "evaluate": ("all models at a state", _evaluate),
    "simulate": ("a robot under control: a scenario by its name or its file", _simulate),
    "schema": ("the JSON Schema of mechanism or scenario files", _schema),
    "bench": ("how fast it is beside others", _bench),
    "doctor": ("is this installation in order", _json),
}
