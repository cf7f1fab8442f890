"""Commands known in advance: a voltage, an effort or a velocity as a function of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.describe.formulas import formula
from closedchain.describe.parse import BadExpression
from closedchain.errors import BadInput
from closedchain.model.measured import Measured
from closedchain.model.model import Model

OUTPUTS = ("tau", "voltage", "velocity")
Command = str | float | Sequence[str | float] | Callable[[Doubles], ArrayLike]


@dataclass(frozen=True, eq=False)
class Scheduled:
    """The command u(t), sampled at the control instants and held between them.

    `command` is a formula of t such as "5*sin(2*pi*t)", which may use the robot's parameters by name; several, one for
    each drive; or a function of an array of instants (T,) that returns (T,) or (T, drives).
    """

    command: Command
    output: str | None = None  # "tau", "voltage" or "velocity"; efforts unless said, but with a motor it must be

    def __post_init__(self) -> None:
        if self.output is not None and self.output not in OUTPUTS:
            raise BadInput(f"output is {self.output!r:.30}; there are {', '.join(OUTPUTS)}")

    @property
    def key(self) -> str:
        return f"scheduled {self.output or 'tau'}"

    @property
    def gains(self) -> Doubles:
        return np.zeros(0)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        return (("command", len(model.driven)),)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        count = len(model.driven)
        if not count:
            raise BadInput(f"{model.name}: nothing drives it, so it takes no command; leave the controller out")
        made = np.asarray(self.command(t), dtype=np.float64) if callable(self.command) else self._formulas(model, t)
        made = made[:, None] if made.ndim == 1 else made
        if made.shape not in ((len(t), count), (len(t), 1)):
            raise BadInput(
                f"{model.name} has {count} drive{'s' * (count != 1)}: the command at {len(t)} instants needs shape "
                f"({len(t)}, {count}), not {made.shape}"
            )
        if not np.isfinite(made).all():
            at = t[int(np.argmin(np.isfinite(made).all(axis=-1)))]
            raise BadInput(f"{model.name}: the command at {at:.6g} s is not a finite number")
        return np.broadcast_to(made, (len(t), count)).copy()

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        return reference.command

    def _formulas(self, model: Model, t: Doubles) -> Doubles:
        given = self.command
        texts = [given] if isinstance(given, str | float | int) else list(given)  # type: ignore[arg-type]
        try:
            return np.stack([formula(text, model.values)(t)[0] for text in texts], axis=-1)
        except BadExpression as error:
            raise BadInput(f"{model.name}: {error}") from None
