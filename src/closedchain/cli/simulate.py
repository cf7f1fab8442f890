"""`closedchain simulate`: a robot under control, from a scenario's name or file."""

from __future__ import annotations

import importlib
import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from closedchain import robots, scenarios
from closedchain.cli.destination import PICTURES, check_file
from closedchain.cli.failures import NO_SOLUTION
from closedchain.cli.main import CANCELLED, LIMIT, fail
from closedchain.cli.output import document, print_json, table
from closedchain.cli.parser import RUN_OPTIONS, Arguments, Usage
from closedchain.cli.values import announce, loads, note
from closedchain.cli.watch import Frames, Watch
from closedchain.describe.files import SCHEMA as MECHANISM
from closedchain.describe.files import BadFile, parse_toml, read_text
from closedchain.describe.formulas import assignments, separate
from closedchain.describe.parse import BadExpression
from closedchain.errors import BadInput
from closedchain.model.loading import load
from closedchain.scenarios import Scenario
from closedchain.simulation.run import Run

CHECK_FAILED = 1
ENDINGS = {"out": (".npz",), "csv": (".csv",), "plot": PICTURES}
ENDINGS["animate"] = (".html", ".htm", ".gif", ".mp4")


def run(args: Arguments) -> int:
    """Simulate, print the result, write the files asked for; exit code 4 if the run ended early, 130 if cancelled.

    Exit code 1 if it does not end as expected, 5 if its end still changed when steps were halved.
    """
    if args.list:
        return list_scenarios(args)
    if args.scenario is None:
        raise Usage(f"which scenario? There are {', '.join(scenarios.names())}; or name a .toml file")
    check_files(args)
    chosen = found(args)
    pushed = loads(args, chosen.model)
    chosen = replace(
        chosen,
        model=replace(chosen.model, announce=announce),
        forces={**chosen.forces, **pushed["forces"]},
        torques={**chosen.torques, **pushed["torques"]},
    )
    with Watch(chosen) as watch:
        done = simulated(args, chosen, watch)
    write(args, done)
    if args.json:
        print_json(document("simulate", done.model, **answer(chosen, done)))
    else:
        print(done)
    if done.ended.startswith("limit"):
        return fail(f"{chosen.name}: {done.ended}", LIMIT)
    if not done.finished:
        return fail(f"{chosen.name}: {done.ended}", CANCELLED if watch.cancelled else NO_SOLUTION)
    return 0 if (done.findings.get("expected") or {}).get("ok", True) else CHECK_FAILED


def found(args: Arguments) -> Scenario:
    """The scenario; where a robot is named and its command given, a run of nothing else from rest."""
    name, other = args.scenario, changes(args)
    if name in scenarios.names() or not names_robot(name):
        return scenarios.find(name, other)
    if args.voltage is None and args.effort is None:
        ready = ", ".join(each for each in scenarios.names() if each.startswith(name.partition(":")[0]))
        hint = f"; or name a scenario: {ready}" if ready else ""
        raise Usage(f"{name} is a robot: say what drives it with --voltage or --effort FORMULA{hint}")
    model = load(name)
    start = {} if model.linkage else {"start": {"q": [0.0] * model.nq}}
    whole = {"schema": scenarios.SCHEMA, "robot": name, "interval": 1e-3} | start | other
    try:
        return scenarios.loads("\n".join(f"{key} = {toml(value)}" for key, value in whole.items()), name, name=name)
    except BadFile as error:  # no file: the options are wrong
        raise BadInput(f"{error.place}: {error.problem}") from None


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value)


def names_robot(name: str) -> bool:
    """A robot's name, or a mechanism file, with a parameter set or without; files that say no schema tell by `name`."""
    path = Path(name.rpartition(":")[0] if ".toml:" in name else name)
    if path.suffix == ".toml" and path.is_file():
        document = parse_toml(read_text(path), str(path))
        usual = MECHANISM if "name" in document else scenarios.SCHEMA
        return str(document.get("schema", usual)).startswith(MECHANISM.rstrip("0123456789"))
    return robots.knows(name.partition(":")[0])


def simulated(args: Arguments, chosen: Scenario, watch: Watch) -> Run:
    """The run; what turns out only now (law and robot do not fit) is the file's fault unless options changed it."""
    try:
        return scenarios.run(chosen, progress=watch)
    except BadInput as error:
        if changes(args) or args.force or args.torque:
            raise
        raise BadFile(args.scenario, "", str(error)) from None


def list_scenarios(args: Arguments) -> int:
    """Print every scenario with its robot."""
    found = [scenarios.find(name) for name in scenarios.names()]
    if args.json:
        rows = [{"name": s.name, "robot": s.model.name, "about": s.about, "origin": s.origin} for s in found]
        print_json(document("scenarios", scenarios=rows))
    else:
        print(table(("scenario", "robot", "what happens"), [(s.name, s.model.name, s.about) for s in found]))
    return 0


def changes(args: Arguments) -> dict[str, Any]:
    """What the options change in the scenario, by its place there: `l=0.3` is the robot's parameter."""
    found: dict[str, Any] = {}
    for word in args.settings:
        place, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not place:
            raise Usage(f"--set {word[:40]!r} has no value; write --set name=value")
        found[place if "." in place else f"parameters.{place}"] = typed(value)
    options = {option[2:]: getattr(args, option[2:], None) for option in RUN_OPTIONS}
    found |= {key: typed(value) for key, value in options.items() if value is not None}
    return found | commanded(args) | begun(args)


def commanded(args: Arguments) -> dict[str, Any]:
    """A law in place of the scenario's: the command as a formula of time."""
    options = {"voltage": getattr(args, "voltage", None), "tau": getattr(args, "effort", None)}
    given = {output: str(text) for output, text in options.items() if text is not None}
    if len(given) > 1:
        raise Usage("--voltage and --effort: one of them says what the drives are given")
    for output, text in given.items():
        try:
            formula = assignments(text) if "=" in text else parts if len(parts := separate(text)) > 1 else text
        except BadExpression as error:
            raise Usage(f"--{'effort' if output == 'tau' else output}: {error}") from None
        return {"controller": {"kind": "formula", "output": output, "formula": formula}}
    return {}


def begun(args: Arguments) -> dict[str, Any]:
    """A start in place of the scenario's."""
    words = {key: getattr(args, key, None) for key in ("q", "x", "q_dot")}
    start: dict[str, Any] = {
        key: [typed(word.strip()) for word in text.replace("−", "-").split(",")] for key, text in words.items() if text
    }
    start |= {"assembly": args.assembly} if getattr(args, "assembly", None) else {}
    return {"start": start} if start else {}


def typed(text: str) -> Any:
    """A value as TOML has it, or else the text itself: `0.01`, `[1, 2]`, `true`; `10ms`, `rk6`."""
    try:
        return tomllib.loads(f"value = {text}")["value"] if "\n" not in text else text
    except ValueError:
        return text


def check_files(args: Arguments) -> None:
    """Refuse a file that could not be written before the run, not after it."""
    for option, endings in ENDINGS.items():
        check_file(f"--{option}", getattr(args, option), endings)


def write(args: Arguments, done: Run) -> None:
    """The files asked for, each whole or not there, and what was written."""
    if args.out:
        done.save(args.out)
        note(f"wrote {args.out}")
    if args.csv:
        done.save_csv(args.csv)
        note(f"wrote {args.csv}")
    if (args.out or args.csv) and done.derived.missing:
        note(done.derived.missing)
    if args.animate:
        note(f"wrote {animated(done, args.animate)}")
    if args.plot:  # brings Matplotlib
        for path in importlib.import_module("closedchain.cli.drawing").draw(done, Path(args.plot)):
            note(f"wrote {path}")


def animated(done: Run, path: str) -> Path:
    """The animation's file; drawing a video takes a while, so it is said how far it is."""
    if Path(path).suffix.lower() in (".html", ".htm"):
        return Path(importlib.import_module("closedchain.view.animation").animate(done.model, done, path))
    video = importlib.import_module("closedchain.view.video").video  # brings Matplotlib
    return Path(video(done.model, done, path, progress=Frames(path)))


def answer(chosen: Scenario, done: Run) -> dict[str, Any]:
    """The run as a document; SI units."""
    head = {"scenario": chosen.name, "about": chosen.about, "origin": chosen.origin, "controller": chosen.kind}
    return head | {
        "interval": done.interval,
        **done.settings,
        "commands": done.output,
        **done.summary,
        "remarks": list(done.remarks),
    }
