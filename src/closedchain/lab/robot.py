"""The lab's `Robot`: four joints, an end effector, and efforts that move it by 10 ms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from closedchain.lab.parts import EndEffector, Joint, Sensors, SimulationEnded, number
from closedchain.lab.ros import Node
from closedchain.lab.session import current

if TYPE_CHECKING:
    from closedchain.model.model import Model
    from closedchain.simulation.run import Run

INTERVAL = 0.01  # [s] that efforts are held
OSCILLATION = {"m": (0.01, 0.01), "rad": (0.0002, 0.05)}  # effort [N, N m] and reach [m, rad] by the drive's unit


class Robot(Node):
    """A simulated robot with two drives: the lab's "biglide" and "five_bar", or any planar one of yours.

    It stands still until the first `apply_efforts`; each of them holds its efforts for 10 ms, then new data is there.
    It is a ROS node as well, as scripts expect: timers, a logger. Robots of one's own may begin at q or x and a mode.
    """

    def __init__(self, robot_type: str | Model, **start: Any) -> None:
        super().__init__("robot_interface")
        self.session = current()
        self.plant = self.session.plant(robot_type, **start)
        self.active_left_joint, self.active_right_joint, *passive = (Joint(name) for name in self.plant.joints)
        self.passive_left_joint, self.passive_right_joint = passive
        self.end_effector = EndEffector()
        self.oscillation_effort, self.oscillation_limit = OSCILLATION[self.plant.unit]
        self.oscillate = False
        self.steps = 0  # in all, resets or not
        self.reset_simulation()
        if self.session.keeps:
            self.session.robots.append(self)

    # What scripts call --------------------------------------------------------------------------

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
        """Back to the start, at rest, at time 0."""
        sensors = self.plant.reset()
        self._since_reset, self.updated = 0, False
        for joint in (self.active_left_joint, self.active_right_joint):
            joint.effort = 0.0
        self._show(sensors, 0.0)

    @property
    def previous_sim_time(self) -> float:
        """The time of the data, by the lab's own name."""
        return self._since_reset * INTERVAL

    # What happened ------------------------------------------------------------------------------

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

    def _show(self, sensors: Sensors, h: float) -> None:
        """New numbers; joint accelerations are backward differences."""
        places, rates, tip = sensors
        joints = (self.active_left_joint, self.active_right_joint, self.passive_left_joint, self.passive_right_joint)
        for joint, place, rate in zip(joints, places, rates, strict=True):
            joint.acceleration = (rate - joint.velocity) / h if h else 0.0
            joint.position, joint.velocity = place, rate
        if not h:  # the lab's passive joints count from where they start
            for joint in joints[2:]:
                joint.offset = joint.position
        self.end_effector.show(tip)


def start_robot(robot: Any) -> None:
    """Nothing more to do: the robot answers at once, no node needs to spin."""
