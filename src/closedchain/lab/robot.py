"""The lab's `Robot`: four joints, an end effector, and efforts that move it by 10 ms."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.describe.parameters import unknown_parameter
from closedchain.describe.recipe import BUILT_IN
from closedchain.errors import BadInput
from closedchain.lab.history import History
from closedchain.lab.nodes import Node
from closedchain.lab.parts import EndEffector, Joint, number
from closedchain.lab.plant import INTERVAL, Exact, Plant, Sample
from closedchain.lab.session import Session, current
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.model.sampling import assemble
from closedchain.model.state import State
from closedchain.model.state import state as make_state
from closedchain.simulation.run import END, Run
from closedchain.units import quantity

LAB = {"biglide": "biglide:lab", "five_bar": "fivebar"}  # the lab's names, and its lengths
AT_ZERO = ("biglide", "fivebar")  # begin with q = 0 and the tip above
RUNS = 20  # kept of a robot that is reset again and again
OSCILLATION = {"m": (0.01, 0.01), "rad": (0.0002, 0.05)}  # effort [N, N m] and reach [m, rad] by the drive's unit


class Robot(Node):
    """A simulated robot with two drives: the lab's "biglide" and "five_bar", or any planar one of yours.

    It stands still until the first `apply_efforts`; each of them holds its efforts for 10 ms, then new data is there.
    It is a ROS node as well, as scripts expect: timers, parameters, a logger.
    The lab's robots begin at q = 0 with the tip above; others at q or x (and a mode), or where they can be assembled.
    """

    def __init__(
        self,
        robot_type: str | Model,
        *,
        q: ArrayLike | None = None,
        x: ArrayLike | None = None,
        assembly: str | None = None,
        working: str | None = None,
    ) -> None:
        super().__init__("robot_interface")
        self.session = current()
        model = _model(robot_type, self.session)
        _check(model)
        self.plant = _plant(model, self.session)
        self._begin = _begin(model, q, x, assembly, working)
        names = [c.name for c in model.equations.q]
        readouts = [r.name for r in model.equations.readouts[:2]]
        self.active_left_joint, self.active_right_joint = (Joint(name) for name in names)
        passive = [Joint(name) for name in readouts] + [Joint("") for _ in range(2 - len(readouts))]
        self.passive_left_joint, self.passive_right_joint = passive
        self.end_effector = EndEffector()
        self._turns = np.array([r.unit == "rad" for r in model.equations.readouts])
        self.oscillation_effort, self.oscillation_limit = OSCILLATION[model.equations.q[0].unit]
        self.oscillate = False
        self.steps = 0  # in all, resets or not
        self.earlier: list[Run] = []  # before each reset
        self._history = History(4 + 2 * (model.nq + model.nx))
        self.reset_simulation()
        self.session.keep_robot(self)

    @property
    def model(self) -> Model:
        return self.plant.model

    # What scripts call --------------------------------------------------------------------------

    def apply_efforts(self, left: float, right: float) -> None:
        """Hold two efforts [N, N m] for 10 ms."""
        tau = np.array([number(left, "the left effort"), number(right, "the right effort")])
        self.session.before_step(self.steps * INTERVAL)
        self._record(tau)
        sample = self.plant.step(tau)
        self.steps += 1
        self._since_reset += 1
        self.active_left_joint.effort, self.active_right_joint.effort = tau.tolist()
        self._show(sample, INTERVAL)
        self._fresh = True
        self.session.after_step(self.steps * INTERVAL)

    def data_updated(self) -> bool:
        """Whether there is new data since this was asked last: once for each effort."""
        fresh, self._fresh = self._fresh, False
        if not fresh:
            self.session.idle(self.steps * INTERVAL)
        return fresh

    def get_time(self) -> float:
        """Seconds of simulation since the last reset."""
        if self.session.turns is not None:
            self.session.clock.look()
        return self._since_reset * INTERVAL

    def start_oscillate(self) -> None:
        """Begin the lab's to and fro, with one step without effort so that there is data."""
        self.oscillate = True
        effort = self.oscillation_effort
        self._pushes = [effort, -effort]  # at first left forward, right back
        self.apply_efforts(0.0, 0.0)

    def continue_oscillations(self) -> None:
        """One more step of the oscillation: an effort reverses when its joint has passed the limit ahead."""
        if not self.oscillate:
            return
        joints = (self.active_left_joint, self.active_right_joint)
        for i, joint in enumerate(joints):
            if self._pushes[i] * joint.position > 0.0 and abs(joint.position) > self.oscillation_limit:
                self._pushes[i] = -self._pushes[i]
        self.apply_efforts(*self._pushes)

    def stop_oscillate(self) -> None:
        """End the oscillation and go back to the start."""
        self.oscillate = False
        self.reset_simulation()

    def reset_simulation(self) -> None:
        """Back to the start, at rest, at time 0."""
        if self._history.count:
            self.earlier = [*self.earlier, self.run][-RUNS:]
            self._history = History(self._history.buffer.shape[1])
        sample = self.plant.start(self._begin)
        self._since_reset, self._fresh, self._last = 0, False, np.zeros(2)
        for joint in (self.active_left_joint, self.active_right_joint):
            joint.effort = 0.0
        self._show(sample, 0.0)

    # What happened ------------------------------------------------------------------------------

    @property
    def run(self) -> Run:
        """The motion since the last reset, as `closedchain.simulate` gives it: figures, files, animation."""
        model, n = self.model, self.model.nq
        last = self._row(self._last)
        rows = np.concatenate([self._history.table, last[None]])
        cuts = np.cumsum([1, n, model.nx, n, model.nx, 2])
        t, q, x, q_dot, x_dot, command, work = np.split(rows, cuts, axis=1)
        return Run(
            model=model,
            title=f"{model.name} in the lab",
            t=t[:, 0],
            q=q,
            x=x,
            q_dot=q_dot,
            x_dot=x_dot,
            command=command,
            work=work[:, 0],
            output="tau",
            interval=INTERVAL,
            ended=END,
            settings={"engine": self.session.settings.engine, "every": self._history.every},
        )

    def _record(self, tau: Doubles) -> None:
        """The state now, and the efforts that hold from now on."""
        self._history.add(self._row(tau))
        self._last = tau

    def _row(self, tau: Doubles) -> Doubles:
        s = self._sample.state
        return np.concatenate([[self._since_reset * INTERVAL], s.q, s.x, s.q_dot, s.x_dot, tau, [self._sample.work]])

    def _show(self, sample: Sample, h: float) -> None:
        """The sample as the joints' and the end effector's numbers; joint accelerations are backward differences."""
        state, model = sample.state, self.model
        self._sample = sample
        angles, rates = [], []
        if len(self._turns):
            still = np.zeros(model.nq + model.nx)
            made = model.call("readings", q=state.q, x=state.x, q_dot=state.q_dot, x_dot=state.x_dot, z_ddot=still)
            angles, rates = made["passive"].tolist(), made["passive_dot"].tolist()
        joints = (self.active_left_joint, self.active_right_joint, self.passive_left_joint, self.passive_right_joint)
        places, speeds = state.q.tolist() + angles[:2], state.q_dot.tolist() + rates[:2]
        for i, (joint, place, speed) in enumerate(zip(joints, places, speeds, strict=False)):
            if h and i >= 2 and self._turns[i - 2]:
                place = joint.position + math.remainder(place - joint.position, math.tau)  # no jump by a turn
            joint.acceleration = (speed - joint.velocity) / h if h else 0.0
            joint.position, joint.velocity = place, speed
        self.end_effector.show(state.x.tolist(), state.x_dot.tolist(), sample.x_ddot.tolist())


def start_robot(robot: Any) -> None:
    """Nothing more to do: the robot answers at once, no node needs to spin."""


def _model(robot_type: str | Model, session: Session) -> Model:
    """The robot asked for, with the run's parameters in place of its own."""
    asked = session.settings.robot or robot_type
    model = asked if isinstance(asked, Model) else load(LAB.get(asked, asked), announce=session.tell)
    units = {p.name: p.unit for p in model.recipe.description.parameters}
    changed = {}
    for name, value in session.settings.parameters.items():
        if name not in units:
            raise BadInput(f"{model.name}: {unknown_parameter(name, units)}")
        changed[name] = quantity(value, units[name]) if isinstance(value, str) else value
    if changed:
        model = model.with_values(**changed)
        assemble(model)
    return model


def _check(model: Model) -> None:
    """Refuse a robot that has not the lab's two drives and a point in the plane."""
    mechanism = model.mechanism
    if mechanism is None or model.nq != 2 or len(model.driven) != 2 or model.nx < 2 or mechanism.dimension != 2:
        raise BadInput(
            f"{model.name}: the lab's robot has two drives and moves in the plane; this one has {model.nq} drives "
            f"and {model.nx} output coordinates. `closedchain simulate` runs any robot."
        )


def _plant(model: Model, session: Session) -> Plant:
    """The exact model, or another engine, which is imported only when it is asked for."""
    if session.settings.engine == "mujoco":
        plant: Plant = importlib.import_module("closedchain.lab.plant_mujoco").InMujoco(model)
        return plant
    return Exact(model)


def _begin(
    model: Model,
    q: ArrayLike | None,
    x: ArrayLike | None,
    assembly: str | None,
    working: str | None,
) -> State:
    """Where it starts: as asked, as the lab's, or assembled somewhere."""
    if q is not None or x is not None:
        return make_state(model, q=q, x=x, assembly=assembly, working=working)
    if model.recipe.origin == BUILT_IN and model.recipe.name in AT_ZERO:
        return make_state(model, q=[0.0, 0.0], assembly=assembly or "+")
    z = assemble(model)
    return make_state(model, q=z[: model.nq], x=z[model.nq :])
