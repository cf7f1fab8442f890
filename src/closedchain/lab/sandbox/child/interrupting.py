"""Ctrl-C as a script wants to have it: by its own handler where it set one, else as KeyboardInterrupt."""

from __future__ import annotations

import signal
import sys
from typing import Any


def handler() -> Any:
    """What is done at Ctrl-C."""
    return signal.getsignal(signal.SIGINT)


def interrupt(usual: Any) -> None:
    """Press Ctrl-C; `usual` was the handler before the script began. One of the script's own may return."""
    wanted = handler()
    if wanted is usual or not callable(wanted):
        raise KeyboardInterrupt
    wanted(signal.SIGINT, sys._getframe(1))
