"""The robot of a run, simulated here: the exact model or another engine, and the record of everything it did."""

from __future__ import annotations

import importlib
import math

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.describe.parameters import unknown_parameter
from closedchain.describe.recipe import BUILT_IN
from closedchain.errors import BadInput
from closedchain.lab.history import History
from closedchain.lab.parts import Sensors, SimulationEnded
from closedchain.lab.passages import passages
from closedchain.lab.plant import INTERVAL, Engine, Exact, Sample
from closedchain.lab.session import Session
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


class Bench:
    """Any planar robot with two drives. The lab's begin at q = 0 with the tip above; others at q or x (and a mode), or
    where they can be assembled.
    """

    def __init__(
        self,
        robot_type: str | Model,
        session: Session,
        *,
        q: ArrayLike | None = None,
        x: ArrayLike | None = None,
        assembly: str | None = None,
        working: str | None = None,
    ) -> None:
        model = self.model = _model(robot_type, session)
        _check(model)
        self.engine = _engine(model, session)
        self.settings = {"engine": session.settings.engine}
        self._begin = _begin(model, q, x, assembly, working)
        readouts = [r.name for r in model.equations.readouts[:2]]
        self.joints = [*(c.name for c in model.equations.q), *readouts, *[""] * (2 - len(readouts))]
        self.unit = model.equations.q[0].unit
        self._turns = [r.unit == "rad" for r in model.equations.readouts]
        self.earlier: list[Run] = []  # before each reset
        self._history = History(4 + 2 * (model.nq + model.nx))

    def reset(self) -> Sensors:
        """Back to the start, at rest, at time 0."""
        if self._history.count:
            self.earlier = [*self.earlier, self.run][-RUNS:]
            self._history = History(self._history.buffer.shape[1])
        self._sample = self.engine.start(self._begin)
        self.steps, self._last, self._places = 0, np.zeros(2), [0.0, 0.0]
        return self._sensors(counted=False)

    def step(self, left: float, right: float) -> Sensors:
        """Hold two efforts for 10 ms."""
        tau = np.array([left, right])
        self._history.add(self._row(tau))
        try:
            self._sample = self.engine.step(tau)
        except SimulationEnded as error:
            raise SimulationEnded(f"{error}{self._passed()}") from None
        self._last = tau
        self.steps += 1
        return self._sensors(counted=True)

    def _passed(self) -> str:
        """The last Type 2 singularity on the way, by which a law that inverts the model loses the robot."""
        found = [p for p in passages(self.run) if p.kind == "Type 2"]
        return f" Before that, {found[-1]}." if found else ""

    @property
    def run(self) -> Run:
        """The motion since the last reset, as `closedchain.simulate` gives it: figures, files, animation."""
        model, n = self.model, self.model.nq
        rows = np.concatenate([self._history.table, self._row(self._last)[None]])
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
            settings=self.settings | {"every": self._history.every},
        )

    def _row(self, tau: Doubles) -> Doubles:
        """The state now, and the efforts that hold from now on."""
        s = self._sample.state
        return np.concatenate([[self.steps * INTERVAL], s.q, s.x, s.q_dot, s.x_dot, tau, [self._sample.work]])

    def _sensors(self, counted: bool) -> Sensors:
        """The sample as joints and tip; passive angles are counted on beyond a turn."""
        sample: Sample = self._sample
        state, model = sample.state, self.model
        angles, rates = [0.0, 0.0], [0.0, 0.0]
        if self._turns:
            still = np.zeros(model.nq + model.nx)
            made = model.call("readings", q=state.q, x=state.x, q_dot=state.q_dot, x_dot=state.x_dot, z_ddot=still)
            angles = (made["passive"].tolist() + angles)[:2]
            rates = (made["passive_dot"].tolist() + rates)[:2]
        for i, turns in enumerate(self._turns[:2]):
            if counted and turns:
                angles[i] = self._places[i] + math.remainder(angles[i] - self._places[i], math.tau)
        self._places = angles
        tip = [*state.x[:2].tolist(), *state.x_dot[:2].tolist(), *sample.x_ddot[:2].tolist()]
        return state.q.tolist() + angles, state.q_dot.tolist() + rates, tip


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


def _engine(model: Model, session: Session) -> Engine:
    """The exact model, or another engine, which is imported only when it is asked for."""
    if session.settings.engine == "mujoco":
        engine: Engine = importlib.import_module("closedchain.lab.plant_mujoco").InMujoco(model)
        return engine
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
