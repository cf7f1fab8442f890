"""Notebooks: how values are shown, a robot to be dragged, results as pandas and xarray hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from closedchain.extras import doors

if TYPE_CHECKING:
    from closedchain.notebook.frames import dataset, frame
    from closedchain.notebook.widget import Explorer

_HOMES = {  # imported when first used
    "Explorer": "widget",
    "dataset": "frames",
    "frame": "frames",
}

__all__ = [
    "Explorer",
    "dataset",
    "frame",
]

__getattr__, __dir__ = doors(__name__, _HOMES)
