"""Arrays at the door: finite doubles whose last axis has the size it should."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.errors import BadInput

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]
Complex = NDArray[np.complex128]


def vectors(values: ArrayLike, size: int, what: str) -> Doubles:
    """values as (*batch, size) doubles, all finite."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{what} must be numbers, got {values!r:.60}") from None
    if array.ndim == 0 and size == 1:
        array = array[None]
    if array.ndim == 0 or array.shape[-1] != size:
        raise BadInput(f"{what} has shape {array.shape}, but its last axis must have {size} numbers")
    if not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))[0]
        raise BadInput(f"{what} is {array[tuple(bad)]} at {tuple(int(i) for i in bad)}; finite numbers are needed")
    return array
