"""Planted faults are caught, and named as well as the data allow."""

import re
from dataclasses import dataclass, replace

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Angle, Bar, Free, Mechanism, Parameter, Slider, robot
from closedchain.describe.files import loads
from closedchain.describe.recipe import Recipe
from closedchain.describe.writing import dumps
from closedchain.errors import BadInput, NoSolution
from closedchain.model.model import Model
from closedchain.verify.compare import compare
from closedchain.verify.comparison import Comparison
from closedchain.verify.diagnosis import diagnose


def named(model, told, engine="mujoco"):
    """The diagnosis of a model that is judged by an engine built from another description; the fault must be caught."""
    found = compare(model, engine_model=told, engine=engine, motion="random", states=20)
    assert not found.ok
    return diagnose(found)


@dataclass(frozen=True, eq=False)
class Tampered(Model):
    """A model whose kernels answer something else than they should."""

    def call(self, kernel, **arrays):
        return self.spoiled(kernel, arrays, super().call(kernel, **arrays))

    def spoiled(self, kernel, arrays, made):
        """What comes out instead."""
        return made

    @classmethod
    def of(cls, name):
        """The robot of that name, tampered with."""
        model = cc.load(name)
        return cls(model.recipe, model.given, model.preset, model.announce)


def with_c(made, c):
    """Another c, and the efforts that follow from it."""
    return made | {"tau": made["tau"] - made["c"] + c, "c": c}


class OppositeC(Tampered):
    """c with the wrong sign: the boxed formula of seed 004."""

    def spoiled(self, kernel, arrays, made):
        return with_c(made, -made["c"]) if kernel == "evaluate" else made


class TwiceTheLength(Tampered):
    """The velocity terms off by the factor 2 l: the lab's common mistake."""

    def spoiled(self, kernel, arrays, made):
        return with_c(made, 2 * self.values["l"] * made["c"]) if kernel == "evaluate" else made


class WeightlessC(Tampered):
    """Gravity's part of c with the wrong sign, the velocity terms right."""

    def spoiled(self, kernel, arrays, made):
        if kernel != "evaluate":
            return made
        weights = Model.call(self, kernel, **(arrays | {"q_dot": 0 * arrays["q_dot"]}))["c"]
        return with_c(made, made["c"] - 2 * weights)


class AbsoluteAngles(Tampered):
    """The five-bar's passive angles counted from the x axis: the classic."""

    def spoiled(self, kernel, arrays, made):
        if kernel != "evaluate":
            return made
        rates = {"passive": "q", "passive_dot": "q_dot", "passive_ddot": "q_ddot"}
        turned = {p: made[p] + np.array([1.0, 0.0]) * arrays[q] for p, q in rates.items()}
        return made | turned


@robot()
def exchanged(
    l=Parameter(0.3606, "m", "seed 000"),
    d=Parameter(0.4, "m", "seed 000"),
    m_p=Parameter(3.0, "kg", "seed 000"),
    m_f=Parameter(1.0, "kg", "seed 000"),
):
    """The biglide with its two sliders' names exchanged."""
    A1 = Slider("q1", at=(d / 2, 0), along=(0, 1), mass=m_f, point="A1")
    A2 = Slider("q2", at=(-d / 2, 0), along=(0, 1), mass=m_f, point="A2")
    C = Free("C", mass=m_p)
    return Mechanism(
        "biglide",
        drives=(A1, A2),
        bars=(Bar(A1, C, l), Bar(A2, C, l)),
        output=C,
        readouts=(Angle("phi1", A2, C), Angle("phi2", A1, C)),
    )


@pytest.mark.parametrize("engine", ["mujoco", "pinocchio"])
@pytest.mark.parametrize("parameter", ["m_p", "m_f", "l"])
def test_a_thousandth_of_one_parameter_is_named(parameter, engine):
    """Which one, and by how much: 0.1 % too small, explaining all but rounding."""
    pytest.importorskip(engine, reason=f"{engine} is not installed", exc_type=ModuleNotFoundError)
    model = cc.load("biglide")
    found = named(model, model.with_values(**{parameter: 1.001 * model.values[parameter]}), engine)
    (cause,) = found.causes
    assert cause.kind == "parameter"
    assert cause.words.startswith(f"{parameter} is ")
    assert cause.words.endswith("0.0999 % too small")
    assert cause.share > 1 - 1e-12
    assert (parameter == "l") == ("output" in found.differ)


def test_a_mass_of_a_robot_with_many_is_told_from_the_others():
    """Coupler, crank and rocker of the four-bar, gravity on."""
    model = cc.load("fourbar")
    for name in ("m_a", "m_b", "m_c"):
        found = named(model, model.with_values(**{name: 0.999 * model.values[name]}))
        assert [c.words.split()[0] for c in found.causes] == [name]


def test_two_parameters_that_do_the_same_are_both_named():
    """The arm's inertia and the rotor's, behind its gearbox, are one number to the pendulum."""
    model = cc.load("furuta")
    found = named(model, model.with_values(J_1=1.001 * model.values["J_1"]))
    assert {c.words.split()[0] for c in found.causes} == {"J_1", "J_m"}
    assert "the data do not tell them apart" in str(found)


def test_gravity_of_the_wrong_sign_is_named():
    """The engine's weights pull the other way."""
    model = cc.load("fourbar")
    found = named(model, model.with_values(g=-model.values["g"]))
    assert found.causes[0].words == "g is 9.81 m/s^2 in the model and -9.81 in the engine: the opposite sign"
    assert "M" in found.agree
    assert "c" in found.differ


@pytest.mark.parametrize(
    "faulty, words",
    [
        (OppositeC, "c has the wrong sign"),
        (TwiceTheLength, "c is 0.7212 times what it should be (2 l)"),
    ],
)
def test_a_wrong_c_is_named(faulty, words):
    """Its sign, or the factor by its name; M and the kinematics agree."""
    found = named(faulty.of("biglide"), cc.load("biglide"))
    assert [c.words for c in found.causes] == [words]
    assert found.differ == ("c", "efforts")
    assert {"M", "output acceleration"} <= set(found.agree)


def test_the_weights_alone_are_told_from_the_velocity_terms():
    """Half of c is right."""
    found = named(WeightlessC.of("fourbar"), cc.load("fourbar"))
    assert found.causes[0].words == "the weights in c have the wrong sign"


def test_exchanged_legs_are_named():
    """The engine was built with q1 on the right; every model of ours has it on the left."""
    found = named(cc.load("biglide"), cc.load(exchanged))
    assert found.causes[0].words == "the drives are exchanged: q2 stands for q1, q1 stands for q2"
    assert found.causes[0].share > 1 - 1e-12


def renamed(name):
    """A shipped robot whose first two drives have each other's names; the order of the names stays."""
    model = cc.load(name)
    one, two = (c.name for c in model.equations.q[:2])
    text = re.sub(rf"\b({one}|{two})\b", lambda m: two if m[1] == one else one, dumps(model.recipe))
    mechanism = loads(text).description
    drives = {d.name: d for d in mechanism.drives}
    told = replace(mechanism, drives=tuple(drives[c.name] for c in model.equations.q))
    return model, Model(Recipe(told)), f"{two} stands for {one}, {one} stands for {two}"


@pytest.mark.parametrize("name, everywhere", [("fivebar", False), ("triplate", False), ("delta", True)])
def test_exchanged_legs_are_named_wherever_the_engine_can_follow(name, everywhere):
    """Where the exchanged robot cannot close its loops, states are left out and counted."""
    model, told, words = renamed(name)
    found = compare(model, engine_model=told, engine="mujoco", motion="random", states=20)
    assert not found.ok
    left = [n for n in found.notes if "states are left out: the engine's robot does not close its loops there" in n]
    assert len(left) == (not everywhere)
    assert diagnose(found).causes[0].words == f"the drives are exchanged: {words}"


def test_exchanged_legs_are_named_where_the_engine_follows_nowhere():
    """The small plate between far cranks fits no exchanged angles."""
    model, told, words = renamed("rrr3")
    with pytest.raises(NoSolution, match=f"at none of the 20 states compared; the drives are exchanged: {words}"):
        compare(model, engine_model=told, engine="mujoco", motion="random", states=20)


def test_a_passive_angle_from_the_wrong_place_is_named():
    """With its rates; the rest agrees."""
    found = named(AbsoluteAngles.of("fivebar"), cc.load("fivebar"))
    assert found.causes[0].words == "q12 is counted from the x axis and not from the arm of q11"
    assert found.differ == ("q12", "q12 velocity", "q12 acceleration")


def test_what_no_single_cause_explains_is_left_unnamed():
    """A c that jumps about with the rates."""

    class Noise(Tampered):
        def spoiled(self, kernel, arrays, made):
            return with_c(made, made["c"] + 50 * np.sin(1e4 * arrays["q_dot"])) if kernel == "evaluate" else made

    found = named(Noise.of("biglide"), cc.load("biglide"))
    assert found.causes == ()
    assert "no single cause" in str(found)


def test_a_comparison_that_holds_has_nothing_to_explain():
    """And one without answers cannot be looked into."""
    model = cc.load("biglide")
    found = compare(model, engine="mujoco", motion="random", states=5)
    assert diagnose(found).causes == ()
    assert "nothing to explain" in str(diagnose(found))
    late = replace(found.rows[0], way="driven", max=1.0)
    assert "its own integration" in str(diagnose(replace(found, rows=(*found.rows, late))))
    with pytest.raises(BadInput, match="keeps no answers"):
        diagnose(Comparison("biglide", (), ()))


class HalfC(Tampered):
    """The first component of c with the wrong sign."""

    def spoiled(self, kernel, arrays, made):
        if kernel != "evaluate":
            return made
        return with_c(made, made["c"] * np.where(np.arange(self.nq) == 0, -1.0, 1.0))


class NoC(Tampered):
    """c forgotten."""

    def spoiled(self, kernel, arrays, made):
        return with_c(made, 0 * made["c"]) if kernel == "evaluate" else made


class CrossedM(Tampered):
    """The coupling of the first two drives in M with the wrong sign, in the efforts as well."""

    def spoiled(self, kernel, arrays, made):
        if kernel != "evaluate":
            return made
        sign = np.ones((self.nq, self.nq))
        sign[0, 1] = sign[1, 0] = -1.0
        more = np.einsum("...ij,...j->...i", made["M"] * (sign - 1), arrays["q_ddot"])
        return made | {"M": made["M"] * sign, "tau": made["tau"] + more}


@pytest.mark.parametrize("name", ["biglide", "rrr3", "furuta"])
@pytest.mark.parametrize(
    "faulty, words",
    [
        (HalfC, "c of {0} has the wrong sign"),
        (NoC, "c is left out of the model"),
        (CrossedM, "M of {0} and {1} has the wrong sign"),
    ],
)
def test_one_component_is_named(faulty, words, name):
    """A sign of one drive's c or of one element of M, and a c that was forgotten."""
    model = cc.load(name)
    found = named(faulty.of(name), model.with_values())
    assert [c.words for c in found.causes] == [words.format(*(c.name for c in model.equations.q))]


@pytest.mark.parametrize("name", ["rrr3", "triplate"])
def test_the_same_robot_in_another_object_differs_in_nothing(name):
    """Plates that have turned by more than half a turn are met where they are."""
    model = cc.load(name)
    found = compare(model, engine_model=model.with_values(), engine="mujoco", motion="random", states=20)
    assert (np.abs(found.answers[0].samples.x[:, 2]) > np.pi).any() or name == "triplate"
    assert found.ok, str(found)


@pytest.mark.parametrize("name, parameter", [("biglide", "d"), ("fivebar", "l2"), ("triplate", "r")])
def test_a_length_that_is_a_tenth_off_is_named(name, parameter):
    """Steps that go too far are shortened."""
    model = cc.load(name)
    right = 1.1 * model.values[parameter]
    (cause,) = named(model, model.with_values(**{parameter: right})).causes
    assert cause.words.startswith(f"{parameter} is ")
    assert cause.value == pytest.approx(right, rel=1e-6)


def test_a_drive_that_is_counted_from_elsewhere_is_named():
    """The engine's second foot has its zero 10 mm higher."""
    model = cc.load("biglide")
    text = dumps(model.recipe)
    moved = text.replace('at = ["d/2", 0]', 'at = ["d/2", 0.01]')
    assert moved != text
    (cause,) = named(model, Model(loads(moved))).causes
    assert cause.words == "q2 is counted from elsewhere: what is 0 in the engine is 0.01 m in the model"


def test_a_part_of_the_difference_is_not_told_as_all_of_it():
    """A mass and a length at once: no single cause is the right one, and none is told as if it were."""
    model = cc.load("fivebar")
    found = named(model, model.with_values(m_r=1.05 * model.values["m_r"], l1=1.001 * model.values["l1"]))
    assert found.causes[0].share < 0.99
    assert "that is not all of it" in str(found)
    assert max(c.left for c in found.causes) <= 1.1 * min(c.left for c in found.causes)
