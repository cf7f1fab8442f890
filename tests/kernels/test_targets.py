"""Objects for other processors: self-contained, bounded, and with the bits of our kernels where they can be run."""

import numpy as np
import pytest

import closedchain as cc
from benchmarks import target_bits
from closedchain.errors import BadInput
from closedchain.export.package import GUARD, model_package
from closedchain.kernels.build import Builder
from closedchain.kernels.program import Operand, run
from closedchain.kernels.targets import TARGETS, build, unfloored
from closedchain.kernels.wasm import NoModule, exporting, sections


@pytest.fixture(scope="module")
def package():
    """Two kernels of a robot with trigonometry."""
    return model_package(cc.load("fivebar"), ["forward_dynamics", "inverse_dynamics"])


@pytest.mark.parametrize("target", TARGETS)
def test_an_object_has_its_functions_and_calls_nothing(package, target):
    """No name of a library is in it, and each function's bounds are counted."""
    made = build(package.programs, "fivebar_", target, GUARD)
    assert all(f"fivebar_{p.name}".encode() in made.content for p in package.programs)
    assert not any(word in made.content for word in (b"sqrt", b"floor", b"fma", b"__aeabi", b"memcpy", b"sin\0"))
    for p in package.programs:
        bounds = made.bounds[f"fivebar_{p.name}"]
        assert 100 < bounds.instructions < 5000
        assert (bounds.stack == 0) == (target == "wasm32") or target == "aarch64"
        assert bounds.stack < 2000
    assert 1000 < made.text < 30_000


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_has_our_bits(package, target):
    """Two hundred states, where its compiler and its emulator are installed."""
    states = target_bits.rows(package, 200)
    made = target_bits.answered(package, states, target)
    if made is None:
        pytest.skip(f"no tools for {target} here")
    assert made == target_bits.reference(package, states)
    states["tau"][17, 0] = np.nextafter(states["tau"][17, 0], 9.0)
    assert target_bits.reference(package, states) != made  # the sum sees one last digit


def test_floor_is_written_out_to_the_bit():
    """Halves, signed zeros, whole numbers, neighbours of 2⁵² and what is no number."""
    builder = Builder()
    whole = builder.emit("floor", builder.input(0, 0))
    program = builder.finish("f", [Operand("x", (1,))], [Operand("y", (1,))], [whole])
    values = np.array([0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.0**52 - 0.5, 2.0**52, -(2.0**52) + 0.5, -(2.0**53), 1e300,
                       np.inf, -np.inf, np.nan, 0.49999999999999994, -0.49999999999999994, 3.0, -3.0])  # fmt: skip
    (made,) = run(unfloored(program), values[:, None])
    np.testing.assert_array_equal(made[:, 0], np.floor(values))
    np.testing.assert_array_equal(np.signbit(made[:, 0]), np.signbit(np.floor(values)))


def test_a_wasm_module_exports_its_functions(package):
    """An export section stands before the code; what needs a linker is refused."""
    made = build(package.programs, "fivebar_", "wasm32", GUARD).content
    kinds = [kind for kind, _ in sections(made)]
    assert kinds == sorted(kinds)
    assert 7 in kinds
    with pytest.raises(NoModule, match="no wasm object"):
        exporting(b"ELF", ["a"])
    with pytest.raises(NoModule, match="2 functions for 1 names"):
        exporting(made, ["one"])


def test_unknown_targets_are_refused(package):
    """With those that there are."""
    with pytest.raises(BadInput, match="there are x86-64, aarch64"):
        build(package.programs, "a_", "z80", GUARD)
