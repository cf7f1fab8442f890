"""How large a difference may be: from rounding and conditioning, or from what the engine says of its own softness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.dynamics import coordinate_sizes
from closedchain.model.model import Model
from closedchain.policy import CLOSED
from closedchain.verify.comparison import Row
from closedchain.verify.samples import Quantities
from closedchain.verify.witness import Testimony

EPS = float(np.finfo(np.float64).eps)
OPERATIONS = 200.0  # roundings that add up on the way to one number, both programs together
SOLVER = 1e-9  # relative: what an engine's solver may leave beyond its stated softness
SOFTNESS = 1.01  # of the stated softness
JUDGES = 1e-3  # an engine that is not sure of a thousandth of what it is asked cannot judge it


@dataclass(frozen=True, eq=False)
class Ground:
    """What the limits of one engine on one motion follow from."""

    model: Model
    engine: str
    motion: str
    testimony: Testimony
    floor: Mapping[str, float]  # by how much each quantity moves when the masses given to massless bodies are doubled
    given: Mapping[str, float]  # the same of the accelerations by its solver
    units: Mapping[str, str]
    pace: tuple[float, float] = (0.0, 0.0)  # [1/s], [1/s²]: what stands still is still to the rounding of what moves

    def row(self, quantity: str, way: str, difference: Doubles, size: float, limit: float, why: str) -> Row:
        worst = float(np.abs(difference).max(initial=0.0)) if np.isfinite(difference).all() else np.inf
        rms = float(np.sqrt(np.mean(np.square(difference)))) if difference.size and worst < np.inf else worst
        name = quantity.removesuffix(FIRM)
        return Row(quantity, self.engine, way, self.motion, worst, rms, limit, self.units[name], why, size)

    def pieces(self, quantity: str, ours: Doubles, theirs: Doubles) -> Row:
        """Rounding: operations × ε × condition × the largest value, and what the given masses do."""
        size = self.size(quantity, ours)
        kappa = self.testimony.condition
        floor = self.floor.get(quantity, 0.0)
        why = f"{OPERATIONS:.0f} ε κ size, κ = {kappa:.3g}" + (f", given masses {floor:.0e}" if floor else "")
        limit = OPERATIONS * EPS * kappa * size + 2 * floor
        return self.row(quantity, "pieces", apart(self.units[quantity], ours, theirs), size, limit, why)

    def solver(self, quantity: str, ours: Quantities) -> list[Row]:
        """The solver as it is, against its stated softness; and with that taken off."""
        soft, firm = self.testimony.solver[quantity], self.testimony.firm[quantity]
        size, leaves, given = self._solved(quantity, ours), self.leaves(quantity), self.given.get(quantity, 0.0)
        rest = SOLVER * size + 2 * (leaves + given)
        masses = f", twice the {given:.0e} by which doubling the given masses changes it" if given else ""
        softness = float(np.abs(soft - firm).max(initial=0.0))
        if softness == 0.0:
            why = f"{SOLVER:.0e} of the largest, twice the {leaves:.0e} that its solver leaves of its own equations"
            why += masses
            return [self.row(quantity, "solver", ours[quantity] - soft, size, rest, why)]
        why = f"regularisation R × force f on each loop row, carried over{masses}"
        as_it_is = self.row(quantity, "solver", ours[quantity] - soft, size, SOFTNESS * softness + rest, why)
        why = (
            f"√ε of the largest: its solver minimises a cost, known to ε; twice the {leaves:.0e} that it leaves{masses}"
        )
        limit = np.sqrt(EPS) * size + rest
        return [as_it_is, self.row(quantity + FIRM, "solver", ours[quantity] - firm, size, limit, why)]

    def leaves(self, quantity: str) -> float:
        """By how much the solver's answer, its softness taken off, misses the equations it is to solve."""
        missed = self.testimony.firm[quantity] - self.testimony.exact[quantity]
        return float(np.abs(missed).max(initial=0.0)) if np.isfinite(missed).all() else np.inf

    def sure(self, quantity: str, ours: Quantities) -> bool:
        """Whether the solver knows a thousandth of what it is asked; otherwise it cannot judge."""
        return self.leaves(quantity) <= JUDGES * self._solved(quantity, ours)

    def _solved(self, quantity: str, ours: Quantities) -> float:
        alike = [name for name in self.testimony.solver if self.units[name] == self.units[quantity]]
        return max(float(np.abs(ours[name]).max(initial=0.0)) for name in alike)

    def gap(self) -> Row:
        """The engine's own closure gap after its loops were closed by Newton's method."""
        why = f"where assembly stops, {CLOSED:.0e} of the robot's size"
        limit = CLOSED * self.model.scale
        return Row(
            "engine's closure gap",
            self.engine,
            "pieces",
            self.motion,
            float(self.testimony.gap.max(initial=0.0)),
            float(np.sqrt(np.mean(np.square(self.testimony.gap)))),
            limit,
            "m",
            why,
            self.model.scale,
        )

    def size(self, quantity: str, values: Doubles) -> float:
        """The largest value, or where it is a sum that may cancel, of the sum of magnitudes."""
        rate, change = self.pace
        least = sizes_at(self.model.scale, rate, change).get(self.units[quantity], 0.0)
        least = self.testimony.terms.get(quantity, least)
        return max(float(np.abs(values).max(initial=0.0)), least)


def sizes_at(scale: float, rate: float, change: float) -> dict[str, float]:
    """How large a number of each unit is that rounding may be measured by, whatever is left of it."""
    turns = {"rad": np.pi, "rad/s": rate, "rad/s²": change}
    return turns | {"m": scale, "m/s": scale * rate, "m/s²": scale * change}


def pace_of(model: Model, z_dot: Doubles, z_ddot: Doubles) -> tuple[float, float]:
    """The largest rate of any coordinate and change of it, lengths in the robot's size [1/s], [1/s²].

    Not of the drives alone: near a singularity a body outruns them, and the rate of an angle is read off two places of
    it whose own rates cancel.
    """
    rate, change = (float(np.abs(v / coordinate_sizes(model)).max(initial=0.0)) for v in (z_dot, z_ddot))
    return rate, max(change, rate**2)


FIRM = ", softness taken off"


def apart(unit: str, ours: Doubles, theirs: Doubles) -> Doubles:
    """The difference; of angles, modulo a turn."""
    difference = ours - theirs
    return np.asarray((difference + np.pi) % (2 * np.pi) - np.pi if unit == "rad" else difference)


def worst_of(rows: Sequence[Row]) -> Row:
    """One row for several motions: the largest difference; where a limit is broken, the one broken most."""
    broken = [row for row in rows if not row.ok]
    return max(broken, key=lambda r: r.max / max(r.limit, 1e-300)) if broken else max(rows, key=lambda r: r.max)
