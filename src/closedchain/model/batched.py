"""Chosen models for very many states: one compiled pass straight from the drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, Unreachable, numbers
from closedchain.kernels import Library
from closedchain.kernels.parallel import run_for_least
from closedchain.model.kinematics import check_type2
from closedchain.model.model import Model, NoClosedForm
from closedchain.policy import EDGE, SINGULAR

CHOICES: tuple[str, ...] = (
    "x", "x_dot", "x_ddot", "passive", "passive_dot", "passive_ddot", "A", "B", "J", "b", "A_dot", "B_dot",
    "M", "c", "tau", "lam", "kinetic", "potential", "det_A", "det_B",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Batched:
    """The chosen models as one compiled function of the drives' states."""

    model: Model
    names: tuple[str, ...]
    library: Library

    def __call__(
        self,
        q: ArrayLike,
        q_dot: ArrayLike | None = None,
        q_ddot: ArrayLike | None = None,
        *,
        assembly: str = "+",
        threads: int = 1,
        out: Mapping[str, Doubles] | None = None,
    ) -> dict[str, Doubles]:
        """The models at q, q̇, q̈ (at rest unless given), each (*batch, …); written into `out` where it names them.

        New arrays are laid out component by component in memory, which is how they are fastest to fill and to read.
        """
        model = self.model
        rates = [np.zeros(model.nq) if v is None else _vectors(v, model.nq, "rates") for v in (q_dot, q_ddot)]
        q = _vectors(q, model.nq, "q")
        batch = np.broadcast_shapes(q.shape[:-1], *(r.shape[:-1] for r in rates))
        made = self._arrays(batch, out or {})
        signs = self._signs(assembly)
        inputs = self.library.inputs(
            "from_drives", {"q": q, "s": signs, "q_dot": rates[0], "q_ddot": rates[1], "p": model.p}
        )
        least = run_for_least(self.library["from_drives"], inputs, tuple(made.values()), threads)
        if not least > SINGULAR:
            self._look_closely(q, rates, signs)
        return made

    def _signs(self, assembly: str) -> Doubles:
        if len(assembly) != len(self.model.groups) or set(assembly) - set("+-"):
            count = len(self.model.groups)
            raise BadInput(f"{self.model.name}: {count} sign(s) + or - name its assembly, not {assembly!r:.20}")
        return np.array([1.0 if s == "+" else -1.0 for s in assembly])

    def _arrays(self, batch: tuple[int, ...], out: Mapping[str, Doubles]) -> dict[str, Doubles]:
        arrays = {}
        for output in self.library.signatures["from_drives"].outputs[:-1]:
            if output.name in out:
                arrays[output.name] = out[output.name]
                continue
            core = tuple(int(d) for d in output.dims)
            rows = np.empty((*core, *batch))
            arrays[output.name] = np.moveaxis(rows, range(len(core)), range(len(batch), len(batch) + len(core)))
        return arrays

    def _look_closely(self, q: Doubles, rates: list[Doubles], signs: Doubles) -> None:
        """Say what is wrong, if anything is."""
        for values, what in ((q, "q"), *((v, "rates") for v in rates)):
            vectors(values, self.model.nq, what)
        look = self.library.run("from_drives_closely", {"q": q, "s": signs, "p": self.model.p})
        slack, margin = look["slack"], look["margin"]
        if not slack.min(initial=np.inf) >= -EDGE * self.model.scale:
            first = np.unravel_index(int(np.argmax(slack < -EDGE * self.model.scale)), slack.shape)
            at = f"each other at q = {numbers(np.broadcast_to(q, (*slack.shape, self.model.nq))[first])}"
            bad = int((slack < -EDGE * self.model.scale).sum())
            hint = f"{bad} of {slack.size} states do not close; `direct` tells which."
            raise Unreachable(self.model.name, "bars", -float(slack[first]), at, hint)
        check_type2(self.model, margin)


def _vectors(values: ArrayLike, size: int, what: str) -> Doubles:
    """`vectors`, but of an array that has the right shape the compiled pass itself tells whether it is finite."""
    if type(values) is np.ndarray and values.dtype == np.float64 and values.ndim and values.shape[-1] == size:
        return values
    return vectors(values, size, what)


def batched(model: Model, names: Sequence[str]) -> Batched:
    """Compile the chosen models for very many states: batched(robot, ["x", "tau"])(q, q_dot, q_ddot).

    For robots whose bodies are points (their pose follows from the drives in closed form).
    """
    unknown = [n for n in names if n not in CHOICES]
    if unknown:
        raise BadInput(f"{model.name}: no model {unknown[0]!r:.30}; there are {', '.join(CHOICES)}")
    if any(group.is_triad for group in model.groups) or not model.nx:
        raise NoClosedForm(f"{model.name}: its pose is not a closed form of the drives; use `direct` and `evaluate`")
    return Batched(model, tuple(names), model.load("from_drives_program", tuple(names)))
