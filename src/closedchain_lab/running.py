"""`run_script`: a lab script as it is, from its first line to its closing code, whatever ends it."""

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from closedchain.errors import ClosedChainError
from closedchain_lab.session import Session, Settings, opened, simulated_time
from closedchain_lab.surroundings import collect_figures, surroundings

CANCELLED = 130


class NoScript(ClosedChainError, FileNotFoundError):
    """There is no such script."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """How a script ended, and what it left: robots with their motion, charts, pictures."""

    script: Path
    session: Session
    code: int  # that Python would have ended with; 0 where --duration ended it
    ended: str
    seconds: float  # on the wall, the script's own work included

    @property
    def simulated(self) -> float:
        """Seconds of simulation."""
        return self.session.clock.simulated

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        moved = any(robot.steps for robot in self.session.robots)
        return not (moved or self.session.pictures or any(not chart.empty for chart in self.session.charts))


def run_script(
    script: str | Path,
    arguments: Sequence[str] = (),
    settings: Settings | None = None,
    *,
    clock: str | None = None,
    tell: Callable[[str], None] | None = None,
    session: Session | None = None,
) -> Outcome:
    """Run a script as `python script arguments…` would, with the lab's packages there and no window opened.

    `clock` is what the script's `time` goes by: "simulated" or "wall"; simulated unless the run is in real time.
    """
    path = Path(script)
    if not path.is_file():
        raise NoScript(f"no script {str(script)[:200]!r}; give the path of a Python file")
    session = session or Session(settings, tell=tell)
    by_wall = clock == "wall" or (clock is None and session.settings.real_time)
    began = time.monotonic()
    session.owner = threading.get_ident()
    session.modules = {} if by_wall else {"time": simulated_time(session.clock)}
    with opened(session), surroundings(path.absolute(), [str(script), *arguments]) as main:
        code, ended = _execute(path.absolute(), main.__dict__, session)
        collect_figures()
    return Outcome(path, session, code, ended, time.monotonic() - began)


def _execute(path: Path, namespace: dict[str, object], session: Session) -> tuple[int, str]:
    """The script's exit code, and how it ended in words; an error is shown as Python shows it."""
    try:
        code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        exec(code, namespace)  # noqa: S102 (running the user's own script is what was asked for)
    except SystemExit as leaving:
        if session.gave_up:
            return _interrupted(session, ": it went on after Ctrl-C")
        return _left(leaving)
    except KeyboardInterrupt as error:
        if session.pressed:
            return _interrupted(session)
        _show(path, error)
        return CANCELLED, f"was cancelled {_at(session)}"
    except BaseException as error:
        _show(path, error)
        return 1, words(error, str(path.parent))
    finally:
        sys.stdout.flush()
    return _interrupted(session) if session.pressed else (0, "ended by itself")


def _interrupted(session: Session, more: str = "") -> tuple[int, str]:
    """The time was over, or the robot could not go on."""
    if session.broken:
        return 1, f"was ended {_at(session)}{more}: {session.broken}"
    return 0, f"was ended by --duration {_at(session)}{more}"


def _at(session: Session) -> str:
    return f"at {session.clock.simulated:.6g} s of simulation"


def _left(leaving: SystemExit) -> tuple[int, str]:
    """`sys.exit(…)`: its number; any other word is said, and counts as 1."""
    if leaving.code is None or isinstance(leaving.code, int):
        code = int(leaving.code or 0)
        return code & 0xFF, f"ended by itself with exit code {code}"
    sys.stderr.write(f"{leaving.code}\n")
    return 1, f"ended by itself: {leaving.code}"[:500]


def words(error: BaseException, folder: str) -> str:
    """An exception in one line: its kind, what it says, and the line of the folder's files that it came from."""
    try:
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
    except Exception:
        text = type(error).__name__
    own = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(folder + os.sep)]
    return f"{text[:300]} ({os.path.basename(own[-1].filename)}, line {own[-1].lineno})" if own else text[:300]


def _show(path: Path, error: BaseException) -> None:
    """The error as Python shows it: from the script's own lines on."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != str(path):
        trace = trace.tb_next
    sys.excepthook(type(error), error.with_traceback(trace), trace)
