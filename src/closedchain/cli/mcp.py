"""`closedchain mcp`: the questions of this command line for agents, by the Model Context Protocol."""

from __future__ import annotations

import sys

from closedchain.cli.parser import Arguments
from closedchain.cli.values import note
from closedchain.mcp import Server


def run(args: Arguments) -> int:
    """Serve until the input ends."""
    if sys.stdin.isatty():
        note("this speaks JSON-RPC on standard input and output; a program is meant to start it. Ctrl-D ends it.")
    Server(sys.stdout).serve(sys.stdin)
    return 0
