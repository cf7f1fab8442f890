"""Maps of a transmission and models of a robot with their exact derivatives, for PyTorch, JAX and what speaks DLPack.

The derivative is that on the branch, by the implicit function theorem: g ↦ Jᵀ g from joints back to motors, g ↦ Kᵀ g
for the other map, and the gradient of a weighted model by state and parameters. All is computed on the CPU in doubles.
PyTorch and JAX are no dependencies of closedchain, and none of its extras brings them; they are imported when they are
first asked for.
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
from closedchain.model.derivatives import gradient, shapes, values
from closedchain.model.model import Model
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


@dataclass(frozen=True, eq=False)
class DifferentiableModel:
    """One model of a robot as a function of q, q̇, q̈ and p, on one assembly mode: f(q, q_dot, q_ddot, p)."""

    model: Model
    of: str  # "tau", "x", "M" …
    assembly: str | None = None

    def robot(self, p: ArrayLike) -> Model:
        """The robot with these parameters, all of them."""
        numbers = host_array(p)
        if numbers.shape != self.model.p.shape:
            raise BadInput(f"{self.model.name}: p is all {len(self.model.p)} parameters, not {numbers.shape}")
        return self.model.with_values(**dict(zip(self.model.values, numbers.tolist(), strict=True)))

    def __call__(self, q: ArrayLike, q_dot: ArrayLike, q_ddot: ArrayLike, p: ArrayLike) -> Doubles:
        """The model, (*batch, *its shape)."""
        return values(self.robot(p), self.of, **self._state(q, q_dot, q_ddot))[self.of]

    def pullback(self, q: ArrayLike, q_dot: ArrayLike, q_ddot: ArrayLike, p: ArrayLike, g: ArrayLike) -> list[Doubles]:
        """The gradients by q, q_dot, q_ddot and p, of one by what came out; that by p is the batch's sum."""
        given = (q, q_dot, q_ddot)
        made = gradient(self.robot(p), {self.of: host_array(g)}, **self._state(*given))
        sizes = [host_array(v).shape for v in (*given, p)]
        return [_summed(made[by], shape) for by, shape in zip(("q", "q_dot", "q_ddot", "p"), sizes, strict=True)]

    def _state(self, q: ArrayLike, q_dot: ArrayLike, q_ddot: ArrayLike) -> dict[str, Any]:
        return {
            "q": host_array(q), "q_dot": host_array(q_dot), "q_ddot": host_array(q_ddot), "assembly": self.assembly
        }  # fmt: skip


def _summed(slopes: Doubles, shape: tuple[int, ...]) -> Doubles:
    """Summed over the axes along which what it is by was the same for all."""
    while slopes.ndim > len(shape):
        slopes = slopes.sum(axis=0)
    for axis, size in enumerate(shape):
        slopes = slopes.sum(axis=axis, keepdims=True) if size == 1 else slopes
    return slopes


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
    one = Differentiable(t, way)
    return _torch(f"To{way.capitalize()}", one, lambda *given: [one.pullback(*given)])


def torch_model(model: Model, of: str, assembly: str | None = None) -> Callable[..., Any]:
    """A robot's model as a function f(q, q_dot, q_ddot, p) of tensors that PyTorch differentiates by all four."""
    one = DifferentiableModel(model, of, assembly)
    return _torch("RobotModel", one, one.pullback)


def _torch(name: str, function: Callable[..., Doubles], pullback: Callable[..., list[Doubles]]) -> Callable[..., Any]:
    torch = _framework("torch", "a map for PyTorch")

    def tensor(values: Doubles) -> Any:
        return torch.from_dlpack(np.ascontiguousarray(values))

    def forward(context: Any, *given: Any) -> Any:
        context.save_for_backward(*given)
        return tensor(function(*(v.detach() for v in given)))

    def backward(context: Any, g: Any) -> Any:
        given = [v.detach() for v in context.saved_tensors]
        made = tuple(tensor(v) for v in pullback(*given, g.detach()))
        return made if len(made) > 1 else made[0]

    parts = {
        "forward": staticmethod(forward),
        "backward": staticmethod(torch.autograd.function.once_differentiable(backward)),
    }
    made: Any = type(name, (torch.autograd.Function,), parts)
    found: Callable[..., Any] = made.apply
    return found


def jax_map(t: Transmission, way: str = "joint") -> Callable[[Any], Any]:
    """A function of arrays that JAX differentiates in reverse and compiles around; 64-bit numbers must be enabled."""
    one = Differentiable(t, way)
    return _jax(one, lambda *given: [one.pullback(*given)], lambda given: given.shape, "broadcast_all")


def jax_model(model: Model, of: str, assembly: str | None = None) -> Callable[..., Any]:
    """A robot's model as a function f(q, q_dot, q_ddot, p) that JAX differentiates by all four; a batch stands in q."""
    one = DifferentiableModel(model, of, assembly)
    shape = shapes(model, efforts=False).get(of, ())
    return _jax(one, one.pullback, lambda q, *_: (*q.shape[:-1], *shape), "sequential")


def _jax(
    function: Callable[..., Doubles], pullback: Callable[..., list[Doubles]], shape: Callable[..., Any], batched: str
) -> Callable[..., Any]:
    jax = _framework("jax", "a map for JAX")
    if not jax.config.jax_enable_x64:
        raise BadInput('JAX computes in single precision: jax.config.update("jax_enable_x64", True) first')

    def called(what: Callable[..., Any], like: Any, *given: Any) -> Any:
        return jax.pure_callback(lambda *a: what(*map(np.asarray, a)), like, *given, vmap_method=batched)

    def sized(size: Any) -> Any:
        return jax.ShapeDtypeStruct(size, np.float64)

    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def mapped(*given: Any) -> Any:
        return called(function, sized(shape(*given)), *given)

    def back(given: Any, g: Any) -> Any:
        return tuple(called(pullback, [sized(v.shape) for v in given], *given, g))

    mapped.defvjp(lambda *given: (mapped(*given), given), back)
    found: Callable[..., Any] = mapped
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
