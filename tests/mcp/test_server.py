"""`closedchain mcp` beside a small client: every tool answers, what is wrong is told, a call can be cancelled."""

import io
import json
import os
import queue
import random
import subprocess
import sys
import threading

import jsonschema
import pytest

import closedchain as cc
from closedchain.describe.writing import dumps
from closedchain.mcp.server import Server
from closedchain.mcp.tools import TOOLS
from tests.fuzzing import mutated_value

PATIENCE = 300  # [s] for an answer on a busy computer


class Client:
    """Speaks JSON-RPC in lines with a server that it started."""

    def __init__(self, **more):
        command = [sys.executable, "-m", "closedchain", "mcp"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8", env=os.environ | more
        )
        self.heard, self.number, self.notes = queue.Queue(), 0, []
        self.listening = threading.Thread(target=self._listen, daemon=True)
        self.listening.start()

    def _listen(self):
        for line in self.process.stdout:
            self.heard.put(json.loads(line))

    def write(self, text):
        """One line, whatever it is."""
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def send(self, method, params=None, **more):
        """A request without waiting; its number."""
        self.number += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}} | more))
        return self.number

    def answer(self):
        """The next answer; notifications are kept."""
        while True:
            message = self.heard.get(timeout=PATIENCE)
            if "id" in message:
                return message
            self.notes.append(message)

    def ask(self, method, params=None):
        """A request and its result."""
        number = self.send(method, params)
        message = self.answer()
        assert message["id"] == number
        return message

    def call(self, name, **arguments):
        """A tool's result."""
        return self.ask("tools/call", {"name": name, "arguments": arguments})["result"]

    def close(self):
        """End the input; the server's exit code."""
        self.process.stdin.close()
        code = self.process.wait(60)
        self.listening.join(60)
        self.process.stdout.close()
        return code


@pytest.fixture(scope="module")
def client():
    """A server that was greeted."""
    made = Client()
    hello = made.ask(
        "initialize", {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test"}}
    )
    assert hello["result"]["protocolVersion"] == "2025-03-26"
    assert hello["result"]["serverInfo"] == {"name": "closedchain", "version": cc.__version__}
    made.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    yield made
    assert made.close() == 0


def test_every_tool_has_a_schema_that_is_one(client):
    """By JSON Schema's own schema; names and descriptions are there."""
    tools = client.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == list(TOOLS)
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        assert tool["description"].endswith(".")


def test_a_version_that_is_unknown_gets_our_newest():
    """As the protocol asks."""
    other = Client()
    assert other.ask("initialize", {"protocolVersion": "2099-01-01"})["result"]["protocolVersion"] == "2025-06-18"
    assert other.close() == 0


def test_a_robot_is_solved_as_the_command_line_solves_it(client):
    """The document of `solve --json`, as text and as an object."""
    found = client.call("solve", robot="biglide", kind="inverse", at=[0.03, 0.25])
    document = found["structuredContent"]
    assert document["schema"] == "closedchain.solve/1"
    assert [s["working"] for s in document["solutions"]] == ["++", "+-", "-+", "--"]
    assert json.loads(found["content"][0]["text"]) == document
    assert not found["isError"]


def test_a_robot_of_ones_own_comes_as_text(client):
    """A mechanism file in the call, with another length."""
    text = dumps(cc.load("fivebar").recipe)
    told = client.call("load", toml=text)["structuredContent"]
    assert told["robot"] == "fivebar"
    name, value = next(iter(told["parameters"].items()))
    changed = client.call("load", toml=text, values={name: value * 1.5})["structuredContent"]
    assert changed["parameters"][name] == value * 1.5


def test_a_file_that_is_wrong_is_told_as_the_command_line_tells_it(client):
    """In one line, as an error of the tool, not of the protocol."""
    found = client.call("load", toml="name = 3")
    assert found["isError"]
    assert "robot.toml" in found["content"][0]["text"]


def test_no_solution_is_an_answer(client):
    """Exit code 4: the document says why."""
    found = client.call("solve", robot="biglide", kind="inverse", at=[0.17, 0.25])
    assert not found["isError"]
    assert "misses" in found["structuredContent"]["why"]


@pytest.mark.parametrize(
    "name, arguments, has",
    [
        ("list_robots", {}, "robots"),
        ("list_scenarios", {}, "scenarios"),
        ("check", {"robot": "fourbar"}, "verdict"),
        ("evaluate", {"robot": "biglide", "q": [0.1, 0.02], "q_dot": [0.3, -0.2], "assembly": "-"}, "tau"),
        ("singular", {"robot": "biglide", "x": [0.03, 0.25], "working": "--"}, "robot"),
        ("singular", {"robot": "biglide", "from": [0.0, 0.2], "to": [0.1, 0.3]}, "robot"),
        ("simulate", {"scenario": "biglide-computed-torque", "values": {"controller.kp": 50.0}}, "max_error"),
        ("verify", {"robot": "biglide", "engine": "mujoco", "motion": "oscillation", "states": 5}, "ok"),
        ("equations", {"robot": "biglide", "format": "text"}, "source"),
        ("schema", {"kind": "scenario"}, "title"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_each_tool_answers(client, name, arguments, has):
    """With its document."""
    found = client.call(name, **arguments)
    assert not found["isError"], found
    assert has in found["structuredContent"]


def test_every_tool_was_called_here():
    """A new tool is tried too."""
    tried = {mark.args[1][i][0] for mark in test_each_tool_answers.pytestmark for i in range(len(mark.args[1]))}
    assert tried | {"load", "solve", "export"} == set(TOOLS)


@pytest.mark.parametrize("form, count", [("mjcf", 1), ("c", 2), ("html", 1)])
def test_exports_come_back_as_resources(client, form, count):
    """Their text in the answer, no path of this computer."""
    found = client.call("export", robot="biglide", to=form)
    files = [part["resource"] for part in found["content"] if part["type"] == "resource"]
    assert len(files) == count == len(found["structuredContent"]["written"])
    assert all(len(file["text"]) > 500 for file in files)
    assert "closedchain-mcp-" not in json.dumps(found)


@pytest.mark.parametrize(
    "name, arguments, message",
    [
        ("solve", {"robot": "biglide", "kind": "inverse"}, "solve needs 'at'"),
        ("solve", {"robot": "biglide", "kind": "both", "at": [0, 0]}, "kind does not fit"),
        ("solve", {"robot": "biglide", "kind": "inverse", "at": [0, "0.1; rm"]}, "at does not fit"),
        ("solve", {"kind": "inverse", "at": [0, 0]}, "give either robot"),
        ("load", {"robot": "../secret.toml"}, "robot does not fit"),
        ("load", {"robot": "biglide", "colour": "red"}, "no argument 'colour'"),
        ("load", {"robot": "biglide", "values": {"l --plot": 1}}, "values does not fit"),
        ("verify", {"robot": "biglide", "motion": "secret.csv"}, "files are not read"),
        ("simulate", {"scenario": "a", "toml": "b"}, "give either scenario"),
        ("nothing", {}, "no tool 'nothing'; there are list_robots"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(client, name, arguments, message):
    """An error of the protocol, with what is wrong."""
    refused = client.ask("tools/call", {"name": name, "arguments": arguments})["error"]
    assert refused["code"] == -32602
    assert message in refused["message"]


@pytest.mark.parametrize(
    "line, code",
    [
        ("{", -32700),
        ("[]", -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": 3}', -32600),
        ("[" * 100_000, -32700),
        ('{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', -32700),
        ('{"jsonrpc": "2.0", "id": 1e400, "method": "ping"}', -32700),
    ],
)
def test_what_is_no_message_is_told_and_the_server_goes_on(client, line, code):
    """By JSON-RPC's numbers."""
    client.write(line)
    assert client.answer()["error"]["code"] == code
    assert client.ask("ping")["result"] == {}


def test_mutated_messages_are_answered_or_told_in_a_line(monkeypatch):
    """A thousand of them, from a seed each: every line said is JSON, and the server hears the next one."""
    out = io.StringIO()
    server = Server(out)
    monkeypatch.setattr(server.pool, "submit", lambda *call: None)  # what a call does is the command line's
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "solve", "arguments": {
            "robot": "biglide", "kind": "inverse", "at": [0.03, 0.25]}, "_meta": {"progressToken": 3}}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "load", "arguments": {"toml": "a = 1"}}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "a"}},
    ]  # fmt: skip
    for seed in range(1000):
        rng = random.Random(f"mcp {seed}")
        message = rng.choice(asked)
        for _ in range(rng.choice((1, 2, 3))):
            message = mutated_value(message, rng)
        line = json.dumps(message)
        server.hear(line if rng.random() < 0.8 else line[: rng.randrange(len(line) + 1)] or "{")
    said = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(said) > 300
    assert all(("result" in one) != ("error" in one) for one in said)


def test_an_unknown_method_is_told(client):
    """With those that there are."""
    assert client.ask("resources/list")["error"]["code"] == -32601


def test_a_call_that_is_cancelled_is_not_answered(client):
    """The process that worked on it is ended; the next question is answered."""
    arguments = {"robot": "triplate", "engine": "all", "states": 10_000}
    number = client.send("tools/call", {"name": "verify", "arguments": arguments})
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
    client.write(json.dumps(cancelled))
    assert client.ask("ping")["result"] == {}
    assert client.call("list_robots")["structuredContent"]["robots"]


def test_progress_is_told_to_those_who_ask(tmp_path):
    """Where nothing is compiled yet: what the command line says of it on stderr, with the token."""
    other = Client(CLOSEDCHAIN_CACHE=str(tmp_path))
    params = {"name": "evaluate", "arguments": {"robot": "fourbar", "q": [0.5], "assembly": "+"}}
    other.ask("tools/call", params | {"_meta": {"progressToken": "t"}})
    assert [note["params"]["progressToken"] for note in other.notes] == ["t"]
    assert "compiling" in other.notes[0]["params"]["message"]
    assert other.close() == 0
