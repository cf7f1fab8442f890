"""`python`: what is on the screen as a script that can be run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from closedchain.describe.files import parse_toml
from closedchain.model.model import Model
from closedchain.studio.operations.loading import model_of
from closedchain.studio.operations.staging import text_of

Lines = Iterator[str]


def python(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """A script for one screen's state."""
    ref, state = body["robot"], body["state"]
    model = model_of(ref)
    write = SCREENS.get(body["screen"], explore)
    lines = ["import closedchain as cc", *write(model, ref, state)]
    imports = [line for line in lines if line.startswith(("import ", "from "))]
    rest = [line for line in lines if line not in imports]
    return {"code": "\n".join([*sorted(set(imports), key=imports.index), "", *rest, ""])}


def loading(model: Model, ref: dict[str, Any]) -> Lines:
    """How the robot is loaded."""
    values = "".join(f", {name}={value!r}" for name, value in ref["values"].items())
    yield from definition(model, ref)
    yield f"robot = cc.load({source_of(model, ref)!r}{values})"


def definition(model: Model, ref: dict[str, Any]) -> Lines:
    """A mechanism file of one's own, written first."""
    if ref["toml"] is not None:
        yield "from pathlib import Path"
        yield f'Path({source_of(model, ref)!r}).write_text({quoted(ref["toml"])}, encoding="utf-8")'


def source_of(model: Model, ref: dict[str, Any]) -> str:
    """The robot's name, or that of its file."""
    return str(ref["source"]) if ref["toml"] is None else f"{model.recipe.name}.toml"


def quoted(text: str) -> str:
    """A text of several lines as Python writes it, to be read by people where that is possible."""
    plain = all(line.isprintable() for line in text.split("\n"))
    plain = plain and "\\" not in text and '"""' not in text and not text.endswith('"')
    return f'"""{text}"""' if plain and "\n" in text else repr(text)


def vector(value: Any) -> str:
    """Numbers as Python writes them."""
    return "[" + ", ".join(repr(float(v)) for v in listed(value) if isinstance(v, int | float)) + "]"


def listed(value: Any) -> list[Any]:
    """A list of the page's state, which may be anything: empty for what is none."""
    return value if isinstance(value, list) else []


def text(value: Any, default: str) -> str:
    """A text as Python writes it."""
    return repr(value if isinstance(value, str) else default)


def explore(model: Model, ref: dict[str, Any], state: dict[str, Any]) -> Lines:
    """Every branch at the tip's place, and all models in the one that is shown."""
    yield from loading(model, ref)
    if not model.nx:
        yield f"print(cc.evaluate(robot, q={vector(state.get('q') or [0.0] * model.nq)}).M)"
        return
    yield "from closedchain.singularity.pose import singularities"
    x, working = vector(state.get("x") or [0.0] * model.nx), text(state.get("working"), "+")
    yield f"x = {x}"
    yield "print(cc.inverse(robot, x=x))"
    yield f"now = cc.evaluate(robot, x=x, working={working})"
    yield "print(now.q, now.det_A, now.det_B)"
    yield f"print(singularities(robot, x=x, working={working}))"
    yield from on_path(model, state)


def on_path(model: Model, state: dict[str, Any]) -> Lines:
    """What the path that is drawn meets, if there is one."""
    curve = curve_of(state.get("path"), listed(state.get("x"))[2 : model.nx])
    if not curve:
        return
    yield "from closedchain.singularity.along import along"
    yield f"path = {curve}"
    for kind in ("A", "B"):
        yield f'print(along(robot, curve=path, working={text(state.get("working"), "+")}, kind="{kind}"))'


def curve_of(path: Any, rest: list[Any]) -> str:
    """Corners, or a circle as expressions of s, with the output's other coordinates; "" where there is no path."""
    kind = path.get("kind") if isinstance(path, dict) else None
    held = [float(v) for v in rest if isinstance(v, int | float)]
    if kind == "circle":
        numbers = [*listed(path.get("centre"))[:2], path.get("radius"), path.get("angle")]
        if len(numbers) != 4 or not all(isinstance(v, int | float) for v in numbers):
            return ""
        x, y, radius, angle = (float(v) for v in numbers)
        turn = f"(2*pi*s + {angle!r})"
        return repr([f"{x!r} + {radius!r}*cos{turn}", f"{y!r} + {radius!r}*sin{turn}", *map(repr, held)])
    rows = (
        [path.get("from"), path.get("to")] if kind == "quintic" else path.get("through") if kind == "spline" else None
    )
    if not isinstance(rows, list):
        return ""
    return "[" + ", ".join(vector([*row, *held]) for row in rows if isinstance(row, list)) + "]"


def singular(model: Model, ref: dict[str, Any], state: dict[str, Any]) -> Lines:
    """Singular points on the segment that is drawn."""
    if not isinstance(state.get("start"), list) or not isinstance(state.get("end"), list):
        yield from explore(model, ref, state)
        return
    yield "from closedchain.singularity.along import along"
    yield "from closedchain.planning import plan"
    yield from loading(model, ref)
    start, end = vector(state["start"]), vector(state["end"])
    yield f"print(along(robot, {start}, {end}))"
    yield f"print(plan(robot, {start}, {end}))"


def simulation(model: Model, ref: dict[str, Any], state: dict[str, Any]) -> Lines:
    """The scenario with its settings."""
    yield "from closedchain import scenarios"
    settings = state.get("settings")
    given = state.get("scenario")
    written, name = text_of(given if isinstance(given, str | dict) else "")
    changes = dict(settings) if isinstance(settings, dict) else {}
    if parse_toml(written, name).get("robot") != source_of(model, ref):
        changes["robot"] = source_of(model, ref)
    changes |= {f"parameters.{key}": value for key, value in ref["values"].items()}
    yield from definition(model, ref)
    if isinstance(given, str) and "\n" not in given:
        yield f"chosen = scenarios.find({given!r}, {changes!r})"
    else:
        yield f"chosen = scenarios.loads({quoted(written)}, changes={changes!r})"
    if state.get("plant") == "mujoco":
        yield "from closedchain.studio.operations.simulating import simulated"
        yield 'run = simulated(chosen, "mujoco", lambda *told: None)'
    else:
        yield "run = scenarios.run(chosen)"
    yield "print(run)"
    yield 'run.save("run.npz")'


def comparison(model: Model, ref: dict[str, Any], state: dict[str, Any]) -> Lines:
    """The table against the engines."""
    yield "from closedchain.verify import verify"
    yield from loading(model, ref)
    asked = [f"engine={text(state.get('engine'), 'all')}"]
    motion, duration, working = state.get("motion"), state.get("duration"), state.get("working")
    if isinstance(motion, str) and motion != "all":
        asked.append(f"motion={motion!r}")
    if isinstance(motion, str) and "=" in motion and isinstance(duration, int | float):
        asked.append(f"duration={float(duration)!r}")
    if isinstance(working, str):
        asked.append(f"working={working!r}")
    yield f"print(verify(robot, {', '.join(asked)}))"


SCREENS: dict[str, Callable[[Model, dict[str, Any], dict[str, Any]], Lines]] = {
    "explore": explore,
    "space": explore,
    "define": explore,
    "singularities": singular,
    "simulate": simulation,
    "verify": comparison,
}
