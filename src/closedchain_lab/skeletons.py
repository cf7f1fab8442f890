"""`closedchain lab new`: fresh files for a group to start from."""

import importlib
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from closedchain import load
from closedchain.errors import BadInput
from closedchain.files import atomic_write

FILES = ("model_test.py", "inverse_model_test.py", "model_eval.py", "control.py", "README.md")
EXERCISE = {"README.md": "README_exercise.md"}  # of robots whose models alone are the task


def create(robot: str, folder: Path) -> list[Path]:
    """Write the files of a robot into a new or empty folder; their paths."""
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{str(folder)[:200]!r} is a file; name a new folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise BadInput(f"{str(folder)[:200]!r} is not empty, and nothing is overwritten; name a new folder")
    texts = _texts(robot)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        atomic_write(folder / name, text)
    return [folder / name for name in texts]


def _texts(robot: str) -> dict[str, str]:
    """The lab's robots have a robot to be controlled; of the others the models alone are the task."""
    words = tomllib.loads(template("words.toml")).get(robot) or _words(robot)
    files = {name: name for name in FILES} if "GOAL" in words else EXERCISE | {"model_test.py": "model_test_any.py"}
    if robot in ("triplate", "furuta"):
        files |= {"model_test.py": f"model_test_{robot}.py"}
    models = template("models_any.py" if "FUNCTIONS" in words else f"models_{robot}.py")
    texts = {f"{words['MODELS']}.py": models} | {name: template(source) for name, source in files.items()}
    return {name: fill(text, words) for name, text in texts.items()}


def _words(robot: str) -> dict[str, str]:
    """Those of any robot: its functions as the grader asks for them, and its numbers."""
    exercises = importlib.import_module("closedchain_lab.grading.models").exercises  # which compiles the robot
    (asked,) = exercises(robot, 0)
    file = f"{asked.robot}_models"
    units = {p.name: p.unit for p in load(robot).recipe.description.parameters}
    numbers = "\n".join(f"{name} = {value!r}  # [{units[name] or '-'}]" for name, value in asked.constants.items())
    shows = {"SHOWS": "a drawing of every solution, where there are some"}
    source = {"ROBOT": robot if robot == asked.robot else str(Path(robot).absolute()), "TITLE": asked.robot}
    functions = "\n\n\n".join(_function(question, file) for question in asked.questions.values())
    return source | {"MODELS": file, "NUMBERS": numbers, "FUNCTIONS": functions} | shows


def _function(question: Any, file: str) -> str:
    outputs = ", ".join(question.outputs)
    says = "" if question.single else "Every "
    says += f"({outputs})" + ("." if question.single else ", in any order: a list, empty where there is none.")
    if question.shape is not None:
        says = "J_x and J_q (whole, or its diagonal) of J_x xD + J_q qD = 0."
    head = f"def {question.name}({', '.join(question.arguments)}):"
    return f'{head}\n    """{says}"""\n    raise NotImplementedError("write me: {question.name} in {file}.py")'


def template(name: str) -> str:
    """A file as it is before the robot's words are put in."""
    return resources.files("closedchain_lab").joinpath("templates", f"{name}.txt").read_text(encoding="utf-8")


def fill(text: str, words: dict[str, str]) -> str:
    """The text with a robot's words in place of @WORD@."""
    for name, word in words.items():
        text = text.replace(f"@{name}@", word)
    return text
