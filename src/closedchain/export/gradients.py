"""A transmission's maps with their exact derivatives, for PyTorch, JAX and whatever speaks DLPack.

The derivative is the Jacobian on the branch, by the implicit function theorem: g ↦ Jᵀ g from joints back to motors, and
g ↦ Kᵀ g for the other map. All is computed on the CPU in doubles. PyTorch and JAX are no dependencies of closedchain,
and none of its extras brings them; they are imported when they are first asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, ClosedChainError
from closedchain.model.transmission import Transmission

WAYS = ("joint", "motor")


class NoFramework(ClosedChainError, ImportError):
    """PyTorch or JAX is asked for, and not installed."""


@dataclass(frozen=True, eq=False)
class Differentiable:
    """One map of a transmission: its value, and the pull-back of a gradient. Arrays may be anything with __dlpack__."""

    t: Transmission
    way: str  # "joint": motors → joints; "motor": joints → motors

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise BadInput(f"a map leads to {' or '.join(map(repr, WAYS))}, not {self.way!r:.40}")

    def __call__(self, given: ArrayLike) -> Doubles:
        """The map, (*batch, n) → (*batch, n)."""
        values = host_array(given)
        return self.t.to_joint(values) if self.way == "joint" else self.t.to_motor(values)

    def slopes(self, given: ArrayLike) -> Doubles:
        """Its Jacobian, (*batch, n, n)."""
        values = host_array(given)
        return self.t.at(q=values).J if self.way == "joint" else self.t.at(y=values).K

    def pullback(self, given: ArrayLike, gradient: ArrayLike) -> Doubles:
        """The gradient by what was given, (*batch, n), of a gradient by what came out."""
        return np.einsum("...ij,...i->...j", self.slopes(given), host_array(gradient))


def host_array(values: Any) -> Doubles:
    """Doubles of a NumPy array, of anything that speaks DLPack on the CPU, or of numbers; not copied without need."""
    if not isinstance(values, np.ndarray) and hasattr(values, "__dlpack__"):
        try:
            values = np.from_dlpack(values)
        except (BufferError, RuntimeError, TypeError) as problem:
            raise BadInput(f"an array that DLPack cannot hand over ({problem}): move it to the CPU, detached") from None
    return np.asarray(values, dtype=np.float64)


def torch_map(t: Transmission, way: str = "joint") -> Callable[[Any], Any]:
    """A function of tensors of doubles on the CPU that PyTorch differentiates: once, in reverse."""
    torch, one = _framework("torch", "a map for PyTorch"), Differentiable(t, way)

    def forward(context: Any, given: Any) -> Any:
        context.save_for_backward(given)
        return torch.from_dlpack(np.ascontiguousarray(one(given.detach())))

    def backward(context: Any, gradient: Any) -> Any:
        (given,) = context.saved_tensors
        return torch.from_dlpack(np.ascontiguousarray(one.pullback(given.detach(), gradient.detach())))

    parts = {
        "forward": staticmethod(forward),
        "backward": staticmethod(torch.autograd.function.once_differentiable(backward)),
    }
    made: Any = type(f"To{way.capitalize()}", (torch.autograd.Function,), parts)
    found: Callable[[Any], Any] = made.apply
    return found


def jax_map(t: Transmission, way: str = "joint") -> Callable[[Any], Any]:
    """A function of arrays that JAX differentiates in reverse and compiles around; 64-bit numbers must be enabled."""
    jax, one = _framework("jax", "a map for JAX"), Differentiable(t, way)
    if not jax.config.jax_enable_x64:
        raise BadInput('JAX computes in single precision: jax.config.update("jax_enable_x64", True) first')

    def called(function: Callable[..., Doubles], like: Any, *given: Any) -> Any:
        shape = jax.ShapeDtypeStruct(like.shape, np.float64)
        return jax.pure_callback(lambda *a: function(*map(np.asarray, a)), shape, *given, vmap_method="broadcast_all")

    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def mapped(given: Any) -> Any:
        return called(one, given, given)

    mapped.defvjp(lambda given: (mapped(given), given), lambda given, g: (called(one.pullback, given, given, g),))
    found: Callable[[Any], Any] = mapped
    return found


def _framework(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != name:
            raise
        raise NoFramework(
            f"{what} needs the package {name!r}, which is not installed and which no extra of closedchain brings: "
            f"pip install {name}"
        ) from None
