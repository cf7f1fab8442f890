"""A command line run in this process: its exit code, stdout and stderr."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from closedchain.cli import main


@dataclass(frozen=True)
class Done:
    """What a command line did; `err` without the notice of a first compilation."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out, parse_constant=_refuse)


def _refuse(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def call(*argv: str) -> Done:
        capsys.readouterr()
        code = main(argv)
        out, err = capsys.readouterr()
        lines = [line for line in err.splitlines(keepends=True) if "compiling the model's equations" not in line]
        return Done(code, out, "".join(lines))

    return call
