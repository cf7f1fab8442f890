"""Programs whose outputs are stored as float32: the rounding of the doubles, to the bit, in any layout."""

from dataclasses import replace

import numpy as np
import pytest

from closedchain.kernels import Operand, Program, Scan
from closedchain.kernels.build import Builder
from closedchain.kernels.entry import Entry, pack, unpack
from closedchain.kernels.llvm import Host, compile_object, host, lanes
from closedchain.kernels.program import BadProgram
from closedchain.kernels.signature import signature_of

SIZES = [0, 1, 2, 7, 8, 9, 31, 64, 65, 200]  # below, at and above vectors and blocks


def example(rounded: bool) -> Program:
    """Scalars in, a vector of three and a 2 x 2 matrix out."""
    builder = Builder()
    x, y, p = builder.input(0, 0), builder.input(1, 0), builder.input(2, 1)
    s, q = builder.emit("mul", x, p), builder.emit("div", x, y)
    values = [s, q, builder.emit("sin", x), builder.emit("neg", q), x, builder.emit("sqrt", y), s]
    shapes = [Operand("x"), Operand("y"), Operand("p", (2,))], [Operand("v", (3,)), Operand("m", (2, 2))]
    return replace(builder.finish("f", *shapes, values), rounded=rounded)


@pytest.fixture(scope="module")
def pair(compiled):
    """The same program in doubles and rounded."""
    return compiled(example(False))["f"], compiled(example(True))["f"]


@pytest.fixture(scope="module")
def points():
    """Numbers of all sizes: some overflow, some fall below float32's normal numbers."""
    rng = np.random.default_rng(8)
    return rng.normal(size=(2, 200)) * 10.0 ** rng.integers(-50, 50, (2, 200)), np.array([0.0, 1.7])


def same(got: np.ndarray, doubles: np.ndarray) -> None:
    """Equal to the rounded doubles in all 32 bits; any NaN is a NaN."""
    with np.errstate(all="ignore"):
        want = doubles.astype(np.float32)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    bits = [np.where(np.isnan(a), 0, np.ascontiguousarray(a).view(np.uint32)) for a in (got, want)]
    np.testing.assert_array_equal(*bits)


@pytest.mark.parametrize("n", SIZES)
def test_results_are_the_rounded_doubles(pair, points, n):
    """Any number of states; infinities where float32 ends, subnormals, NaN of √−1; NumPy is not made to warn."""
    (x, y), p = points
    doubles, rounded = (f(x[:n], y[:n], p) for f in pair)
    for got, want in zip(rounded, doubles, strict=True):
        same(got, want)


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
def test_the_width_changes_no_bit(pair, points, width, compiled):
    """One lane to sixteen."""
    (x, y), p = points
    rounded = compiled(example(True), width=width)["f"](x, y, p)
    for got, want in zip(rounded, pair[0](x, y, p), strict=True):
        same(got, want)


@pytest.mark.parametrize("n", SIZES[1:])
def test_planes_are_written_in_place_and_strides_do_not_matter(pair, points, n):
    """Elements as planes, as rows, every second column of a wider array, and backwards; what is between stays."""
    (x, y), p = points
    want, matrix = pair[0](x[:n], y[:n], p)
    planes, rows, wide = np.empty((3, n), "f4"), np.empty((n, 3), "f4"), np.full((3, 2 * n), 7.0, "f4")
    for out in (planes.T, rows, wide[:, ::2].T, wide[::-1, -2::-2].T):
        whole = np.empty((n, 2, 2), "f4")
        pair[1](x[:n], y[:n], p, out=(out, whole))
        same(out, want)
        same(whole, matrix)
    assert (wide[:, 1::2] == 7.0).all()


def test_doubles_may_be_asked_for(pair, points):
    """NumPy widens what was rounded."""
    (x, y), p = points
    v, m = pair[1](x, y, p)
    wide = np.empty((200, 3)), np.empty((200, 2, 2))
    pair[1](x, y, p, out=wide)
    np.testing.assert_array_equal(wide[0], v)
    np.testing.assert_array_equal(wide[1], m)


def test_a_grid_is_broadcast(pair, points):
    """A row of x and a column of y fill planes."""
    (x, y), p = points
    want = pair[0](x[None, :37], y[:5, None], p)[0]
    planes = np.empty((3, 5, 37), "f4")
    pair[1](x[None, :37], y[:5, None], p, out=(np.moveaxis(planes, 0, -1), None))
    same(np.moveaxis(planes, 0, -1), want)


def test_empty_outputs_are_float32_too(compiled):
    """A program with nothing to compute in one of its outputs."""
    builder = Builder()
    program = builder.finish("f", [Operand("x")], [Operand("y"), Operand("none", (0,))], [builder.input(0, 0)])
    y, none = compiled(replace(program, rounded=True))["f"](np.full(4, 0.1))
    assert (y.dtype, none.dtype, none.shape) == (np.float32, np.float32, (4, 0))
    np.testing.assert_array_equal(y, np.float32(0.1))


def test_a_cache_file_remembers_the_kind_of_the_outputs():
    """Signature in, signature out; programs that differ in nothing else have different texts."""
    entry = Entry("key", (signature_of(example(True)), signature_of(example(False))), b"code")
    assert unpack(pack(entry), "key") == entry
    assert [s.rounded for s in entry.signatures] == [True, False]
    assert example(True).text != example(False).text


def test_a_register_of_float32_holds_twice_as_many_states():
    """Unless some routine beside it gives doubles."""
    this = Host("x86_64-unknown-linux-gnu", "haswell", "+avx2,+fma")
    assert lanes([example(True)], this) == 8
    assert lanes([example(True), example(False)], this) == lanes([], this) == 4


def test_wider_registers_compile():
    """AVX-512: sixteen states at a time, for a CPU that this one need not be."""
    if not host().triple.startswith("x86_64"):
        pytest.skip("a PC's instructions")
    target = Host(host().triple, "skylake-avx512", "+avx512f,+avx512vl,+avx512dq,+avx512bw,+avx2,+fma")
    assert lanes([example(True)], target) == 16
    assert len(compile_object([example(True)], target=target)) > 1000


def test_what_goes_round_or_is_called_alone_stays_double():
    """Scans and code for one state refuse."""
    with pytest.raises(BadProgram, match="code for one state gives doubles"):
        replace(example(True), single=True)
    builder = Builder()
    x, t = builder.input(0, 0), builder.input(1, 0)
    program = builder.finish("f", [Operand("x"), Operand("t")], [Operand("y")], [builder.emit("add", x, t)])
    with pytest.raises(BadProgram, match="goes round in doubles"):
        Scan(replace(program, rounded=True), (("x", "y"),), ("t",))
