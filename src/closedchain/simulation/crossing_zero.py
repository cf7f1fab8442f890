"""Where the first of several functions passes zero, to rounding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from closedchain.arrays import Doubles

HALVINGS = 40  # from the end of a step towards its beginning, to find where a function is still positive
ROUNDS = 100
CLOSE = 1e-15  # of the step


def first_zero(f: Callable[[float], Doubles], end: float) -> tuple[float, int]:
    """The first s at which a component that is negative at `end` becomes so, and which one it is.

    Components may begin at zero, and then first rise. One that passes zero twice within the step is not seen.
    """
    high, row = end, 0
    for _ in range(ROUNDS):
        below = np.flatnonzero(f(high) < 0.0)
        if not below.size:
            break
        row = int(below[0])
        found = _zero(lambda s: float(f(s)[row]), high)  # noqa: B023 - used at once
        if not found < high:
            break
        high = found
    return high, row


def _zero(f: Callable[[float], float], high: float) -> float:
    """The last s, to rounding, at which f is not yet negative; f(high) is. By secants and halves."""
    low, above, below, end = 0.0, f(0.0), f(high), high
    for k in range(1, HALVINGS):
        if above > 0.0:
            break
        low = high / 2.0**k
        above = f(low)
    if not above > 0.0:
        return 0.0
    halve = False
    for _ in range(ROUNDS):
        width = high - low
        if width <= CLOSE * end:
            break
        s = (low + high) / 2.0 if halve else low + width * above / (above - below)
        value = f(s)
        if value >= 0.0:
            low, above = s, value
        else:
            high, below = s, value
        halve = high - low > width / 2.0 and not halve  # the secant stays on one side: halve once
        if above == 0.0:
            break
    return low
