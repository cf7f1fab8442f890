"""The tools: what each is asked, by a JSON Schema, and the command line that answers it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Given = Mapping[str, Any]
Schema = dict[str, Any]

ROBOT_FILE, SCENARIO_FILE, OUT = "robot.toml", "scenario.toml", "robot"  # names in a folder of the call's own
LONGEST = 200_000  # characters of a file
MOST = 64  # numbers of a vector
TABLES = (".toml", ".csv", ".txt")  # files that a motion could name


class BadCall(Exception):
    """Arguments that do not fit the tool's schema."""


@dataclass(frozen=True)
class Tool:
    """One question."""

    name: str
    about: str
    takes: Schema  # properties of its arguments
    words: Callable[[Given], list[str]]  # of the command line
    needs: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=lambda: {"toml": ROBOT_FILE})  # argument → file it is written to
    makes_files: bool = False

    @property
    def told(self) -> dict[str, Any]:
        """As `tools/list` tells it."""
        form = {"type": "object", "properties": self.takes, "additionalProperties": False}
        form |= {"required": list(self.needs)} if self.needs else {}
        hints = {"readOnlyHint": True, "openWorldHint": False}
        return {"name": self.name, "description": self.about, "inputSchema": form, "annotations": hints}

    def check(self, given: Any) -> None:
        """Raise BadCall for what the schema does not allow."""
        if not isinstance(given, dict):
            raise BadCall(f"{self.name}: the arguments are an object")
        for name in given:
            if name not in self.takes:
                raise BadCall(f"{self.name} has no argument {name[:40]!r}; it has {', '.join(self.takes) or 'none'}")
        for name in self.needs:
            if name not in given:
                raise BadCall(f"{self.name} needs {name!r}: {self.takes[name]['description']}")
        for name, value in given.items():
            if not fits(value, self.takes[name]):
                raise BadCall(f"{self.name}: {name} does not fit {summary(self.takes[name])}")


# Arguments ---------------------------------------------------------------------------------------------------------


def _text(about: str, **more: Any) -> Schema:
    return {"type": "string", "description": about, "maxLength": 500, **more}


def _number(about: str) -> Schema:
    return {"type": "number", "description": about}


def _vector(about: str) -> Schema:
    return {"type": "array", "description": about, "items": {"type": "number"}, "minItems": 1, "maxItems": MOST}


ROBOT: Schema = {
    "robot": _text("a robot's name, or name:preset, as list_robots gives them", pattern=r"^[\w:.-]+$"),
    "toml": _text(
        "in place of a name: the text of a mechanism file, as the tool schema describes it", maxLength=LONGEST
    ),
    "values": {
        "type": "object",
        "description": 'other values of parameters, in SI: {"l": 0.3}',
        "additionalProperties": {"type": "number"},
    },
}
MODES: Schema = {
    "assembly": _text("assembly mode, with q, as solve direct names them: '+', '-', '+1'", pattern=r"^[+0-9-]*$"),
    "working": _text("working mode, with x, as solve inverse names them: '++', '+-'", pattern=r"^[+0-9-]*$"),
}
STATE: Schema = {
    "q": _vector("the drives' coordinates [m, rad]"),
    "x": _vector("the output's coordinates [m, rad]"),
}
RATES: Schema = {
    name: _vector(about)
    for name, about in {
        "q_dot": "rates of the drives",
        "q_ddot": "accelerations of the drives",
        "x_dot": "rates of the output",
        "x_ddot": "accelerations of the output",
        "tau": "efforts of the drives; the accelerations follow",
        "voltage": "voltages of the motors; the accelerations follow",
    }.items()
}


def fits(value: Any, form: Schema) -> bool:
    """Whether a value is what a schema of ours allows; only the words that stand in this file are known."""
    kind = form.get("type")
    if kind == "string":
        within = isinstance(value, str) and len(value) <= form.get("maxLength", LONGEST)
        return within and matches(value, form.get("pattern")) and value in form.get("enum", [value])
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e300
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool) and form["minimum"] <= value <= form["maximum"]
    if kind == "array":
        some = isinstance(value, list) and form["minItems"] <= len(value) <= form["maxItems"]
        return some and all(fits(each, form["items"]) for each in value)
    named = isinstance(value, dict) and all(name.replace(".", "_").isidentifier() for name in value)
    return named and all(fits(each, form["additionalProperties"]) for each in value.values())


def matches(text: str, pattern: str | None) -> bool:
    """Whether a whole text is of a form."""
    return pattern is None or re.search(pattern, text) is not None


def summary(form: Schema) -> str:
    """A schema in a few words."""
    limits = {
        word: form[word] for word in ("enum", "pattern", "minimum", "maximum", "maxItems", "maxLength") if word in form
    }
    more = ", ".join(f"{word} {value}" for word, value in limits.items())
    return f"{form['type']}{f' ({more})' if more else ''}: {form['description']}"


# Command lines -----------------------------------------------------------------------------------------------------


def _robot(given: Given) -> list[str]:
    """The robot, and its parameters' other values."""
    if ("robot" in given) == ("toml" in given):
        raise BadCall("give either robot, a name, or toml, the text of a mechanism file")
    settings = [word for name, value in given.get("values", {}).items() for word in ("--set", f"{name}={value!r}")]
    return [given.get("robot", ROBOT_FILE), *settings]


def _options(given: Given, *names: str) -> list[str]:
    """The options that were given, as the command line writes them."""
    words = []
    for name in names:
        if name in given:
            value = given[name]
            text = ",".join(map(repr, value)) if isinstance(value, list) else str(value)
            words += [f"--{name.replace('_', '-')}", text]
    return words


def _solve(given: Given) -> list[str]:
    option = "--x" if given["kind"] == "inverse" else "--q"
    return ["solve", given["kind"], *_robot(given), option, ",".join(map(repr, given["at"]))]


def _singular(given: Given) -> list[str]:
    return ["singular", *_robot(given), *_options(given, "q", "x", "assembly", "working", "from", "to")]


def _simulate(given: Given) -> list[str]:
    if ("scenario" in given) == ("toml" in given):
        raise BadCall("give either scenario, a name, or toml, the text of a scenario file")
    settings = [word for name, value in given.get("values", {}).items() for word in ("--set", f"{name}={value!r}")]
    options = _options(given, "interval", "duration", "step", "method")
    return ["simulate", given.get("scenario", SCENARIO_FILE), *settings, *options]


def _verify(given: Given) -> list[str]:
    if given.get("motion", "").endswith(TABLES):
        raise BadCall("verify: a motion is a name or formulas; files are not read")
    return ["verify", *_robot(given), *_options(given, "engine", "motion", "states", "seed")]


TOOLS = {
    tool.name: tool
    for tool in (
        Tool("list_robots", "Which robots and linkages there are.", {}, lambda _: ["list"]),
        Tool("list_scenarios", "Which simulations there are by name.", {}, lambda _: ["simulate", "--list"]),
        Tool(
            "load",
            "What a robot is: its parameters, coordinates, closures, passive joints. Also tells whether a mechanism "
            "file is right, and if not, where it is wrong.",
            ROBOT,
            lambda given: ["show", *_robot(given)],
        ),
        Tool(
            "check",
            "Whether a robot's models obey the laws of physics, law by law, on random states.",
            ROBOT,
            lambda given: ["check", *_robot(given)],
        ),
        Tool(
            "solve",
            "Every solution of its geometry, by name: inverse, every q that puts the output at x; direct, every x that "
            "q allows. None is told with the leg and the distance.",
            {
                **ROBOT,
                "kind": _text("which way", enum=["inverse", "direct"]),
                "at": _vector("x of inverse, q of direct"),
            },
            _solve,
            ("kind", "at"),
        ),
        Tool(
            "evaluate",
            "All models at a state: kinematics to second order, passive joints, mass matrix, efforts, bar forces. Give "
            "q (and assembly) or x (and working).",
            {**ROBOT, **STATE, **RATES, **MODES},
            lambda given: ["evaluate", *_robot(given), *_options(given, *STATE, *RATES, *MODES)],
        ),
        Tool(
            "singular",
            "Whether a pose is singular and what then moves; or, with from and to, every singular point on a segment.",
            {**ROBOT, **STATE, **MODES, "from": _vector("x at the start"), "to": _vector("x at the end")},
            _singular,
        ),
        Tool(
            "simulate",
            "A robot under control: a scenario by its name or its file's text; errors, efforts, energy balance.",
            {
                "scenario": _text("a scenario's name, as list_scenarios gives them", pattern=r"^[\w:.-]+$"),
                "toml": _text("in place of a name: the text of a scenario file", maxLength=LONGEST),
                "values": ROBOT["values"]
                | {"description": "other values: of parameters, or of the file, controller.kp"},
                "interval": _number("between commands [s]"),
                "duration": _number("of the run [s]"),
                "step": _number("longest integration step [s]"),
                "method": _text("of integration", enum=["rk4", "rk6", "gauss4", "dop853", "events"]),
            },
            _simulate,
            files={"toml": SCENARIO_FILE},
        ),
        Tool(
            "verify",
            "Whether independent engines (MuJoCo, Pinocchio) say the same, quantity by quantity. Takes "
            "seconds to a minute.",
            {
                **ROBOT,
                "engine": _text("which", enum=["mujoco", "pinocchio", "all"]),
                "motion": _text(
                    "oscillation, trajectory, release, random, all, or formulas: 'q1 = 0.1*sin(t); q2 = 0'"
                ),
                "states": {"type": "integer", "description": "random states", "minimum": 1, "maximum": 10_000},
                "seed": {"type": "integer", "description": "of the random states", "minimum": 0, "maximum": 2**32},
            },
            _verify,
        ),
        Tool(
            "equations",
            "Its equations as formulas; the parameters stay symbols.",
            {**ROBOT, "format": _text("of the text", enum=["markdown", "latex", "text"])},
            lambda given: ["equations", *_robot(given), *_options(given, "format")],
        ),
        Tool(
            "export",
            "The robot for another program; the files come back as resources.",
            {**ROBOT, "to": _text("which form", enum=["mjcf", "sdf", "urdf", "c", "fmu", "casadi", "js", "html"])},
            lambda given: ["export", *_robot(given), "--to", given["to"], "--out", _file(given["to"])],
            ("to",),
            makes_files=True,
        ),
        Tool(
            "schema",
            "The JSON Schema of the files that other tools take as text.",
            {"kind": _text("of which files", enum=["mechanism", "scenario", "study", "design"])},
            lambda given: ["schema", given.get("kind", "mechanism")],
        ),
    )
}


def _file(form: str) -> str:
    """What an export is called."""
    endings = {"mjcf": ".xml", "sdf": ".sdf", "urdf": ".urdf", "c": ".c", "fmu": ".fmu", "casadi": ".casadi"}
    return OUT + (endings | {"js": ".js", "html": ".html"})[form]
