"""`closedchain lab new`: fresh files for a group to start from."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from closedchain.errors import BadInput
from closedchain.files import atomic_write

FILES = ("model_test.py", "inverse_model_test.py", "model_eval.py", "control.py", "README.md")
WORDS = {
    "biglide": {
        "ROBOT": "biglide", "TITLE": "biglide", "MODELS": "biglide_models", "EFFORT": "0.05",
        "GOAL": "(0.06, 0.3)", "PARAMETER": "l=0.3606", "SECONDS": "60",
    },
    "fivebar": {
        "ROBOT": "five_bar", "TITLE": "five-bar", "MODELS": "five_bar_models", "EFFORT": "0.001",
        "GOAL": "(0.0, 0.1)", "PARAMETER": "d=0.12", "SECONDS": "25",
    },
    "triplate": {
        "ROBOT": "triplate", "TITLE": "triplate", "MODELS": "triplate_models",
        "SHOWS": "a drawing of every inverse solution, `triplate.svg`",
    },
    "furuta": {
        "ROBOT": "furuta", "TITLE": "Furuta pendulum", "MODELS": "furuta_models",
        "SHOWS": "an animation of two seconds at 5 V, `furuta.html`",
    },
}  # fmt: skip
EXERCISE = {"README.md": "README_exercise.md"}  # of robots whose models alone are the task


class NotEmpty(BadInput):
    """A folder in which someone works."""


def create(robot: str, folder: Path) -> list[Path]:
    """Write the files of a robot into a new or empty folder; their paths."""
    if robot not in WORDS:
        raise BadInput(f"no lab for {robot!r:.40}; there are {', '.join(WORDS)}")
    if folder.exists() and not folder.is_dir():
        raise NotEmpty(f"{str(folder)[:200]!r} is a file; name a new folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise NotEmpty(f"{str(folder)[:200]!r} is not empty, and nothing is overwritten; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    lab = "GOAL" in WORDS[robot]  # with a robot to be controlled
    files = dict.fromkeys(FILES) if lab else EXERCISE | {"model_test.py": f"model_test_{robot}.py"}
    texts = {f"{WORDS[robot]['MODELS']}.py": template(f"models_{robot}.py")}
    texts |= {name: template(source or name) for name, source in files.items()}
    for name, text in texts.items():
        atomic_write(folder / name, fill(text, WORDS[robot]))
    return [folder / name for name in texts]


def template(name: str) -> str:
    """A file as it is before the robot's words are put in."""
    return resources.files("closedchain.lab").joinpath("templates", f"{name}.txt").read_text(encoding="utf-8")


def fill(text: str, words: dict[str, str]) -> str:
    """The text with a robot's words in place of @WORD@."""
    for name, word in words.items():
        text = text.replace(f"@{name}@", word)
    return text
