"""closedchain's side of every comparison: the only file here that calls it."""

from __future__ import annotations

from collections.abc import Callable

from .biglide import KNOWN, Array, State
from .harness import Unavailable

_NOT_CONNECTED = "benchmarks/ours.py does not call closedchain yet"


def single_inverse(state: State = KNOWN) -> Callable[[], Array]:
    """A call of inverse dynamics at one state, as a user writes it; it returns tau (2,)."""
    raise Unavailable(_NOT_CONNECTED)


def single_forward(state: State = KNOWN) -> Callable[[], tuple[Array, Array, Array]]:
    """A call of forward dynamics at one state, as a user writes it; it returns q_ddot, x_ddot, lam."""
    raise Unavailable(_NOT_CONNECTED)


def all_models(
    q: Array, q_dot: Array, q_ddot: Array, *, sign: float = 1.0, threads: int = 1, out: dict[str, Array] | None = None
) -> dict[str, Array]:
    """Every model of biglide.MODELS by name, batch first; the inputs are (n, 2) views of (2, n) rows, so is `out`."""
    raise Unavailable(_NOT_CONNECTED)


def first_use(robot: str, cold: bool) -> float:
    """Seconds in a fresh process from `import closedchain` to the first answer, the cache empty (cold) or filled."""
    raise Unavailable(_NOT_CONNECTED)
