"""An exception in one line, with the line of the user's own file that it came from."""

from __future__ import annotations

import os
import traceback


def words(error: BaseException, folder: str) -> str:
    """Its kind, what it says, and where in the folder's files it happened."""
    try:
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
    except Exception:
        text = type(error).__name__
    own = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(folder + os.sep)]
    return f"{text[:300]} ({os.path.basename(own[-1].filename)}, line {own[-1].lineno})" if own else text[:300]
