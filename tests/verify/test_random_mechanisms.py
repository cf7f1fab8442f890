"""Random mechanisms of all kinds and sizes: right ones break no law, and are what 50 digits say; faulty ones are found.

Seeds 0 to 15 have one structure of each kind with and without parameters; the rest runs in `.ci/slow`.
"""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Recipe
from closedchain.errors import Singular
from closedchain.model.dynamics import coordinate_sizes
from closedchain.model.kinematics import direct_rates
from closedchain.model.model import NoClosedForm
from closedchain.model.sampling import sample
from closedchain.model.state import State
from closedchain.verify.conditions import EPS
from closedchain.verify.laws import check
from closedchain.verify.trial import Trial
from tests.planted_faults import plant, planted
from tests.random_mechanisms import case
from tests.verify.oracle import Exact

QUICK = (*range(9), *range(10, 16), 33, 80, 99, 100, 114)  # micrometres, kilometres, short telescopes, massless plates
STRETCH = 100  # seeds of one slow test
FEW, MANY = 8, 54  # planted faults: three for each of the eighteen kinds of them


def loaded(made):
    """The model of a case, assembled as one from a file is."""
    return cc.load(Recipe(made.mechanism, origin="random"))


def moving(made, model):
    """The configuration it was made from, with rates that the loops allow."""
    q, x = made.z[: model.nq], made.z[model.nq :]
    if model.linkage:
        return State(q, x, np.zeros(model.nq), np.zeros(model.nx))
    q_dot = coordinate_sizes(model)[: model.nq]
    return State(q, x, q_dot, direct_rates(model, q, x, q_dot)[0])


def check_geometry(made, model):
    """It closes where it was read off, and closed forms, where there are, find that configuration."""
    q, x, sizes = made.z[: model.nq], made.z[model.nq :], coordinate_sizes(model)
    assert np.abs(model.call("closures", q=q, x=x)["gap"]).max() <= 1e-12 * model.scale
    if model.linkage:
        assert cc.assemble(model, made.z).converged
        return
    for solve, given, wanted in ((cc.direct, q, x), (cc.inverse, x, q)):
        size = sizes[model.nq :] if solve is cc.direct else sizes[: model.nq]
        try:
            away = (getattr(solve(model, given), "x" if solve is cc.direct else "q") - wanted) / size
        except NoClosedForm:
            continue
        away = np.where(size == 1.0, (away + np.pi) % (2 * np.pi) - np.pi, away)
        assert np.abs(away).max(axis=-1).min() < 1e-6, str(made)  # two solutions that meet have half the digits


def walked(seed):
    """A case through geometry, evaluation and dynamics, then its laws; the report."""
    made = case(seed)
    model = loaded(made)
    check_geometry(made, model)
    try:
        state = moving(made, model)
        motion = cc.forward_dynamics(model, state, np.zeros(len(model.driven)))
        assert np.isfinite(motion.x_ddot).all()
        if not model.linkage:
            assert np.isfinite(cc.inverse_dynamics(model, state, motion.q_ddot)).all()
            cc.evaluate(model, q=state.q, x=state.x)
    except (Singular, NoClosedForm):  # a configuration chosen by chance may be singular: refused in words
        pass
    return check(model, states=30, seed=seed)


@pytest.mark.parametrize("seed", QUICK)
def test_a_right_mechanism_breaks_no_law(seed):
    """Every law was told and holds: 1e-6 to 1e6 m, 1e-9 to 1e6 kg, every element of the vocabulary."""
    report = walked(seed)
    assert report.verdict == "holds", f"{case(seed)}\n{report}"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1000, STRETCH))
def test_none_of_a_thousand_right_mechanisms_breaks_a_law(first):
    """A hundred seeds at a time: every structure five times, with other numbers."""
    broken = {}
    for seed in range(first, first + STRETCH):
        report = walked(seed)
        if report.verdict != "holds":
            broken[seed] = str(report)
    assert not broken, "\n".join(broken.values())


@pytest.mark.parametrize("seed", [1, 10, 15, 33, 80, 100])
def test_accelerations_are_those_of_fifty_digits(seed):
    """At the best and the worst conditioned of some states; a relative error of 100 eps times the condition."""
    model = loaded(case(seed))
    trial = Trial(model, sample(model, 30, seed=3), np.random.default_rng(1))
    exact = Exact(model)
    for i in (int(np.argmin(trial.of_dynamics)), int(np.argmax(trial.of_dynamics))):
        wanted = np.array(exact.accelerations(trial.state.z[i], trial.state.z_dot[i], trial.tau[i])) / trial.sizes
        misfit = np.abs(trial.z_ddot[i] / trial.sizes - wanted).max() / np.abs(wanted).max()
        assert misfit <= 100 * EPS * trial.of_dynamics[i]


@pytest.mark.parametrize("made, fault", list(planted(FEW)), ids=lambda v: str(getattr(v, "seed", v)))
def test_a_planted_fault_breaks_a_law(made, fault):
    """Most of 0.1 %: in M, the forces, the closures' slopes, the velocity terms, the closed forms."""
    assert found(made, fault), f"{fault} in {made}"


@pytest.mark.slow
@pytest.mark.parametrize("made, fault", list(planted(MANY))[FEW:], ids=lambda v: str(getattr(v, "seed", v)))
def test_every_planted_fault_breaks_a_law(made, fault):
    """Every kind of fault in several kinds of mechanisms."""
    assert found(made, fault), f"{fault} in {made}"


def found(made, fault):
    """Whether the laws notice a fault; a model so wrong that it refuses to move is noticed, too."""
    try:
        return check(plant(made.mechanism, fault), states=60).broken
    except Singular:
        return True
