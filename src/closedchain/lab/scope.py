"""The lab's `Scope`: two curves over time, kept for the page instead of drawn in a window."""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.lab.chart import Chart
from closedchain.lab.events import process_events
from closedchain.lab.session import current

REFRESH = 100  # updates between two looks at what else is due


class Scope:
    """Two curves over time within [min_y, max_y], one point each with every `update`."""

    def __init__(self, title: str, min_y: float, max_y: float) -> None:
        self.title = str(title)
        self.chart = Chart(self.title, (float(min_y), float(max_y)))
        self.curves = (self.chart.curve("first"), self.chart.curve("second"))
        self.updates = 0
        if current().keeps:
            current().charts.append(self.chart)

    def update(self, time: Any, y1: Any, y2: Any) -> None:
        """One more point of each curve; what is not a number leaves a gap."""
        t = _plotted(time)
        self.curves[0].add((t, _plotted(y1)))
        self.curves[1].add((t, _plotted(y2)))
        self.updates += 1
        if self.updates % REFRESH == 0:
            process_events()


def _plotted(value: Any) -> float:
    return value if isinstance(value, float) else float(np.asarray(value, dtype=np.float64).reshape(()))
