"""The small Python: compiled it computes what Python computes, and what it does not know it refuses."""

import importlib.util
import pathlib
import sys
import tempfile
import types

import numpy as np
import pytest

from closedchain.kernels.loops import LANES, CannotCompile, compile_module, functions_of, in_lanes
from closedchain.kernels.loops_ir import emit_module
from closedchain.solver import Pattern, paths, tracking

SOURCE = '''
"""Words."""
from math import sqrt
from typing import Annotated
from closedchain.kernels.loops import Complexes, Integers, Reals, abs2
HALF, THREE = 0.5, 3

def words(n: int, scale: float, A: Annotated[Reals, "n"], x: Reals, k: Integers, z: Complexes) -> int:
    """Every word once."""
    made = 0
    for i in range(n - 1, -1, -1):
        total = 0.0
        for j in range(n):
            if j == i:
                continue
            total += A[i, j] * x[j] if A[i, j] > 0.0 and x[j] != 0.0 else HALF
        x[i] = -total / (abs(total) + sqrt(2.0)) * scale
        made += 1
    while made > 0:
        made -= 1
        if made < THREE or not made % 2 == 0:
            break
    k[0] = made // 2 + int(7.9) + min(2, THREE)
    k[1] = max(made, 1) ** 2
    z[0] = (z[0] * z[1] - 2.0 * z[0]) / z[1] + 1j
    z[1] = z[0].imag + 0.0j
    x[0] = abs2(z[0]) + twice(z[0].real) + first(A[1])
    return made

def twice(a: float) -> float:
    return 2 * a

def first(row: Reals) -> float:
    return row[0]
'''


def module_of(source: str, name: str) -> types.ModuleType:
    """A module made of a text, whose source `inspect` finds."""
    path = pathlib.Path(tempfile.mkdtemp()) / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_every_word_means_what_it_means_in_python():
    """The same arrays through the text as Python and as compiled code: the same numbers, to rounding."""
    module = module_of(SOURCE, "words_of_loops")
    rng = np.random.default_rng(0)
    for n in (2, 3, 6):
        A, x = rng.standard_normal((n, n)), rng.standard_normal(n)
        z = rng.standard_normal(2) + 1j * rng.standard_normal(2)
        sets = [(A.copy(), x.copy(), np.zeros(2, np.int64), z.copy()) for _ in range(2)]
        plain = module.words(n, 1.5, *sets[0])
        assert compile_module(module)["words"](n, 1.5, *sets[1]) == plain
        for one, other in zip(*sets, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-14)


LANE_WORDS = '''
"""Words of lanes."""
from typing import Annotated
from closedchain.kernels.loops import ComplexLanes, Reals, RealLanes, abs2, lanes, some, sqrt, where

def words(n: int, scale: float, x: RealLanes, z: Annotated[ComplexLanes, "n"], told: Reals) -> int:
    """Every word once."""
    total = lanes(0.0) + scale
    for i in range(n):
        total = total + sqrt(abs(x[i])) * i - x[i] / 2.0
        z[0, i] = z[0, i] * z[1, i] / (z[1, i] + 1.0) - x[i] * z[1, i] + (2.0 - 1j) * total
        z[1, i] = where((x[i] > 0.0) & (total < 3.0) | (x[i] == 1.0), z[0, i], 1.0 / z[1, i])
    x[0] = where(total >= scale, abs2(z[1, 0]), -1.0)
    told[0] = x[0, 3] + z[1, 0, 2].imag
    z[0, 1, 4] = 2.0 + 1j
    return 1 if some(x[1] > 1.5) else 0
'''


def plain(lanes_of_doubles):
    """Complex lanes as compiled code lays them out, as Python's complex numbers."""
    return lanes_of_doubles[..., 0, :] + 1j * lanes_of_doubles[..., 1, :]


def test_lanes_mean_what_arrays_mean_in_python():
    """Eight numbers side by side through the text as Python and as compiled code: the same numbers, to rounding."""
    module = module_of(LANE_WORDS, "words_of_lanes")
    rng = np.random.default_rng(1)
    for n in (2, 4):
        x, z = in_lanes(n), in_lanes(2, n, 2)
        x[...], z[...] = rng.standard_normal(x.shape), rng.standard_normal(z.shape)
        other, complexes, told = x.copy(), plain(z), [np.zeros(1), np.zeros(1)]
        some = module.words(n, 0.7, other, complexes, told[0])
        assert compile_module(module)["words"](n, 0.7, x, z, told[1]) == some
        for one, two in ((x, other), (plain(z), complexes), told):
            np.testing.assert_allclose(one, two, rtol=1e-13)


def test_the_tracker_runs_as_python_too():
    """x² = 1 moved to x² = 4: two paths, followed by Python and by compiled code to ±2."""
    shape = Pattern(1, np.array([[0, 0, 0], [0, 1, 1]], dtype=np.int64))
    start, goal = np.array([1.0, -1.0 + 0.3j]), np.array([1.0, -4.0 + 0.0j])
    for functions in (vars(tracking), compile_module(tracking)):
        room, system = paths.system_of(shape, start, goal)
        work = [room.arrays[name] for name in paths.TRACKED]
        if functions is vars(tracking):
            work = [plain(a) if a.shape[-2:] == (2, LANES) else a.copy() for a in work]
        root = np.sqrt(1.0 - 0.3j)
        Z = np.array([[root, 1.0], [-root, 1.0]])
        codes, ends = np.zeros(2, np.int64), np.zeros(2)
        functions["track"](*system, 2, Z, 1.0, codes, ends, *work)
        assert codes.tolist() == [tracking.ARRIVED] * 2
        np.testing.assert_allclose(Z[:, 0], [2.0, -2.0], atol=1e-8)


@pytest.mark.parametrize(
    "text, told",
    [
        ("def f(n: int) -> int:\n    return [n][0]", "List"),
        ("def f(n: int) -> int:\n    return m", "m has no value"),
        ("def f(n: int) -> int:\n    with n:\n        return 1", "With"),
        ("def f(n: int) -> int:\n    return print(n)", "print cannot be called"),
        ("def f(n) -> int:\n    return n", "argument n"),
        ("def f(n: int) -> str:\n    return n", "returns str"),
    ],
)
def test_other_words_are_refused_by_name_and_line(text, told):
    """One error that says which word, in which function."""
    with pytest.raises(CannotCompile, match=told):
        emit_module(text, "x86_64-unknown-linux-gnu", "f")


def test_arrays_that_do_not_lie_in_one_piece_are_refused():
    """A view of every other number has no address that compiled code could go through."""
    call = compile_module(tracking)["size_of"]
    z, size = in_lanes(2, 2), in_lanes(1)
    z[0, 0], z[1, 1] = 3.0, 4.0
    call(2, z, size)
    np.testing.assert_array_equal(size, np.full((1, LANES), 5.0))
    with pytest.raises(Exception, match="one after another"):
        call(2, z[..., ::2], size)


def test_annotations_are_read_as_axes():
    """`Annotated[Reals, "n"]` is an array of rows of n numbers."""
    words = functions_of(SOURCE)["words"]
    assert [(a.kind, a.axes) for a in words.arguments][2:4] == [("float", ("n",)), ("float", ())]
