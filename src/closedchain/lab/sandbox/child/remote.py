"""The lab's `Robot` and `Scope` as lines on a pipe: efforts go out, joints and end effector come back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from closedchain.lab.clock import WAIT, Clock
from closedchain.lab.sandbox.child.interrupting import handler, interrupt

PATIENCE = 10_000  # looks at a robot to which no effort is applied
AGAIN = 1.0  # [s] of simulation between one Ctrl-C and the next
TIMES = 2  # Ctrl-C is pressed; then the script ends
JOINTS = ("active_left_joint", "active_right_joint", "passive_left_joint", "passive_right_joint")
OF_A_JOINT = ("position", "velocity", "acceleration", "effort")
OF_THE_TIP = ("position_x", "position_y", "velocity_x", "velocity_y", "acceleration_x", "acceleration_y")


def number(value: Any) -> float:
    """A number, also one that an array of one number holds."""
    return float(value.item() if hasattr(value, "item") else value)


class Link(Clock):
    """The pipes, the simulated clock, and the Ctrl-C that ends endless loops."""

    def __init__(self, send: Callable[[dict[str, Any]], None], receive: Callable[[], Any], duration: float) -> None:
        super().__init__()
        self.send, self.receive = send, receive
        self.until = duration
        self.ends = self.press
        self.pressed = self.idle = 0
        self.usual = handler()

    def ask(self, question: dict[str, Any]) -> Any:
        """Send a line, wait for the answer's; an error there is raised here."""
        self.send(question)
        answer = self.receive()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def press(self) -> None:
        """Ctrl-C, in the main thread; when it was pressed often enough the script ends."""
        self.pressed += 1
        self.idle, self.until = 0, self.simulated + AGAIN
        if self.turns is None or not self.turns.tell_main(self._interrupt):
            self._interrupt()

    def _interrupt(self) -> None:
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
            self.link.idle += 1
            if self.link.idle > PATIENCE:
                self.link.press()
        return fresh

    def get_time(self) -> float:
        """Seconds of simulation since the last reset."""
        if self.link.turns is not None:
            self.link.look()
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
        if self.link.turns is not None:
            self.link.turns.mine()
        self.link.idle = 0
        if self.link.simulated >= self.link.until - 1e-9:
            self.link.press()
        self._show(self.link.ask({"number": self.number, "do": what, "efforts": list(efforts)}))

    def _show(self, answer: dict[str, Any]) -> None:
        """New numbers."""
        for name, numbers in zip(JOINTS, answer["joints"], strict=True):
            getattr(self, name).__dict__.update(zip(OF_A_JOINT, numbers, strict=True))
        self.end_effector.__dict__.update(zip(OF_THE_TIP, answer["tip"], strict=True))
        self.time, self.fresh = answer["time"], answer["fresh"]
        self.link.stepped(answer["simulated"])


class Scope:
    """Two curves over time; the grader sees what a script plots."""

    link: Link

    def __init__(self, title: Any = "", min_y: Any = 0.0, max_y: Any = 1.0) -> None:
        self.title = str(title)[:80]

    def update(self, time: Any, y1: Any, y2: Any) -> None:
        """One more point of each curve."""
        self.link.send({"scope": self.title, "point": [number(time), number(y1), number(y2)]})
