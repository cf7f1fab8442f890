"""Compiled loops are filed under what their law traces to: what it reads counts, its name and its text do not."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import PD, ComputedTorque, Constant, Oscillate
from closedchain.simulation import law_keys
from closedchain.simulation.compiled import Compiled
from closedchain.simulation.plant import Plant
from closedchain.simulation.rollouts import rollouts
from closedchain.simulation.symbolic import law_program

START = {"q": [0.1, -0.05], "duration": 0.02, "interval": 5e-3}
STIFF = 100.0


class Spring(Constant):
    """τ = −k q with a k of its own that is no gain."""

    def __init__(self, k):
        object.__setattr__(self, "k", k)
        super().__init__(0.0)

    def law(self, measured, reference, gains):
        return -self.k * measured.q


def pulled(q):
    """A helper."""
    return -STIFF * q


class Helped(Constant):
    """The same spring, by a helper and a constant of the module."""

    def law(self, measured, reference, gains):
        return pulled(measured.q)


@pytest.mark.parametrize("kind", ["simulate", "rollouts"])
def test_two_instances_of_one_class_command_what_each_says(biglide, kind):
    """k = 100 and k = 5 N/m: the first command is −k q, by hand."""
    for k in (100.0, 5.0):
        if kind == "simulate":
            made = cc.simulate(biglide, Spring(k), **START).command[0]
            np.testing.assert_array_equal(made, -k * np.array(START["q"]))
        else:
            many = rollouts(biglide, Spring(k), **START)
            np.testing.assert_array_equal(many.max_effort[0], k * np.abs(START["q"]))  # the spring only relaxes


def test_a_constant_of_the_module_that_changes_between_runs_counts(biglide, monkeypatch):
    """100 N/m, then 7."""
    for k in (100.0, 7.0):
        monkeypatch.setitem(globals(), "STIFF", k)
        np.testing.assert_array_equal(cc.simulate(biglide, Helped(), **START).command[0], -k * np.array(START["q"]))


def test_a_helper_that_changes_between_runs_counts(biglide, monkeypatch):
    """A spring, then a damper."""
    np.testing.assert_array_equal(cc.simulate(biglide, Helped(), **START).command[0], -100.0 * np.array(START["q"]))
    monkeypatch.setitem(globals(), "pulled", lambda q: 2 * q)
    np.testing.assert_array_equal(cc.simulate(biglide, Helped(), **START).command[0], 2 * np.array(START["q"]))


def test_a_method_of_this_package_that_is_replaced_counts(biglide, monkeypatch):
    """What is patched in is no longer the package's own text."""
    assert cc.simulate(biglide, Constant(1.0), **START).command[0, 0] == 1.0
    monkeypatch.setattr(Constant, "law", lambda self, measured, reference, gains: 3 * reference.command)
    assert cc.simulate(biglide, Constant(1.0), **START).command[0, 0] == 3.0


def test_laws_that_trace_to_one_program_share_their_loop(biglide):
    """Two classes, one formula: one compiled loop."""
    one, two = (Compiled(biglide, biglide, law, Plant(), "rk4").library for law in (Spring(100.0), Helped()))
    assert one is two


def shipped(line):
    """Laws of the package with every option that its methods read."""
    yield from (Constant(v, output) for v in (1.0, 2.0) for output in ("tau", "velocity"))
    yield from (PD(line, kp, 2.0, gravity=g) for kp in (1.0, (1.0, 2.0)) for g in (True, False))
    yield from (ComputedTorque(line, a, 2.0, acceleration=b) for a in (1.0, 3.0) for b in (0.0, 1.0))
    yield from (Oscillate(a, b) for a in (1.0, 2.0) for b in (0.1, 0.2))


def test_the_keys_of_the_packages_own_laws_tell_their_programs_apart(biglide, line):
    """They are not traced to be looked up, so equal keys must mean equal programs."""
    programs = {}
    for law in shipped(line):
        assert law_keys._ours(law)
        fields = law.fields(biglide)
        program = law_program(law.law, biglide, fields, len(law.gains), ())
        assert programs.setdefault((law.key, fields, len(law.gains)), program.digest) == program.digest
