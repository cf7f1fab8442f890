"""`closedchain export`: a robot for other programs."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from closedchain import scenarios
from closedchain.cli.destination import check_place
from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.simulate import changes
from closedchain.cli.transmission_options import EXPORTED
from closedchain.cli.values import loads, note, robot
from closedchain.cli.watch import Watch
from closedchain.files import atomic_write
from closedchain.model.forces import with_forces
from closedchain.model.loading import find
from closedchain.model.model import Model
from closedchain.scenarios import Scenario, controller
from closedchain.simulation.run import Run

# format → "module:function"; the function takes a Model and gives (files, notes): ending → content, main file first,
# and what the format cannot say. A module is imported when its format is asked for.
WRITERS: dict[str, str] = {
    "mjcf": "closedchain.exchange.writing:mjcf_files",
    "sdf": "closedchain.exchange.writing:sdf_files",
    "urdf": "closedchain.exchange.writing:urdf_files",
    "c": "closedchain.export.writers:c_files",
    "fmu": "closedchain.export.writers:fmu_files",
    "casadi": "closedchain.export.writers:casadi_files",
    "js": "closedchain.export.writers:js_files",
    "html": "closedchain.export.html:html_files",
}
CONTROLLERS: dict[str, str] = {  # the same for the controller of a scenario: it takes (model, law, start, interval)
    "c": "closedchain.export.writers:c_controller_files",
    "fmu": "closedchain.export.writers:fmu_controller_files",
}
TARGETED = ("header", "object", "ros2")  # formats whose writer, cli.target, reads options of its own
PLAYING = ("html",)  # formats that can carry a simulation
PUSHED = ("c", "fmu", "casadi", "js")  # formats that have external forces as inputs
Files = Mapping[str, str | bytes]


def run(args: Arguments) -> int:
    """Write the robot in another program's format: to --out, or text to stdout."""
    if args.out:
        check_place("--out", args.out)
    bounds: dict[str, Any] = {}
    if args.to in TARGETED:
        if args.scenario is not None or args.controller is not None or args.force or args.torque:
            raise Usage(f"--to {args.to} takes no --scenario, --controller, --force or --torque")
        model, files, notes, bounds = importlib.import_module("closedchain.cli.target").written(args)
    elif any(getattr(args, option) for option in EXPORTED):
        raise Usage(f"--{next(o for o in EXPORTED if getattr(args, o))} is for --to {', '.join(TARGETED)}")
    elif args.controller is not None:
        model, files, notes = controlled(args)
    else:
        played = simulated(args)
        model = robot(args) if played is None else played.model
        pushed = loads(args, model)
        if any(pushed.values()):
            if args.to not in PUSHED:
                raise Usage(f"--force and --torque are inputs of --to {', '.join(PUSHED)}; {args.to[:40]} has none")
            model = with_forces(model, **pushed)
        files, notes = write(args.to, model, *([] if played is None else [played]))
    for text in notes:
        note(text)
    paths = save(files, Path(args.out)) if args.out else []
    if args.json:
        texts = {ending: content for ending, content in files.items() if isinstance(content, str)}
        answer: dict[str, Any] = {"format": args.to, "notes": list(notes), "written": [str(p) for p in paths], **bounds}
        print_json(document("export", model, **answer, **({} if paths else {"files": texts})))
    elif paths:
        print("\n".join(f"{model.name}: wrote {path}" for path in paths))
    else:
        print(only_text(args.to, files), end="")
    return 0


def simulated(args: Arguments) -> Run | None:
    """The run of --scenario, for formats that can carry one; its robot must be the one named."""
    if args.scenario is None:
        return None
    if args.to not in PLAYING:
        raise Usage(f"--scenario is for --to {' or '.join(PLAYING)}; {args.to[:40]} cannot carry a simulation")
    scenario = of_robot(args, "--scenario", args.scenario)
    with Watch(scenario) as watch:
        done = scenarios.run(scenario, progress=watch)
    if not done.finished:
        note(f"{scenario.name}: {done.ended}")
    return done


def controlled(args: Arguments) -> tuple[Model, Files, Sequence[str]]:
    """The controller of a scenario by itself, for formats that have one."""
    if args.to not in CONTROLLERS or args.scenario is not None:
        raise Usage(f"--controller is for --to {' or '.join(CONTROLLERS)}, without --scenario")
    scenario = of_robot(args, "--controller", args.controller)
    law, start = controller(scenario)
    return scenario.model, *write(args.to, scenario.model, law, start, scenario.interval, among=CONTROLLERS)


def of_robot(args: Arguments, option: str, name: str) -> Scenario:
    """The scenario that an option names; its robot must be the one named."""
    scenario = scenarios.find(name, changes(args))
    if scenario.model.recipe.name != find(args.robot)[0].name:
        raise Usage(f"{option} {scenario.name} is of {scenario.model.recipe.name}, not of {args.robot[:40]}")
    return scenario


def write(format_: str, model: Model, *more: Any, among: Mapping[str, str] = WRITERS) -> tuple[Files, Sequence[str]]:
    """The files of a format and what it cannot say."""
    if format_ not in among:
        raise Usage(f"--to {format_[:40]!r} is not known; there are {', '.join([*among, *TARGETED])}")
    module, _, function = among[format_].partition(":")
    made: tuple[Files, Sequence[str]] = getattr(importlib.import_module(module), function)(model, *more)
    return made


def save(files: Files, path: Path) -> list[Path]:
    """The main file at `path`, the others beside it with their own endings."""
    places = [path if i == 0 else path.with_suffix(ending) for i, ending in enumerate(files)]
    if len(set(places)) < len(places):
        endings = ", ".join(files)
        raise Usage(f"--out {path.name!r}: {len(files)} files are written, {endings}; end it in {next(iter(files))}")
    for place, content in zip(places, files.values(), strict=True):
        atomic_write(place, content)
    return places


def only_text(format_: str, files: Files) -> str:
    """The one text that fits on stdout."""
    content = next(iter(files.values()))
    if len(files) > 1 or isinstance(content, bytes):
        raise Usage(f"--to {format_} makes {', '.join(files)}; say where with --out NAME{next(iter(files))}")
    return content
