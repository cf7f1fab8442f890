"""The studio: a browser workbench. A small server, one warm solver process, and a process for each job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from closedchain.extras import doors

if TYPE_CHECKING:
    from closedchain.studio.serving import Setting, serve

_HOMES = {  # imported when first used
    "Setting": "serving",
    "serve": "serving",
}

__all__ = [
    "Setting",
    "serve",
]

__getattr__, __dir__ = doors(__name__, _HOMES)
