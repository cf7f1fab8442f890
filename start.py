"""Set closedchain up in .venv, then run it: the standard library is all this file needs.

python3 start.py               set up only
python3 start.py test [...]    the tests but for those marked slow; what follows goes to pytest
python3 start.py docs [FOLDER] the documentation as a site of HTML pages, in build/docs unless told otherwise
python3 start.py demo [...]    this, or any other closedchain command

The first run installs the pinned, hash-checked packages of requirements.lock (with uv where it is on the PATH, else
with venv and pip) and this checkout; later runs start at once. Messages go to stderr, so stdout is the command's own.
"""

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
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

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements.lock"
STAMP = VENV / "closedchain.stamp"  # written last: a folder without it is half made
SCRIPTS = VENV / ("Scripts" if sys.platform == "win32" else "bin")
PYTHON = SCRIPTS / ("python.exe" if sys.platform == "win32" else "python")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class SetupFailed(Exception):
    """The environment could not be made; the text says why and what to try."""


def main(arguments: list[str]) -> int:
    """Set up if needed, run what was asked for, and return its exit code."""
    try:
        set_up()
        if not arguments:
            say("Ready. Try `python3 start.py demo` or `python3 start.py test`.")
            return 0
        if arguments[0] == "test":
            return run_tests(arguments[1:])
        if arguments[0] == "docs":
            return build_site(*arguments[1:2])
        return run(SCRIPTS / "closedchain", *arguments)
    except SetupFailed as problem:
        say(f"start.py: {problem}")
        return 1
    except KeyboardInterrupt:
        return 130


def say(text: str) -> None:
    """Write one line for people."""
    print(text, file=sys.stderr, flush=True)


# --------------------------------------------------------------------------------------------------------------- set-up


def set_up() -> None:
    """Make .venv unless the one that is there was finished from the same lock, project file, interpreter and place."""
    if is_ready():
        return
    with alone(ROOT / ".venv.lock"):
        if is_ready():  # another run finished it meanwhile
            return
        say("Setting up .venv: once, a few minutes ...")
        for make in makers():
            try:
                clear()
                make()
                STAMP.write_text(fingerprint(), encoding="utf-8")
                return
            except subprocess.CalledProcessError as problem:
                step = " ".join(str(word) for word in problem.cmd[1:4])
                say(f"`{Path(problem.cmd[0]).name} {step} ...` ended with code {problem.returncode}.")
    raise SetupFailed(
        "could not install the packages of requirements.lock; the reason stands above. Packages come from the index "
        "that pip is configured for (`pip config list`): check the network, then run the same command again."
    )


def is_ready() -> bool:
    """Tell whether .venv is complete and made for exactly this state of the checkout."""
    return PYTHON.exists() and STAMP.is_file() and STAMP.read_text(encoding="utf-8") == fingerprint()


def fingerprint() -> str:
    """Hash what the environment depends on: lock, project file, interpreter, and the place (scripts hold its path)."""
    digest = hashlib.sha256()
    for path in (LOCK, ROOT / "pyproject.toml"):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    digest.update("\n".join((sys.version, sys.base_prefix, sys.platform, str(ROOT))).encode())
    return digest.hexdigest()


def makers() -> Iterator[Callable[[], None]]:
    """Yield the ways to make .venv, best first; uv does not read pip's settings, so pip stays a second chance."""
    uv = shutil.which("uv")
    if uv is not None:
        yield lambda: make_with_uv(uv)
    yield make_with_pip


def make_with_uv(uv: str) -> None:
    """Make .venv with uv and install into it."""
    call(uv, "venv", *quiet(), "--no-project", "--python", sys.executable, VENV)
    install = (uv, "pip", "install", *quiet(), "--python", PYTHON)
    call(*install, "--require-hashes", "-r", LOCK)
    call(*install, "--no-deps", "--no-build-isolation", "-e", ROOT)


def make_with_pip() -> None:
    """Make .venv with the standard library and install into it with its pip."""
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            raise SetupFailed(
                f"this Python ({sys.executable}) has no `{module}`, so it cannot make a virtual environment. "
                "On Debian and Ubuntu: `sudo apt install python3-venv`; elsewhere install uv, or Python from its "
                "makers. Then run the same command again."
            )
    call(sys.executable, "-m", "venv", VENV)
    install = (PYTHON, "-m", "pip", "install", *quiet(), *quiet(), "--disable-pip-version-check")  # twice: no warnings
    call(*install, "--require-hashes", "-r", LOCK)
    call(*install, "--no-deps", "--no-build-isolation", "-e", ROOT)


def clear() -> None:
    """Remove an old or half-made .venv, but never a folder that is something else."""
    if VENV.is_symlink() or VENV.is_file():
        raise SetupFailed(f"{VENV} is not a folder; move it away, then run the same command again.")
    if VENV.is_dir() and any(VENV.iterdir()) and not (VENV / "pyvenv.cfg").exists():
        raise SetupFailed(f"{VENV} is not a virtual environment; move it away, then run the same command again.")
    if VENV.is_dir():
        shutil.rmtree(VENV)


def quiet() -> tuple[str, ...]:
    """Show the installers' progress to a person, and only their errors to a log."""
    return () if sys.stderr.isatty() else ("--quiet",)


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
    if (ROOT / "tests" / "browser").is_dir():
        install_browser()
        install_axe()
    os.chdir(ROOT)
    return run(PYTHON, "-m", "pytest", *(arguments or ("--numprocesses=auto", "--dist=loadfile", "-m", "not slow")))


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


def environment() -> dict[str, str]:
    """Return the caller's environment without what would lead Python to other packages (pip's settings stay)."""
    stray = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    return {name: value for name, value in os.environ.items() if name not in stray}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
