"""Set closedchain up in .venv, then run it: the standard library is all this file needs.

python3 start.py demo [...]     this, or any other closedchain command: installs what the command needs, then runs it
python3 start.py test [...]     the tests, five minutes on two cores; what follows goes to pytest:  test -k biglide
                test --quick    the inner loop, one minute
                test --all      all but long repetitions, as CI runs them
python3 start.py docs [FOLDER]  the documentation as a site of HTML pages, in build/docs unless told otherwise
python3 start.py setup [EXTRA]  installs only: for an extra (studio, formulas, ..., all), or all that development needs

Packages are pinned and hash-checked: those of the commands by requirements.lock, those of development by
requirements-dev.lock. They are installed with uv where it is on the PATH, else with venv and pip; what is there already
is not installed again. Messages go to stderr, so stdout is the command's own.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

OLDEST = (3, 11)
if sys.version_info < OLDEST:  # here, and in syntax that Python 3.6 reads: what follows would end in a traceback
    sys.exit(
        f"closedchain needs Python 3.11 or newer; this is Python {sys.version_info[0]}.{sys.version_info[1]}. "
        "Try another interpreter, for example `python3.12 start.py`."
    )

import tomllib  # noqa: E402 (an older Python has none)

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOCK, DEVELOPMENT = ROOT / "requirements.lock", ROOT / "requirements-dev.lock"
PROJECT = ROOT / "pyproject.toml"
STAMP = VENV / "closedchain.stamp"  # what is installed, written last: a folder without it is half made
PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NEEDS = {  # command → extras of pyproject.toml; a command that is not here needs the core alone
    "bench": ("verify", "numerics", "pinocchio"),
    "demo": ("pictures", "verify"),
    "design": ("design",),
    "equations": ("formulas",),
    "lab": ("lab",),
    "map": ("numerics", "pictures"),
    "plan": ("numerics",),
    "simulate": ("numerics",),
    "singular": ("numerics",),
    "studio": ("studio",),
    "sweep": ("numerics",),
    "verify": ("pinocchio", "verify"),
    "workspace": ("numerics",),
}
DRAWN = {
    "--plot": ("pictures",),
    "--report": ("pictures",),
    "--html": ("pictures",),
    "--animate": ("video",),
}  # options
COMMAND = (
    '@"%~dp0python.exe" -m closedchain %*\n'
    if sys.platform == "win32"
    else '#!/bin/sh\nexec "$(dirname "$0")/python" -m closedchain "$@"\n'
)
EVERYTHING = "dev"
QUICK = ("-m", "not slow and not long", "tests/describe", "tests/derive", "tests/model", "tests/robots")
ORDINARY, ALL = ("-m", "not slow and not long"), ("-m", "not slow")
SIDE_BY_SIDE = ("--numprocesses=auto", "--dist=loadfile")
EVERY = 5.0  # [s] between two lines of progress in a log


class SetupFailed(Exception):
    """The environment could not be made; the text says why and what to try."""


def main(arguments: list[str]) -> int:
    """Set up if needed, run what was asked for, and return its exit code."""
    first, rest = (arguments or [""])[0], arguments[1:]
    try:
        if first in ("test", "docs"):
            set_up([EVERYTHING])
            return run_tests(rest) if first == "test" else build_site(*rest[:1])
        if first in ("", "setup"):
            set_up(rest or ([EVERYTHING] if first else []))
            say("Ready. Try `python3 start.py demo` or `python3 start.py test`.")
            return 0
        set_up(needs(arguments))
        return run(PYTHON, "-m", "closedchain", *arguments)
    except SetupFailed as problem:
        say(f"start.py: {problem}")
        return 1
    except KeyboardInterrupt:
        return 130


def needs(arguments: list[str]) -> list[str]:
    """The extras of a command and of the options it was given."""
    asked = [extra for word in arguments for extra in DRAWN.get(word.partition("=")[0], ())]
    return [*NEEDS.get(arguments[0], ()), *asked]


def say(text: str, end: str = "\n") -> None:
    """Write one line for people."""
    print(text, file=sys.stderr, flush=True, end=end)


# --------------------------------------------------------------------------------------------------------------- set-up


def set_up(extras: Iterable[str]) -> None:
    """Make .venv, or add to it, unless it has what is needed and was made for this state of the checkout."""
    wanted = wanted_names(extras)
    if is_ready(wanted):
        return
    with alone(ROOT / ".venv.lock"):
        if is_ready(wanted):  # another run finished it meanwhile
            return
        there = installed() or set()
        say(f"Installing {len(wanted - there)} packages into .venv, once ...")
        for add in installers():
            try:
                if installed() is None:
                    clear()
                part = VENV.with_name(".venv.part")  # the pins of what is wanted, and of nothing else
                part.write_text(selection(wanted), encoding="utf-8")
                add(part)
                part.unlink()
                lead_here()
                STAMP.write_text(
                    json.dumps({"made for": fingerprint(), "names": sorted(there | wanted)}), encoding="utf-8"
                )
                return
            except subprocess.CalledProcessError as problem:
                step = " ".join(str(word) for word in problem.cmd[1:4])
                say(f"`{Path(problem.cmd[0]).name} {step} ...` ended with code {problem.returncode}.")
    raise SetupFailed(
        "could not install the packages of the lock; the reason stands above. Packages come from the index "
        "that pip is configured for (`pip config list`): check the network, then run the same command again."
    )


def wanted_names(extras: Iterable[str]) -> set[str]:
    """The packages that extras need: those that pyproject.toml names, and by the lock what these need in turn."""
    extras = list(extras)
    if EVERYTHING in extras:
        return {name_of(block) for block in blocks(DEVELOPMENT)}
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    offered = project.get("optional-dependencies", {})
    strange = [extra for extra in extras if extra not in offered]
    if strange:
        raise SetupFailed(f"there is no extra {strange[0]!r}; there are {', '.join(sorted(offered))}.")
    waiting, direct = [*project.get("dependencies", ())], set()
    waiting += [requirement for extra in extras for requirement in offered[extra]]
    while waiting:
        requirement = waiting.pop()
        own = re.match(rf"{project['name']}\[(.*)\]", requirement)  # an extra that contains others
        if own:
            waiting += [more for extra in own[1].split(",") for more in offered[extra.strip()]]
        else:
            direct.add(re.match(r"[\w.-]+", requirement)[0])  # type: ignore[index] # every requirement begins so
    return closure(direct)


def closure(names: set[str]) -> set[str]:
    """The names and, through the lock's remarks `# via`, all that they need."""
    parents: dict[str, set[str]] = {}
    for block in blocks(LOCK):
        via = re.search(r"# via (.*)", block)
        parents.setdefault(name_of(block), set()).update(via[1].split(", ") if via else ())
    while True:
        more = {name for name, needed_by in parents.items() if needed_by & names} | names
        if more == names:
            return names
        names = more


def selection(names: set[str]) -> str:
    """The pins and hashes of these packages."""
    lock = LOCK if names <= {name_of(block) for block in blocks(LOCK)} else DEVELOPMENT
    return "".join(block for block in blocks(lock) if name_of(block) in names)


def blocks(lock: Path) -> list[str]:
    """A lock, cut into one text for each pin."""
    return re.split(r"^(?=[a-z0-9])", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


def name_of(block: str) -> str:
    """The package that a pin is of."""
    return block.partition("==")[0]


def is_ready(wanted: set[str]) -> bool:
    """Tell whether .venv has these packages."""
    there = installed()
    return there is not None and wanted <= there


def installed() -> "set[str] | None":
    """The packages in .venv; None unless it is complete and made for exactly this checkout, place and interpreter."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
        if PYTHON.exists() and stamp["made for"] == fingerprint():
            return set(stamp["names"])
    return None


def fingerprint() -> str:
    """Hash what the environment depends on: locks, interpreter, and the place (scripts hold its path)."""
    digest = hashlib.sha256()
    for path in (LOCK, DEVELOPMENT):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    digest.update("\n".join((sys.version, sys.base_prefix, sys.platform, str(ROOT))).encode())
    return digest.hexdigest()


def installers() -> Iterator[Callable[[Path], None]]:
    """Yield the ways to install pins, best first; uv does not read pip's settings, so pip stays a second chance."""
    uv = shutil.which("uv")
    if uv is not None:
        yield lambda pins: install_with_uv(uv, pins)
    yield install_with_pip


def install_with_uv(uv: str, pins: Path) -> None:
    """Make .venv with uv if there is none, and install into it."""
    quiet = () if sys.stderr.isatty() else ("--quiet",)
    if not PYTHON.exists():
        call(uv, "venv", *quiet, "--no-project", "--python", sys.executable, VENV)
    call(uv, "pip", "install", *quiet, "--python", PYTHON, "--require-hashes", "-r", pins)


def install_with_pip(pins: Path) -> None:
    """Make .venv with the standard library if there is none with a pip, and install into it."""
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            raise SetupFailed(
                f"this Python ({sys.executable}) has no `{module}`, so it cannot make a virtual environment. "
                "On Debian and Ubuntu: `sudo apt install python3-venv`; elsewhere install uv, or Python from its "
                "makers. Then run the same command again."
            )
    if not PYTHON.exists() or subprocess.run([str(PYTHON), "-m", "pip", "-V"], capture_output=True).returncode:
        call(sys.executable, "-m", "venv", VENV)
    # Without compiling: Python does that for the modules it meets, a tenth of them.
    install = (PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile", "--progress-bar=off")
    watch(len(pins.read_text(encoding="utf-8").split("==")) - 1, *install, "--require-hashes", "-r", pins)


def lead_here() -> None:
    """Let the environment's Python find the package in the checkout, and its shell the command."""
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run([str(PYTHON), "-c", ask], capture_output=True, text=True, check=True, env=environment())
    Path(found.stdout.strip(), "closedchain.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")
    script = PYTHON.with_name("closedchain.cmd" if sys.platform == "win32" else "closedchain")
    script.write_text(COMMAND, encoding="utf-8")
    script.chmod(0o755)


def clear() -> None:
    """Remove an old or half-made .venv, but never a folder that is something else."""
    if VENV.is_symlink() or VENV.is_file():
        raise SetupFailed(f"{VENV} is not a folder; move it away, then run the same command again.")
    if VENV.is_dir() and any(VENV.iterdir()) and not (VENV / "pyvenv.cfg").exists():
        raise SetupFailed(f"{VENV} is not a virtual environment; move it away, then run the same command again.")
    if VENV.is_dir():
        shutil.rmtree(VENV)


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file; the system frees it however this process ends."""
    with path.open("a+b") as file:
        if sys.platform == "win32":
            file.seek(0)
            while True:
                with contextlib.suppress(OSError):  # raised when ten seconds of waiting were not enough
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


# ------------------------------------------------------------------------------------------------------------------ run


def run_tests(arguments: list[str]) -> int:
    """Run pytest in the checkout; its closing line is the last thing printed."""
    chosen = {"--quick": QUICK, "--all": ALL}.get((arguments or [""])[0])
    if chosen is not None:
        arguments = arguments[1:]
    elif not arguments:
        chosen = ORDINARY
    if chosen is not QUICK and (ROOT / "tests" / "browser").is_dir():
        install_browser()
        install_axe()
    os.chdir(ROOT)
    return run(PYTHON, "-m", "pytest", *((*SIDE_BY_SIDE, *chosen) if chosen else ()), *arguments)


def build_site(folder: str = "build/docs") -> int:
    """Build the pages of docs/ from nothing; a warning is an error, and a reference that leads nowhere is a warning."""
    site = Path(folder).absolute() if folder != "build/docs" else ROOT / folder
    say(f"Building {site / 'index.html'} ...")
    strict = ("--fail-on-warning", "--keep-going", "--nitpicky", "--fresh-env", "--quiet")
    return run(PYTHON, "-m", "sphinx", *strict, "-b", "html", "-d", ROOT / "build" / "doctrees", ROOT / "docs", site)


def install_browser() -> None:
    """Install Chromium from the system's packages where that needs no questions: as root, with apt-get."""
    if any(shutil.which(name) for name in BROWSERS):
        return
    apt = shutil.which("apt-get")
    if apt is None or sys.platform == "win32" or os.geteuid() != 0:
        say("No Chromium found: the browser tests need one; install it with the system's package manager.")
        return
    say("Installing Chromium for the browser tests ...")
    try:
        call(apt, "update", "-qq")
        call(apt, "install", "-y", "-qq", "--no-install-recommends", "chromium")
    except subprocess.CalledProcessError as problem:
        say(f"apt-get ended with code {problem.returncode}: the browser tests have no Chromium.")


def install_axe() -> None:
    """The accessibility checker of the page's tests, with npm where it is there; without it those tests are skipped."""
    npm = shutil.which("npm")
    if npm is not None and not (ROOT / "web" / "node_modules" / "axe-core").is_dir():
        subprocess.run([npm, "--prefix", str(ROOT / "web"), "ci", "--silent"], stdout=subprocess.DEVNULL, check=False)


def run(*command: object) -> int:
    """Become the command where the system can, so that signals and exit codes are its own; else wait for it."""
    words = [str(word) for word in command]
    if sys.platform == "win32":
        return subprocess.call(words, env=environment())
    sys.stdout.flush()
    sys.stderr.flush()
    return os.execve(words[0], words, environment())


def call(*command: object) -> None:
    """Run one step of the set-up, its output on stderr; a failure raises CalledProcessError."""
    words = [str(word) for word in command]
    subprocess.run(words, check=True, cwd=ROOT, env=environment(), stdout=sys.stderr, stdin=subprocess.DEVNULL)


def watch(count: int, *command: object) -> None:
    """Run pip and tell how far it is; a failure shows what it printed and raises CalledProcessError."""
    words, start, told, done = [str(word) for word in command], time.monotonic(), 0.0, 0
    pipe = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    printed: list[str] = []
    with subprocess.Popen(words, cwd=ROOT, env=environment(), text=True, errors="replace", **pipe) as process:  # type: ignore[call-overload]
        for line in process.stdout:
            printed.append(line.rstrip())
            done += line.startswith(("Collecting ", "Ignoring ", "Requirement already "))
            what = re.match(r"Collecting ([\w.-]+)|(Installing) collected", line)
            now = time.monotonic() - start
            if what and (sys.stderr.isatty() or what[2] or now - told > EVERY):
                told = now
                text = f"  {done} of {count}  {what[1] or 'unpacking'}  {now:.0f} s"
                say(f"\r\x1b[K{text}" if sys.stderr.isatty() else text, end="" if sys.stderr.isatty() else "\n")
    if sys.stderr.isatty():
        say("\r\x1b[K", end="")
    if process.returncode:
        say("\n".join(printed[-20:]))
        raise subprocess.CalledProcessError(process.returncode, words)


def environment() -> dict[str, str]:
    """Return the caller's environment without what would lead Python to other packages (pip's settings stay).

    Nor may it forbid to keep compiled modules: packages are installed without them, and each command would compile
    what it imports again, some hundred modules.
    """
    stray = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if name not in stray}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
