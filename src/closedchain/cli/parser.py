"""What can be typed: every command and its options. Nothing heavy is imported, so that --help answers at once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence

from closedchain import __version__
from closedchain.cli import (
    fit_options,
    lab_options,
    options,
    path_options,
    sweep_options,
    transmission_options,
    verify_options,
)
from closedchain.cli.options import (
    COMMAND_OPTIONS,
    FILE_OPTIONS,
    LOAD_OPTIONS,
    MODE_OPTIONS,
    RUN_OPTIONS,
    START_OPTIONS,
    STATE_OPTIONS,
    Arguments,
    Parser,
    Usage,
)

__all__ = ["COMMANDS", "RUN_OPTIONS", "Arguments", "Parser", "Usage", "build", "join_values", "parse"]

MODES = {*MODE_OPTIONS, *path_options.MODES}
TAKES_VALUE = {
    *STATE_OPTIONS, *LOAD_OPTIONS, *MODES, *RUN_OPTIONS, *COMMAND_OPTIONS, *FILE_OPTIONS, *path_options.VALUES,
    *lab_options.VALUES, *fit_options.VALUES, *sweep_options.VALUES, *verify_options.VALUES,
    *transmission_options.VALUES, "--set", "--states", "--seed", "--format", "--chart",
    "--gradient",
}  # fmt: skip
FORMATS = "mjcf, sdf, urdf, c, fmu, casadi, js, html; header, object: code for a target; ros2"
EPILOG = """\
Vectors are written with commas, in SI or with a unit each: --q -0.1,0.2   --x "-3, -1, 45deg"
Exit codes: 0 ok, 1 a check failed, 2 usage, 3 bad input file, 4 no solution or singular, 5 limit, 130 cancelled.
"""


def parse(argv: Sequence[str]) -> Arguments:
    """The command and its options; raises Usage."""
    whole = build()
    ours, theirs = lab_options.split(argv)
    words = join_values(ours)
    _check_command(words)
    args = whole.parse_args(words)
    args.arguments = theirs  # of a lab script
    return args


def join_values(argv: Sequence[str]) -> list[str]:
    """`--q -0.1,0.2` becomes `--q=-0.1,0.2`: argparse takes a value that begins with a minus for an option.

    It also drops a value that is "--", the working mode, so modes go through it with the typographic minus; no other
    option has that value.
    """
    joined: list[str] = []
    for word in argv:
        waiting = bool(joined) and joined[-1] in TAKES_VALUE
        if waiting and word != "-h" and not re.match("--[A-Za-z]", word):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    modes = tuple(f"{option}=" for option in MODES)
    for word in joined:
        if re.fullmatch("--[A-Za-z][^=]*=--", word) and not word.startswith(modes):
            raise Usage(f"{word[:-3]} has no value: '--' is none")
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
    for name, (question, ask) in COMMANDS.items():
        ask(commands.add_parser(name, help=question, description=f"{question[:1].upper()}{question[1:]}."))
    return whole


# The commands --------------------------------------------------------------------------------------


def _show(parser: Parser) -> None:
    options.robot(parser)
    parser.add_argument("--toml", action="store_true", help="print it as a mechanism file")
    options.json(parser)


def _check(parser: Parser) -> None:
    options.robot(parser)
    parser.add_argument("--states", type=options.count, default=2000, metavar="N", help="how many random states (2000)")
    parser.add_argument("--seed", type=options.whole_number, default=0, metavar="S", help="of the random states (0)")
    options.json(parser)


def _equations(parser: Parser) -> None:
    options.robot(parser)
    formats = ("markdown", "latex", "mathml", "text")
    what = "markdown, a LaTeX document, an HTML page with the formulas as MathML, or text"
    parser.add_argument("--format", choices=formats, default="markdown", help=what)
    options.json(parser)


def _solve(parser: Parser) -> None:
    kinds = parser.add_subparsers(title="which way", metavar="inverse|direct", dest="kind", required=True)
    texts = {"inverse": ("--x", "every q that puts the output at x"), "direct": ("--q", "every x that q allows")}
    for kind, (option, text) in texts.items():
        one = kinds.add_parser(kind, help=text, description=f"{text[:1].upper()}{text[1:]}.")
        if kind == "direct":
            words = "also the polynomial of degree 6 of a plate on three legs: its coefficients and all complex roots"
            one.add_argument("--polynomial", action="store_true", help=words)
        options.robot(one)
        options.vector(one, option, required=True)
        options.chart(one)
        text = "draw every solution, a panel each, the others behind it: .png, .svg or .pdf"
        one.add_argument("--plot", metavar="FILE.png", help=text)
        options.json(one)


def _evaluate(parser: Parser) -> None:
    options.robot(parser)
    for option in STATE_OPTIONS:
        options.vector(parser, option)
    for option, text in MODE_OPTIONS.items():
        parser.add_argument(option, metavar="MODE", type=options.mode, help=text)
    options.chart(parser)
    text = "also the linear model about this equilibrium, with efforts or motor voltages as inputs"
    parser.add_argument("--linear", choices=("tau", "voltage"), help=text)
    text = (
        "also the exact derivatives of a model (tau, M, x, margin …) by the state and the parameters p, or by one of "
        "them alone (tau:p); may be repeated"
    )
    parser.add_argument("--gradient", metavar="MODEL[:BY]", action="append", default=[], help=text)
    options.loads(parser)
    options.json(parser)


def _simulate(parser: Parser) -> None:
    text = "a scenario's name, or a scenario file (.toml); with --voltage or --effort also a robot"
    parser.add_argument("scenario", metavar="SCENARIO", nargs="?", help=text)
    parser.add_argument("--list", action="store_true", help="which scenarios there are")
    text = "another value: of a parameter, --set l=282.8mm, or of the file, --set controller.kp=50; may be repeated"
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], dest="settings", help=text)
    for option, (word, text) in (RUN_OPTIONS | COMMAND_OPTIONS | START_OPTIONS | FILE_OPTIONS).items():
        parser.add_argument(option, metavar=word, help=text, type=options.mode if option == "--assembly" else str)
    options.loads(parser)
    options.json(parser)


def _demo(parser: Parser) -> None:
    text = "where the report goes (closedchain-demo.html)"
    parser.add_argument("--out", metavar="FILE.html", default="closedchain-demo.html", help=text)
    options.json(parser)


def _schema(parser: Parser) -> None:
    kinds = ("mechanism", "scenario", "study", "design")
    parser.add_argument("kind", choices=kinds, nargs="?", default="mechanism", help="of which files (mechanism)")


def _export(parser: Parser) -> None:
    options.robot(parser)
    parser.add_argument("--to", metavar="FORMAT", required=True, help=FORMATS)
    parser.add_argument("--scenario", metavar="NAME", help="with html: a simulation that the page plays")
    parser.add_argument("--controller", metavar="NAME", help="with c or fmu: the controller of this scenario by itself")
    options.loads(parser)
    transmission_options.target(parser)
    parser.add_argument("--out", metavar="FILE", help="where to; without it a single text goes to stdout")
    options.json(parser)


def _import(parser: Parser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        help="MJCF (.xml), SDF (.sdf) or URDF (.urdf, with its .yaml beside it), or a folder with one of them",
    )
    parser.add_argument("--output", metavar="NAME", help="the body or frame that the robot moves")
    parser.add_argument("--key", metavar="NAME", help="close the loops from this keyframe of an MJCF file")
    parser.add_argument("--part", metavar="BODY", help="cut out what hangs on this body, which becomes the ground")
    parser.add_argument("--out", metavar="ROBOT.toml", help="write it as a mechanism file")
    options.json(parser)
    parser.set_defaults(command="import_")  # the command's file: `import` is Python's own word


def _studio(parser: Parser) -> None:
    parser.add_argument("robot", metavar="ROBOT", nargs="?", help=options.ROBOT)
    parser.add_argument("--port", type=options.whole_number, default=0, metavar="N", help="any free one unless given")
    parser.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    text = "the folder whose files it may read (the current one)"
    parser.add_argument("--workspace", metavar="DIR", default=".", help=text)
    text = "listen elsewhere than on 127.0.0.1; other computers can then reach it"
    parser.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help=text)
    text = "with --host: another name by which browsers call this computer; may be repeated"
    parser.add_argument("--name", metavar="HOST", action="append", default=[], help=text)


def _complete(parser: Parser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")


def _nothing(parser: Parser) -> None:
    """No options."""


def _bench(parser: Parser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="which benchmarks; all unless given")
    options.json(parser)


COMMANDS: dict[str, tuple[str, Callable[[Parser], None]]] = {
    "demo": ("the whole story on the biglide, ending in one HTML report", _demo),
    "list": ("which robots and linkages there are", options.json),
    "show": ("what a robot is: its parts, parameters and coordinates", _show),
    "check": ("does it obey the laws of physics", _check),
    "verify": ("is it what independent engines say, quantity by quantity", verify_options.verify),
    "equations": ("its equations as formulas", _equations),
    "solve": ("every solution of its geometry", _solve),
    "evaluate": ("all models at a state", _evaluate),
    "simulate": ("a robot under control: a scenario by its name or its file", _simulate),
    "singular": ("is a pose singular, or where on a segment is it", path_options.singular),
    "map": ("determinants, conditioning and efforts over the plane", path_options.map_),
    "workspace": ("how large its workspace is, and its aspects", path_options.workspace),
    "plan": ("a motion that avoids singularities and collisions", path_options.plan),
    "crossing": ("a motion through a Type 2 singularity with bounded efforts", path_options.crossing),
    "sweep": ("how an answer changes over many robots", sweep_options.sweep),
    "design": ("which dimensions are best, and what is traded for what", sweep_options.design),
    "calibrate": ("which dimensions measurements tell, and which they cannot", fit_options.calibrate),
    "identify": ("which masses, inertias and friction efforts tell", fit_options.identify),
    "transmission": ("between the motors and the joints of a loop", transmission_options.transmission),
    "export": ("the robot for another program, or as one HTML page", _export),
    "import": ("what a model file of another program holds, as a robot of ours", _import),
    "lab": ("the teaching lab: run its scripts without ROS and Gazebo", lab_options.lab),
    "studio": ("the browser workbench: drag the robot, see its branches, play", _studio),
    "schema": ("the JSON Schema of mechanism, scenario, study or design files", _schema),
    "mcp": (
        "these questions for agents, by the Model Context Protocol",
        _nothing,
    ),
    "complete": ("lets bash, zsh or fish complete these commands", _complete),
    "bench": ("how fast it is beside others", _bench),
    "doctor": ("is this installation in order", options.json),
}
