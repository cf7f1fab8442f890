"""`closedchain lab serve`: a folder of runs in the browser, each with its page."""

from __future__ import annotations

import time
from collections.abc import Callable
from html import escape
from pathlib import Path
from urllib.parse import quote

from closedchain.errors import BadInput
from closedchain.lab.page import PAGE, style
from closedchain.lab.server import KINDS, Handler, Server
from closedchain.view.page import asset, page

SELF_CONTAINED = "frame-ancestors 'none'"  # a run's page has a policy of its own


class Runs(Server):
    """The pages of a folder's runs, and a list of them that is made anew at each look."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        if not folder.is_dir():
            raise BadInput(f"no folder {str(folder)[:200]!r}; `closedchain lab run` makes lab-runs")
        self.folder = folder.resolve()
        super().__init__(port)

    def respond(self, handler: Handler, name: str) -> bool:
        """The list, or a file of a run; nothing outside the folder."""
        if not name:
            handler.answer(200, listing(self.folder).encode(), ".html", SELF_CONTAINED)
            return True
        path = (self.folder / name).resolve()
        if path.is_dir() and not name.endswith("/"):
            return False
        path = path / PAGE if path.is_dir() else path
        if not path.is_relative_to(self.folder) or path.suffix not in KINDS or not path.is_file():
            return False
        handler.answer(200, path.read_bytes(), path.suffix, SELF_CONTAINED)
        return True


def listing(folder: Path) -> str:
    """Every run, newest first."""
    found = [(path.parent, path) for path in folder.glob(f"*/{PAGE}")] + [
        (path, path) for path in folder.glob("*.html")
    ]
    rows = []
    for run, path in sorted(found, key=lambda pair: -pair[1].stat().st_mtime):
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(path.stat().st_mtime))
        link = quote(run.name) + ("/" if run != path else "")
        rows.append(f'<tr><td><a href="{escape(link)}">{escape(run.name)}</a></td><td>{when}</td></tr>')
    head = '<thead><tr><th scope="col">run</th><th scope="col">when</th></tr></thead>'
    table = f'<table class="runs">{head}<tbody>{"".join(rows)}</tbody></table>'
    inside = table if rows else "<p>No runs yet: <code>closedchain lab run SCRIPT</code> makes one.</p>"
    body = f'<main class="run"><h1>Runs in {escape(folder.name)}</h1>{inside}</main>'
    return page(f"Runs in {folder.name}", body, styles=[asset("player.css"), style()])


def serve(folder: Path, port: int, tell: Callable[[str], None]) -> int:
    """Serve until Ctrl-C."""
    with Runs(folder, port) as server:
        tell(f"the runs are at {server.address} until Ctrl-C")
        try:
            while server.thread.is_alive():
                server.thread.join(0.5)
        except KeyboardInterrupt:
            tell("done")
    return 0
