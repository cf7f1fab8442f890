"""A robot that is moved by hand in MuJoCo: rigid bars, their loops kept soft by its solver."""

from __future__ import annotations

import mujoco
import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, BrokenOff, length
from closedchain.exchange.from_mechanism import embed
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.policy import TORN
from closedchain.simulation.stepper import Sample
from closedchain.verify.engine_mujoco import MuJoCo

STEPS = 10  # in an interval


class MuJoCoStepper:
    """A robot whose output is a point of the plane, as MuJoCo moves it; used like `closedchain.simulation.Stepper`."""

    def __init__(self, model: Model, interval: float) -> None:
        if model.nx != 2:
            raise BadInput(
                f"{model.name}: MuJoCo is stepped for robots whose output is a point of the plane; use the exact engine"
            )
        self.model, self.interval = model, interval

    def start(self, state: State) -> Sample:
        """Build it closed at the state, and at rest."""
        assert self.model.mechanism is not None
        tree = embed(self.model, state.q, state.x).tree
        self.engine = engine = MuJoCo(tree, (self.model.mechanism.output.name,))
        self.m, self.d, self.site = engine.model, engine.data, engine.sites[0]
        self.m.opt.timestep = self.interval / STEPS
        self.m.eq_solref[:, 0] = 2.0 * self.m.opt.timestep  # the shortest time constant that MuJoCo takes
        names = [c.name for c in self.model.equations.q]
        self.zero = np.array([tree.joint(name).zero for name in names])
        self.places = [int(self.m.joint(name).qposadr[0]) for name in names]
        self.freedoms = [int(self.m.joint(name).dofadr[0]) for name in names]
        self.t, self.work = 0.0, 0.0
        mujoco.mj_resetData(self.m, self.d)
        with engine.acting():
            mujoco.mj_forward(self.m, self.d)
        return self._sample()

    def step(self, tau: Doubles) -> Sample:
        """Hold the efforts for one interval; raises BrokenOff where its loops are torn."""
        before = self.d.qpos[self.places].copy()
        self.d.qfrc_applied[[self.freedoms[i] for i in self.model.driven]] = tau
        with self.engine.acting():
            mujoco.mj_step(self.m, self.d, nstep=STEPS)
            mujoco.mj_forward(self.m, self.d)  # everything at the instant reached, under the efforts held until then
        self.t += self.interval
        self.work += float(tau @ (self.d.qpos[self.places] - before)[list(self.model.driven)])
        gap = float(np.abs(self.d.efc_pos).max(initial=0.0))
        if not np.isfinite(self.d.qacc).all() or not gap < TORN * self.model.scale:
            raise BrokenOff(
                f"{self.model.name}: MuJoCo cannot follow at t = {self.t:.6g} s: its loops are open by {length(gap)}; "
                "the exact engine may go on."
            )
        return self._sample()

    def _sample(self) -> Sample:
        d = self.d
        J, J_dot = np.zeros((3, self.m.nv)), np.zeros((3, self.m.nv))
        mujoco.mj_jacSite(self.m, d, J, None, self.site)
        mujoco.mj_jacDot(self.m, d, J_dot, None, d.site_xpos[self.site], self.m.site_bodyid[self.site])
        state = State(
            q=self.zero + d.qpos[self.places],
            x=d.site_xpos[self.site][:2].copy(),
            q_dot=d.qvel[self.freedoms].copy(),
            x_dot=(J @ d.qvel)[:2],
        )
        return Sample(state, (J @ d.qacc + J_dot @ d.qvel)[:2], self.work)
