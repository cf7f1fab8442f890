"""The lab's `Robot` and `Scope` as lines on a pipe: efforts go out, joints and end effector come back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from closedchain.lab.sandbox.child.interrupting import handler, interrupt

LOOK, WAIT = 1e-6, 1e-4  # [s] that pass with a look at the clock, and at a robot that has nothing new
PATIENCE = 10_000  # looks at a robot to which no effort is applied
AGAIN = 1.0  # [s] of simulation between one Ctrl-C and the next
TIMES = 2  # Ctrl-C is pressed; then the script ends
JOINTS = ("active_left_joint", "active_right_joint", "passive_left_joint", "passive_right_joint")
OF_A_JOINT = ("position", "velocity", "acceleration", "effort")
OF_THE_TIP = ("position_x", "position_y", "velocity_x", "velocity_y", "acceleration_x", "acceleration_y")


def number(value: Any) -> float:
    """A number, also one that an array of one number holds."""
    return float(value.item() if hasattr(value, "item") else value)


class Link:
    """The pipes, the simulated clock, and the Ctrl-C that ends endless loops."""

    def __init__(self, send: Callable[[dict[str, Any]], None], receive: Callable[[], Any], duration: float) -> None:
        self.send, self.receive = send, receive
        self.ends = duration
        self.simulated = self.waited = 0.0
        self.pressed = self.looks = 0
        self.usual = handler()

    def now(self) -> float:
        """Seconds of simulation, each look a little later than the one before."""
        self.waited += LOOK
        return self.simulated + self.waited

    def wait(self, seconds: float) -> None:
        """Time passes, at once."""
        self.waited += max(0.0, float(seconds))

    def ask(self, question: dict[str, Any]) -> Any:
        """Send a line, wait for the answer's; an error there is raised here."""
        self.send(question)
        answer = self.receive()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def press(self) -> None:
        """Ctrl-C; when it was pressed often enough the script ends."""
        self.pressed += 1
        self.looks, self.ends = 0, self.simulated + AGAIN
        if self.pressed > TIMES:
            raise SystemExit(130)
        interrupt(self.usual)


class Robot:
    """The lab's robot, simulated elsewhere."""

    link: Link
    fresh: bool
    time: float

    def __init__(self, robot_type: str) -> None:
        for name in JOINTS:
            setattr(self, name, SimpleNamespace(**dict.fromkeys(OF_A_JOINT, 0.0)))
        self.end_effector = SimpleNamespace(**dict.fromkeys(OF_THE_TIP, 0.0))
        answer = self.link.ask({"robot": str(robot_type)})
        self.number = answer["number"]
        self._show(answer)

    def apply_efforts(self, left: Any, right: Any) -> None:
        """Hold two efforts for 10 ms."""
        self._do("apply_efforts", [number(left), number(right)])

    def data_updated(self) -> bool:
        """True once after each effort."""
        fresh, self.fresh = self.fresh, False
        if not fresh:
            self.link.wait(WAIT)
            self.link.looks += 1
            if self.link.looks > PATIENCE:
                self.link.press()
        return fresh

    def get_time(self) -> float:
        """Seconds of simulation since the last reset."""
        return self.time

    def start_oscillate(self) -> None:
        """Begin the to and fro."""
        self._do("start_oscillate")

    def continue_oscillations(self) -> None:
        """One more step of it."""
        self._do("continue_oscillations")

    def stop_oscillate(self) -> None:
        """End it, and back to the start."""
        self._do("stop_oscillate")

    def reset_simulation(self) -> None:
        """Back to the start."""
        self._do("reset_simulation")

    def _do(self, what: str, efforts: Sequence[float] = ()) -> None:
        self.link.looks = 0
        if self.link.simulated >= self.link.ends - 1e-9:
            self.link.press()
        self._show(self.link.ask({"number": self.number, "do": what, "efforts": list(efforts)}))

    def _show(self, answer: dict[str, Any]) -> None:
        """New numbers."""
        for name, numbers in zip(JOINTS, answer["joints"], strict=True):
            getattr(self, name).__dict__.update(zip(OF_A_JOINT, numbers, strict=True))
        self.end_effector.__dict__.update(zip(OF_THE_TIP, answer["tip"], strict=True))
        self.time, self.fresh = answer["time"], answer["fresh"]
        self.link.simulated = max(self.link.simulated, answer["simulated"])


class Scope:
    """Two curves over time; the grader sees what a script plots."""

    link: Link

    def __init__(self, title: Any = "", min_y: Any = 0.0, max_y: Any = 1.0) -> None:
        self.title = str(title)[:80]

    def update(self, time: Any, y1: Any, y2: Any) -> None:
        """One more point of each curve."""
        self.link.send({"scope": self.title, "point": [number(time), number(y1), number(y2)]})
