"""What an identification gives: base parameters with standard deviations, and how well they predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.identification.base import Base
from closedchain.identification.estimating import Estimate
from closedchain.identification.physical import Physical
from closedchain.model.model import Model


@dataclass(frozen=True, eq=False)
class Prediction:
    """Efforts of instants that a fit had not seen, or had."""

    drives: tuple[str, ...]
    seen: Doubles  # (drives,) |Y − W β| / |Y| of instants that were fitted
    unseen: Doubles  # the same of instants that were held back


@dataclass(frozen=True, eq=False, repr=False)
class Identification:
    """Base parameters from efforts along a motion."""

    model: Model
    base: Base
    units: tuple[str, ...]
    described: Doubles  # the base parameters that the description has
    estimate: Estimate
    estimator: str
    prediction: Prediction
    physical: Physical | None
    t: Doubles
    tau: Doubles  # (n, drives) measured
    predicted: Doubles  # (n, drives)
    source: str = "the data"

    @property
    def values(self) -> dict[str, float]:
        """Each base parameter, by the first of its parts."""
        return dict(zip(self.base.labels, self.estimate.beta.tolist(), strict=True))

    def document(self) -> dict[str, Any]:
        """As data."""
        rows = zip(
            self.base.labels, self.base.combinations, self.units, self.described.tolist(), self.estimate.beta.tolist(),
            self.estimate.sd.tolist(), strict=True,
        )  # fmt: skip
        keys = ("name", "combination", "unit", "described", "value", "sd")
        p, gap = self.prediction, self.base.gap
        rank = {"svd": self.base.rank_svd, "qr": self.base.rank_qr, "counts": gap[0], "does_not": gap[1]}
        told: dict[str, Any] = {"found": [dict(zip(keys, row, strict=True)) for row in rows], "rank": rank}
        told |= {"without_effect": self.base.without_effect, "estimator": self.estimator}
        told |= {"condition": self.estimate.condition, "instants": len(self.t)}
        efforts = zip(p.drives, self.estimate.sd_efforts.tolist(), p.seen.tolist(), p.unseen.tolist(), strict=True)
        told["efforts"] = [dict(zip(("drive", "sd", "seen", "unseen"), row, strict=True)) for row in efforts]
        if self.physical is not None:
            found: dict[str, Any] = {"consistent": self.physical.consistent, "distance": self.physical.distance}
            found["inconsistent"] = self.physical.inconsistent
            told["physical"] = found | {"values": dict(zip(self.base.names, self.physical.chi.tolist(), strict=True))}
        return told

    def __repr__(self) -> str:
        lines = [
            f"{self.model.name}: {len(self.base)} base parameters of {len(self.base.names)} from {len(self.t)} rows "
            f"of {self.source}, {self.estimator}, condition {self.estimate.condition:.3g}"
        ]
        width = max(len(name) for name in self.base.labels)
        lines.append(f"  {'':{width}}  {'described':>12}  {'found':>12}  {'sd':>9}")
        for name, words, unit, old, new, sd in zip(
            self.base.labels, self.base.combinations, self.units, self.described, self.estimate.beta,
            self.estimate.sd, strict=True,
        ):  # fmt: skip
            told = "" if words == name else f"   {words}"
            lines.append(f"  {name:{width}}  {old:12.6g}  {new:12.6g}  {sd:9.2g}  {unit}{told}")
        if self.base.without_effect:
            lines.append(f"  without effect: {', '.join(self.base.without_effect)}")
        p = self.prediction
        for drive, seen, unseen in zip(p.drives, p.seen, p.unseen, strict=True):
            lines.append(
                f"  {drive}: {100 * seen:.3g} % of its effort unexplained, {100 * unseen:.3g} % where held back"
            )
        if self.physical is not None:
            lines.append(f"  {self.physical}")
        return "\n".join(lines)


def relative(left: Doubles, whole: Doubles) -> Doubles:
    """|left| / |whole| by drive, (drives,) of (drives, n)."""
    return np.asarray(np.linalg.norm(left, axis=1) / np.maximum(np.linalg.norm(whole, axis=1), 1e-300))
