"""Small programs, compiled in any width, and the comparison of bits."""

from collections.abc import Callable

import numpy as np
import pytest

from closedchain.kernels import Operand, Program, Scan
from closedchain.kernels.build import Builder
from closedchain.kernels.cache import Library
from closedchain.kernels.entry import Entry
from closedchain.kernels.llvm import compile_object
from closedchain.kernels.signature import signature_of

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-310, -5e-324, 1e300, -1e300, np.inf, -np.inf, np.nan]


@pytest.fixture(scope="session")
def special() -> np.ndarray:
    """Doubles with which arithmetic has its corners."""
    return np.array(SPECIAL)


@pytest.fixture(scope="session")
def single() -> Callable[[str, int], Program]:
    """The program y = op(x0, x1, …) of scalars."""

    def make(op: str, arity: int = 1) -> Program:
        builder = Builder()
        y = builder.emit(op, *(builder.input(i, 0) for i in range(arity)))
        return builder.finish("f", [Operand(f"x{i}") for i in range(arity)], [Operand("y")], [y])

    return make


@pytest.fixture(scope="session")
def compiled() -> Callable[..., Library]:
    """Programs compiled in memory, `width` states at a time (this CPU's width if None)."""

    def make(*routines: Program | Scan, width: int | None = None) -> Library:
        code = compile_object(routines, width)
        return Library(Entry("test", tuple(map(signature_of, routines)), code))

    return make


@pytest.fixture(scope="session")
def assert_same_bits() -> Callable[[np.ndarray, np.ndarray], None]:
    """Equal to the bit, signs of zeros too; a NaN is any NaN."""

    def check(got: np.ndarray, want: np.ndarray) -> None:
        got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.signbit(got) & ~np.isnan(got), np.signbit(want) & ~np.isnan(want))

    return check
