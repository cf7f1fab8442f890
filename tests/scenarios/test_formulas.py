"""Motions and commands by formula in scenario files."""

import json
import tomllib
from importlib import resources

import jsonschema
import numpy as np
import pytest

import closedchain as cc
from closedchain import scenarios
from closedchain.control import Scheduled
from closedchain.describe.files import BadFile
from closedchain.scenarios import loads

SCHEMA = json.loads((resources.files("closedchain.scenarios") / "scenario.schema.json").read_text(encoding="utf-8"))
SINE = """\
schema = "closedchain.scenario/1"
robot = "biglide"
interval = 0.002
[trajectory]
kind = "formula"
formula = { q1 = "0.1*sin(t)", q2 = "-0.1*sin(t)" }
duration = 3
[controller]
kind = "computed-torque"
"""
VOLTAGE = """\
schema = "closedchain.scenario/1"
robot = "furuta:hanging"
interval = "10 ms"
duration = 0.5
start = { q = [0, "10 deg"] }
[controller]
kind = "formula"
output = "voltage"
formula = "5*sin(2*pi*t)"
"""


def test_the_documents_sine_is_followed_from_its_first_instant():
    """It begins with 0.1 m/s; the robot does, too, and stays within what commands held for 2 ms leave, 1 µm."""
    run = scenarios.run(loads(SINE))
    np.testing.assert_allclose(run.q_dot[0], [0.1, -0.1], rtol=1e-12)
    np.testing.assert_allclose(run.ref[:, 0], 0.1 * np.sin(run.t), atol=1e-15)
    assert run.finished
    assert np.abs(run.error).max() < 1e-6


def test_a_voltage_in_a_file_is_the_law_of_the_same_formula():
    """Bit for bit what Python's `Scheduled` does."""
    run = scenarios.run(loads(VOLTAGE))
    law = Scheduled("5*sin(2*pi*t)", "voltage")
    same = cc.simulate(cc.load("furuta:hanging"), law, q=[0.0, np.pi / 18], duration=0.5, interval=0.01)
    np.testing.assert_array_equal(run.command, same.command)
    np.testing.assert_allclose(run.q, same.q, rtol=0, atol=1e-15)


@pytest.mark.parametrize("text", [SINE, VOLTAGE])
def test_the_schema_knows_formulas(text):
    """Editors mark nothing."""
    jsonschema.Draft202012Validator(SCHEMA).validate(tomllib.loads(text))


@pytest.mark.parametrize(
    ("text", "old", "new", "place", "words"),
    [
        (SINE, "0.1*sin(t)", "0.1*sine(t)", "trajectory", "no function 'sine'"),
        (SINE, 'q1 = "0.1*sin(t)", ', "", "trajectory", "q1, q2 (the drives)"),
        (SINE, '{ q1 = "0.1*sin(t)", q2 = "-0.1*sin(t)" }', '["t"]', "trajectory.formula", "2 are needed"),
        (SINE, 'kind = "formula"', 'kind = "formula"\nspace = "output"', "trajectory.space", "leave space out"),
        (SINE, '"0.1*sin(t)"', '"1/(t - 1)"', "trajectory", "where t - 1 is zero"),
        (VOLTAGE, "sin(2*pi*t)", "sin(2*pi*u)", "controller.formula", "unknown name 'u'"),
        (VOLTAGE, 'output = "voltage"\n', "", "controller.output", "has a motor"),
        (VOLTAGE, '"5*sin(2*pi*t)"', '{ q2 = "t" }', "controller.formula.q2", "no drive 'q2'"),
        (VOLTAGE, '"5*sin(2*pi*t)"', "true", "controller.formula", "number"),
    ],
)
def test_a_wrong_formula_is_named_by_its_place(text, old, new, place, words):
    """One line that says what to write."""
    assert old in text
    with pytest.raises(BadFile) as caught:
        loads(text.replace(old, new))
    assert caught.value.place == place
    assert words in caught.value.problem
