"""The model: parameters are inputs of its kernels, so other numbers cost nothing."""

from dataclasses import replace

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.derive.mechanics import equations
from closedchain.describe import BadMechanism, BadParameter, Recipe
from closedchain.model import model as module


def test_other_values_derive_and_compile_nothing(tmp_path, monkeypatch):
    """With an empty cache the first robot derives its main library; others of it derive nothing and share it."""
    monkeypatch.setenv("CLOSEDCHAIN_CACHE", str(tmp_path / "cache"))
    derived = []
    real = module._derive
    monkeypatch.setattr(module, "_derive", lambda part, *rest: derived.append(part) or real(part, *rest))
    first = cc.load("biglide")
    cc.direct(first, [0.1, 0.02])
    assert derived == ["main_programs"]
    for l in (0.3, 0.32, 0.34):
        other = first.with_values(l=l)
        assert other.library is first.library
        cc.evaluate(other, q=[0.1, 0.02])
        np.testing.assert_allclose(cc.direct(other, [0.0, 0.0])["+"].x, [0.0, np.sqrt(l**2 - 0.04)], atol=1e-15)
    assert derived == ["main_programs", "passive_programs"]  # each once


def test_other_values_leave_the_first_robot_as_it_is(biglide):
    """Values are frozen; a change makes a new robot, and changes add up."""
    other = biglide.with_values(l=0.5).with_values(m_p=1.0)
    assert (other.values["l"], other.values["m_p"]) == (0.5, 1.0)
    assert (biglide.values["l"], biglide.values["m_p"]) == (0.3606, 3.0)
    with pytest.raises(ValueError, match="read-only"):
        biglide.p[0] = 1.0


def test_a_cached_property_of_the_numbers_is_not_carried_over():
    """`massless` is about the values: the biglide with m_p = 0 knows that it changed."""
    heavy = cc.load("biglide")
    assert not heavy.massless
    assert heavy.with_values(m_p=0.0).massless
    assert not heavy.with_values(m_p=0.0).with_values(m_p=3.0).massless


def test_bad_values_are_refused(biglide):
    """As when loading."""
    with pytest.raises(BadParameter, match="unknown parameter"):
        biglide.with_values(mass=1.0)
    with pytest.raises(BadMechanism, match="mass"):
        biglide.with_values(m_f=-1.0)


def test_a_formula_follows_the_values_it_is_made_of():
    """A parameter given by a formula changes with its arguments unless it is set itself."""
    robot = cc.load("biglide")
    assert robot.number(robot.mechanism.bars[0].centre) == pytest.approx(0.1803, abs=1e-15)  # l / 2
    assert robot.with_values(l=0.5).number(robot.mechanism.bars[0].centre) == 0.25


def test_what_a_model_is_made_of(biglide, furuta, triplate):
    """Sizes, driven coordinates, a length for tolerances, a short text."""
    assert (biglide.nq, biglide.nx, tuple(biglide.driven)) == (2, 2, (0, 1))
    assert (furuta.nq, furuta.nx, tuple(furuta.driven)) == (2, 0, (0,))
    assert biglide.scale == 0.3606
    np.testing.assert_array_equal(triplate.leg_signs, [1.0, 1.0, 0.0])
    assert repr(biglide) == "<biglide: l=0.3606, d=0.4, m_p=3, m_f=1>"


def test_the_first_compilation_is_announced(tmp_path, monkeypatch):
    """With an empty cache the caller hears what is being compiled; with a full one nothing."""
    monkeypatch.setenv("CLOSEDCHAIN_CACHE", str(tmp_path / "cache"))
    told = []
    cc.evaluate(cc.load("slidercrank", announce=told.append), q=[0.3])
    assert told
    assert all(text.startswith("slidercrank: ") for text in told)
    again = []
    cc.evaluate(cc.load("slidercrank", announce=again.append), q=[0.3])
    assert not again


def test_a_robot_stated_by_its_equations_leaves_the_mechanism_its_closed_forms(tmp_path, monkeypatch):
    """Compiled first, into an empty cache, the stated one has no inverse; the mechanism has all four solutions."""
    monkeypatch.setenv("CLOSEDCHAIN_CACHE", str(tmp_path / "cache"))
    stated = cc.load(Recipe(replace(equations(robots.find("biglide").description), mechanism=None)))
    assert "inverse" not in stated.library
    assert len(cc.inverse(cc.load("biglide"), x=[0.03, 0.3]).q) == 4
