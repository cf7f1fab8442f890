"""The laws hold for every robot, and a planted fault breaks the law that is about it.

Faults are planted in the derivation, not in the description: a wrong mass in a description is another lawful robot.
"""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.derive.geometry import Geometry
from closedchain.derive.models import Models
from closedchain.derive.programs import dynamics_programs, further_programs, main_programs
from closedchain.derive.symbolic import Symbols
from closedchain.derive.velocities import Velocities
from closedchain.describe import Recipe
from closedchain.describe.files import loads
from closedchain.kernels.cache import Library
from closedchain.kernels.entry import Entry
from closedchain.kernels.llvm import compile_object
from closedchain.kernels.signature import signature_of
from closedchain.verify.laws import Report, Row, check

EVERY = [
    name + (f":{preset}" if preset else "") for name in robots.names() for preset in [None, *robots.find(name).presets]
]


@pytest.mark.parametrize("name", EVERY)
def test_every_shipped_robot_obeys_every_law(name):
    """Random states of all branches, every parameter set."""
    report = check(cc.load(name), states=300)
    assert report.ok, str(report)
    laws = [row.law.split(":")[0] for row in report.rows]
    assert "power balance" in laws
    assert "M is symmetric" in laws
    if cc.load(name).nx:
        assert {"closures", "J", "b"} <= set(laws)


def faulty(name):
    """A robot derived and compiled anew, in memory: what was patched is in it, and no cache learns of it."""
    robot = replace(cc.load(name))
    e, massless = robot.equations, robot.massless
    parts = {"library": main_programs(e), "dynamics": dynamics_programs(e, massless), "further": further_programs(e)}
    for part, programs in parts.items():
        entry = Entry("fault", tuple(map(signature_of, programs)), compile_object(programs, None))
        robot.__dict__[part] = Library(entry)
    return robot


def broken(robot):
    """The laws that do not hold, by their first words."""
    return {row.law.split(":")[0] for row in check(robot, states=60).rows if not row.ok}


def test_without_a_fault_the_robot_made_in_memory_is_lawful():
    """The alarms below are due to what they plant."""
    assert not broken(faulty("fourbar"))


def test_a_wrong_weight_in_the_forces_breaks_power_balance(monkeypatch):
    """Gravity's force 0.1 % too large while V is right: its gradient and the power both tell."""
    right = Symbols.gravity.fget
    monkeypatch.setattr(Symbols, "gravity", property(lambda self: 1.001 * right(self)))
    assert {"power balance", "gravity and springs are the gradient of V"} <= broken(faulty("fourbar"))


def test_a_wrong_mass_breaks_power_balance_and_no_round_trip(monkeypatch):
    """M 0.1 % too large while T is right. Efforts → motion → efforts does not notice: both use the same M."""
    right = Symbols.mass
    monkeypatch.setattr(Symbols, "mass", lambda self: 1.001 * right(self))
    found = broken(faulty("fourbar"))
    assert "power balance" in found
    assert "efforts → motion → efforts" not in found


def test_a_coriolis_term_of_the_wrong_sign_breaks_power_balance(monkeypatch):
    """h_z with −∂T/∂z turned into +∂T/∂z."""
    right = Symbols.bias
    monkeypatch.setattr(Symbols, "bias", lambda self: right(self) + 2 * ca.gradient(self.kinetic, self.z))
    found = broken(faulty("fourbar"))
    assert "power balance" in found
    assert "efforts → motion → efforts" not in found


def test_a_coriolis_term_off_by_a_thousandth_breaks_power_balance(monkeypatch):
    """The smallest fault tried: ∂T/∂z 0.1 % too large, on the pendulum."""
    right = Symbols.bias
    monkeypatch.setattr(Symbols, "bias", lambda self: right(self) + 1e-3 * ca.gradient(self.kinetic, self.z))
    assert "power balance" in broken(faulty("furuta"))


def test_friction_that_takes_no_power_breaks_power_balance(monkeypatch):
    """Dampers act in h_z but half of their power is not counted: Rayleigh's factor two."""
    right = Models.program

    def halved(self, name, inputs, outputs):
        return right(self, name, inputs, outputs | {"power": outputs["power"] / 2} if name == "power" else outputs)

    monkeypatch.setattr(Models, "program", halved)
    assert "power balance" in broken(faulty("furuta"))


def test_a_wrong_jacobian_is_not_the_derivative(monkeypatch):
    """J 0.1 % too large: ẋ = J q̇ is not what the solved positions do."""
    right = Models.J.func
    monkeypatch.setattr(Models, "J", property(lambda self: 1.001 * right(self)))
    assert "J" in broken(faulty("biglide"))


def test_a_forgotten_velocity_term_is_not_the_second_derivative(monkeypatch):
    """b without Φ̇ ż: the common mistake of second-order models."""
    monkeypatch.setattr(Velocities, "drift", property(lambda self: ca.SX(self.Phi.shape[0], 1)))
    found = broken(faulty("biglide"))
    assert "b" in found
    assert "J" not in found


def test_a_passive_angle_taken_as_relative_is_not_its_own_derivative(monkeypatch):
    """ṙ without the drives' part: the five-bar's classic."""
    right = Models.readouts

    def without_drives(self, z_ddot):
        found = right(self, z_ddot)
        values = self.s.column(r.value for r in self.s.equations.readouts)
        return found | {"passive_dot": ca.mtimes(ca.jacobian(values, self.s.x), self.s.x_dot)} if found else found

    monkeypatch.setattr(Models, "readouts", without_drives)
    assert "passive joints" in broken(faulty("fivebar"))


def test_a_wrong_length_in_the_closed_form_finds_nothing(monkeypatch):
    """The inverse geometry with bars 0.1 % too long does not close, so the sampled configuration is not found."""
    right = Geometry.length
    monkeypatch.setattr(Geometry, "length", lambda self, leg: 1.001 * right(self, leg))
    assert broken(faulty("biglide")) == {"inverse geometry finds the configuration"}


def test_a_lost_branch_of_the_direct_geometry_is_missed(monkeypatch):
    """The sign of the root ignored: half of the configurations are not found."""
    right = Geometry.point
    monkeypatch.setattr(Geometry, "point", lambda self, group, sign: right(self, group, ca.SX(1) + 0 * sign))
    assert "direct geometry finds the configuration" in broken(faulty("biglide"))


def test_a_batch_that_differs_from_its_elements_is_noticed():
    """One bit more in a batch than in a single call."""
    robot = faulty("biglide")
    real = robot.library

    class Wavering:
        signatures = real.signatures
        fast = real.fast

        def __contains__(self, name):
            return name in real

        def run(self, name, given):
            made = real.run(name, given)
            if name == "evaluate" and given["q"].ndim > 1:
                return made | {"margin": made["margin"] * (1 + 2.3e-16)}
            return made

    robot.__dict__["library"] = Wavering()
    assert broken(robot) == {"one state and a batch"}


def test_the_laws_judge_the_derivation_not_the_description():
    """A potential with 0.1 % more mass than the kinetic energy is another lawful robot: only a source can tell."""
    equations = cc.load("fourbar").equations
    odd = replace(equations, name="odd", potential=1.001 * equations.potential)
    assert not broken(cc.load(Recipe(odd)))


def test_a_robot_without_mass_fails_with_a_reason():
    """Nothing to divide by: the report says so in a row instead of raising."""
    report = check(cc.load("biglide", m_p=0.0, m_f=0.0), states=20)
    assert [row.where for row in report.rows if not row.ok] == ["every body is massless"]


def test_a_motion_without_mass_fails_with_a_reason():
    """A crank that weighs nothing beside a mechanism that does: M has a zero row, and that is the law reported."""
    equations = cc.load("furuta").equations
    q2 = equations.q[1].rate
    report = check(
        cc.load(Recipe(replace(equations, name="loose", kinetic=q2**2 / 2, driven=("q1", "q2"), motors=()))), states=20
    )
    assert [row.law for row in report.rows if not row.ok] == ["M is positive on the motions that exist"]


TELESCOPES = """
name = "tworpr"
output = "C"
gravity = [0, -9.81]
[points]
B1 = { fixed = [1, 0] }
B2 = { fixed = [2, 0] }
C = { free = true, mass = 1.0 }
[drives.q1]
telescope = { base = "B1", tip = "C" }
base_mass = 2.0
base_centre = 0.2
[drives.q2]
telescope = { base = "B2", tip = "C" }
"""


@pytest.mark.parametrize(
    "model, seed",
    [
        (lambda: cc.load("rpr3", m_c=0.0, m_r=0.0), 0),
        (lambda: cc.load("nfourbar:2"), 1),
        (lambda: cc.load(loads(TELESCOPES)), 0),
    ],
    ids=["massless legs", "nfourbar", "a telescope with mass under gravity"],
)
def test_what_was_called_broken_and_is_right(model, seed):
    """Fixed limits and fixed steps of differences raised false alarms on these."""
    report = check(model(), states=500, seed=seed)
    assert report.verdict == "holds", str(report)


def test_legs_that_are_parallel_to_rounding_tell_nothing():
    """Two telescopes whose feet are a picometre apart: the condition of A is 1e9 and more wherever they meet."""
    text = TELESCOPES.replace("[2, 0]", "[1.000000000001, 0]")
    report = check(cc.load(loads(text)), states=10)
    assert (report.ok, report.broken, report.verdict) == (False, False, "untold")
    assert "rounding hides" in str(report)


def test_limits_of_joints_break_no_law():
    """States beyond a stroke are no fault of inverse geometry, which leaves them out."""
    text = TELESCOPES.replace("[drives.q1]", "[drives.q1]\nlimits = [0.9, 1.4]")
    assert text != TELESCOPES
    report = check(cc.load(loads(text)), states=200)
    assert report.verdict == "holds", str(report)


def test_a_report_reads_as_a_table():
    """One line a law; where it is broken, the state."""
    rows = (Row("a law", 1e-15, 1e-11, "q = (0)", 10), Row("another", np.inf, 1e-11, "q = (1)", 10))
    text = str(Report("robot", rows))
    assert text.splitlines()[0] == "robot: a law is broken"
    assert "FAIL another" in text
    assert "at q = (1)" in text
    assert "at q = (0)" not in text


def test_a_seed_repeats_the_report():
    """The same states, the same numbers."""
    a, b, c = (check(cc.load("biglide"), states=30, seed=seed) for seed in (1, 1, 2))
    assert a.rows == b.rows
    assert a.rows != c.rows
