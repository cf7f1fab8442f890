"""A scenario with MuJoCo as the plant: its own bodies and soft loops, our controller, the same start."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, length
from closedchain.model.dynamics import motor_efforts
from closedchain.model.state import State
from closedchain.policy import TORN
from closedchain.scenarios import Context, Scenario, working_mode
from closedchain.simulation.clock import Clock, clock
from closedchain.simulation.deciding import Decider
from closedchain.simulation.plant import saturation
from closedchain.simulation.run import END, Run
from closedchain.simulation.sensors import Sensors
from closedchain.verify import Bodies, MuJoCo, asked_of, bodies_of, one_state, set_off

STEP = 1e-3  # [s] longest step of MuJoCo
SLOWEST = 200_000  # steps


def moved(scenario: Scenario, exact: Run, tell: Any) -> Run:
    """The run of `exact` again, moved by MuJoCo."""
    if exact.output == "velocity":
        raise BadInput(f"{scenario.name}: its command is a velocity; MuJoCo moves robots under efforts or voltages")
    whole = float(scenario.duration or getattr(scenario.reference, "duration", exact.t[-1]))
    time = clock(whole, scenario.interval, min(scenario.step or STEP, STEP))
    if time.steps > SLOWEST:
        raise BadInput(f"{time.steps} steps of MuJoCo; at most {SLOWEST} are run: shorten the run")
    controller = scenario.make(Context(scenario.model, scenario.reference, working_mode(scenario), scenario.interval))
    return _Loop(scenario, exact, controller, time).run(tell)


class _Loop:
    """Commands from the controller, motion from MuJoCo."""

    def __init__(self, scenario: Scenario, exact: Run, controller: Any, time: Clock) -> None:
        self.exact, self.controller, self.time, self.model = exact, controller, time, exact.model
        begin = State(exact.q[0], exact.x[0], exact.q_dot[0], exact.x_dot[0])
        self.bodies: Bodies = bodies_of(self.model, begin)
        self.engine = MuJoCo(self.bodies.tree, self.bodies.places)
        asked = asked_of(self.bodies, one_state(self.model, begin))[0]
        self.place, self.pace = set_off(self.engine, self.bodies, asked)
        self.state, self.work, self.gap = begin, 0.0, 0.0
        self.sensors = Sensors(scenario.model, scenario.plant.punctual("MuJoCo takes its own"), begin, time)
        self.believed, self.bound = scenario.model, saturation(self.model, scenario.plant)
        self.decide = Decider(self.believed, controller, time)

    def run(self, tell: Any) -> Run:
        rows: list[tuple[float, State, Doubles, float]] = []
        ended, held = END, np.zeros(len(self.model.driven))
        for k in range(self.time.periods):
            held = np.clip(self.command(k, held), -self.bound, self.bound)
            rows.append((k * self.time.interval, self.state, held, self.work))
            self.hold(held)
            tell((k + 1) / self.time.periods, f"MuJoCo, {(k + 1) * self.time.interval:.4g} s")
            if not (np.isfinite(self.state.z).all() and self.gap < TORN * self.model.scale):
                ended = f"MuJoCo cannot follow at {rows[-1][0]:.6g} s: its loops are open by {length(self.gap)}"
                break
        else:
            rows.append((self.time.periods * self.time.interval, self.state, held, self.work))
        return self.told(rows, ended)

    def command(self, k: int, held: Doubles) -> Doubles:
        """What the controller asks for at an instant."""
        return self.decide(k, self.sensors.measure(k, self.state), held)

    def hold(self, command: Doubles) -> None:
        """Keep a command for one interval; a voltage's effort follows the speed from step to step."""
        voltage = self.exact.output == "voltage"
        parts, steps = (self.time.substeps, 1) if voltage else (1, self.time.substeps)
        for _ in range(parts):
            tau = motor_efforts(self.model, command, self.state.q_dot) if voltage else command
            before, lost = self.state.q, self.dissipation()
            course = self.engine.drive(
                self.place, self.pace, self.bodies.forces(tau)[None], self.time.interval / parts, steps
            )
            data, dof = self.engine.data, self.engine.dof
            self.place, self.pace, self.gap = data.qpos.copy(), np.array(data.qvel)[dof], float(course.gap[-1])
            self.state = self.seen(course.joints[-1], course.places[-1], course.velocities[-1])
            lost = 0.5 * (lost + self.dissipation()) * self.time.interval / parts
            self.work += float(tau @ (self.state.q - before)[list(self.model.driven)]) - lost

    def dissipation(self) -> float:
        """What friction takes [W]."""
        s = self.state
        return float(self.model.call("energy", q=s.q, x=s.x, q_dot=s.q_dot, x_dot=s.x_dot)["power"])

    def seen(self, joints: Doubles, places: Doubles, velocities: Doubles) -> State:
        """The state that MuJoCo's bodies show."""
        columns = self.bodies.columns
        q = self.engine_joints(joints)
        q_dot = self.pace[columns]
        if not self.model.nx:
            return State(q, np.zeros(0), q_dot, np.zeros(0))
        read = self.bodies.read(places[None], velocities[None], np.zeros_like(places)[None])
        x = _joined(read, "output", "output angle")
        x_dot = _joined(read, "output velocity", "output angle velocity")
        before = self.state.x
        turning = np.array([c.unit == "rad" for c in self.model.equations.x])
        turns = np.where(turning, 2 * np.pi * np.round((before - x) / (2 * np.pi)), 0.0)
        return State(q, x + turns, q_dot, x_dot)

    def engine_joints(self, joints: Doubles) -> Doubles:
        """q by the tree's own counting; passive coordinates of an open chain stand among the freedoms."""
        if len(joints) == self.model.nq:
            return np.asarray(joints + self.bodies.zero)
        named = [float(self.engine.data.joint(c.name).qpos[0]) for c in self.model.equations.q]
        return np.asarray(named) + self.bodies.zero

    def told(self, rows: list[tuple[float, State, Doubles, float]], ended: str) -> Run:
        states = [row[1] for row in rows]
        stack: dict[str, Any] = {n: np.array([getattr(s, n) for s in states]) for n in ("q", "x", "q_dot", "x_dot")}
        t = np.array([r[0] for r in rows])
        reference = getattr(self.controller, "reference", None)
        ref = reference(t).x if self.exact.ref is not None and reference is not None else None
        return replace(
            self.exact,
            t=t,
            **stack,
            command=np.array([r[2] for r in rows]),
            work=np.array([r[3] for r in rows]),
            ended=ended,
            ref=ref,
            title=f"{self.exact.title} in {self.engine.title}",
            settings={**self.exact.settings, "plant": self.engine.title},
            findings={},
        )


def _joined(read: dict[str, Doubles], place: str, angle: str) -> Doubles:
    """Places, then angles, as x has them for one body."""
    found = read[place][0]
    return np.concatenate([found, read[angle][0]]) if angle in read else np.asarray(found)
