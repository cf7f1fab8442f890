"""`closedchain lab run --live`: a page in the browser that shows robots and scopes while the script runs."""

import json
import threading
import time
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from closedchain.view import asset, stage
from closedchain_lab.page import own_asset, render
from closedchain_lab.robot import Robot
from closedchain_lab.running import Outcome
from closedchain_lab.serving import SELF_CONTAINED, Handler, Server
from closedchain_lab.session import Session

ROWS = 60  # of the motion so far, to know how far rails go
PATIENCE = 3.0  # [s] in which a browser looks again, and comes for the final page


class Live(Server):
    """Open while a script runs; `end` hands the final page to whoever watches."""

    def __init__(self, session: Session, script: str, tell: Callable[[str], None]) -> None:
        super().__init__()
        tell(f"watch it at {self.address}")
        self.session, self.script = session, script
        self.result: bytes | None = None
        self.asked = 0.0  # when a browser looked last
        self.fetched = threading.Event()

    def respond(self, handler: Handler, name: str) -> bool:
        """The page, its parts, the run as it is, and the final page once there is one."""
        if name == "":
            handler.answer(200, own_asset("live.html").format(title=escape(self.script)).encode(), ".html")
        elif name == "live.js":
            handler.answer(200, own_asset(name).encode(), ".js")
        elif name == "live.css":
            handler.answer(200, (asset("player.css") + own_asset(name)).encode(), ".css")
        elif name == "news":
            self.asked = time.monotonic()
            handler.answer(200, json.dumps(news(self.session, self.result is not None)).encode(), ".json")
        elif name == "result" and self.result is not None:
            handler.answer(200, self.result, ".html", SELF_CONTAINED)
            self.fetched.set()
        else:
            return False
        return True

    def end(self, done: Outcome) -> None:
        """The script has ended: the final page takes the place of this one."""
        watched = time.monotonic() - self.asked < PATIENCE
        self.result = render(done).encode()
        if watched:
            self.fetched.wait(PATIENCE)


def news(session: Session, ended: bool) -> dict[str, Any]:
    """The robots as they are, and the scopes drawn as on the final page."""
    charts = [f"<figure>{chart.svg(inline=True)}</figure>" for chart in list(session.charts)]
    robots = [picture(robot) for robot in list(session.robots)]
    return {"t": session.clock.simulated, "robots": robots, "charts": "".join(charts), "ended": ended}


def picture(robot: Robot) -> dict[str, Any]:
    """A robot's points and parts now."""
    run, model = robot.run, robot.model
    rows = np.unique(np.linspace(0, len(run.t) - 1, ROWS).astype(int))
    scene = stage(model, run.q[rows], run.x[rows])
    low, high = scene.bounds
    return {
        "name": model.name,
        "points": scene.points[-1].tolist(),
        "parts": [{"kind": part.kind, "points": list(part.points)} for part in scene.parts],
        "joints": list(scene.joints),
        "path": scene.path.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
    }
