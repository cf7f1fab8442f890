"""Which exit code an error means."""

from __future__ import annotations

from numpy.linalg import LinAlgError

from closedchain import robots
from closedchain.cli.main import LIMIT, UNEXPECTED, USAGE
from closedchain.cli.output import NotFinite
from closedchain.cli.parser import Arguments
from closedchain.describe.checks import BadMechanism
from closedchain.describe.equations import BadEquations
from closedchain.describe.files import BadFile
from closedchain.errors import BrokenOff, ClosedChainError, NoSolution
from closedchain.model.model import NoClosedForm

BAD_FILE, NO_SOLUTION = 3, 4


def exit_code(error: Exception, args: Arguments | None) -> int:
    """The code that `closedchain --help` promises for an error."""
    match error:
        case BadFile():
            return BAD_FILE
        case NoSolution():
            return NO_SOLUTION
        case BrokenOff() | NoClosedForm() | NotFinite() | LinAlgError() | OverflowError() | MemoryError():
            return LIMIT
        case BadMechanism() | BadEquations() if args is not None and _is_file_as_written(args):
            return BAD_FILE
        case ClosedChainError():
            return USAGE
    return UNEXPECTED


def message(error: Exception) -> str:
    """The error's own words; those of NumPy and Python are put into ours."""
    if isinstance(error, LinAlgError | OverflowError):
        return f"the numbers are too large or too small for double precision ({error}); try others"
    if isinstance(error, MemoryError):
        return "out of memory; try fewer states"
    return str(error)


def _is_file_as_written(args: Arguments) -> bool:
    """Whether the robot comes from the user's file, with no value changed on the command line."""
    source = getattr(args, "robot", None) or ""
    return not robots.knows(source.partition(":")[0]) and not args.settings
