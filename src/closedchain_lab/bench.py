"""The robot of a run, simulated here: the exact model or another engine, and the record of everything it did."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain import assemble, load
from closedchain import state as make_state
from closedchain.arrays import Doubles
from closedchain.describe import BUILT_IN
from closedchain.errors import BadInput, BrokenOff
from closedchain.model import Model, State, sample
from closedchain.simulation import Run, Sample, Stepper, passages
from closedchain.units import quantity
from closedchain_lab.robot import INTERVAL, Sensors, SimulationEnded
from closedchain_lab.session import History, Session

LAB = {"biglide": "biglide:lab", "five_bar": "fivebar"}  # the lab's names, and its lengths
AT_ZERO = ("biglide", "fivebar")  # begin with q = 0 and the tip above
RUNS = 20  # kept of a robot that is reset again and again


class Bench:
    """Any planar robot with two drives. The lab's begin at q = 0 with the tip above; others at q or x (and a mode), or
    where they can be assembled.
    """

    def __init__(self, robot_type: str | Model, session: Session, **start: Any) -> None:
        model = self.model = _model(robot_type, session)
        _check(model)
        self.settings = {"engine": session.settings.engine}
        verify = importlib.import_module("closedchain.verify") if session.settings.engine == "mujoco" else None
        self.engine: Any = verify.MuJoCoStepper(model, INTERVAL) if verify else Stepper(model, INTERVAL)
        self._begin = _begin(model, **start)
        self.unit = model.equations.q[0].unit
        self._turns = [r.unit == "rad" for r in model.equations.readouts]
        self.earlier: list[Run] = []  # before each reset
        self._history = History(4 + 2 * (model.nq + model.nx))

    def reset(self) -> Sensors:
        """Back to the start, at rest, at time 0."""
        if self._history.count:
            self.earlier = [*self.earlier, self.run][-RUNS:]
            self._history = History(self._history.width)
        self._sample = self.engine.start(self._begin)
        self.steps, self._last, self._places = 0, np.zeros(2), [0.0, 0.0]
        return self._sensors(counted=False)

    def step(self, left: float, right: float) -> Sensors:
        """Hold two efforts for 10 ms."""
        tau = np.array([left, right])
        self._history.add(self._row(tau))
        try:
            self._sample = self.engine.step(tau)
        except BrokenOff as error:
            passed = [p for p in passages(self.run) if p.kind == "Type 2"]  # where a law that inverts the model fails
            before = f" Before that, {passed[-1]}." if passed else ""
            raise SimulationEnded(f"{error} `reset_simulation()` begins anew.{before}") from None
        self._last = tau
        self.steps += 1
        return self._sensors(counted=True)

    @property
    def run(self) -> Run:
        """The motion since the last reset, as `closedchain.simulate` gives it: figures, files, animation."""
        model = self.model
        rows = np.concatenate([self._history.table, self._row(self._last)[None]])
        widths = {"t": 1, "q": model.nq, "x": model.nx, "q_dot": model.nq, "x_dot": model.nx, "command": 2, "work": 1}
        columns = np.split(rows, np.cumsum([*widths.values()])[:-1], axis=1)
        found: dict[str, Any] = dict(zip(widths, columns, strict=True))
        found |= {name: found[name][:, 0] for name in ("t", "work")}
        settings = self.settings | {"every": self._history.every}
        title = f"{model.name} in the lab"
        return Run(model=model, title=title, output="tau", interval=INTERVAL, settings=settings, **found)

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
    given = session.settings.parameters
    changed = {name: quantity(v, units.get(name, "")) if isinstance(v, str) else v for name, v in given.items()}
    model = model.with_values(**changed) if changed else model
    assert model.values  # an unknown name is refused here
    return model


def _check(model: Model) -> None:
    """Refuse a robot that has not the lab's two drives and a point in the plane."""
    mechanism = model.mechanism
    if mechanism is None or model.nq != 2 or len(model.driven) != 2 or model.nx < 2 or mechanism.dimension != 2:
        raise BadInput(
            f"{model.name}: the lab's robot has two drives and moves in the plane; this one has {model.nq} drives "
            f"and {model.nx} output coordinates. `closedchain simulate` runs any robot."
        )


def _begin(model: Model, *, q: ArrayLike | None = None, x: ArrayLike | None = None, **mode: str) -> State:
    """Where it starts: as asked, as the lab's, or assembled somewhere."""
    if q is not None or x is not None:
        return make_state(model, q=q, x=x, **mode)
    if model.recipe.origin == BUILT_IN and model.recipe.name in AT_ZERO:
        return make_state(model, q=[0.0, 0.0], **({"assembly": "+"} | mode))
    bodies = model.mechanism.bodies if model.mechanism else ()
    if bodies and all(body.near is not None for body in bodies):
        z = assemble(model).unwrap()
        return make_state(model, q=z[: model.nq], x=z[model.nq :])
    somewhere = sample(model, 1)
    return make_state(model, q=somewhere.q[0], x=somewhere.x[0])
