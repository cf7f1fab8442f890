"""`closedchain complete`: the scripts in the shells they are for, where these are installed."""

import shutil
import subprocess

import pytest

from closedchain import robots
from closedchain.cli.complete import places
from closedchain.cli.parser import COMMANDS, build

ASKED = {  # what is typed → what must be offered, and what must not
    "closedchain sol": ({"solve"}, {"show"}),
    "closedchain solve ": ({"inverse", "direct"}, {"biglide"}),
    "closedchain solve inverse bi": ({"biglide"}, {"triplate"}),
    "closedchain solve inverse biglide --p": ({"--plot"}, {"--x"}),
    "closedchain verify biglide --engine ": ({"mujoco", "pinocchio"}, {"--motion"}),
    "closedchain simulate biglide-c": ({"biglide-crossing", "biglide-computed-torque"}, {"furuta-swingup"}),
    "closedchain check my_": ({"my_robot.toml"}, {"biglide"}),
    "closedchain schema ": ({"scenario", "design"}, set()),
}


@pytest.fixture
def script(run):
    """The script of a shell."""
    return lambda shell: run("complete", shell).out


def offered(shell, script, folder, typed):
    """What the shell offers there."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    (folder / "my_robot.toml").touch()
    (folder / "script").write_text(script, encoding="utf-8")
    words = typed.split(" ")
    if shell == "bash":
        quoted = " ".join(f"'{word}'" for word in words)
        at = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}"
        ask = f"source ./script; {at}; _closedchain; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    elif shell == "fish":
        ask = f"source ./script; complete -C '{typed}'"
    else:  # zsh completes only where somebody types; what is offered is heard at the function that offers
        quoted = " ".join(f"'{word}'" for word in words)
        hear = "_describe() { print -l -- ${(P)2} }; _files() { print -l -- *(N) }; compdef() { }"
        ask = f"{hear}; source ./script; words=({quoted}); CURRENT={len(words)}; _closedchain"
    done = subprocess.run([path, "-c", ask], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found = {line.split("\t")[0].split(":")[0] for line in done.stdout.splitlines()}
    return {word for word in found if word.startswith(words[-1])}


@pytest.mark.parametrize("typed", ASKED)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_offers_what_fits(shell, typed, script, tmp_path):
    """Commands, names, options, values and files, and nothing that does not belong there."""
    wanted, unwanted = ASKED[typed]
    found = offered(shell, script(shell), tmp_path, typed)
    assert wanted <= found
    assert not unwanted & found


def test_every_command_and_robot_is_known():
    """The table is made from the parser: none is forgotten."""
    found = {place.path: {word for word, _ in place.words} for place in places(build())}
    assert set(COMMANDS) < found[""]
    assert set(robots.names()) < found["show"]
