"""The doors: foreign names, origins and tokens, paths that lead outside, bytes that are too many or too slow.

Each is refused, says nothing of the server's inside, and leaves the server alive.
"""

import asyncio
import json
import os
import random
import string
import sys

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from closedchain.studio.limits import Limits
from closedchain.studio.security import doors
from closedchain.studio.workspace import NotInWorkspace, Workspace
from tests.studio.server import browser, get, http, run, studio

REQUEST = b"GET / HTTP/1.1\r\nHost: %s\r\n%s\r\n"


async def assert_alive(running):
    """The page is served and a browser with the token is admitted."""
    status, _, _ = await get(running, "/")
    assert status in (200, 503)  # 503 where the page is not built
    async with browser(running, hello=False) as one:
        await one.send("hello", token=running.desk.doors.token)
        await one.send("files")
        assert (await one.answer(2))["ok"]


async def closing_code(running, *messages, origin=None):
    """With which code a WebSocket is closed that sends these messages."""
    async with connect(f"ws://{running.host}/ws", origin=origin or running.origin) as socket:
        try:
            for message in messages:
                await socket.send(message)
            while True:
                await socket.recv()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None


HOSTS = ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.:{port}", "", "[::1]:{port}"]


def test_a_foreign_host_is_refused(tmp_path):
    """Also a foreign name with the right port, as DNS rebinding brings it."""

    async def test():
        async with studio(tmp_path) as running:
            for host in HOSTS:
                name = host.format(port=running.port)
                got = await http(running, REQUEST % (name.encode(), b"Connection: close\r\n"))
                assert got.split()[1] in (b"421", b"400")
                upgrade = (
                    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: " + running.origin.encode() + b"\r\n"
                )
                got = await http(running, b"GET /ws HTTP/1.1\r\nHost: %s\r\n%s\r\n" % (name.encode(), upgrade), 1.0)
                assert got.split()[1] in (b"403", b"400")
            await assert_alive(running)

    run(test())


def test_two_hosts_or_none_are_refused(tmp_path):
    """A request has one Host."""

    async def test():
        async with studio(tmp_path) as running:
            host = f"Host: {running.host}\r\n".encode()
            for lines in (b"", host + b"Host: evil.example\r\n", host + host):
                got = await http(running, b"GET / HTTP/1.1\r\n%sConnection: close\r\n\r\n" % lines)
                assert got.split()[1] in (b"421", b"400")
            await assert_alive(running)

    run(test())


ORIGINS = ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{port}", ""]


def test_a_foreign_origin_is_refused(tmp_path):
    """On the WebSocket and on plain requests, compared with the list and not with the Host."""

    async def test():
        async with studio(tmp_path) as running:
            for origin in ORIGINS:
                asked = origin.format(port=running.port)
                with pytest.raises(InvalidStatus) as refused:
                    async with connect(f"ws://{running.host}/ws", additional_headers={"Origin": asked}):
                        pass
                assert refused.value.response.status_code == 403
                status, _, _ = await get(running, "/", f"Origin: {asked}")
                assert status == 403
            await assert_alive(running)

    run(test())


def test_a_websocket_without_an_origin_is_refused(tmp_path):
    """Programs that are no browser do not come in by accident."""

    async def test():
        async with studio(tmp_path) as running:
            with pytest.raises(InvalidStatus):
                async with connect(f"ws://{running.host}/ws"):
                    pass
            await assert_alive(running)

    run(test())


FIRST = [
    '{"id": 1, "op": "hello"}',
    '{"id": 1, "op": "hello", "token": ""}',
    '{"id": 1, "op": "hello", "token": "%s"}',
    '{"id": 1, "op": "hello", "token": null}',
    '{"id": 1, "op": "hello", "token": ["a"]}',
    '{"id": 1, "op": "hello", "token": "\\ud800"}',
    '{"id": 1, "op": "files"}',
    "not json",
    b"\x00\x01",
]


def test_without_the_token_nothing_is_answered(tmp_path):
    """Wrong, missing, of another type, or something else first: closed with 4401 and no word."""

    async def test():
        async with studio(tmp_path) as running:
            wrong = running.desk.doors.token[:-1] + ("A" if running.desk.doors.token[-1] != "A" else "B")
            for first in FIRST:
                message = first % wrong if isinstance(first, str) and "%s" in first else first
                assert await closing_code(running, message, '{"id": 2, "op": "files"}') == 4401
            await assert_alive(running)

    run(test())


def test_the_token_has_192_bits_and_is_new_each_time():
    """24 bytes in URL-safe base64, compared whole."""
    tokens = {doors("127.0.0.1", 8000).token for _ in range(50)}
    assert len(tokens) == 50
    assert {len(t) for t in tokens} == {32}
    one = doors("127.0.0.1", 8000)
    assert one.admits(one.token)
    assert not one.admits(one.token + " ")
    assert not one.admits(b"")


PATHS = [
    "/../../../../etc/passwd",
    "/assets/../../socket.py",
    "/assets/..%2f..%2fsocket.py",
    "/assets/%2e%2e/%2e%2e/socket.py",
    "/assets/..%252f..%252fsocket.py",
    "/assets/%5c..%5csocket.py",
    "/assets//etc/passwd",
    "//etc/passwd",
    "/assets/%00",
    "/assets/",
    "/socket.py",
    "/k/../../etc/passwd.js",
    "/k/" + "0" * 48 + ".js",
    "/files/" + "0" * 32 + "/run.npz",
    "/files/..%2f..%2fetc/passwd",
    "/assets/" + "a" * 400,
]


def test_paths_lead_nowhere_but_to_the_page(tmp_path):
    """Encoded, doubly encoded, absolute: 404 without a word of the file system."""

    async def test():
        async with studio(tmp_path) as running:
            for path in PATHS:
                status, headers, body = await get(running, path)
                assert (status, body) == (404, b"nothing here\n"), path
                assert headers["x-content-type-options"] == "nosniff"
            status, _, _ = await get(running, "/" + "a" * 600)
            assert status == 414
            await assert_alive(running)

    run(test())


def test_every_answer_carries_the_headers(tmp_path):
    """No inline code, no framing, no sniffing, no referrer; refusals too."""

    async def test():
        async with studio(tmp_path) as running:
            for path, more in (("/", ()), ("/none", ()), ("/", ("Origin: http://evil.example",))):
                _, headers, _ = await get(running, path, *more)
                policy = headers["content-security-policy"]
                assert policy.startswith("default-src 'none'")
                assert "unsafe" not in policy
                assert headers["referrer-policy"] == "no-referrer"
                assert headers["x-frame-options"] == "DENY"
                assert "server" not in headers
            assert "frame-ancestors 'none'" in (await get(running, "/"))[1]["content-security-policy"]

    run(test())


METHODS = ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "FOO"]


def test_only_get_and_head_are_answered(tmp_path):
    """Nothing here is changed by HTTP."""

    async def test():
        async with studio(tmp_path) as running:
            for method in METHODS:
                path = running.host if method == "CONNECT" else "/"
                status, headers, _ = await get(running, path, method=method)
                assert (status, headers["allow"]) == (405, "GET, HEAD")
            await assert_alive(running)

    run(test())


def test_bodies_are_refused_unread(tmp_path):
    """Announced or in chunks, on any method; a head that never ends, too."""

    async def test():
        async with studio(tmp_path) as running:
            host = running.host.encode()
            large = b"GET / HTTP/1.1\r\nHost: %s\r\nContent-Length: 99999999\r\n\r\n" % host + b"x" * 200_000
            assert (await http(running, large)).split()[1] == b"413"
            chunked = b"GET / HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n" % host
            assert (await http(running, chunked)).split()[1] == b"413"
            endless = b"GET / HTTP/1.1\r\nHost: %s\r\nX: " % host + b"a" * 200_000
            assert (await http(running, endless, 2.0)).split()[1:2] in ([b"400"], [b"431"], [])
            await assert_alive(running)

    run(test())


def test_frames_that_are_too_large_end_the_connection(tmp_path):
    """64 kB of text; binary frames are no requests."""

    async def test():
        async with studio(tmp_path) as running:
            hello = json.dumps({"id": 1, "op": "hello", "token": running.desk.doors.token})
            large = json.dumps({"id": 2, "op": "define", "toml": "a" * 70_000})
            assert await closing_code(running, hello, large) == 1009
            assert await closing_code(running, hello, b"binary") == 1003
            await assert_alive(running)

    run(test())


def test_slow_clients_are_dropped(tmp_path):
    """Half a head, a head in drops, a second request in drops, a WebSocket that never says hello."""

    async def drops(running, text, pause=0.2):
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        for byte in text:
            writer.write(bytes([byte]))
            await asyncio.sleep(pause)
            if reader.at_eof():
                break
        got = await asyncio.wait_for(reader.read(), 5.0)
        writer.close()
        return got

    async def test():
        async with studio(tmp_path, Limits(header=0.6, hello=0.6)) as running:
            slow = b"GET / HTTP/1.1\r\nHost: " + b"a" * 20
            first, nothing, code = await asyncio.gather(
                drops(running, slow), http(running, b"", 5.0), closing_code(running)
            )
            assert (first, nothing, code) == (b"", b"", 4408)
            request = b"GET /none HTTP/1.1\r\nHost: %s\r\n\r\n" % running.host.encode()
            reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
            writer.write(request + b"GET /")
            got = await asyncio.wait_for(reader.read(), 5.0)
            assert got.count(b"HTTP/1.1 404") == 1
            writer.close()
            await assert_alive(running)

    run(test())


def test_a_browser_that_stays_is_not_dropped(tmp_path):
    """The clock of the head stops at the handshake."""

    async def test():
        async with studio(tmp_path, Limits(header=0.3, hello=5.0)) as running, browser(running, hello=False) as one:
            await one.send("hello", token=running.desk.doors.token)
            await asyncio.sleep(1.0)
            assert (await one.ask("files"))["ok"]

    run(test())


def test_too_many_connections_are_closed(tmp_path):
    """Those that are open go on."""

    async def test():
        async with studio(tmp_path, Limits(connections=5, sockets=2)) as running:  # noqa: SIM117 (the next needs it)
            async with browser(running, hello=False) as one, browser(running, hello=False):
                with pytest.raises((InvalidStatus, ConnectionClosed)):
                    async with connect(f"ws://{running.host}/ws", origin=running.origin) as third:
                        await third.recv()
                held = [await asyncio.open_connection("127.0.0.1", running.port) for _ in range(8)]
                ended = await asyncio.gather(
                    *(asyncio.wait_for(r.read(), 0.5) for r, _ in held), return_exceptions=True
                )
                assert ended.count(b"") >= 4
                await one.send("hello", token=running.desk.doors.token)
                assert (await one.ask("files"))["ok"]
                for _, writer in held:
                    writer.close()

    run(test())


def test_malformed_messages_are_answered_and_forgotten(tmp_path):
    """Thousands of random and mutilated ones on one connection; each gets one error, none a traceback."""

    async def test():
        chance = random.Random(7)
        seeds = ['{"id":5,"op":"solve","robot":{"source":"biglide"},"x":[0,0]}', '{"id":1,"op":"cancel","target":9}']
        async with studio(tmp_path) as running, browser(running, hello=False) as one:
            await one.send("hello", token=running.desk.doors.token)
            count = 3000
            for k in range(count):
                text = chance.choice(seeds)
                if k % 3 == 0:
                    text = "".join(chance.choices(string.printable, k=chance.randrange(40)))
                else:
                    at = chance.randrange(len(text))
                    text = text[:at] + chance.choice('{}[]",:\\\x00é9nul') + text[at + chance.randrange(1, 9) :]
                text = text.replace('"op":"solve"', '"op":"solv"').replace('"op": "solve"', '"op":"solv"')
                await one.socket.send(text)
                message = json.loads(await one.socket.recv())
                if message.get("ok") is not False:
                    continue  # hello's own answer, or a cancel that stayed whole
                assert message["error"]["kind"] in ("usage", "input")
                assert "Traceback" not in message["error"]["message"]
            assert await one.ask("files")  # still answered
            await assert_alive(running)

    run(test())


def test_random_bytes_do_not_end_the_server(tmp_path):
    """On the bare socket, and as WebSocket frames behind a right handshake."""

    async def test():
        chance = random.Random(3)
        async with studio(tmp_path, Limits(header=0.3, hello=0.3)) as running:
            for size in (1, 7, 100, 5000):
                await http(running, chance.randbytes(size), 0.5)
                shake = (
                    f"GET /ws HTTP/1.1\r\nHost: {running.host}\r\nOrigin: {running.origin}\r\nUpgrade: websocket\r\n"
                    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
                ).encode()
                await http(running, shake + chance.randbytes(size), 0.5)
            await assert_alive(running)

    run(test())


# The workspace -------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """A workspace with files, a hidden one, links that lead out of it, and a pipe."""
    (tmp_path / "secret.toml").write_text("secret = 1")
    inside = tmp_path / "work"
    (inside / "sub").mkdir(parents=True)
    (inside / "robot.toml").write_text('name = "a"')
    (inside / "sub" / "group.py").write_text("x = 1")
    (inside / ".hidden.toml").write_text("h = 1")
    (inside / "link.toml").symlink_to(tmp_path / "secret.toml")
    (inside / "way").symlink_to(tmp_path)
    os.mkfifo(inside / "pipe.toml")
    return inside


def test_the_workspace_lists_and_reads_its_own_files(folder):
    """By their paths in it; not what is hidden, nor links."""
    space = Workspace(folder)
    assert space.names(".toml") == ["robot.toml"]
    assert space.names(".py") == ["sub/group.py"]
    assert space.read("sub/group.py") == "x = 1"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_whose_name_is_no_text_is_not_listed(folder):
    """A name in an old encoding: the list of the others still comes."""
    (folder / os.fsdecode(b"\xff.toml")).touch()

    async def test():
        async with studio(folder) as running, browser(running) as one:
            assert (await one.ask("files"))["toml"] == ["robot.toml"]

    run(test())


OUTSIDE = ("../secret.toml", "sub/../../secret.toml", "link.toml", "way/secret.toml", "/etc/passwd", "C:\\windows")
NOT_FILES = (".hidden.toml", "", ".", "pipe.toml", "sub", "missing.toml", "sub\\group.py", "a" * 400, "sub/./../a")


@pytest.mark.parametrize("name", [*OUTSIDE, *NOT_FILES])
def test_nothing_else_is_read(folder, name):
    """Links, `..`, absolute, hidden, and what is no ordinary file."""
    with pytest.raises(NotInWorkspace) as refused:
        Workspace(folder).read(name)
    assert "secret" not in str(refused.value).replace(repr(name), "")


def test_reading_goes_through_the_same_door(folder):
    """Over the wire: a file's text, or one sentence."""

    async def test():
        async with studio(folder) as running, browser(running, hello=False) as one:
            await one.send("hello", token=running.desk.doors.token)
            assert (await one.ask("read", name="robot.toml"))["text"] == 'name = "a"'
            refused = await one.ask("read", name="../secret.toml")
            assert (refused["ok"], refused["error"]["kind"]) == (False, "usage")

    run(test())


@pytest.mark.parametrize("name", ["../out.toml", "/out.toml", ".hidden.toml", "out.py", "no/folder.toml", "link.toml"])
def test_nothing_is_written_outside_the_workspace(tmp_path, name):
    """Only .toml files, in folders that are there, through no link: what a page may read it may write, no more."""
    (tmp_path / "inside").mkdir()
    outside = tmp_path / "kept.toml"
    outside.write_text("kept")
    (tmp_path / "inside" / "link.toml").symlink_to(outside)
    with pytest.raises(NotInWorkspace):
        Workspace(tmp_path / "inside").write(name, "x", replace=True)
    assert outside.read_text() == "kept"
    assert [p.name for p in (tmp_path / "inside").iterdir()] == ["link.toml"]


def test_a_file_is_replaced_only_when_that_is_asked_for(tmp_path):
    """The first text stays until `replace` is given; both are told robots where they have a robot's tables."""
    workspace = Workspace(tmp_path)
    assert workspace.write("a.toml", "[points]\n")
    assert not workspace.write("a.toml", "other")
    assert workspace.read("a.toml") == "[points]\n"
    assert workspace.write("b.toml", "[controller]\nkind = 1\n")
    assert workspace.listed() == {"toml": ["a.toml", "b.toml"], "python": [], "robots": ["a.toml"]}
    assert workspace.write("a.toml", "other", replace=True)
    assert workspace.read("a.toml") == "other"
