"""A run in progress: what it was asked for, and what its robots, scopes and figures leave behind."""

from __future__ import annotations

import _thread
import importlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from closedchain.errors import BadInput
from closedchain.lab.clock import WAIT, Clock

if TYPE_CHECKING:
    from closedchain.lab.chart import Chart
    from closedchain.lab.events import QTimer
    from closedchain.lab.parts import Plant
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


@dataclass(frozen=True)
class Picture:
    """A figure that the script drew, as it was when it was shown."""

    title: str
    png: bytes


class Session:
    """Keeps what a run makes, paces it, and presses Ctrl-C when its time is over.

    Robots are moved here, or by `plants`, which is told the robot's name. A sealed one draws nothing, and knows no
    package of ROS or Qt but ours.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        keeps: bool = True,
        sealed: bool = False,
        tell: Callable[[str], None] | None = None,
        plants: Callable[..., Plant] | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.keeps, self.sealed, self.tell, self.plants = keeps, sealed, tell, plants
        self.clock = Clock(self.settings.real_time)
        self.robots: list[Robot] = []
        self.charts: list[Chart] = []
        self.pictures: list[Picture] = []
        self.timers: list[QTimer] = []
        self.quits = self.ros = False  # Qt's loop is to end; ROS has begun
        self.ends = self.settings.duration if self.settings.duration is not None else float("inf")
        if self.settings.duration is not None:
            self.clock.ends = lambda: self.press(self.clock.simulated + AGAIN)
        self.usual = signal.getsignal(signal.SIGINT)  # at Ctrl-C, before the script says what it wants
        self.pressed, self.gave_up = 0, False  # how often Ctrl-C was, and whether the script was ended since
        self.broken = ""  # why a robot can be moved no further
        self.looked = self.since = 0.0  # at a robot that has nothing new: how often, and since when
        self.told_idle = False
        self.paced_from: float | None = None
        self.owner = threading.get_ident()  # the thread that runs the script
        self.modules: dict[str, ModuleType] = {}  # that the script's own files get in place of Python's

    def plant(self, robot_type: Any, **start: Any) -> Plant:
        """What moves a robot."""
        if self.plants is not None:
            return self.plants(robot_type, **start)
        made: Plant = importlib.import_module("closedchain.lab.bench").Bench(robot_type, self, **start)
        return made

    # Time ---------------------------------------------------------------------------------------

    def before_step(self, simulated: float) -> None:
        """Ctrl-C where the time asked for has been simulated; again, and then the end, if the script goes on."""
        self.looked = 0
        if simulated >= self.ends - 1e-9:
            self.press(simulated + AGAIN)

    def press(self, again: float) -> None:
        """Ctrl-C, in the main thread; the next one at another simulated time. It returns where the script's own
        handler does.
        """
        self.ends = again
        self.pressed += 1
        if self.pressed > TIMES:
            self.gave_up = True
            raise SystemExit(130)
        wanted = signal.getsignal(signal.SIGINT)
        if threading.get_ident() != self.owner:
            _thread.interrupt_main()
        elif wanted is self.usual or not callable(wanted):
            raise KeyboardInterrupt
        else:
            wanted(signal.SIGINT, sys._getframe(1))

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

    def cannot_go_on(self, why: Exception, simulated: float) -> None:
        """A robot stays where it is: say why, once, and press Ctrl-C so that a script's closing code runs."""
        if self is _ALONE:
            raise why
        if not self.broken and self.tell:
            self.tell(str(why))
        self.broken = self.broken or str(why)
        self.press(simulated)

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
        _OPEN.remove(session)
