"""A robot that is moved at the other end of a pipe: efforts go out, joints and tip come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from closedchain.errors import ClosedChainError
from closedchain.lab.parts import Sensors, SimulationEnded


class Remote:
    """The grader's robot, as the script's own."""

    def __init__(self, ask: Callable[[dict[str, Any]], dict[str, Any]], robot_type: Any) -> None:
        self.ask = ask
        answer = self._told({"robot": str(robot_type)})
        self.number, self.joints, self.unit = answer["number"], answer["joints"], answer["unit"]

    def reset(self) -> Sensors:
        """Back to the start."""
        return self._sensors({"number": self.number, "do": "reset"})

    def step(self, left: float, right: float) -> Sensors:
        """Hold two efforts for 10 ms."""
        return self._sensors({"number": self.number, "do": "step", "efforts": [left, right]})

    def _sensors(self, question: dict[str, Any]) -> Sensors:
        places, rates, tip = self._told(question)["sensors"]
        return places, rates, tip

    def _told(self, question: dict[str, Any]) -> dict[str, Any]:
        answer = self.ask(question)
        if "ended" in answer:
            raise SimulationEnded(answer["ended"])
        if "error" in answer:
            raise ClosedChainError(answer["error"])
        return answer
