"""One leg's own coordinates: regular where that leg is at its end (Type 1) and where the legs are in line (Type 2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.derive.structure import ends
from closedchain.describe.elements import Bar, Crank, Free, Slider
from closedchain.errors import BadInput
from closedchain.kernels import Library
from closedchain.model.course import Course, chart_library, run
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs
from closedchain.motion.reference import Reference


@dataclass(frozen=True, eq=False)
class LegChart:
    """u = (the bar's absolute angle, the crank's angle or the tip's place along the rail) of one of two legs.

    The tip follows from u as at the end of a serial arm; the other leg's drive follows in closed form, on one branch.
    """

    model: Model
    leg: int
    other: float  # σ of the other leg, which keeps it

    @cached_property
    def library(self) -> Library:
        return chart_library(self.model, self.leg)

    @property
    def turning(self) -> tuple[bool, bool]:
        """Which of the two coordinates are angles."""
        return True, isinstance(self.model.legs[self.leg].drive, Crank)

    @property
    def scales(self) -> Doubles:
        """A natural size of each coordinate [rad, rad or m]."""
        return np.array([1.0, 1.0 if self.turning[1] else self.model.scale])

    def coordinates(self, q: Doubles, x: Doubles) -> Doubles:
        """u of a configuration."""
        return run(self.model, self.library, "chart", {"q": q, "x": x})["u"]

    def place(self, u: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """q, x and the other leg's slack: negative where it does not reach."""
        model, leg = self.model, self.model.legs[self.leg]
        assert isinstance(leg.link, Bar)
        bar = model.number(leg.link.length) * np.stack([np.cos(u[..., 0]), np.sin(u[..., 0])], axis=-1)
        drive = leg.drive
        if isinstance(drive, Slider):
            along = np.array([model.number(e) for e in drive.along])
            own = u[..., 1] - bar @ along
            x = np.array([model.number(e) for e in drive.at]) + own[..., None] * along + bar
        else:
            assert isinstance(drive, Crank)
            own = u[..., 1]
            x = np.array([model.number(e) for e in drive.about]) + model.number(drive.radius) * self._arm(own) + bar
        made = model.call("inverse", x=x, sigma=np.full(2, self.other))
        q = made["q"].copy()
        q[..., self.leg] = own
        return q, x, made["slack"][..., 1 - self.leg]

    def _arm(self, own: Doubles) -> Doubles:
        """The crank's direction at its angles, (…, 2)."""
        drive = self.model.legs[self.leg].drive
        assert isinstance(drive, Crank)
        assert drive.plane is not None
        e1, e2 = (np.array([self.model.number(c) for c in e]) for e in drive.plane)
        return np.asarray(np.cos(own)[..., None] * e1 + np.sin(own)[..., None] * e2)

    def at_its_end(self, count: int) -> Doubles:
        """(2 count, 2) u of this leg at its ends: its bar across the rail, or in line with its crank."""
        drive = self.model.legs[self.leg].drive
        if isinstance(drive, Slider):
            along = [self.model.number(e) for e in drive.along]
            span = 4 * self.model.scale
            own = np.linspace(-span, span, count)
            angle = np.full(count, np.arctan2(along[1], along[0]) + np.pi / 2)
        else:
            own = np.linspace(-np.pi, np.pi, count)
            arm = self._arm(own)
            angle = np.arctan2(arm[:, 1], arm[:, 0])
        return np.concatenate([np.stack([angle + turn, own], axis=-1) for turn in (0.0, np.pi)])

    def course(self, u: Reference, near: Doubles | None = None) -> Course:
        """The whole motion of u(t); angles of the other drive as many turns on as `near`."""
        q, x, _ = self.place(u.x)
        if near is not None:
            turns = np.array([c.unit == "rad" for c in self.model.equations.q])
            turns[self.leg] = False
            q = np.where(turns, q + 2 * np.pi * np.round((near - q) / (2 * np.pi)), q)
        given = {"q": q, "x": x, "u_dot": u.x_dot, "u_ddot": u.x_ddot, "u_dddot": u.x_dddot}
        return Course(q=q, x=x, **run(self.model, self.library, "chart_rates", given))


def charts(model: Model, start: str, end: str) -> list[LegChart]:
    """The legs whose coordinates serve from one working mode to another: the one that changes, or both if none does.

    None serve where both change: each is regular at its own leg's end only.
    """
    check_two_bars(model)
    before, after = leg_signs(model, start), leg_signs(model, end)
    changed = np.nonzero(before != after)[0]
    legs = changed if len(changed) else np.arange(2)
    return [LegChart(model, int(i), float(before[1 - i])) for i in legs] if len(changed) < 2 else []


def check_two_bars(model: Model) -> None:
    """Raise BadInput unless a free point hangs on two bars, each on a slider or a crank of the plane."""
    found = model.legs if model.has_legs and model.nx == model.nq == 2 else ()
    good = len(found) == 2 and all(
        isinstance(leg.link, Bar)
        and isinstance(leg.far, Free)
        and isinstance(leg.drive, Slider | Crank)
        and leg.drive in ends(leg.link)
        for leg in found
    )
    if not good:
        raise BadInput(
            f"{model.name}: crossings are planned for a tip on two bars in the plane, each on a slider or a crank; "
            "for this robot give a motion of your own to `check_crossing`"
        )
