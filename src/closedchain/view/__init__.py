"""Pictures of robots and of what they did: figures, an animation in one HTML file, videos, reports.

Everything draws a `Record` (or anything with its attributes) of a `Model`. Each leaf is imported when a name of its is
first used, so that an animation needs no Matplotlib.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from closedchain.extras import doors

if TYPE_CHECKING:
    from closedchain.view.animation import animate, player
    from closedchain.view.page import asset, html_page
    from closedchain.view.pictures import figure_branches
    from closedchain.view.report import Report
    from closedchain.view.scene import stage
    from closedchain.view.style import save

_HOMES = {  # imported when first used
    "Report": "report",
    "animate": "animation",
    "asset": "page",
    "figure_branches": "pictures",
    "html_page": "page",
    "player": "animation",
    "save": "style",
    "stage": "scene",
}

__all__ = [
    "Report",
    "animate",
    "asset",
    "figure_branches",
    "html_page",
    "player",
    "save",
    "stage",
]

__getattr__, __dir__ = doors(__name__, _HOMES)
