"""A run in progress: what it was asked for, and what its robots, scopes and figures leave behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from closedchain.errors import BadInput
from closedchain.lab.clock import WAIT, Clock
from closedchain.lab.sandbox.child.interrupting import handler, interrupt
from closedchain.lab.turns import Turns, press_really

if TYPE_CHECKING:
    from closedchain.lab.chart import Chart
    from closedchain.lab.events import QTimer
    from closedchain.lab.robot import Robot

ENGINES = ("exact", "mujoco")
AGAIN = 1.0  # [s] of simulation that a script may take to close after Ctrl-C
TIMES = 2  # Ctrl-C is pressed; then the script is ended
IDLE = 1.0  # [s] of looking at a robot to which no effort is applied


@dataclass(frozen=True)
class Settings:
    """What `closedchain lab run` was asked for."""

    parameters: Mapping[str, float | str] = field(default_factory=dict)  # of the robot, in place of the lab's
    robot: str | None = None  # in place of the one that the script names
    engine: str = "exact"
    real_time: bool = False
    duration: float | None = None  # [s] of simulation, after which Ctrl-C is pressed

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise BadInput(f"no engine {self.engine!r:.30}; there are {', '.join(ENGINES)}")
        if self.duration is not None and not 0.0 < self.duration < float("inf"):
            raise BadInput(f"duration = {self.duration} s; it must be positive")


@dataclass
class Board:
    """What nodes of one script find of each other, by name."""

    topics: dict[str, list[Any]] = field(default_factory=dict)  # subscriptions
    services: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)  # of the command line


@dataclass(frozen=True)
class Picture:
    """A figure that the script drew, as it was when it was shown."""

    title: str
    png: bytes


class Session:
    """Keeps what a run makes, paces it, and presses Ctrl-C when its time is over."""

    def __init__(
        self, settings: Settings | None = None, *, keeps: bool = True, tell: Callable[[str], None] | None = None
    ) -> None:
        self.settings = settings or Settings()
        self.keeps, self.tell = keeps, tell
        self.clock = Clock(self.settings.real_time)
        self.robots: list[Robot] = []
        self.charts: list[Chart] = []
        self.pictures: list[Picture] = []
        self.timers: list[QTimer] = []
        self.quits = self.ros = False  # Qt's loop is to end; ROS has begun
        self.board = Board()  # topics, services and parameters of ROS
        self.ends = self.settings.duration if self.settings.duration is not None else float("inf")
        if self.settings.duration is not None:
            self.clock.ends = lambda: self.press(self.clock.simulated + AGAIN)
        self.usual = handler()  # at Ctrl-C, before the script says what it wants
        self.pressed_at = float("-inf")  # on the wall
        self.over = False  # the script has ended
        self.pressed, self.gave_up = 0, False  # how often Ctrl-C was, and whether the script was ended since
        self.looked = self.since = 0.0  # at a robot that has nothing new: how often, and since when
        self.told_idle = False
        self.paced_from: float | None = None
        self.owner = threading.get_ident()  # the thread that runs the script
        self.turns: Turns | None = None  # of the script's threads, where they go by the simulated clock
        self.modules: dict[str, ModuleType] = {}  # that the script's own files get in place of Python's

    def keep_robot(self, robot: Robot) -> None:
        """Its motion is part of the run."""
        if self.keeps:
            self.robots.append(robot)

    def keep_chart(self, chart: Chart) -> None:
        """It is part of the run."""
        if self.keeps:
            self.charts.append(chart)

    # Time ---------------------------------------------------------------------------------------

    def before_step(self, simulated: float) -> None:
        """Ctrl-C where the time asked for has been simulated; again, and then the end, if the script goes on."""
        self.looked = 0
        if self.over and threading.get_ident() != self.owner:
            raise SystemExit  # a thread that outlived its script
        if simulated >= self.ends - 1e-9:
            self.press(simulated + AGAIN)

    def press(self, again: float) -> None:
        """Ctrl-C, in the main thread; the next one at another simulated time. It returns where the script's own
        handler does.
        """
        self.ends = again
        if self.turns is None and threading.get_ident() != self.owner:
            self._press_by_the_wall()
            return
        self.pressed += 1
        if self.turns is None or not self.turns.tell_main(self._interrupt):
            self._interrupt()

    def _press_by_the_wall(self) -> None:
        """From a thread that does not take turns: the main thread has time to hear it before the next one."""
        now = time.monotonic()
        if now - self.pressed_at >= AGAIN:
            self.pressed_at = now
            self.pressed += 1
            if not press_really(self.owner):
                self._interrupt()

    def _interrupt(self) -> None:
        if self.pressed > TIMES:
            self.gave_up = True
            raise SystemExit(130)
        interrupt(self.usual)

    def after_step(self, simulated: float) -> None:
        """The clock goes on, and in real time so does the wall's."""
        if not self.settings.real_time:
            self.clock.stepped(simulated)
            return
        self.clock.simulated = max(self.clock.simulated, simulated)
        now = time.monotonic()
        if self.paced_from is None:
            self.paced_from = now - simulated
        early = self.paced_from + simulated - now
        if early > 0.0:
            time.sleep(early)
        elif early < -1.0:  # the script was busy elsewhere: no race to catch up
            self.paced_from = now - simulated

    def idle(self, simulated: float) -> None:
        """The script looked at a robot that has nothing new: with no effort nothing will ever be."""
        self.clock.wait(WAIT)
        if self.looked == 0:
            self.since = time.monotonic()
        self.looked += 1
        if self.looked % 256 or time.monotonic() - self.since < IDLE:
            return
        self.looked = 0
        if not self.told_idle and self.tell:
            self.tell("the script waits for data but applies no effort, so the robot does not move")
        self.told_idle = True
        if self.settings.duration is not None:
            self.press(simulated + AGAIN)


_ALONE = Session(keeps=False)  # of robots that no run made
_OPEN: list[Session] = []


def current() -> Session:
    """The run in progress, or one that keeps nothing."""
    return _OPEN[-1] if _OPEN else _ALONE


@contextmanager
def opened(session: Session) -> Iterator[Session]:
    """Robots, scopes and figures made within belong to the session."""
    _OPEN.append(session)
    try:
        yield session
    finally:
        session.over = True
        _OPEN.remove(session)
