"""A server of the Model Context Protocol on standard input and output: robots for agents and scripts.

Its tools are the questions of the command line, and their answers are its JSON documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from closedchain.extras import doors

if TYPE_CHECKING:
    from closedchain.mcp.server import Server

_HOMES = {  # imported when first used
    "Server": "server",
}

__all__ = [
    "Server",
]

__getattr__, __dir__ = doors(__name__, _HOMES)
