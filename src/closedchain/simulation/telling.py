"""What set-valued friction and firm stops did along a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Event:
    """What happened at an instant."""

    t: float  # [s]
    what: str  # "holds", "slides", "hits", "closes", "opens"
    name: str  # of the friction, or of the stop and its end
    speed: float = 0.0  # [m/s, rad/s] at which a stop was hit


@dataclass(eq=False)
class Told:
    """What events did along a run."""

    events: list[Event] = field(default_factory=list)
    friction: float = 0.0  # [J] taken by set-valued friction
    impacts: float = 0.0  # [J] taken by impacts

    @property
    def findings(self) -> dict[str, Any]:
        """For a run's summary."""
        taken = {"friction_loss": self.friction, "impact_loss": self.impacts}
        return taken | {"events": [asdict(event) for event in self.events]}

    @property
    def remarks(self) -> tuple[str, ...]:
        """For a run's text."""
        counts = Counter(event.what for event in self.events)
        times = ", ".join(f"{what} {count}" for what, count in counts.items()) or "none"
        return (f"friction took {self.friction:.6g} J, impacts {self.impacts:.6g} J; events: {times}",)
