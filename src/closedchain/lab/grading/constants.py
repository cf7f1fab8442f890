"""The lab's two robots in numbers, and the other numbers that are in use for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from closedchain.model.loading import load
from closedchain.model.model import Model

NAMES = {"biglide": "biglide_models.py", "fivebar": "five_bar_models.py"}
SEED_LENGTH = 0.3606  # [m] the bars of seeds 000, 001 and 004
ROUNDED_INERTIA = 0.002  # [kg m²] of the handout; the model file has 1.0·0.045²


@dataclass(frozen=True)
class Constants:
    """Lengths and masses of a robot with two legs; `crank` is 0 where the drives slide."""

    robot: str
    l: float  # [m] of the bars that meet at the tip
    d: float  # [m] between the drives
    crank: float  # [m] of the driven bars
    drive: float  # [kg, kg m²] mass of a foot, inertia of a driven bar
    tip: float  # [kg]

    @property
    def turns(self) -> bool:
        """Whether the drives are cranks."""
        return self.crank > 0.0

    @property
    def named(self) -> dict[str, float]:
        """By the lab's names."""
        if self.turns:
            return {"l": self.l, "d": self.d, "ZZ1R": self.drive, "ZZ2R": self.drive, "mR": self.tip}
        return {"l": self.l, "d": self.d, "mf": self.drive, "mp": self.tip}

    def with_named(self, named: Mapping[str, float]) -> Constants:
        """Others, by the lab's names; the five-bar's bars are all alike."""
        l, tip = named["l"], named["mR" if self.turns else "mp"]
        drive = named["ZZ1R" if self.turns else "mf"]
        return replace(self, l=l, d=named["d"], crank=l if self.turns else 0.0, drive=drive, tip=tip)

    def model(self) -> Model:
        """The exact model with these numbers."""
        if self.turns:
            zz = self.drive
            return load("fivebar", l1=self.crank, l2=self.l, d=self.d, zz_1=zz, zz_2=zz, m_r=self.tip)
        return load("biglide", l=self.l, d=self.d, m_f=self.drive, m_p=self.tip)


LAB = {
    "biglide": Constants("biglide", l=0.2828427, d=0.4, crank=0.0, drive=1.0, tip=3.0),
    "fivebar": Constants("fivebar", l=0.09, d=0.118, crank=0.09, drive=1.0 * 0.045**2, tip=0.5),
}
SEEDS = {"biglide": replace(LAB["biglide"], l=SEED_LENGTH)}
