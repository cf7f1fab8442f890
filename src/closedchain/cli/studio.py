"""`closedchain studio`: the browser workbench."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from closedchain import robots
from closedchain.cli.parser import Arguments, Usage
from closedchain.describe.files import read, read_text
from closedchain.studio import Setting, serve

LAST_PORT = 65535


def run(args: Arguments) -> int:
    """Serve until Ctrl-C."""
    if not 0 <= args.port <= LAST_PORT:
        raise Usage(f"--port {args.port}: a port is a number from 0 (any free one) to {LAST_PORT}")
    setting = Setting(
        host=args.host,
        port=args.port,
        names=tuple(args.name),
        browser=not args.no_browser,
        workspace=args.workspace,
        opened=opened(args.robot),
    )
    return serve(setting, say)


def opened(source: str | None) -> dict[str, Any] | None:
    """The robot to begin with: a name, or the text of a file."""
    if source is None:
        return None
    name, _, preset = source.partition(":")
    if robots.knows(name):
        recipe, chosen = robots.choose(name, preset or None)
        recipe.values(chosen)  # refuses an unknown set
        return {"source": source.removesuffix(":"), "toml": None, "values": {}}
    if ".toml:" in source:
        path, _, preset = source.rpartition(":")
        recipe = read(Path(path))
        recipe.values(preset)
        return {"source": None, "toml": read_text(Path(path)), "values": dict(recipe.presets[preset])}
    if source.endswith(".toml") or Path(source).is_file():  # its mistakes are shown in the page
        return {"source": None, "toml": read_text(Path(source)), "values": {}}
    raise Usage(f"no robot {source[:60]!r} and no such file; there are {', '.join(robots.known())}")


def say(text: str) -> None:
    """The address is the command's answer."""
    print(text, flush=True)
