"""Files of linkages: no drives, free points with a place nearby, springs on angles; written and read back."""

import tomllib

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.describe import Bar, Fixed, Free, Mechanism
from closedchain.describe.files import BadFile, loads
from closedchain.describe.mechanism import BadMechanism
from closedchain.describe.writing import dumps

TEXT = """
schema = "closedchain.mechanism/1"
name = "swing"
linkage = true
gravity = [0, -9.81]

[parameters]
l = 0.5

[points]
A = { fixed = [0, 0] }
B = { fixed = [1, 0] }
P = { free = true, mass = 1, near = [0, "-l"] }
Q = { free = true, mass = 1, near = [1, "-l"] }

[[bars]]
between = ["A", "P"]
length = "l"

[[bars]]
between = ["B", "Q"]
length = "l"

[[springs]]
between = ["P", "Q"]
stiffness = 20
rest = 1

[[springs]]
angle = "left"
stiffness = 0.3
rest = -1.5

[[dampers]]
angle = "left"
damping = 0.01

[[readouts]]
name = "left"
angle = ["A", "P"]
"""


def test_a_file_without_drives_is_a_linkage(schema, tmp_path):
    """Two pendulums and a spring: it is assembled, moves, and keeps its energy but for what the damper takes."""
    schema.validate(tomllib.loads(TEXT))
    path = tmp_path / "swing.toml"
    path.write_text(TEXT, encoding="utf-8")
    model = cc.load(path)
    assert (model.nq, model.nx, len(model.equations.closures)) == (0, 4, 2)
    np.testing.assert_allclose(cc.state(model).x, [0, -0.5, 1, -0.5], atol=1e-12)
    run = cc.simulate(model, duration=1, interval=1e-3, x_dot={"x": 1.0})
    assert run.summary["energy_residual"] < 1e-9
    assert cc.check(model, states=50).ok


def test_a_linkage_is_written_and_read_back():
    """The same equations."""
    recipe = loads(TEXT, "text")
    again = loads(dumps(recipe), "again")
    a, b = cc.load(recipe).equations, cc.load(again).equations
    assert a.key == b.key


@pytest.mark.parametrize("name", robots.linkage_names())
def test_every_shipped_linkage_is_written_and_read_back(name, schema):
    """As every robot is."""
    recipe = robots.find(name)
    source = dumps(recipe)
    schema.validate(tomllib.loads(source))
    assert cc.load(loads(source, name)).equations.key == cc.load(recipe).equations.key


BROKEN = {
    "flag": ("linkage = true", "linkage = 1", "linkage: true or false is needed"),
    "near": ('near = [0, "-l"]', "near = [0, 0, 0]", "3 numbers where 2 are needed"),
    "angle": ('angle = "left"\nstiffness', 'angle = "lift"\nstiffness', "no angle 'lift' among the readouts"),
    "two kinds": ('angle = "left"\nstiffness', 'angle = "left"\ndrive = "q"\nstiffness', "springs[1]"),
    "no linkage": ("linkage = true", 'output = "P"', "there is none; a robot needs at least one slider"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_linkage_is_refused_in_one_line(what):
    """With its place."""
    old, new, words = BROKEN[what]
    assert old in TEXT
    with pytest.raises(BadFile) as caught:
        loads(TEXT.replace(old, new), "swing.toml")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_robots_are_still_counted():
    """A forgotten bar is a mistake unless one says that it is not."""
    C = Free("C", mass=1.0)
    bar = Bar(Fixed("A", at=(0, 0)), C, 1.0)
    with pytest.raises(BadMechanism, match="there is none; a robot needs"):
        Mechanism("loose", drives=(), bars=(bar,), output=C)
    assert Mechanism("loose", drives=(), bars=(bar,), output=C, linkage=True).linkage
