"""The command `closedchain`: one file per command, each asks one question of the package."""

from closedchain.cli.main import main

__all__ = ["main"]
