"""Bad scenarios: each gives one line that names the place and what to do; nothing runs."""

import copy
import json
import tomllib
from importlib import resources

import jsonschema
import pytest

from closedchain import scenarios
from closedchain.describe.files import BadFile
from closedchain.errors import BadInput, NoSolution
from closedchain.scenarios import loads
from closedchain.scenarios.library import source

SCHEMA = json.loads((resources.files("closedchain.scenarios") / "scenario.schema.json").read_text(encoding="utf-8"))
GOOD = """\
schema = "closedchain.scenario/1"
robot = "biglide"
interval = 0.01
[trajectory]
kind = "quintic"
from = [0, 0.3]
to = [0.1, 0.5]
duration = 3
[controller]
kind = "computed-torque"
kp = 100
"""
FURUTA = """\
schema = "closedchain.scenario/1"
robot = "furuta"
interval = 0.01
duration = 1
start = { q = [0, 0] }
controller = { kind = "constant", output = "voltage", value = 0 }
"""

BROKEN = {  # what is changed in GOOD: (old, new), the line, the place, words of the message
    "another schema": ("scenario/1", "scenario/9", 1, "schema", 'write "closedchain.scenario/1"'),
    "unknown key": ("interval = 0.01", "interval = 0.01\nintervall = 1", 4, "intervall", "did you mean 'interval'?"),
    "one gain of two": ('"computed-torque"', '"crossing-pd"', 11, "controller.kp", "give kp and kd, or neither"),
    "unknown robot": ('"biglide"', '"biglyde"', 2, "robot", "did you mean 'biglide'?"),
    "unknown preset": ('"biglide"', '"biglide:labb"', 2, "robot", "biglide:lab"),
    "missing robot file": ('"biglide"', '"none.toml"', 2, "robot", "cannot be read"),
    "interval of zero": ("interval = 0.01", "interval = 0", 3, "interval", "not above 0"),
    "negative interval": ("interval = 0.01", 'interval = "-10 ms"', 3, "interval", "not above 0"),
    "interval longer than the run": ("interval = 0.01", "interval = 5", 3, "interval", "longer than the run of 3 s"),
    "interval in metres": ("interval = 0.01", 'interval = "10 mm"', 3, "interval", "s is needed"),
    "interval not finite": ("interval = 0.01", "interval = inf", 3, "interval", "finite"),
    "too many steps": ("interval = 0.01", "interval = 0.01\nstep = 1e-8", 4, "step", "at most"),
    "a step for ever": ("interval = 0.01", "interval = 0.01\nstep = 1e-300", 4, "step", "not between"),
    "unknown method": ("interval = 0.01", 'interval = 0.01\nmethod = "rk5"', 4, "method", "did you mean 'rk6'?"),
    "negative gain": ("kp = 100", "kp = -100", 11, "controller.kp", "negative"),
    "start and trajectory in two modes": (
        "duration = 3\n", 'duration = 3\nworking = "++"\n[start]\nworking = "-+"\n', 9, "trajectory.working",
        '"++", but the start is in working mode "-+"',
    ),
    "two parts in two modes": (
        GOOD[GOOD.index("[trajectory]") : GOOD.index("[controller]")],
        """[[trajectory]]
kind = "rest"
at = [0, 0.3]
duration = 1
working = "-+"
[[trajectory]]
kind = "quintic"
from = [0, 0.3]
to = [0.1, 0.5]
duration = 3
working = "+ −"
""", 14, "trajectory[1].working", 'but the part before is in working mode "-+"',
    ),
    "gain as a text": ("kp = 100", 'kp = "strong"', 11, "controller.kp", "not a number"),
    "gain of another law": ("kp = 100", "gain = 1", 11, "controller.gain", "unknown key"),
    "unknown controller": ('"computed-torque"', '"computed torque"', 10, "controller.kind", "'computed-torque'?"),
    "no controller": ('[controller]\nkind = "computed-torque"\nkp = 100\n', "", None, "controller", "is missing"),
    "unknown trajectory": ('kind = "quintic"', 'kind = "quintik"', 5, "trajectory.kind", "did you mean 'quintic'?"),
    "three numbers for two": ("to = [0.1, 0.5]", "to = [0.1, 0.5, 0]", 7, "trajectory.to", "3 numbers; 2 are needed"),
    "an angle for a length": ("to = [0.1, 0.5]", 'to = [0.1, "5 deg"]', 7, "trajectory.to[1]", "m is needed"),
    "no end": ("to = [0.1, 0.5]\n", "", 4, "trajectory.to", "is missing"),
    "negative duration": ("duration = 3", "duration = -3", 8, "trajectory.duration", "not above 0"),
    "unknown parameter": ("[trajectory]", "[parameters]\nll = 1\n[trajectory]", 5, "parameters.ll", "mean 'l'?"),
    "negative length": ("[trajectory]", "[parameters]\nl = -1\n[trajectory]", 4, "parameters", "must be positive"),
    "unknown start key": ("[trajectory]", "[start]\np = 1\n[trajectory]", 5, "start.p", "unknown key"),
    "start of one": ("[trajectory]", "[start]\nq = [0, 0]\nx = [0.3]\n[trajectory]", 6, "start.x", "1 numbers; 2 are"),
    "assembly without q": ("[trajectory]", '[start]\nassembly = "+"\n[trajectory]', 5, "start.assembly", "goes with q"),
    "unknown plant key": ("[trajectory]", "[plant]\nload = 1\n[trajectory]", 5, "plant.load", "unknown key"),
    "negative noise": ("[trajectory]", "[plant]\nnoise_q = -1\n[trajectory]", 4, "plant", "must not be negative"),
    "saturation of nothing": ("[trajectory]", "[plant]\nsaturation = 0\n[trajectory]", 4, "plant", "must be positive"),
    "delay in words": ("[trajectory]", '[plant]\ndelay = "yes"\n[trajectory]', 5, "plant.delay", "number of samples"),
    "delay between samples": ("[trajectory]", "[plant]\ndelay = 0.0015\n[trajectory]", 5, "plant.delay", "nearest"),
    "delay of no sense": ("[trajectory]", "[plant]\ndelay = -3\n[trajectory]", 5, "plant.delay", "0 or above"),
    "unknown drive": ("[trajectory]", "[limits]\nq3 = [0, 1]\n[trajectory]", 5, "limits.q3", "no drive 'q3'"),
    "limits upside down": ("[trajectory]", "[limits]\nq1 = [1, 0]\n[trajectory]", 5, "limits.q1", "leaves no room"),
    "force on nothing": ("[trajectory]", "[forces]\nD = [0, 1]\n[trajectory]", 5, "forces.D", "no point or body 'D'"),
    "force of three": ("[trajectory]", "[forces]\nC = [0, 1, 2]\n[trajectory]", 5, "forces.C", "a force needs 2"),
    "force in kg": ("[trajectory]", '[forces]\nC = [0, "1 kg"]\n[trajectory]', 5, "forces.C", "N is needed"),
    "force of whom": ("[trajectory]", '[forces]\nC = [0, "2*s"]\n[trajectory]', 5, "forces.C", "unknown name 's'"),
    "torque on a point": ("[trajectory]", "[torques]\nC = 1\n[trajectory]", 5, "torques.C", "nothing called 'C' turns"),
    "not TOML": ("interval = 0.01", "interval = ", 3, "", "not TOML"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_scenario_is_refused_in_one_line_with_its_place(what):
    """path:line: place: problem."""
    old, new, line, place, words = BROKEN[what]
    assert old in GOOD
    with pytest.raises(BadFile) as caught:
        loads(GOOD.replace(old, new, 1), "run.toml")
    error = caught.value
    assert (error.line, error.place) == (line, place)
    assert words in error.problem
    assert "\n" not in str(error)
    assert str(error).startswith("run.toml")


def test_the_texts_that_the_others_are_made_from_are_right():
    """Otherwise the cases above would be refused for another reason."""
    assert loads(GOOD).kind == "computed-torque"
    assert loads(FURUTA).kind == "constant"
    with pytest.raises(BadFile, match=r'furuta has a motor: write output = "voltage" or output = "tau"'):
        loads(FURUTA.replace(' output = "voltage",', ""))


def test_a_run_without_a_trajectory_needs_a_start_and_a_duration():
    """There is nothing to begin on, and nothing that ends."""
    with pytest.raises(BadFile, match="start: is missing"):
        loads(FURUTA.replace("start = { q = [0, 0] }\n", ""))
    with pytest.raises(BadFile, match="duration: is missing"):
        loads(FURUTA.replace("duration = 1\n", ""))


def test_a_law_that_follows_needs_a_trajectory():
    """Its error says which table to add."""
    with pytest.raises(BadFile, match=r"trajectory: is missing.*add \[trajectory\]"):
        loads(FURUTA.replace('"constant", output = "voltage", value = 0', '"pd"'))


def test_a_voltage_needs_a_motor():
    """The biglide has none."""
    text = GOOD.replace('kind = "computed-torque"\nkp = 100', 'kind = "constant"\noutput = "voltage"\nvalue = 1')
    with pytest.raises(BadFile, match="has no motor"):
        loads(text)


def test_a_broken_robot_file_is_told_with_its_own_place(tmp_path):
    """The scenario names a mechanism file beside it, whose mistake is told."""
    (tmp_path / "mine.toml").write_text('schema = "closedchain.mechanism/1"\nname = "mine"\noutputt = "C"\n')
    (tmp_path / "run.toml").write_text(GOOD.replace("biglide", "mine.toml"))
    with pytest.raises(BadFile, match=r"mine.toml:3: outputt: unknown key"):
        scenarios.read(tmp_path / "run.toml")


def test_a_trajectory_out_of_reach_is_no_solution_and_says_when():
    """The end is 0.5 m beside the rails, the bars are 0.3606 m long: leg 1 lies flat at x = 0.1606 m before."""
    with pytest.raises(NoSolution, match=r"Type 1 singularity.*leg A1-C .*0.1606"):
        scenarios.run(loads(GOOD.replace("to = [0.1, 0.5]", "to = [0.5, 0.5]")))


def test_a_start_in_another_working_mode_is_no_solution():
    """Feet level, tip above: "++"; the trajectory is asked for in "--"."""
    text = GOOD.replace("[trajectory]", "[start]\nq = [0, 0]\n[trajectory]\nworking = '--'")
    with pytest.raises(NoSolution, match=r'is in working mode "\+\+", the trajectory in "--"'):
        scenarios.run(loads(text))


def test_a_start_that_cannot_be_assembled_is_no_solution():
    """The feet are further apart than both bars together."""
    with pytest.raises(NoSolution):
        scenarios.run(loads(GOOD.replace("[trajectory]", "[start]\nq = [0, 2]\n[trajectory]")))


def test_a_bad_change_is_no_fault_of_the_file():
    """A command line's mistake is BadInput, the file's own is BadFile."""
    with pytest.raises(BadInput, match=r"controller\.kp: -1 is negative"):
        loads(GOOD, changes={"controller.kp": -1})
    with pytest.raises(BadFile, match="interval"):
        loads(GOOD.replace("0.01", "-1"), changes={"controller.kp": -1})


NASTY = (
    -1,
    0,
    3,
    1e308,
    1e-308,
    float("nan"),
    float("inf"),
    10**400,
    True,
    "",
    "x",
    "--",
    "1 m",
    "7 s",
    [],
    [1],
    [0, 0],
)
NASTY += ([0, 0, 0], [1e9, 1e9], [[1, 2]], ["a", "b", "c"], ["1 deg", "2 deg"], {}, {"a": 1})


def leaves(value, place=()):
    """The places of everything in a document."""
    if place:
        yield ".".join(place)
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from leaves(inside, (*place, key))


@pytest.mark.parametrize("name", ["biglide-document", "biglide-oscillate", "triplate-line", "furuta-swingup"])
def test_whatever_stands_in_a_file_is_read_or_refused_in_one_line(name):
    """Each value replaced by each nasty one: a Scenario or one clear error, never another exception or a warning."""
    refused = 0
    for place in leaves(tomllib.loads(source(name))):
        for value in NASTY:
            message = refusal(source(name), {place: value})
            assert "\n" not in message
            assert len(message) < 500
            refused += bool(message)
    assert refused > 200


def refusal(text, changes):
    """What is said of a text with changes; nothing where it is accepted."""
    try:
        assert loads(text, changes=changes).interval > 0
    except BadInput as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "change, words",
    [
        ({"controller.pump": 1e308}, "the first command is not a finite number"),
        ({"controller.state_cost": 1e308}, "weights lie between"),
        ({"controller.state_cost": 1e-308}, "weights lie between"),
    ],
)
def test_numbers_that_no_loop_can_bear_are_told(change, words):
    """Not a warning of a library, nor an empty history."""
    with pytest.raises(BadInput, match=words):
        scenarios.run(scenarios.find("furuta-swingup", change))


def tables(value, place=()):
    """Every table of a document with its path; parameters, values and limits have names of the robot's."""
    if isinstance(value, dict):
        if not place or place[-1] not in ("parameters", "values", "limits", "x_dot"):
            yield place
        for key, inside in value.items():
            yield from tables(inside, (*place, key))


@pytest.mark.parametrize("name", scenarios.names())
def test_an_unknown_key_anywhere_is_refused_by_reader_and_schema(name):
    """Strict in every table of every shipped scenario."""
    good = tomllib.loads(source(name))
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for place in tables(good):
        bad = copy.deepcopy(good)
        inside = bad
        for key in place:
            inside = inside[key]
        inside["surprise"] = 1
        assert not validator.is_valid(bad)
        with pytest.raises(BadInput, match="surprise: unknown key"):
            loads(source(name), changes={".".join((*place, "surprise")): 1})
