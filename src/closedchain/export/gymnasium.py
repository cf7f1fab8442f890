"""Environments of Gymnasium: importing this file registers them.

closedchain/FurutaSwingUp-v0, closedchain/FurutaBalance-v0, closedchain/BiglideTracking-v0. Each is also a vector
environment that steps all its robots in one call of a compiled kernel. What is seen, what is rewarded and when an
episode ends stands with each task in closedchain.export.tasks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.errors import BadInput
from closedchain.export.picture import picture
from closedchain.export.tasks import Balance, Situation, SwingUp, Task, Tracking, advance
from closedchain.extras import explain

try:
    import gymnasium
    from gymnasium.envs.registration import register, registry
    from gymnasium.spaces import Box
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise explain(error) or error from None

TIME_UP = "the time is up"
FURUTA = (-0.45, 0.45, -0.45, 0.45)  # windows of pictures [m]
BIGLIDE = (-0.5, 0.5, -0.25, 0.75)


class RobotEnv(gymnasium.Env[Any, Any]):
    """One robot at its task; `info["reason"]` says why an episode has ended."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}  # noqa: RUF012 (Gymnasium's own form)
    window = FURUTA

    def __init__(self, task: Task, render_mode: str | None = None) -> None:
        if render_mode not in (None, "rgb_array"):
            raise BadInput(f"render_mode is None or 'rgb_array', not {render_mode!r:.30}")
        self.task, self.render_mode = task, render_mode
        self.observation_space, self.action_space = spaces(task)
        self.now: Situation | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin anew; the same seed begins the same way."""
        super().reset(seed=seed)
        self.now = self.task.begin(self.np_random, 1)
        return seen(self.task, self.now)[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Hold the action for the task's interval."""
        given = _actions(action, (len(self.task.stepper.model.driven),))[None]
        self.now = advance(self.task, self._situation(), given)
        reason = str(self.task.ends(self.now)[0])
        late = bool(_late(self.task, self.now)[0])
        info = {"reason": reason or TIME_UP} if reason or late else {}
        reward = float(self.task.reward(self.now, given)[0])
        return seen(self.task, self.now)[0], reward, bool(reason), late and not reason, info

    def render(self) -> Any:
        """The robot as an image, (480, 480, 3)."""
        if self.render_mode is None:
            return None
        now = self._situation()
        target = self.task.target(now.aim, now.t)[0][0] if isinstance(self.task, Tracking) else None
        return picture(self.task.stepper.model, now.state.q[0], now.state.x[0], self.window, target)

    def _situation(self) -> Situation:
        if self.now is None:
            raise BadInput("reset the environment before its first step")
        return self.now


class RobotVectorEnv(VectorEnv[Any, Any, Any]):
    """Many robots at one task, stepped together; one that has ended begins anew with the next step."""

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(self, task: Task, num_envs: int, render_mode: str | None = None, **_: Any) -> None:
        self.task, self.num_envs, self.render_mode = task, num_envs, render_mode
        self.single_observation_space, self.single_action_space = spaces(task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.now: Situation | None = None
        self.over = np.zeros(num_envs, dtype=bool)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin anew with all robots; one seed is enough for all of them."""
        super().reset(seed=seed[0] if isinstance(seed, list | tuple) else seed)
        self.now, self.over = self.task.begin(self.np_random, self.num_envs), np.zeros(self.num_envs, dtype=bool)
        return seen(self.task, self.now), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Hold each action for the task's interval; where an episode was over, the action is not used."""
        if self.now is None:
            raise BadInput("reset the environments before their first step")
        given = _actions(actions, (self.num_envs, len(self.task.stepper.model.driven)))
        again = self.over
        now = advance(self.task, self.now, given)
        if again.any():
            now = now.chosen(again, self.task.begin(self.np_random, self.num_envs))
        reasons = np.where(again, "", self.task.ends(now))
        terminated = reasons != ""
        truncated = _late(self.task, now) & ~terminated & ~again
        rewards = np.where(again, 0.0, self.task.reward(now, given))
        self.now, self.over = now, terminated | truncated
        told = np.where(truncated, TIME_UP, reasons)
        return seen(self.task, now), rewards, terminated, truncated, {"reason": told, "_reason": self.over}


def spaces(task: Task) -> tuple[Box, Box]:
    """What is observed of one robot, and its actions from −1 to 1."""
    high = task.high.astype(np.float32)
    return Box(-high, high, dtype=np.float32), Box(-1.0, 1.0, (len(task.stepper.model.driven),), dtype=np.float32)


def seen(task: Task, now: Situation) -> Any:
    """What is observed, in single precision."""
    return task.observe(now).astype(np.float32)


def _late(task: Task, now: Situation) -> Any:
    return now.t >= task.duration - task.stepper.interval / 2


def _actions(action: Any, shape: tuple[int, ...]) -> Any:
    given = np.asarray(action, dtype=np.float64)
    if given.shape != shape:
        raise BadInput(f"an action has shape {shape}, not {given.shape}")
    return given


# The environments ----------------------------------------------------------------------------------


class FurutaSwingUp(RobotEnv):
    """Swing the pendulum up and hold it."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(SwingUp(), render_mode)


class FurutaBalance(RobotEnv):
    """Keep the pendulum upright."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(Balance(), render_mode)


class BiglideTracking(RobotEnv):
    """Follow a point round a circle."""

    window = BIGLIDE

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(Tracking(), render_mode)


def furuta_swing_up(num_envs: int, **options: Any) -> RobotVectorEnv:
    """Many pendulums to swing up."""
    return RobotVectorEnv(SwingUp(), num_envs, **options)


def furuta_balance(num_envs: int, **options: Any) -> RobotVectorEnv:
    """Many pendulums to balance."""
    return RobotVectorEnv(Balance(), num_envs, **options)


def biglide_tracking(num_envs: int, **options: Any) -> RobotVectorEnv:
    """Many biglides to lead round a circle."""
    return RobotVectorEnv(Tracking(), num_envs, **options)


ENVIRONMENTS = {
    "closedchain/FurutaSwingUp-v0": ("FurutaSwingUp", "furuta_swing_up", 500),
    "closedchain/FurutaBalance-v0": ("FurutaBalance", "furuta_balance", 500),
    "closedchain/BiglideTracking-v0": ("BiglideTracking", "biglide_tracking", 600),
}


def register_environments() -> None:
    """Tell Gymnasium of every environment that it does not know yet."""
    for name, (single, many, steps) in ENVIRONMENTS.items():
        if name not in registry:
            register(
                name,
                entry_point=f"{__name__}:{single}",
                vector_entry_point=f"{__name__}:{many}",
                max_episode_steps=steps,
            )


register_environments()
