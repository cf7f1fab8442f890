"""Messages of the right form and absurd content, and a thousand connections: an answer or a sentence each."""

import asyncio
import contextlib
import io
import json
import random

import pytest

from closedchain import robots
from closedchain.describe.writing import dumps
from closedchain.studio.checking import BadMessage, check
from closedchain.studio.limits import Limits
from closedchain.studio.messages import OPERATIONS
from closedchain.studio.worker import answer, send
from tests.fuzzing import mutated_value
from tests.studio.server import browser, run, studio

BIGLIDE = {"source": "biglide", "values": {"l": 0.36}}
SCENARIO = {
    "schema": "closedchain.scenario/1",
    "robot": "biglide",
    "interval": 0.005,
    "controller": {"kind": "computed-torque", "kp": 100, "kd": 20},
    "trajectory": {"kind": "quintic", "from": [0, 0.3], "to": [0.05, 0.35], "duration": 0.05, "working": "++"},
}
WORDS = (b"", b"GET / HTTP/1.1\r\nHost: ", b"\x16\x03\x01 nonsense \r\n\r\n", b"GET /ws HTTP/1.1\r\n")
REQUESTS = [
    ("robot", {"robot": BIGLIDE}),
    ("solve", {"robot": BIGLIDE, "x": [0.03, 0.25]}),
    ("solve", {"robot": {"source": "rrr3"}, "x": [0.1, 0.2, 0.1]}),
    ("solve", {"robot": BIGLIDE, "q": [0.1, 0.02]}),
    ("at", {"robot": BIGLIDE, "q": [-0.0252, -0.0673], "x": [0.03, 0.25]}),
    ("along", {"robot": BIGLIDE, "start": [0.0, 0.3], "end": [0.1, 0.4], "working": "++", "samples": 20}),
    ("path", {"robot": BIGLIDE, "working": "++", "corners": [[0.0, 0.3], [0.05, 0.3], [0.05, 0.35]]}),
    ("path", {"robot": BIGLIDE, "working": "++", "circle": {"centre": [0, 0.3], "radius": 0.05}}),
    ("define", {"toml": dumps(robots.find("fourbar"))}),
    ("python", {"robot": BIGLIDE, "screen": "explore", "state": {"q": [0, 0], "x": [0, 0.3]}}),
    ("map", {"robot": BIGLIDE, "quantity": "det_A", "working": "++", "window": [-0.2, 0.2, 0.1, 0.4], "shape": [6, 6]}),
    ("loci", {"robot": BIGLIDE, "working": "++", "window": [-0.2, 0.2, 0.1, 0.4], "lines": 6}),
    ("cusps", {"robot": {"source": "rpr3"}, "drive": "rho1", "value": 14.98, "lines": 6}),
    ("aspects", {"robot": BIGLIDE, "working": "++", "window": [-0.2, 0.2, 0.1, 0.4], "shape": [6, 6]}),
    ("plan", {"robot": BIGLIDE, "start": [0, 0.3], "end": [0.05, 0.35], "obstacles": [
        {"kind": "disc", "corners": [[0.3, 0.1]], "radius": 0.01}]}),
    ("scenario", {"scenario": SCENARIO}),
]  # fmt: skip


def fault(seed):
    """What an operation did wrong with a mutated request; empty if nothing."""
    rng = random.Random(f"studio {seed}")
    op, fields = rng.choice(REQUESTS)
    for _ in range(rng.choice((1, 1, 2, 3))):
        fields = mutated_value(fields, rng)
    if not isinstance(fields, dict):
        return ""
    try:
        body = check(OPERATIONS[op].request, json.loads(json.dumps(fields)))
    except BadMessage:
        return ""
    kind, made = answer(op, body | {"kernels": ""}, lambda *told: None)  # an address, which the server adds
    if kind == b"E" and made["kind"] == "internal":
        return f"{seed}: {op} {json.dumps(fields)[:300]}: {made['message']}"
    with contextlib.suppress(OverflowError):  # which the worker tells as numbers beyond double precision
        send(io.BytesIO(), kind, made)
    return ""


@pytest.mark.filterwarnings("ignore")
def test_absurd_requests_are_answered_or_told_in_a_sentence():
    """None is a bug of ours, and no answer holds a NaN."""
    assert [found for seed in range(60) if (found := fault(seed))] == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("start", range(60, 1060, 100))
def test_a_thousand_absurd_requests_are_answered_or_told_in_a_sentence(start):
    """As above, in hundreds."""
    assert [found for seed in range(start, start + 100) if (found := fault(seed))] == []


@pytest.mark.parametrize("x", [-1e9, "x", {}, None, [None, "a"]])
@pytest.mark.parametrize(
    "path", [None, 3, {"kind": "circle", "centre": 1.0, "radius": 1, "angle": 0}, {"kind": "spline"}]
)
def test_a_screen_of_any_content_is_a_script(x, path):
    """The page's state is free in form; what is no list of numbers is left out."""
    state = {"x": x, "path": path, "working": 3}
    body = check(OPERATIONS["python"].request, {"robot": BIGLIDE, "screen": "explore", "state": state})
    kind, made = answer("python", body, lambda *told: None)
    assert kind == b"J", made
    compile(made["code"], "script", "exec")


def test_a_thousand_connections_do_not_reach_whoever_is_inside(tmp_path):
    """They say nothing, half a head, or nonsense, fifty at a time: the page goes on, and a new one is let in after."""

    async def intruder(port, number):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(
                (b"", b"GET / HTTP/1.1\r\nHost: ", b"\x16\x03\x01 nonsense \r\n\r\n", b"GET /ws HTTP/1.1\r\n")[
                    number % 4
                ]
            )
            await asyncio.wait_for(reader.read(), 5.0)
            writer.close()
        except (OSError, TimeoutError):
            return

    async def test():
        async with studio(tmp_path, Limits(header=0.3, hello=0.3, connections=20)) as running:
            async with browser(running, hello=False) as inside:
                await inside.send("hello", token=running.desk.doors.token)
                for wave in range(20):
                    flood = asyncio.gather(*(intruder(running.port, 50 * wave + k) for k in range(50)))
                    assert (await inside.ask("files"))["ok"]
                    await flood
            async with browser(running, hello=False) as again:
                await again.send("hello", token=running.desk.doors.token)
                assert (await again.ask("files"))["ok"]

    run(test())
