"""Gymnasium: its checker is content, seeds repeat, episodes end for the reasons told, and the tasks can be done."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.export.gymnasium import ENVIRONMENTS, TIME_UP, register_environments
from closedchain.export.tasks import Balance, SwingUp, Tracking, advance

NAMES = list(ENVIRONMENTS)


@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_checker_is_content(name):
    """Spaces, seeding, determinism, types and pictures; warnings are errors."""
    env = gymnasium.make(name, render_mode="rgb_array")
    check_env(env.unwrapped)
    env.close()


def test_importing_by_name_registers_and_doing_it_again_is_silent():
    """gymnasium.make("module:id") is all that a user types."""
    env = gymnasium.make("closedchain.export.gymnasium:closedchain/FurutaBalance-v0")
    assert env.spec.max_episode_steps == 500
    register_environments()


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_episode(name):
    """Observations and rewards, to the bit; another seed begins elsewhere."""
    episodes = []
    for seed in (7, 7, 8):
        env = gymnasium.make(name)
        rows = [env.reset(seed=seed)[0]]
        rows += [np.append(*env.step(0.1 * np.ones(env.action_space.shape, np.float32))[:2]) for _ in range(10)]
        episodes.append(np.concatenate(rows))
    np.testing.assert_array_equal(episodes[0], episodes[1])
    assert not np.array_equal(episodes[0], episodes[2])


@pytest.mark.parametrize("name", NAMES)
def test_many_robots_step_like_one(name):
    """A vector environment of one robot is the environment; of three, each row is one."""
    one, many = gymnasium.make(name), gymnasium.make_vec(name, num_envs=3)
    first, _ = many.reset(seed=3)
    task = one.unwrapped.task
    one.reset(seed=0)
    one.unwrapped.now = row_of(many.unwrapped.now, 1)
    action = 0.05 * np.ones(one.action_space.shape, np.float32)
    for _ in range(5):
        seen, reward, *_ = one.step(action)
        all_seen, rewards, *_ = many.step(np.tile(action, (3, 1)))
        np.testing.assert_array_equal(all_seen[1], seen)
        np.testing.assert_allclose(rewards[1], reward, rtol=1e-14)
    assert first.shape == (3, len(task.high))


def row_of(now, i):
    """One robot of a situation."""
    s = now.state
    state = type(s)(s.q[[i]], s.x[[i]], s.q_dot[[i]], s.x_dot[[i]])
    return type(now)(state, now.t[[i]], now.aim[[i]], now.lost[[i]])


def test_a_robot_that_has_ended_begins_anew_with_the_next_step():
    """Gymnasium's next-step mode: the reward of that step is 0 and the pendulum stands again."""
    many = gymnasium.make_vec("closedchain/FurutaBalance-v0", num_envs=2)
    many.reset(seed=0)
    for _ in range(200):
        seen, _, terminated, _, info = many.step(np.zeros((2, 1), np.float32))
        if terminated.any():
            break
    row = int(np.argmax(terminated))
    assert info["reason"][row] == "the pendulum has fallen"
    seen, rewards, terminated, _, _ = many.step(np.zeros((2, 1), np.float32))
    assert rewards[row] == 0.0
    assert not terminated[row]
    assert seen[row, 3] > np.cos(0.051)


def test_a_regulator_balances_to_the_end_of_the_time():
    """LQR of the linear model, sampled at 20 ms: 500 steps, and then it is said that the time is up."""
    env = gymnasium.make("closedchain/FurutaBalance-v0")
    env.reset(seed=1)
    linear = cc.linearise(cc.load("furuta"), q=[0, 0], inputs="voltage")
    gain = discrete_regulator(linear.A, linear.B, 0.02)
    for _ in range(500):
        state = env.unwrapped.now.state
        u = -gain @ np.concatenate([state.q[0], state.q_dot[0]])
        _, reward, terminated, truncated, info = env.step((u / 12).astype(np.float32))
        if terminated or truncated:
            break
    assert (terminated, truncated, info["reason"]) == (False, True, TIME_UP)
    assert reward > 0.99


def discrete_regulator(A, B, h):
    """LQR of the sampled system by value iteration."""
    n, m = B.shape
    block = np.zeros((n + m, n + m))
    block[:n, :n], block[:n, n:] = A * h, B * h
    whole = np.eye(n + m) + sum(np.linalg.matrix_power(block, k) / np.prod(np.arange(1.0, k + 1)) for k in range(1, 20))
    Ad, Bd, P = whole[:n, :n], whole[:n, n:], np.eye(n)
    for _ in range(3000):
        K = np.linalg.solve(np.eye(m) + Bd.T @ P @ Bd, Bd.T @ P @ Ad)
        P = np.diag([1.0, 10.0, 0.1, 0.1]) + Ad.T @ P @ (Ad - Bd @ K)
    return K


def test_a_controller_tracks_the_circle():
    """Efforts of the model's own dynamics with a PD on the tip: the reward comes near its most, 1."""
    task, rng = Tracking(), np.random.default_rng(0)
    model, now = task.model, None
    now = task.begin(rng, 1)
    w = 2 * np.pi / task.period
    for _ in range(400):
        s = now.state
        x, x_dot = task.target(now.aim, now.t)
        wanted = -(w**2) * (x - task.centre) + 200 * (x - s.x) + 28 * (x_dot - s.x_dot)
        tau = cc.evaluate(model, x=s.x[0], x_dot=s.x_dot[0], x_ddot=wanted[0], working="++").tau
        now = advance(task, now, tau[None] / task.limit)
        assert task.ends(now)[0] == ""
    assert task.reward(now, np.zeros((1, 2)))[0] > 0.99


def test_the_swing_up_is_worth_most_upright_and_at_rest():
    """Reward 0 there, −π² Δt hanging."""
    task, rng = SwingUp(), np.random.default_rng(0)
    now = task.begin(rng, 2)
    now.state.q[:] = [[0.0, 0.0], [0.0, np.pi]]
    np.testing.assert_allclose(task.reward(now, np.zeros((2, 1))), [0.0, -(np.pi**2) * 0.02], atol=1e-15)


def test_every_ending_has_its_reason():
    """A wound cable, a fall, a singularity, a foot off its rail, an overflow."""
    task = Balance()
    now = task.begin(np.random.default_rng(0), 3)
    now.state.q[:] = [[7.0, 0.0], [0.0, 0.4], [0.0, 0.1]]
    assert list(task.ends(now)) == ["the arm's cable is wound up", "the pendulum has fallen", ""]
    glide = Tracking()
    now = glide.begin(np.random.default_rng(0), 2)
    now = replace(now, state=cc.state(glide.model, q=[[0.0, 0.0], [1.2, 1.2]]))
    assert list(glide.ends(now)) == ["", "a foot has left its rail"]
    apart = np.sqrt((2 * 0.3606) ** 2 - 0.4**2) * (1 - 1e-9)
    now = replace(now, state=cc.state(glide.model, q=[[0.0, apart]] * 2))
    assert set(glide.ends(now)) == {"a Type 2 singularity is near"}


def test_an_overflow_ends_the_episode_with_finite_observations():
    """The state before it is shown."""
    env = gymnasium.make("closedchain/FurutaBalance-v0").unwrapped
    env.reset(seed=0)
    env.now.state.q_dot[:] = 1e14
    seen, _, terminated, _, info = env.step(np.zeros(1, np.float32))
    assert terminated
    assert np.isfinite(seen).all()
    assert info["reason"] == "the motion grew without bound"
    assert np.isfinite(env.now.state.z_dot).all()


def test_wrong_actions_and_modes_are_refused():
    """A NaN, a wrong shape, no reset, another render mode."""
    env = gymnasium.make("closedchain/BiglideTracking-v0").unwrapped
    with pytest.raises(BadInput, match="reset the environment"):
        env.step(np.zeros(2))
    env.reset(seed=0)
    with pytest.raises(BadInput, match="finite numbers"):
        env.step(np.array([np.nan, 0.0]))
    with pytest.raises(BadInput, match=r"shape \(2,\)"):
        env.step(np.zeros(3))
    with pytest.raises(BadInput, match="render_mode"):
        type(env)(render_mode="human")


def test_the_picture_shows_the_robot_and_its_target():
    """Dark pixels of the bars, red ones of the ring, on white; nothing without a render mode."""
    env = gymnasium.make("closedchain/BiglideTracking-v0", render_mode="rgb_array").unwrapped
    env.reset(seed=0)
    image = env.render().astype(int)
    assert image.shape == (480, 480, 3)
    assert (image.sum(axis=-1) < 150).sum() > 1000
    assert (image[..., 0] - image[..., 2] > 100).sum() > 50
    assert (image == 255).all(axis=-1).mean() > 0.8
    env.render_mode = None
    assert env.render() is None
