"""Models, motions, laws, results and errors go to other processes and come back with the same numbers."""

import copy
import io
import multiprocessing
import pickle

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.describe.files import BadFile, loads
from closedchain.describe.writing import dumps
from closedchain.errors import ClosedChainError, Unreachable
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.planning import plan
from closedchain.simulation.rollouts import rollouts
from closedchain.singularity.aspects import aspects
from closedchain.singularity.loci import loci
from closedchain.singularity.maps import map_grid
from closedchain.singularity.pose import singularities
from closedchain.singularity.workspace import workspace

WINDOW = (-0.1, 0.1, 0.2, 0.4)


def unpickled(data):
    """What this file itself has pickled."""
    return pickle.loads(data)  # noqa: S301 it comes from the lines below


WAYS = {"pickle": lambda value: unpickled(pickle.dumps(value)), "deepcopy": copy.deepcopy}


@pytest.fixture(scope="module")
def biglide():
    """A robot with four working modes."""
    return load("biglide")


def line():
    """A short motion of the tip."""
    return cc.quintic([0.0, 0.3], [0.05, 0.35], duration=0.2)


# name → what is made of the biglide
MAKERS = {
    "inverse": lambda robot: cc.inverse(robot, x=[0.03, 0.25]),
    "no solution": lambda robot: cc.inverse(robot, x=[3.0, 0.25]),
    "direct": lambda robot: cc.direct(robot, q=[0.0, 0.1]),
    "state": lambda robot: cc.state(robot, q=[0.0, 0.1]),
    "evaluate": lambda robot: cc.evaluate(robot, q=[0.0, 0.1]),
    "linearise": lambda robot: cc.linearise(robot, q=[0.0, 0.1]),
    "forward dynamics": lambda robot: cc.forward_dynamics(robot, cc.state(robot, q=[0.0, 0.1]), [1.0, 2.0]),
    "check": lambda robot: cc.check(robot, states=5),
    "quintic": lambda _: line(),
    "circle": lambda _: motion.circle([0.0, 0.3], 0.02, duration=1.0),
    "spline": lambda _: motion.spline([[0.0, 0.3], [0.02, 0.3], [0.02, 0.32]], [0.0, 0.1, 0.2]),
    "along": lambda _: motion.along(motion.segment([0.0, 0.3], [0.1, 0.4]), cc.quintic([0.0], [1.0], duration=1.0)),
    "stack": lambda _: motion.stack([cc.quintic([0.0], [1.0], duration=1.0)] * 2),
    "piecewise": lambda _: motion.piecewise([line(), motion.rest([0.05, 0.35], 0.1)]),
    "joint motion": lambda robot: motion.joint(robot, line(), working="++"),
    "time optimal": lambda robot: motion.time_optimal(robot, motion.segment([0, 0.3], [0.05, 0.35]), effort=[50, 50]),
    "computed torque": lambda _: cc.ComputedTorque(line(), kp=100.0, kd=20.0),
    "PD": lambda _: cc.PD(line(), kp=100.0, kd=20.0),
    "run": lambda robot: cc.simulate(robot, cc.ComputedTorque(line(), kp=100.0, kd=20.0), interval=0.01),
    "rollouts": lambda robot: rollouts(
        robot, cc.ComputedTorque(line(), kp=100.0, kd=20.0), interval=0.01, values={"l": [0.36, 0.37]}
    ),
    "singularities": lambda robot: singularities(robot, x=[0.0, 0.3]),
    "loci": lambda robot: loci(robot, window=(WINDOW[:2], WINDOW[2:]), lines=8),
    "map": lambda robot: map_grid(robot, window=WINDOW, shape=(5, 5)),
    "workspace": lambda robot: workspace(robot, WINDOW),
    "aspects": lambda robot: aspects(robot, WINDOW, depth=2),
    "plan": lambda robot: plan(robot, [0.0, 0.3], [0.05, 0.35]),
}


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("what", MAKERS)
def test_every_result_comes_back_with_the_same_numbers(what, how, biglide):
    """Every array in it, bit for bit, wherever it stands."""
    made = MAKERS[what](biglide)
    again = WAYS[how](made)
    assert type(again) is type(made)
    first, second = list(arrays(made)), list(arrays(again))
    assert len(first) == len(second)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


def arrays(value, seen=None):
    """The arrays and numbers that a value is made of, in a fixed order; models by their parameters."""
    seen = set() if seen is None else seen
    if isinstance(value, np.ndarray | float | int | str):
        yield np.asarray(value)
    elif isinstance(value, Model):
        yield value.p
    elif id(value) not in seen:
        seen.add(id(value))
        if isinstance(value, dict):
            inside = list(value.values())
        elif isinstance(value, list | tuple):
            inside = list(value)
        else:
            inside = list(getattr(value, "__dict__", {}).values())
        for one in inside:
            yield from arrays(one, seen)


@pytest.mark.parametrize("name", ["biglide", "biglide:lab", "furuta", "delta", "rrr3", "squeezer", "nfourbar:40"])
def test_a_model_is_pickled_as_its_description_and_numbers(name):
    """No kernel and no code is in it: only classes of descriptions, and Model."""
    model = load(name).with_values()
    _ = model.library  # what a model has computed stays behind
    data = pickle.dumps(model)
    again = unpickled(data)
    assert again.equations.key == model.equations.key
    assert again.values == model.values
    assert again.name == model.name
    watching = Watching(data)
    watching.load()
    assert all(home.startswith(("closedchain.describe.", "closedchain.model.model")) for home in watching.homes)


class Watching(pickle.Unpickler):
    """Notes the module of everything that unpickling imports."""

    def __init__(self, data):
        super().__init__(io.BytesIO(data))
        self.homes = set()

    def find_class(self, module, name):
        self.homes.add(module)
        return super().find_class(module, name)


def test_a_model_works_after_spawn():
    """A new process gets the model, and finds its kernels in the cache: the same bits."""
    model = load("biglide").with_values(l=0.4)
    x = np.array([0.03, 0.25])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(solutions, (model, x))
    np.testing.assert_array_equal(found, solutions(model, x))


def solutions(model, x):
    """The drives of every working mode."""
    return np.array(cc.inverse(model, x=x).q)


def test_a_robot_of_a_file_is_pickled_without_the_file(tmp_path):
    """The description itself goes along, not the path."""
    file = tmp_path / "bi.toml"
    file.write_text(dumps(load("biglide").recipe), "utf-8")
    from_file = load(str(file))
    data = pickle.dumps(from_file)
    file.unlink()
    np.testing.assert_array_equal(unpickled(data).p, from_file.p)


def errors():
    """One error of each kind that takes more than a message."""
    with pytest.raises(BadFile) as bad:
        loads("name = 3", "robot.toml")
    return [bad.value, Unreachable("biglide", "leg A1-C", 0.02, "x = (3, 0)")]


@pytest.mark.parametrize("error", errors(), ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("how", WAYS)
def test_errors_keep_their_message_and_data(error, how):
    """A pool that gets an error it cannot read waits for ever."""
    again = WAYS[how](error)
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_every_error_class_can_come_back():
    """Whatever its arguments are called: made without them, it is pickled by message and data."""
    for kind in every(ClosedChainError):
        error = kind.__new__(kind, "what went wrong")
        error.where = 3
        again = unpickled(pickle.dumps(error))
        assert type(again) is kind
        assert again.args == ("what went wrong",)
        assert again.where == 3


def every(kind):
    """A class's subclasses, and theirs."""
    for one in kind.__subclasses__():
        yield one
        yield from every(one)
