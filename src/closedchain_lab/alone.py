"""A script that Python itself runs, `python3 control.py`: after its import of `lab_amoro` it has what `lab run` gives.

Its clock is the wall's, and what it imported before is Python's own.
"""

import atexit
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from closedchain_lab.page import finish
from closedchain_lab.running import Outcome, words
from closedchain_lab.session import Session, opened
from closedchain_lab.standins import OURS
from closedchain_lab.surroundings import collect_figures, surroundings


def begin() -> None:
    """Open a run for the rest of this process; its page is written when the process ends."""
    script = Path(getattr(sys.modules["__main__"], "__file__", None) or "python").absolute()
    session, stack, began = Session(tell=_say), ExitStack(), time.monotonic()
    stack.enter_context(opened(session))
    stack.enter_context(surroundings(script, sys.argv, main=False))
    for name in OURS:  # the stand-in takes this package's place
        del sys.modules[name]
        __import__(name)

    def end() -> None:
        error = getattr(sys, "last_value", None)
        ended = words(error, str(script.parent)) if error is not None else "ended by itself"
        collect_figures()
        finish(Outcome(script, session, int(error is not None), ended, time.monotonic() - began), _say)
        stack.close()

    atexit.register(end)


def _say(text: str) -> None:
    sys.stderr.write(f"closedchain: {text}\n")
