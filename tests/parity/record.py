"""Record what the program answers today: `python -m tests.parity.record`, after a deliberate change of an answer only.

Every robot, parameter set, working and assembly mode: geometry both ways, all models at a state given either way,
forward dynamics, singularities at poses and on segments; every scenario; which rows `verify` compares.
"""

import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.model.sampling import sample
from closedchain.scenarios.library import names as scenario_names
from tests.parity.answering import ask, spread

FILE = Path(__file__).parent / "answers.json.gz"
ROBOTS = (
    "biglide", "biglide:lab", "delta", "fivebar", "fourbar", "furuta", "furuta:hanging", "furuta:qube",
    "furuta:cazzolato-prime", "rpr3", "rpr3:cusps", "rrr3", "slidercrank", "triplate",
)  # fmt: skip
LINKAGES = ("cartpole", "cartpole:light", "nfourbar:2", "pendulum", "squeezer")
STATES = 12  # random states of each robot, over all of its branches
NUMBER = re.compile(r"^-?\d+\.\d+(e-?\d+)?$")


def words_of(values: np.ndarray) -> str:
    """Numbers as an option takes them, to the last bit."""
    return ",".join(repr(float(v)) for v in values)


def questions() -> Iterator[list[str]]:
    """Every command line."""
    for name in ROBOTS:
        model = load(name)
        yield ["show", name]
        yield from of_states(model)
        yield ["verify", name, "--engine", "mujoco"]
    for name in LINKAGES:
        yield ["show", name]
    for name in scenario_names():
        yield ["simulate", name]


def of_states(model: Model) -> Iterator[list[str]]:
    """What is asked at random states of a robot."""
    rng = np.random.default_rng(1)
    states, name = sample(model, STATES, seed=1, margin=5e-2), model.name
    drives = len(model.driven)
    for i in range(STATES):
        q, x, q_dot, x_dot = (words_of(a[i]) for a in (states.q, states.x, states.q_dot, states.x_dot))
        q_ddot, tau = words_of(rng.standard_normal(model.nq)), words_of(rng.standard_normal(drives))
        if not model.nx:
            yield ["evaluate", name, f"--q={q}", f"--q-dot={q_dot}", f"--q-ddot={q_ddot}"]
            yield ["evaluate", name, f"--q={q}", f"--q-dot={q_dot}", f"--tau={tau}"]
            yield ["evaluate", name, f"--q={q}", f"--q-dot={q_dot}", f"--voltage={tau}"]
            continue
        yield ["solve", "inverse", name, f"--x={x}"]
        yield ["solve", "direct", name, f"--q={q}"]
        for mode in modes(["solve", "direct", name, f"--q={q}"], "assembly"):
            at = ["evaluate", name, f"--q={q}", f"--q-dot={q_dot}", f"--assembly={mode}"]
            yield [*at, f"--q-ddot={q_ddot}"]
            yield [*at, f"--tau={tau}"]
        for mode in modes(["solve", "inverse", name, f"--x={x}"], "working"):
            yield ["evaluate", name, f"--x={x}", f"--x-dot={x_dot}", f"--working={mode}", f"--x-ddot={x_dot}"]
            if i < 3:
                yield ["singular", name, f"--x={x}", f"--working={mode}"]
        if i < 3 and model.nx <= 3:
            yield ["singular", name, f"--from={x}", f"--to={words_of(states.x[i] * 0.9 + 0.1 * states.x[-1 - i])}"]


def modes(words: list[str], kind: str) -> list[str]:
    """The modes that an answer's solutions have, each once."""
    found = [s[kind] for s in ask([*words, "--json"])[1].get("solutions", [])]
    return [mode for mode in dict.fromkeys(found) if set(mode) - {"0"}]


def nearby(words: list[str]) -> list[str]:
    """The same question with its first numbers changed by 1e-14, or with a parameter changed where none is typed."""
    if words[0] in ("show", "verify"):
        return words
    if words[0] == "simulate":
        document = ask([*words, "--json"])[1]
        name, value = next((n, v) for n, v in document["parameters"].items() if v)
        return [*words, "--set", f"{name}={value * (1 + 1e-14)!r}"]
    return [changed(word) for word in words]


def changed(word: str) -> str:
    """An option whose numbers are larger by 1e-14."""
    option, equals, numbers = word.partition("=")
    if not equals or not all(NUMBER.match(n) for n in numbers.split(",")):
        return word
    return f"{option}={','.join(repr(float(n) * (1 + 1e-14)) for n in numbers.split(','))}"


def record() -> None:
    """Ask everything and write the file."""
    rows = []
    for words in questions():
        code, answer = ask([*words, "--json"])
        moved = spread(answer, ask([*nearby(words), "--json"])[1])
        rows.append({"words": words, "code": code, "answer": answer, "moved": moved})
        sys.stderr.write(f"{len(rows)} {code} {' '.join(words)}\n")
    text = json.dumps(rows, separators=(",", ":"), ensure_ascii=False)
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    record()
