"""The options of `closedchain transmission`, and those of code for a target that speak of the same maps."""

from __future__ import annotations

from closedchain.cli import options
from closedchain.cli.options import Parser

IMPORTED = {
    "--part": ("BODY", "of a model file: cut out what hangs on this body, which becomes the ground"),
    "--output": ("NAME", "of a model file: the body whose joints are moved"),
    "--key": ("NAME", "of an MJCF file: close the loops from this keyframe"),
}
LIMITS = {
    "--rotor": ("V,V,…", "inertia at each motor's shaft, in place of the description's; gives what the joints feel"),
    "--most-torque": ("V,V,…", "what each motor can hold; gives the efforts that the joints can have"),
    "--most-speed": ("V,V,…", "how fast each motor can turn; gives the rates that the joints can have"),
}
HOME = ("--home", "V,V,…", "joints of a pose on the branch that is meant (0); the motors nearest to zero, or --working")
RANGE = ("--range", "NAME=LOW:HIGH", "with header, object or ros2: a transmission's maps; how far each joint goes")
KERNELS = ("--kernels", "NAME,NAME", "with header or object: only these models; all unless given")
TARGET = ("--target", "NAME", "with object: x86-64, aarch64, cortex-m7, riscv64, riscv32 or wasm32; may be repeated")
EXPORTED = ("range", "kernels", "target", "home", "working", *(option[2:] for option in IMPORTED))
VALUES = {*IMPORTED, *LIMITS, HOME[0], RANGE[0], KERNELS[0], TARGET[0]}


def transmission(parser: Parser) -> None:
    """`closedchain transmission`."""
    text = f"{options.ROBOT}; or a model file of another program (.xml, .urdf, .sdf)"
    options.robot(parser)
    next(action for action in parser._actions if action.dest == "robot").help = text
    imported(parser)
    home(parser)
    parser.add_argument("--q", metavar="V,V,…", help="the motors; the joints follow")
    parser.add_argument("--x", metavar="V,V,…", help="the joints; the motors follow")
    parser.add_argument("--q-dot", metavar="V,V,…", help="rates of the motors (0)")
    for option, (word, words) in LIMITS.items():
        parser.add_argument(option, metavar=word, help=words)
    options.json(parser)


def target(parser: Parser) -> None:
    """What `closedchain export` asks about code for a target."""
    for option, word, words in (RANGE, TARGET):
        parser.add_argument(option, metavar=word, action="append", default=[], help=words)
    parser.add_argument(KERNELS[0], metavar=KERNELS[1], help=KERNELS[2])
    home(parser)
    imported(parser)


def imported(parser: Parser) -> None:
    """--part, --output and --key."""
    for option, (word, words) in IMPORTED.items():
        parser.add_argument(option, metavar=word, help=words)


def home(parser: Parser) -> None:
    """--home and --working."""
    parser.add_argument(HOME[0], metavar=HOME[1], help=HOME[2])
    parser.add_argument("--working", metavar="MODE", type=options.mode, help="the working mode of the home")
