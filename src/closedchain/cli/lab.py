"""`closedchain lab`: the teaching lab without ROS and Gazebo."""

from __future__ import annotations

import importlib
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from closedchain.cli.destination import check_file
from closedchain.cli.output import print_json
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import note, scalar


def run(args: Arguments) -> int:
    """Do what was asked for; each kind imports only what it needs."""
    if args.kind == "run":
        return run_lab_script(args)
    module = lab({"new": "skeletons", "grade": "grading.grading", "serve": "serving"}[args.kind])
    if args.kind == "grade":
        check_file("--html", args.html, (".html", ".htm"))
        check_file("--csv", args.csv, (".csv",))
        check_file("--results", args.results, (".json",))
        return int(module.run(args, print_json))
    if args.kind == "serve":
        return int(module.serve(Path(args.folder), args.port, note))
    for path in module.create(args.robot, Path(args.folder)):
        print(path)
    return 0


def lab(name: str) -> Any:
    """A module of the lab's package, which stands above this one and is brought late."""
    return importlib.import_module(f"closedchain_lab.{name}")


def run_lab_script(args: Arguments) -> int:
    """Run a script and write its page; the exit code is the script's."""
    check_outputs(args)
    running, session = lab("running"), lab("session").Session(settings(args), tell=note)
    try:
        with lab("live").Live(session, args.script, note) if args.live else nullcontext() as live:
            done = running.run_script(args.script, args.arguments, clock=args.clock, session=session)
            lab("page").finish(done, note, out=args.out, html=args.html, quiet=args.no_page)
            if live is not None:
                live.end(done)
    except running.NoScript as error:
        raise Usage(str(error)) from None
    return int(done.code)


def settings(args: Arguments) -> Any:
    """What was asked for."""
    parameters = {}
    for word in args.settings:
        name, equals, value = word.partition("=")
        if not equals:
            raise Usage(f"--robot-param {word[:40]!r} has no value; write --robot-param name=value")
        parameters[name.strip()] = value
    return lab("session").Settings(
        parameters=parameters,
        robot=args.robot,
        engine=args.engine or "exact",
        real_time=args.real_time,
        duration=scalar(args.duration, "--duration", "s"),
    )


def check_outputs(args: Arguments) -> None:
    """Refuse what could not be written before the run, not after it."""
    if sum(map(bool, (args.out, args.html, args.no_page))) > 1:
        raise Usage("--out, --html and --no-page: one of them says where the page goes")
    check_file("--html", args.html, (".html", ".htm"))
    if args.out and Path(args.out).exists() and not Path(args.out).is_dir():
        raise Usage(f"--out {args.out[:60]!r} is a file; a folder is needed")
