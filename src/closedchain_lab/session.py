"""A run in progress: what it was asked for, its clock, and what its robots, scopes and figures leave behind."""

from __future__ import annotations

import _thread
import importlib
import signal
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput

if TYPE_CHECKING:
    from closedchain_lab.events import Timer
    from closedchain_lab.robot import Plant, Robot
    from closedchain_lab.scope import Chart

ENGINES = ("exact", "mujoco")
AGAIN = 1.0  # [s] of simulation that a script may take to close after Ctrl-C
TIMES = 2  # Ctrl-C is pressed; then the script is ended
LOOK = 1e-6  # [s] that passes with each look at the clock: no loop waits for ever
WAIT = 1e-4  # [s] that passes with each look at a robot that has nothing new
ENDLESS = 3600.0  # [s] by this clock that a script waits, or an event loop runs, before --duration ends it
PATIENT = 100  # looks without anything else between them; whoever looks on waits, and more passes with each
ROWS = 131_072  # kept at most: above this every other one goes
LATE = 1.0  # [s] behind real time that are not caught up: the script was busy elsewhere
IDLE = 1.0  # [s] of looking at a robot to which no effort is applied


class Clock:
    """Seconds since the run began: those of the robot that was simulated longest, and those that were waited."""

    def __init__(self, waits: bool = False) -> None:
        self.waits = waits  # in real time: whoever waits does wait
        self.began = time.time()
        self.simulated = self.waited = 0.0
        self.looks = 0
        self.moved = 0.0  # when a robot moved last
        self.ends: Callable[[], None] | None = None  # told when none has for too long
        self.ahead = 0.0  # [s] of the last step, to be slept through

    def at(self) -> float:
        """Seconds of the run."""
        return self.simulated + self.waited

    def now(self) -> float:
        """Seconds of the run; each look is a little later than the one before."""
        self.waited += LOOK
        self.look()
        return self.at()

    def look(self) -> None:
        """Someone looks whether something has happened."""
        self.looks += 1
        self.waited += WAIT if self.looks > PATIENT else 0.0

    def stepped(self, simulated: float) -> None:
        """A robot was simulated up to this time."""
        self.looks, self.moved = 0, self.at()
        self.ahead = max(simulated - self.simulated, 0.0)
        self.simulated += self.ahead

    def sleep(self, seconds: float) -> None:
        """Wait, but for what a step that was just made took: the robot moves while a script sleeps."""
        if seconds < 0.0:
            raise ValueError("sleep length must be non-negative")  # as time.sleep says it
        slept = min(seconds, self.ahead)
        self.ahead -= slept
        self.wait(seconds - slept)

    def wait(self, seconds: float) -> None:
        """Time passes without the robot moving and, unless in real time, without anyone waiting for it."""
        self.looks = 0
        if self.waits:
            time.sleep(seconds)
        self.waited += seconds
        if self.at() - self.moved > ENDLESS and self.ends is not None:
            self.moved = self.at()
            self.ends()


def simulated_time(clock: Clock) -> ModuleType:
    """A module like `time` whose clocks are the run's and whose sleep returns at once."""
    module = ModuleType("time", time.__doc__)
    clocks = {"time": lambda: clock.began + clock.now(), "monotonic": clock.now, "perf_counter": clock.now}
    in_nanoseconds = {f"{name}_ns": lambda ask=ask: int(ask() * 1e9) for name, ask in clocks.items()}
    usual = {name: value for name, value in vars(time).items() if not name.startswith("__")}
    module.__dict__.update(usual | clocks | in_nanoseconds | {"sleep": clock.sleep})
    return module


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


class History:
    """Rows of numbers as they come; when full, every other one is dropped, and only every second kept from then on."""

    def __init__(self, width: int, rows: int = ROWS) -> None:
        self.width, self.rows = width, rows
        self.numbers = array("d")
        self.every = 1  # of the rows offered, one in this many is kept
        self.offered = 0

    def add(self, row: Iterable[float]) -> None:
        """One more row."""
        if self.count == self.rows:
            self.numbers = array("d", self.table[::2].tobytes())
            self.every *= 2
        if self.offered % self.every == 0:
            self.numbers.extend(row)
        self.offered += 1

    @property
    def count(self) -> int:
        """How many rows are kept."""
        return len(self.numbers) // self.width

    @property
    def table(self) -> Doubles:
        """The rows so far, (count, width), as they are now: another thread may ask."""
        return np.array(self.numbers[:]).reshape(-1, self.width)


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
        self.timers: list[Timer] = []
        self.quits = self.ros = False  # Qt's loop is to end; ROS has begun
        self.ends = self.settings.duration if self.settings.duration is not None else float("inf")
        if self.settings.duration is not None:
            self.clock.ends = lambda: self.press(self.clock.simulated + AGAIN)
        self.usual = signal.getsignal(signal.SIGINT)  # at Ctrl-C, before the script says what it wants
        self.pressed, self.gave_up = 0, False  # how often Ctrl-C was, and whether the script was ended since
        self.broken = ""  # why a robot can be moved no further
        self.idle_since = 0.0  # when the script began to look at a robot that has nothing new
        self.told_idle = False
        self.paced_from: float | None = None
        self.owner = threading.get_ident()  # the thread that runs the script
        self.modules: dict[str, ModuleType] = {}  # that the script's own files get in place of Python's

    def plant(self, robot_type: Any, **start: Any) -> Plant:
        """What moves a robot."""
        if self.plants is not None:
            return self.plants(robot_type, **start)
        made: Plant = importlib.import_module("closedchain_lab.bench").Bench(robot_type, self, **start)
        return made

    def before_step(self, simulated: float) -> None:
        """Ctrl-C where the time asked for has been simulated; again, and then the end, if the script goes on."""
        self.idle_since = 0.0
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
        if self.paced_from is None or now > self.paced_from + simulated + LATE:
            self.paced_from = now - simulated
        time.sleep(max(self.paced_from + simulated - now, 0.0))

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
        now = time.monotonic()
        self.idle_since = self.idle_since or now
        if now - self.idle_since < IDLE:
            return
        self.idle_since = 0.0
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
