"""The way in: parse, run one command, turn every failure into one line and an exit code."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from types import ModuleType

from closedchain.cli.parser import Arguments, Usage, parse
from closedchain.extras import explain

USAGE, LIMIT, UNEXPECTED, CANCELLED, PIPE_CLOSED = 2, 5, 70, 130, 141
DEBUG = "CLOSEDCHAIN_DEBUG"
FLOATING_POINT = "(overflow|underflow|invalid value|divide by zero) encountered"  # answers are checked instead


class Incomplete(Exception):
    """A package that a command needs is missing or broken."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without × or φ shows ? instead
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            warnings.filterwarnings("ignore", FLOATING_POINT, RuntimeWarning)
            code = _run(list(sys.argv[1:] if argv is None else argv))
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        _discard_output()
        return PIPE_CLOSED
    except OSError as error:
        _discard_output()
        place = f" {str(error.filename)[:120]!r}" if error.filename is not None else ""
        return fail(f"reading or writing{place} failed: {error.strerror or error}", LIMIT)
    return code


def _run(argv: list[str]) -> int:
    args = None
    try:
        args = parse(argv)
        code: int = _command(args.command).run(args)
        return code
    except SystemExit as done:  # argparse has answered --help or --version
        return done.code if isinstance(done.code, int) else 0
    except Usage as error:
        return fail(str(error), USAGE)
    except Incomplete as error:
        return fail(f"this installation does not work: {error}; `closedchain doctor` tells more", UNEXPECTED)
    except KeyboardInterrupt:
        return fail("cancelled", CANCELLED)
    except OSError:
        raise
    except Exception as error:
        return _explain(error, args)


def _command(name: str) -> ModuleType:
    """The file of a command; it imports what the command needs, and only that."""
    try:
        return importlib.import_module(f"closedchain.cli.{name}")
    except (ImportError, SyntaxError, OSError) as error:
        raise _wanted(error, f"`closedchain {name.strip('_')}`") or Incomplete(str(error)) from error


def _wanted(error: Exception, what: str = "") -> Exception | None:
    """What to say of an error that is due to an extra which is not installed."""
    return explain(error, what) if isinstance(error, ImportError) else None


def _explain(error: Exception, args: Arguments | None) -> int:
    """One line for any failure; a traceback only for those who ask for it."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    failures = importlib.import_module("closedchain.cli.failures")
    error = _wanted(error) or error
    code: int = failures.exit_code(error, args)
    if code != UNEXPECTED:
        return fail(failures.message(error), code)
    what = f"unexpected {type(error).__name__}: {error}"[:300]
    return fail(f"{what}. This is a bug: please report it, with the output of {DEBUG}=1.", code)


def fail(message: str, code: int) -> int:
    """Say one line on stderr; returns the code."""
    print("closedchain:", " ".join(message.split()), file=sys.stderr)
    return code


def _show_warning(message: Warning | str, *place: object, **more: object) -> None:
    print("closedchain: warning:", " ".join(str(message).split()), file=sys.stderr)


def _discard_output() -> None:
    """Nobody reads stdout any more: what is left in its buffer goes nowhere, also when Python ends."""
    try:
        descriptor = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return  # not a file
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
