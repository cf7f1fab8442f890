"""Errors as the browser is told of them: one sentence, where, and a kind; never a traceback."""

from __future__ import annotations

from typing import Any

from closedchain.errors import ClosedChainError, NoSolution
from closedchain.studio.checking import BadMessage

TYPES = {  # by name, so that nothing is imported to tell
    "BadFile": "input",
    "BadMechanism": "input",
    "BadEquations": "input",
    "Problem": "input",
    "NoClosedForm": "limit",
    "NotFinite": "limit",
    "LinAlgError": "limit",
    "OverflowError": "limit",
}
TOO_LARGE = "the numbers are too large or too small for double precision; try others"


def failure(error: Exception) -> dict[str, Any]:
    """{message, where, kind} of an error."""
    kind = kind_of(error)
    if kind == "internal":
        what = f"unexpected {type(error).__name__}; this is a bug: please report it with what you did"
        return told(what, kind)
    if out_of_memory(error):
        return told("out of memory; try fewer points or states", kind)
    if not isinstance(error, ClosedChainError):
        return told(TOO_LARGE, kind)
    where = getattr(error, "place", "") or getattr(error, "where", "") or getattr(error, "name", "")
    return told(words(error), kind, where if isinstance(where, str) else "")


def words(error: Exception) -> str:
    """An error's own sentence; the command line's options are not the page's."""
    return " ".join(str(error).split()).replace(" with --set", "").replace("--window x0,x1,y0,y1 or ", "")


def out_of_memory(error: Exception) -> bool:
    """Whether there was no room, for an array or for a thread's stack."""
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "new thread" in str(error))


def kind_of(error: Exception) -> str:
    """Which kind an error is."""
    if isinstance(error, BadMessage):
        return "usage"
    if isinstance(error, NoSolution):
        return "unreachable"
    if out_of_memory(error):
        return "limit"
    for base in type(error).__mro__:
        if base.__name__ in TYPES:
            return TYPES[base.__name__]
    return "usage" if isinstance(error, ClosedChainError) else "internal"


def told(message: str, kind: str, where: str = "") -> dict[str, Any]:
    """The body of a failure."""
    return {"message": message[:2000], "where": where[:200], "kind": kind}
