"""Mutated files and option lists: a documented exit code, a line that says why, no traceback and no NaN."""

import random
from functools import cache
from pathlib import Path

import pytest

from closedchain import robots
from closedchain.derive.mechanics import equations
from closedchain.describe.files import read
from closedchain.describe.writing import dumps
from closedchain.exchange.writing import mjcf_files, sdf_files, urdf_files
from closedchain.model.loading import load
from tests.fuzzing import Outcome, mutated_text, mutated_words, run

ROOT = Path(__file__).parents[1]
SCENARIOS = sorted((ROOT / "src" / "closedchain" / "scenarios" / "files").glob("*.toml"))
HEAVY = {"iftomm-a02-40", "biglide-crossing-violating", "fivebar-crossing", "biglide-crossing"}  # seconds each
STUDY = """
schema = "closedchain.study/1"
robot = "biglide"
compute = ["workspace_area", "min_conditioning"]
sample = "latin"
points = 5
window = [-0.3, 0.3, "-300 mm", 0.3]
grid = 16

[values]
m_p = 2.0

[vary]
l = "0.30:0.50"
d = "normal(0.4, 1mm)"
"""
DESIGN = """
schema = "closedchain.design/1"
robot = "biglide"
maximise = ["min_conditioning"]
subject_to = ["workspace_area >= 0.01"]
window = [-0.2, 0.2, 0.1, 0.4]
grid = 8

[vary]
l = "0.30:0.50"
d = "0.30:0.50"
"""
ON_MECHANISM = [
    ["show", "FILE", "--json"],
    ["show", "FILE", "--toml"],
    ["check", "FILE", "--states", "10", "--json"],
    ["solve", "inverse", "FILE", "--x", "X", "--json"],
    ["solve", "inverse", "FILE", "--x", "X"],
    ["solve", "direct", "FILE", "--q", "Q", "--json"],
    ["solve", "direct", "FILE", "--q", "Q"],
    ["evaluate", "FILE", "--q", "Q", "--q-dot", "Q", "--q-ddot", "Q", "--json"],
    ["evaluate", "FILE", "--x", "X"],
    ["equations", "FILE"],
    ["singular", "FILE", "--x", "X", "--json"],
    ["singular", "FILE", "--from", "X", "--to", "X"],
    ["plan", "FILE", "--from", "X", "--to", "X", "--json"],
    ["workspace", "FILE", "--window", "-0.3,0.3,-0.3,0.3", "--json"],
    ["export", "FILE", "--to", "c", "--json"],
    ["export", "FILE", "--to", "mjcf"],
]
COMMANDS = [
    ["list", "--json"],
    ["show", "biglide", "--set", "l=0.4", "--json"],
    ["check", "biglide", "--states", "10", "--seed", "3", "--json"],
    ["solve", "inverse", "biglide", "--x", "0.03,0.25", "--json"],
    ["solve", "inverse", "triplate", "--x", "0.1,0.2,10deg"],
    ["solve", "direct", "fivebar", "--q", "0.3,0.2", "--json"],
    ["solve", "direct", "rpr3", "--q", "80,80,80"],
    ["evaluate", "biglide", "--q", "0.1,0.02", "--q-dot", "0.3,-0.2", "--q-ddot", "1,0.5", "--assembly", "+", "--json"],
    ["evaluate", "furuta", "--q", "0.1,0.2", "--voltage", "5"],
    ["evaluate", "biglide", "--x", "0,0.3", "--working", "++", "--tau", "1,2", "--linear", "tau"],
    ["simulate", "biglide-computed-torque", "--duration", "0.02", "--json"],
    ["simulate", "furuta-step", "--duration", "0.1", "--interval", "10ms", "--method", "rk6"],
    ["singular", "biglide", "--x", "0,0.3", "--working", "++", "--json"],
    ["singular", "triplate", "--from", "0,0,10deg", "--to", "0.2,0,10deg", "--working", "+++"],
    ["map", "biglide", "--window", "-0.2,0.2,0,0.4", "--shape", "6,6", "--out", "map.npz", "--json"],
    ["workspace", "biglide", "--window", "-0.3,0.3,-0.3,0.3", "--json"],
    ["workspace", "squeezer", "--window=1,-1,1,-1", "--working=+1", "--orientation=--"],
    ["plan", "biglide", "--from", "0,0.3", "--to", "0.05,0.35", "--obstacle", "disc:0.3,0.1,0.01", "--json"],
    ["crossing", "biglide", "--from", "0,0.5", "--to", "0.05,0.45", "--duration", "3", "--json"],
    ["export", "biglide", "--to", "c", "--json"],
    ["export", "fourbar", "--to", "urdf", "--out", "robot.urdf"],
    ["sweep", "biglide", "--param", "l=0.3:0.5:3", "--compute", "det_A", "--x", "0,0.3", "--workers", "0", "--json"],
    ["sweep", "biglide", "--param", "l=0.3:0.5:3", "--compute", "workspace_area", "--window", "-0.3,0.3,-0.3,0.3",
     "--workers", "0", "--out", "sweep.csv"],
    ["design", "biglide", "--param", "l=0.3:0.5", "--maximise", "min_conditioning", "--window", "-0.2,0.2,0.1,0.4",
     "--evaluations", "10", "--json"],
    ["schema", "mechanism"],
    ["lab", "new", "biglide", "group"],
    ["equations", "fourbar", "--format", "latex"],
    ["transmission", "ankle:g1", "--q", "0.3,-0.3", "--q-dot", "1,-1", "--most-torque", "40,40", "--json"],
    ["transmission", "ankle:g1", "--x", "5deg,3deg", "--rotor", "8e-3,8e-3", "--most-speed", "30,30"],
    ["solve", "direct", "gough", "--q", "1.2,1.2,1.2,1.2,1.2,1.2", "--json"],
    ["solve", "inverse", "hexa:reachy-mini", "--x", "0,0,0,0,0,10deg", "--chart", "vector"],
    ["singular", "gough", "--x", "0,0,1.2,0,0,0", "--json"],
    ["identify", "fivebar", "--json"],
]  # fmt: skip


@cache
def mechanisms() -> list[tuple[str, dict[str, int]]]:
    """The built-in robots, the examples as they are typed, and how many numbers Q and X each has."""
    built_in = [robots.find(name) for name in (*robots.names(), "pendulum", "squeezer")]
    examples = [ROOT / "examples" / "robots" / f"{name}.toml" for name in ("cartpole", "prr3")]
    texts = [(dumps(recipe), recipe) for recipe in built_in]
    texts += [(path.read_text("utf-8"), read(path)) for path in examples]
    stated = [(text, equations(recipe.description)) for text, recipe in texts]
    return [(text, {"Q": len(e.q), "X": len(e.x)}) for text, e in stated]


def on_a_mechanism(seed: int, folder: Path) -> tuple[Outcome, str]:
    """A command on a mutated mechanism file."""
    rng = random.Random(f"mechanism {seed}")
    text, sizes = rng.choice(mechanisms())
    source = mutated_text(text, rng)
    (folder / "robot.toml").write_text(source, "utf-8", newline="")
    size = rng.choice((0.1, 0.3, 1.0))
    words = []
    for word in rng.choice(ON_MECHANISM):
        numbers = [f"{rng.uniform(-size, size):.3g}" for _ in range(sizes.get(word, 0))]
        words.append("robot.toml" if word == "FILE" else ",".join(numbers) if numbers else word)
    return run(words, folder), source


def on_a_scenario(seed: int, folder: Path) -> tuple[Outcome, str]:
    """A simulation of a mutated scenario file, of 50 ms in steps that a test can wait for."""
    rng = random.Random(f"scenario {seed}")
    path = rng.choice([p for p in SCENARIOS if p.stem not in HEAVY])
    source = mutated_text(path.read_text("utf-8"), rng)
    (folder / "scenario.toml").write_text(source, "utf-8", newline="")
    return run(
        ["simulate", "scenario.toml", "--duration", "0.05", "--interval", "1ms", "--step", "1ms", "--json"], folder
    ), source


def on_a_study(seed: int, folder: Path) -> tuple[Outcome, str]:
    """A mutated study or design file."""
    rng = random.Random(f"study {seed}")
    command = rng.choice(("sweep", "design"))
    source = mutated_text(STUDY if command == "sweep" else DESIGN, rng)
    (folder / "study.toml").write_text(source, "utf-8", newline="")
    more = ["--workers", "0"] if command == "sweep" else ["--evaluations", "10"]
    return run([command, "study.toml", "--json", *more], folder), source


@cache
def foreign() -> list[tuple[str, str]]:
    """Robots of the plane and of space as other programs write them: ending and text."""
    names = ("fourbar", "biglide", "ankle", "rps3", "cassie_leg")
    written = [(write, name) for write in (mjcf_files, sdf_files, urdf_files) for name in names]
    return [next(iter(write(load(name))[0].items())) for write, name in written]


def on_an_import(seed: int, folder: Path) -> tuple[Outcome, str]:
    """A mutated file of another program."""
    rng = random.Random(f"import {seed}")
    ending, text = rng.choice(foreign())
    source = mutated_text(text, rng)
    (folder / f"robot{ending}").write_text(source, "utf-8", newline="")
    return run(["import", f"robot{ending}", "--json"], folder), source


@cache
def measurements() -> list[tuple[list[str], str, str]]:
    """Commands on files of measurements: their words, the file that is mutated, its text."""
    calibration, identification = ROOT / "examples" / "14_calibration", ROOT / "examples" / "15_identification"
    printer = ["calibrate", str(calibration / "klipper_delta.toml"), "printer.cfg", "--hold", "angle_c", "--sd"]
    logged = ["calibrate", str(calibration / "klipper_delta.toml"), str(calibration / "printer.cfg"), "--hold"]
    log = (calibration / "probe_accuracy.log").read_text("utf-8")
    efforts = (identification / "efforts.csv").read_text("utf-8")
    return [
        ([*printer, "z=0.01mm", "--json"], "printer.cfg", (calibration / "printer.cfg").read_text("utf-8")),
        ([*logged, "angle_c", "--probe-log", "probe.log", "--json"], "probe.log", log),
        (["identify", "fivebar", "efforts.csv", "--assembly", "+", "--json"], "efforts.csv", efforts),
    ]


def on_measurements(seed: int, folder: Path) -> tuple[Outcome, str]:
    """A mutated file of probes, of a printer's settings, of efforts."""
    rng = random.Random(f"measurements {seed}")
    words, name, text = rng.choice(measurements())
    source = mutated_text(text, rng)
    (folder / name).write_text(source, "utf-8", newline="")
    return run(words, folder), source


def on_options(seed: int, folder: Path) -> tuple[Outcome, str]:
    """A mutated command line."""
    rng = random.Random(f"options {seed}")
    words = mutated_words(rng.choice(COMMANDS), rng)
    return run(words, folder), " ".join(words)


KINDS = {
    "mechanism": on_a_mechanism,
    "scenario": on_a_scenario,
    "study": on_a_study,
    "import": on_an_import,
    "measurements": on_measurements,
    "options": on_options,
}


FEW = {
    "mechanism": 12,
    "scenario": 15,
    "study": 10,
    "import": 15,
    "measurements": 6,
    "options": 30,
}  # a few seconds each


def faults(kind: str, seed: int, folder: Path) -> str:
    """What a case did wrong, with what repeats it; empty if nothing."""
    outcome, told = KINDS[kind](seed, folder)
    found = outcome.faults(told)
    return f"{kind} {seed}: {', '.join(found)}: {' '.join(outcome.words)!r}: {outcome.err[-300:]}" if found else ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_mutants_end_with_a_documented_code_and_a_reason(kind, tmp_path):
    """A dozen or more of each kind, always the same ones."""
    found = [fault for seed in range(FEW[kind]) if (fault := faults(kind, seed, tmp_path))]
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("start", range(0, 1000, 100))
@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_mutants_end_with_a_documented_code_and_a_reason(kind, start, tmp_path):
    """As above, in hundreds."""
    found = [fault for seed in range(start, start + 100) if (fault := faults(kind, seed, tmp_path))]
    assert not found, "\n".join(found)
