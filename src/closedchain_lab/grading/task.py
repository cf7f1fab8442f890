"""What the teacher sets: what a control script is to do, and how strict a grade is."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe import BadFile
from closedchain.errors import BadInput
from closedchain_lab.bench import LAB
from closedchain_lab.grading.answers import TOLERANCE, Answers
from closedchain_lab.grading.question import Question
from closedchain_lab.grading.results import FunctionGrade

SCHEMA = "closedchain.lab-task/1"
TASKS = resources.files("closedchain_lab").joinpath("tasks")
FREE = "free"
MODES = ("all", "lab")
OF_THE_LAB = ("-1", "(-1, -1)")  # the figure's: the tip above the feet, both arms to the outside
LAWS: dict[str, Callable[[Doubles], Doubles]] = {
    "quintic": lambda s: s**3 * (10 - 15 * s + 6 * s**2),
    "cubic": lambda s: s**2 * (3 - 2 * s),
    "linear": lambda s: s,
}


@dataclass(frozen=True)
class Rules:
    """What the teacher may set; the defaults are strict."""

    tolerance: float = TOLERANCE  # of a quantity's size
    weights: Mapping[str, float] = field(default_factory=dict)  # of functions; 1 for others
    modes: str = "all"

    def __post_init__(self) -> None:
        if not 0.0 < self.tolerance < 1.0:
            raise BadInput(f"a tolerance of {self.tolerance:g}; it is a share of a quantity's size, between 0 and 1")
        if self.modes not in MODES:
            raise BadInput(f"no modes {self.modes!r:.40}; there are {', '.join(MODES)}")
        if not all(0.0 <= weight < float("inf") for weight in self.weights.values()):
            raise BadInput("a weight is a number from 0 on")

    def weight(self, function: str) -> float:
        """How much a function counts."""
        return self.weights.get(function, 1.0)

    def score(self, grades: Sequence[FunctionGrade]) -> float:
        """Of 100, functions by their weights."""
        whole = sum(self.weight(g.name) for g in grades) or 1.0
        return 100 * sum(self.weight(g.name) * g.score for g in grades) / whole

    def check(self, functions: Sequence[str]) -> None:
        """Refuse weights of functions that nobody asks for, and weights that leave nothing to count."""
        if strange := sorted(set(self.weights) - set(functions)):
            raise BadInput(f"no function {strange[0]!r:.40} to weigh; there are {', '.join(functions)}")
        if functions and not any(map(self.weight, functions)):
            raise BadInput("all weights are 0; something must count")

    def counted(self, asked: Question, answers: Answers) -> tuple[Question, Answers]:
        """Without the modes that do not count; poses out of reach stay."""
        if self.modes == "all" or not asked.modes:
            return asked, answers
        rows = np.array([mode in (OF_THE_LAB, ("", "")) for mode in asked.modes])
        return asked.rows(rows), answers.rows(rows)


@dataclass(frozen=True)
class Task:
    """A straight motion of the tip; law "free" asks for the line and the end in time, not for a pace along it."""

    name: str
    robot: str  # the lab's word: "biglide" or "five_bar"
    start: tuple[float, float]  # [m]
    end: tuple[float, float]
    duration: float  # [s]
    law: str = "quintic"
    tolerance: float = 1e-3  # [m] the largest error that tracks
    about: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)  # of model files' functions, where no option says more
    modes: str = ""
    seed: int | None = None

    def errors(self, t: Doubles, x: Doubles) -> Doubles:
        """How far the tip [m] is from where it should be, where t counts from the motion's beginning."""
        a, way = np.array(self.start), np.subtract(self.end, self.start)
        s = np.clip(t / self.duration, 0.0, 1.0)
        if self.law == FREE:
            nearest = np.clip((x[:, :2] - a) @ way / (way @ way), 0.0, 1.0)
            share = np.where(t >= self.duration, 1.0, np.where(t <= 0.0, 0.0, nearest))
        else:
            share = LAWS[self.law](s)
        return np.linalg.norm(x[:, :2] - a - share[:, None] * way, axis=1)


def shipped() -> list[str]:
    """The names of the lab's own tasks."""
    return sorted(f.name.removesuffix(".toml") for f in TASKS.iterdir() if f.name.endswith(".toml"))


def read_task(name: str) -> Task:
    """A task of the lab's by its name, or one of a TOML file."""
    if name in shipped():
        text = TASKS.joinpath(f"{name}.toml").read_text(encoding="utf-8")
    elif Path(name).is_file():
        text = Path(name).read_text(encoding="utf-8", errors="replace")
    else:
        raise BadFile(name[:200], "", f"there is no such task; the lab has {', '.join(shipped())}, or give a TOML file")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFile(name[:200], "", f"no TOML: {error}") from None
    return _checked(name[:200], table)


def _checked(name: str, table: dict[str, Any]) -> Task:
    """The table as a task; what is wrong with it is named."""
    if table.pop("schema", None) != SCHEMA:
        raise BadFile(name, "", f'a task begins with schema = "{SCHEMA}"')
    for key, value in table.items():
        if key not in KEYS:
            raise BadFile(name, "", f"no key {key!r}; there are {', '.join(sorted(KEYS))}")
        good, what = KEYS[key]
        if not good(value):
            raise BadFile(name, "", f"{key} = {value!r:.40}; {what}")
    if missing := sorted({"robot", "start", "end", "duration"} - set(table)):
        raise BadFile(name, "", f"{missing[0]} is missing")
    if table["start"] == table["end"]:
        raise BadFile(name, "", "start and end are the same place")
    places = {key: (float(table[key][0]), float(table[key][1])) for key in ("start", "end")}
    return Task(name, **(table | places))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))


Check = tuple[Callable[[Any], bool], str]  # what is right, and in words
PLACE: Check = (lambda v: isinstance(v, list) and len(v) == 2 and all(map(_number, v)), "it must be two numbers [m]")
POSITIVE: Check = (lambda v: _number(v) and v > 0, "it must be a positive number")
WEIGHTS: Check = (
    lambda v: isinstance(v, dict) and all(_number(w) and w >= 0 for w in v.values()),
    "it must be a table of numbers from 0 on, by function",
)
KEYS: dict[str, Check] = {  # of a task's file
    "robot": (lambda v: v in tuple(LAB), f"there are {', '.join(LAB)}"),
    "start": PLACE,
    "end": PLACE,
    "duration": POSITIVE,
    "law": (lambda v: v in (*LAWS, FREE), f"there are {', '.join((*LAWS, FREE))}"),
    "tolerance": POSITIVE,
    "about": (lambda v: isinstance(v, str), "it must be words"),
    "weights": WEIGHTS,
    "modes": (lambda v: v in MODES, f"there are {', '.join(MODES)}"),
    "seed": (lambda v: isinstance(v, int) and v >= 0, "it must be a whole number from 0 on"),
}


def read_weights(text: str) -> dict[str, float]:
    """igm=2,dgm=0.5 as weights by name."""
    made = {}
    for word in filter(None, text.split(",")):
        name, _, value = word.partition("=")
        try:
            made[name.strip()] = float(value)
        except ValueError:
            raise BadInput(f"--weights {word[:40]!r}: write function=number, as in igm=2,dgm=0.5") from None
    return made
