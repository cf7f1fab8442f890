"""The lab's `Robot`: four joints, an end effector, and efforts that move it by 10 ms; what moves it is a `Plant`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from closedchain.errors import BadInput, ClosedChainError
from closedchain_lab.events import Node
from closedchain_lab.session import current

if TYPE_CHECKING:
    from closedchain.model import Model
    from closedchain.simulation import Run

INTERVAL = 0.01  # [s] that efforts are held
OTHERS = {"biglide": "five_bar_models", "five_bar": "biglide_models"}  # models that are not this robot's
OSCILLATION = {"m": (0.01, 0.01), "rad": (0.0002, 0.05)}  # effort [N, N m] and reach [m, rad] by the drive's unit
Sensors = tuple[Sequence[float], Sequence[float], Sequence[float]]
"""Four joints' places and rates (active left and right, passive left and right), and the tip's x, ẋ, ẍ."""


class SimulationEnded(ClosedChainError, RuntimeError):
    """The robot cannot be simulated any further; it can be reset."""


class Plant(Protocol):
    """What moves a robot: here, or at the other end of a pipe."""

    unit: str  # of the drives: "m" or "rad"

    def reset(self) -> Sensors:
        """Back to the start, at rest."""

    def step(self, left: float, right: float) -> Sensors:
        """Hold two efforts for 10 ms; raises SimulationEnded where there is no way on."""


@dataclass
class Joint:
    """An active or passive joint; SI units."""

    joint_name: str
    position: float = 0.0  # [m, rad]
    velocity: float = 0.0
    acceleration: float = 0.0  # difference of the velocity over the last step
    effort: float = 0.0  # [N, N m] held during the last step
    offset: float = 0.0  # [m, rad] of a passive joint at the start


@dataclass
class EndEffector:
    """The output point, relative to the middle of the base; SI units."""

    position_x: float = 0.0
    position_y: float = 0.0
    velocity_x: float = 0.0
    velocity_y: float = 0.0
    acceleration_x: float = 0.0  # the simulator's own, at the instant
    acceleration_y: float = 0.0


class Robot(Node):
    """A simulated robot with two drives: the lab's "biglide" and "five_bar", or any planar one of yours.

    It stands still until the first `apply_efforts`; each of them holds its efforts for 10 ms, then new data is there.
    It is a ROS node as well, as scripts expect: timers, a logger. Robots of one's own may begin at q or x and a mode.
    """

    def __init__(self, robot_type: str | Model, **start: Any) -> None:
        super().__init__("robot_interface")
        self.session = current()
        self.plant = self.session.plant(robot_type, **start)
        self.active_left_joint, self.active_right_joint = Joint("A11"), Joint("A21")  # the lab's names of them
        self.passive_left_joint, self.passive_right_joint = Joint("A12"), Joint("A22")
        self.end_effector = EndEffector()
        self.oscillation_effort, self.oscillation_limit = OSCILLATION[self.plant.unit]
        self.oscillate = False
        self.steps = 0  # in all, resets or not
        self.reset_simulation()
        if self.session.keeps:
            self.session.robots.append(self)
        other = OTHERS.get(str(robot_type), "")
        if other in sys.modules and f"{robot_type}_models" not in sys.modules and self.session.tell:
            self.session.tell(f"this makes a {robot_type!r} but imports {other}: one of the two is another robot's")

    def apply_efforts(self, left: float, right: float) -> None:
        """Hold two efforts [N, N m] for 10 ms."""
        efforts = number(left, "the left effort"), number(right, "the right effort")
        self.session.before_step(self.steps * INTERVAL)
        try:
            sensors = self.plant.step(*efforts)
        except SimulationEnded as ended:
            self.session.cannot_go_on(ended, self.steps * INTERVAL)
            return
        self.steps += 1
        self._since_reset += 1
        self.active_left_joint.effort, self.active_right_joint.effort = efforts
        self._show(sensors, INTERVAL)
        self.updated = True
        self.session.after_step(self.steps * INTERVAL)

    def data_updated(self) -> bool:
        """Whether there is new data since this was asked last: once for each effort."""
        fresh, self.updated = self.updated, False
        if not fresh:
            self.session.idle(self.steps * INTERVAL)
        return fresh

    def get_time(self) -> float:
        """Seconds of simulation since the last reset."""
        return self._since_reset * INTERVAL

    previous_sim_time = property(get_time)  # the time of the data, by the lab's own name

    def start_oscillate(self) -> None:
        """Begin the lab's to and fro, with one step without effort so that there is data."""
        self.oscillate = True
        self.oscillate_effort_left, self.oscillate_effort_right = self.oscillation_effort, -self.oscillation_effort
        self.apply_efforts(0.0, 0.0)

    def continue_oscillations(self) -> None:
        """One more step of the oscillation: an effort reverses when its joint has passed the limit ahead."""
        if not self.oscillate:
            return
        for side in ("left", "right"):
            place, effort = getattr(self, f"active_{side}_joint").position, getattr(self, f"oscillate_effort_{side}")
            if effort * place > 0.0 and abs(place) > self.oscillation_limit:
                setattr(self, f"oscillate_effort_{side}", -effort)
        self.apply_efforts(self.oscillate_effort_left, self.oscillate_effort_right)

    def stop_oscillate(self) -> None:
        """End the oscillation and go back to the start."""
        self.oscillate = False
        self.reset_simulation()

    def reset_simulation(self) -> None:
        """Back to the start, at rest, at time 0; the lab's passive joints count from there."""
        sensors = self.plant.reset()
        self._since_reset, self.updated = 0, False
        self._show(sensors, float("inf"))
        self.active_left_joint.effort = self.active_right_joint.effort = 0.0
        for joint in (self.passive_left_joint, self.passive_right_joint):
            joint.offset = joint.position

    def _show(self, sensors: Sensors, h: float) -> None:
        """New numbers; joint accelerations are backward differences over h."""
        places, rates, tip = sensors
        joints = (self.active_left_joint, self.active_right_joint, self.passive_left_joint, self.passive_right_joint)
        for joint, place, rate in zip(joints, places, rates, strict=True):
            joint.acceleration = (rate - joint.velocity) / h
            joint.position, joint.velocity = place, rate
        for name, value in zip(vars(self.end_effector), tip, strict=True):
            setattr(self.end_effector, name, value)

    @property
    def model(self) -> Model:
        """What moves."""
        return self.plant.model  # type: ignore[attr-defined]

    @property
    def run(self) -> Run:
        """The motion since the last reset, as `closedchain.simulate` gives it: figures, files, animation."""
        return self.plant.run  # type: ignore[attr-defined]

    @property
    def earlier(self) -> list[Run]:
        """The motions before each reset."""
        return self.plant.earlier  # type: ignore[attr-defined]


def start_robot(robot: Any) -> None:
    """Nothing more to do: the robot answers at once, no node needs to spin."""


def number(value: Any, what: str) -> float:
    """One finite number, also from an array that holds one."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.size != 1:
        raise BadInput(f"{what} must be one number, got {value!r:.60}")
    if not np.isfinite(array.item()):
        raise BadInput(f"{what} is {array.item()}; a finite number is needed: look at the model that computed it")
    return float(array.item())
