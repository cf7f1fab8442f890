"""The pictures of a run that `closedchain simulate --plot` writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from closedchain.simulation.run import Run
from closedchain.view.figures import figure_efforts, figure_energy, figure_tracking
from closedchain.view.style import save

FIGURES = {"": figure_tracking, "-efforts": figure_efforts, "-energy": figure_energy}


def draw(run: Run, path: Path) -> Iterator[Path]:
    """`run.png`, `run-efforts.png` and `run-energy.png`; nothing that drives, no efforts."""
    for mark, figure in FIGURES.items():
        if figure is figure_efforts and not run.model.driven:
            continue
        yield save(figure(run.model, run), path.with_name(f"{path.stem}{mark}{path.suffix}"))
