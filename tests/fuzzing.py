"""Mutated files and command lines, and what no command may do with them.

A command ends with a documented exit code, tells a failure in lines that begin with `closedchain:`, prints whole JSON
or none, and never prints a NaN. Every case follows from its seed alone.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from closedchain.cli.main import main

CODES = {0, 1, 2, 3, 4, 5}
LONGEST = 120  # [s] of one command on a busy machine
NUMBERS = [
    "0", "-0.0", "1", "-1", "2", "0.5", "1e-3", "1e-9", "1e-300", "5e-324", "1e9", "1e150", "1e300", "1.8e308",
    "1e400", "nan", "inf", "-inf", "+nan", "true", "false", "99999999999999999999", "-7", "3.0000000000000004",
    "0x10", "1_000",
]  # fmt: skip
TEXTS = [
    "", " ", "l", "2*l", "-l", "l/0", "1/0", "0/0", "sqrt(-1)", "log(0)", "l**l", "9**9**9", "exp(1000)", "90 mm",
    "200 g", "kg", "1e400", "nan", "q1", "x", "__import__('os')", "a" * 300, "\\u0000", "é", "++", "-+", "+1",
    "../../etc/passwd", "[1, 2]", "atan2(0, 0)", "1e308*10", "C", "A1", "m", "deg", "0.1:0.2:3",
    "normal(0.3, 0)", "plate",
]  # fmt: skip
VALUES = [
    "[]",
    "{}",
    "[0]",
    "[0, 0]",
    "[0, 0, 0]",
    "[1, 1]",
    '["l", "l"]',
    "[[0, 1], [1, 0]]",
    "1979-05-27",
    '[""]',
    "[true]",
]
WORDS = [
    "", "-", "--", "=", "nan", "inf", "1e400", "0", "-1", "99999999999", "é", "a" * 300, "\x01", "--json", "--help=1",
    "../x", "0,0", "0.1,0.2", "0.1,0.2,0.3", "1e300,1e300", "0,nan", "1 kg,2 kg", "l=0", "l=-1", "l=200g",
    "m_p=1e300", "x=3", "++", "+-", "--+", "/", ".", "/dev/full", "no/such/folder/file", "file.xyz", "biglide",
    "furuta", "squeezer", "disc:0,0,0", "0:1:3", "normal(0,0)", "0.001", "10deg", "-3.5e-7", "0.3 m", "0.1;0.2",
    "type", "mujoco",
]  # fmt: skip
_NUMBER = re.compile(r"(?<![\w./])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
_LITERAL = re.compile(_NUMBER.pattern + r"(?=[^\"\n]*(?:\"[^\"\n]*\"[^\"\n]*)*$)", re.MULTILINE)  # not in quotes
_STRING = re.compile(r'"[^"\n]*"')
_NAN = re.compile(r"(?<![\w/.'\"-])[-+]?nan(?![\w.'\"])", re.IGNORECASE)


@dataclass(frozen=True)
class Outcome:
    """What a command line did."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str

    def faults(self, told: str) -> list[str]:
        """What it did that no command may do; `told` is what the user wrote, who may have said nan himself."""
        found = [] if self.code in CODES else [f"exit code {self.code}"]
        if "Traceback" in self.out + self.err:
            found.append("a traceback")
        told_on_stdout = self.code in (0, 1) or (self.code == 4 and self.out)
        if not told_on_stdout and not re.search("^closedchain:", self.err, re.MULTILINE):
            found.append("no line that says why")
        if "--json" in self.words and self.out:
            try:
                json.loads(self.out, parse_constant=_refuse)
            except ValueError as error:
                found.append(f"not JSON: {error}")
        if self.words[:1] not in (("export",), ("show",)) and _NAN.search(self.out) and not _NAN.search(told):
            found.append("a NaN")
        return found


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is in it")


class TooLong(BaseException):
    """A command that does not come to an end; nothing of ours catches it."""


def run(words: Sequence[str], folder: Path) -> Outcome:
    """A command line in this process, in a folder of its own."""
    before, out, err = Path.cwd(), io.StringIO(), io.StringIO()
    os.chdir(folder)
    try:
        with _limited(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(list(words))
    except TooLong:
        code = -1
    except BaseException as error:  # whatever came through is the finding
        code = -2
        err.write(f"Traceback: {type(error).__name__}: {error}")
    finally:
        os.chdir(before)
    return Outcome(tuple(words), code, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Ends the block after LONGEST seconds, where the system has alarms and this is the main thread."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def mutated_text(source: str, rng: random.Random) -> str:
    """A TOML text with one to three changes, half of them such that it may still be one of its kind."""
    changes = rng.choice((CHANGES, GENTLE))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        source = rng.choice(changes)(source, rng)
    return source


def _swap_match(pattern: re.Pattern[str], source: str, rng: random.Random, new: Callable[[], str]) -> str:
    found = list(pattern.finditer(source))
    if not found:
        return source
    match = rng.choice(found)
    return source[: match.start()] + new() + source[match.end() :]


def _number(source: str, rng: random.Random) -> str:
    return _swap_match(_NUMBER, source, rng, lambda: rng.choice(NUMBERS))


def _scaled(source: str, rng: random.Random) -> str:
    """A number that is still one: the file stays a robot, of odd sizes."""
    found = list(_LITERAL.finditer(source)) or list(_NUMBER.finditer(source))
    if not found:
        return source
    match = rng.choice(found)
    value = float(match[0]) * rng.choice((-1.0, 0.0, 0.1, 0.9, 1.1, 3.0, 1e3, 1e-3, 1e6, 1e-6))
    return source[: match.start()] + repr(value) + source[match.end() :]


def _text(source: str, rng: random.Random) -> str:
    return _swap_match(_STRING, source, rng, lambda: f'"{rng.choice(TEXTS)}"')


def _borrowed(source: str, rng: random.Random) -> str:
    """A text of the file in the place of another."""
    words = _STRING.findall(source) or ['""']
    return _swap_match(_STRING, source, rng, lambda: rng.choice(words))


def _value(source: str, rng: random.Random) -> str:
    new = lambda: f"= {rng.choice([*VALUES, *NUMBERS, *(json.dumps(t) for t in TEXTS)])}"  # noqa: E731 used once
    return _swap_match(re.compile(r"=[^\n]*$", re.MULTILINE), source, rng, new)


def _lines(source: str, rng: random.Random) -> str:
    """A line that goes, comes twice, or moves."""
    lines = source.split("\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(3):
        case 0:
            del lines[i]
        case 1:
            lines.insert(j, lines[i])
        case _:
            lines.insert(j, lines.pop(i))
    return "\n".join(lines)


def _key(source: str, rng: random.Random) -> str:
    keys = re.findall(r"^(\w+) *=", source, re.MULTILINE) or ["key"]
    new = lambda: rng.choice([*keys, "mass", "near", "free", "x", "schema", "é"])  # noqa: E731 used once
    return _swap_match(re.compile(r"^\w+(?= *=)", re.MULTILINE), source, rng, new)


def _character(source: str, rng: random.Random) -> str:
    at = rng.randrange(len(source) + 1)
    return source[:at] + rng.choice('"[]{}=.,#\n\x00\\é-+*/0e_ ') + source[at + rng.randrange(2) :]


def _cut(source: str, rng: random.Random) -> str:
    return source[: rng.randrange(len(source) + 1)]


CHANGES: list[Callable[[str, random.Random], str]] = [
    _number, _scaled, _text, _borrowed, _value, _lines, _key, _character, _cut,
]  # fmt: skip
GENTLE: list[Callable[[str, random.Random], str]] = [*[_scaled] * 6, _borrowed]


def mutated_words(words: Sequence[str], rng: random.Random) -> list[str]:
    """A command line with one to three changes; the command itself stays mostly."""
    words = list(words)
    for _ in range(rng.choice((1, 1, 2, 3))):
        i = rng.randrange(1 if rng.random() < 0.95 else 0, len(words) + 1)
        match rng.randrange(6):
            case 0:
                words.insert(i, rng.choice(WORDS))
            case 1 if i < len(words):
                del words[i]
            case 2 if i < len(words):
                words.insert(rng.randrange(1, len(words)) if len(words) > 1 else 0, words[i])
            case 3 if i < len(words):
                words[i] = _number(words[i], rng)
            case 4 if i < len(words):
                words[i] = _scaled(words[i], rng)
            case _ if i < len(words):
                words[i] = rng.choice(WORDS)
    return words or ["list"]


ODD = [0, -1, 1e-300, 1e300, -1e9, 3, 0.3, True, None, "", "++", "+1", "biglide", [], {}, [0.1], [0.1, 0.2, 0.3], "é"]


def mutated_value(value: Any, rng: random.Random) -> Any:
    """A JSON value with one leaf or field changed, taken away or put in."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        if rng.random() < 0.08:
            return {k: v for k, v in value.items() if k != key}
        return value | {key: mutated_value(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        i = rng.randrange(len(value))
        match rng.randrange(8):
            case 0:
                return value[:i] + value[i + 1 :]
            case 1:
                return [*value, value[i]]
        return [*value[:i], mutated_value(value[i], rng), *value[i + 1 :]]
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.7:
        return value * rng.choice((-1, 0, 10, 1e6, 1e-9, 1.1, 1e200))
    return rng.choice(ODD)
