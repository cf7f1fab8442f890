"""What is to be planned: two poses, and the working modes allowed at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput
from closedchain.model.geometry import inverse
from closedchain.model.model import Model
from closedchain.planning.measure import Measures, Setting


@dataclass(frozen=True, eq=False)
class Task:
    """From a pose to a pose, in modes given by their indices."""

    setting: Setting
    start: Doubles  # (nx,)
    goal: Doubles  # (nx,)
    from_modes: tuple[int, ...]
    to_modes: tuple[int, ...]

    @property
    def modes(self) -> tuple[int, ...]:
        """Those allowed at both ends."""
        return tuple(i for i in self.from_modes if i in self.to_modes)

    def ends(self) -> Measures:
        """Start, then goal, in every mode, (2 × modes,)."""
        x = np.repeat(np.stack([self.start, self.goal]), len(self.setting.modes), axis=0)
        return self.setting.measure(x, np.tile(self.setting.sigma, (2, 1)))

    def blocked(self) -> str:
        """Why no mode is allowed at the start or at the goal; empty when there is one at both."""
        m = self.ends()
        left = self.setting.room_left(m).reshape(2, len(self.setting.modes), -1)
        kept = self.setting.kept(m).reshape(2, -1)
        said = []
        for end, name, allowed in ((0, "start", self.from_modes), (1, "goal", self.to_modes)):
            if not kept[end, list(allowed)].any():
                worst = [f"{self.setting.modes[i]}: {self._broken(left[end, i])}" for i in allowed]
                said.append(f"the {name} itself is not allowed in any working mode asked for ({'; '.join(worst)})")
        return ", and ".join(said)

    def _broken(self, left: Doubles) -> str:
        legs, worst = len(self.setting.legs), int(np.nanargmin(left))
        name = self.setting.constraints[worst]
        if worst < legs:
            return f"leg {name} is within {left[worst] + self.setting.margin:.3g} of its end"
        if worst > legs + len(self.setting.bodies.pairs):
            return f"{name} is beyond its limits"
        return f"A is within {left[worst] + self.setting.margin:.3g} of singular" if worst == legs else f"{name} meet"


def task_of(setting: Setting, start: ArrayLike, goal: ArrayLike, working: str | None, goal_working: str | None) -> Task:
    """The task, checked: both poses within reach, modes that exist."""
    model = setting.model
    modes = _chosen(model, setting.modes, working), _chosen(model, setting.modes, goal_working)
    return Task(setting, _pose(model, start, "start"), _pose(model, goal, "goal"), *modes)


def _pose(model: Model, given: ArrayLike, name: str) -> Doubles:
    x = vectors(given, model.outputs, name)
    if x.ndim != 1:
        raise BadInput(f"{model.name}: the {name} is one pose, ({model.outputs},), not {x.shape}")
    found = inverse(model, x)
    if not len(found):
        raise found.reasons[0]
    return x


def _chosen(model: Model, modes: Sequence[str], asked: str | None) -> tuple[int, ...]:
    if asked is None:
        return tuple(range(len(modes)))
    name = asked.replace("−", "-").replace(" ", "").replace(",", "")
    if name not in modes:
        raise BadInput(f"{model.name}: no working mode {asked!r:.20}; there are {', '.join(modes)}")
    return (modes.index(name),)
