"""`closedchain lab`: the teaching lab without ROS and Gazebo."""

from __future__ import annotations

import importlib
from pathlib import Path

from closedchain.cli.destination import check_file
from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.values import note, scalar
from closedchain.lab.running import NoScript, Outcome, run_script
from closedchain.lab.session import Session, Settings

RUNS = "lab-runs"


def run(args: Arguments) -> int:
    """Do what was asked for; each kind imports only what it needs."""
    if args.kind == "run":
        return run_lab_script(args)
    home = {"new": "lab.skeletons", "grade": "lab.grading.command", "serve": "lab.serving"}[args.kind]
    module = importlib.import_module(f"closedchain.{home}")
    if args.kind == "grade":
        return int(module.run(args))
    if args.kind == "serve":
        return int(module.serve(Path(args.folder), args.port, note))
    for path in module.create(args.robot, Path(args.folder)):
        print(path)
    return 0


def run_lab_script(args: Arguments) -> int:
    """Run a script and write its page; the exit code is the script's."""
    check_outputs(args)
    session = Session(settings(args), tell=note)
    try:
        return (watched if args.live else unwatched)(args, session).code
    except NoScript as error:
        raise Usage(str(error)) from None


def unwatched(args: Arguments, session: Session) -> Outcome:
    """The run, then its page."""
    done = run_script(args.script, args.arguments, clock=args.clock, session=session)
    finish(args, done)
    return done


def watched(args: Arguments, session: Session) -> Outcome:
    """The same with a page that shows it as it goes."""
    live = importlib.import_module("closedchain.lab.live")
    with live.Live(session, args.script) as page:
        note(f"watch it at {page.address}")
        done = unwatched(args, session)
        page.end(done)
    return done


def finish(args: Arguments, done: Outcome) -> None:
    """Write what there is to see, and say where."""
    told = f"{done.script.name}: {done.simulated:.6g} s simulated in {done.seconds:.2g} s"
    if done.empty:
        return
    for robot in done.session.robots:
        found = importlib.import_module("closedchain.lab.passages").passages(robot.run)
        if found:
            note(f"{robot.model.name}: {found[0]}; a fixed mode names another configuration from there on")
    if args.no_page:
        note(told)
        return
    page = importlib.import_module("closedchain.lab.page")
    if args.html:
        path = page.save(done, args.html)
    else:
        path = page.save_folder(done, args.out or fresh_folder(done.script.stem))
    note(f"{told}; the page is {path}")


def settings(args: Arguments) -> Settings:
    """What was asked for."""
    parameters = {}
    for word in args.settings:
        name, equals, value = word.partition("=")
        if not equals:
            raise Usage(f"--robot-param {word[:40]!r} has no value; write --robot-param name=value")
        parameters[name.strip()] = value
    return Settings(
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


def fresh_folder(stem: str) -> Path:
    """lab-runs/control-1, or the next number that is free."""
    number = 1
    while Path(RUNS, f"{stem}-{number}").exists():
        number += 1
    return Path(RUNS, f"{stem}-{number}")
