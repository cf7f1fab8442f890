"""`closedchain lab run --live`: a page in the browser that shows robots and scopes while the script runs."""

from __future__ import annotations

import json
import math
import threading
import time
from html import escape
from importlib import resources
from typing import Any

import numpy as np

from closedchain.lab.page import render
from closedchain.lab.robot import Robot
from closedchain.lab.running import Outcome
from closedchain.lab.server import Handler, Server
from closedchain.lab.serving import SELF_CONTAINED
from closedchain.lab.session import Session
from closedchain.view.page import asset
from closedchain.view.scene import stage

EVERY = 0.05  # [s] between messages
ROWS = 60  # of the motion so far, to know how far rails go
POINTS = 400  # of a curve in one message
PATIENCE = 3.0  # [s] for the browser to come for the final page


class Live(Server):
    """Open while a script runs; `end` hands the final page to whoever watches."""

    def __init__(self, session: Session, script: str) -> None:
        super().__init__()
        self.session, self.script = session, script
        self.result: bytes | None = None
        self.watching = 0
        self.fetched = threading.Event()

    def respond(self, handler: Handler, name: str) -> bool:
        """The page, its parts, its messages, and the final page once there is one."""
        if name == "":
            handler.answer(200, document(self.script).encode(), ".html")
        elif name in ("live.js", "live.css"):
            text = resources.files("closedchain.lab").joinpath("assets", name).read_text(encoding="utf-8")
            handler.answer(200, (asset("player.css") + text if name == "live.css" else text).encode(), name[4:])
        elif name == "messages":
            self.tell(handler)
        elif name == "result" and self.result is not None:
            handler.answer(200, self.result, ".html", SELF_CONTAINED)
            self.fetched.set()
        else:
            return False
        return True

    def tell(self, handler: Handler) -> None:
        """Server-sent events: what is new, again and again, until the run has ended."""
        handler.send_response(200)
        for name, value in {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.close_connection = True
        self.watching += 1
        told: dict[int, int] = {}
        try:
            while True:
                last = self.result is not None
                handler.wfile.write(f"data: {json.dumps(news(self.session, told), allow_nan=False)}\n\n".encode())
                if last:
                    handler.wfile.write(b"event: end\ndata: {}\n\n")
                handler.wfile.flush()
                if last:
                    return
                time.sleep(EVERY)
        finally:
            self.watching -= 1

    def end(self, done: Outcome) -> None:
        """The script has ended: the final page takes the place of this one."""
        watched = self.watching > 0
        self.result = render(done).encode()
        if watched:
            self.fetched.wait(PATIENCE)


def document(script: str) -> str:
    """The page before the first message."""
    title = escape(script)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<link rel="icon" href="data:,">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="live.css">'
        f'</head><body><main class="live"><h1>{title}</h1><p id="state" role="status">Waiting for the script …</p>'
        '<div id="robots"></div><div id="charts"></div></main><script src="live.js"></script></body></html>\n'
    )


def news(session: Session, told: dict[int, int]) -> dict[str, Any]:
    """The robots as they are and the points of curves that were not told yet; `told` remembers them."""
    charts = []
    for chart in list(session.charts):
        curves = []
        for name, history in list(chart.curves.items()):
            begin = told.get(id(history), 0)
            again = history.count < begin
            rows = history.since(0 if again else begin)
            told[id(history)] = history.count
            rows = rows[:: max(1, -(-len(rows) // POINTS))]
            points = [[float(a), float(b)] for a, b in rows if math.isfinite(a) and math.isfinite(b)]
            curves.append({"name": name, "again": again, "points": points})
        charts.append({"title": chart.title, "limits": chart.limits, "curves": curves})
    return {
        "t": session.clock.simulated,
        "robots": [picture(robot) for robot in list(session.robots)],
        "charts": charts,
    }


def picture(robot: Robot) -> dict[str, Any]:
    """A robot's points and parts now."""
    run, model = robot.run, robot.model
    rows = np.unique(np.linspace(0, len(run.t) - 1, ROWS).astype(int))
    scene = stage(model, run.q[rows], run.x[rows])
    low, high = scene.bounds
    parts = [{"kind": part.kind, "points": list(part.points)} for part in scene.parts]
    return {
        "name": model.name,
        "points": scene.points[-1].tolist(),
        "parts": parts,
        "joints": list(scene.joints),
        "path": scene.path.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
    }
