"""What the server holds while it runs: the doors, the solver, the jobs, and what can still be fetched."""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from closedchain.studio.child import Reply
from closedchain.studio.jobs import Jobs
from closedchain.studio.limits import Limits
from closedchain.studio.messages import OPERATIONS
from closedchain.studio.security import Doors
from closedchain.studio.solver import Solver
from closedchain.studio.workspace import Workspace

SCRIPT_SECONDS = 120.0


@dataclass(frozen=True)
class Download:
    """A file that waits to be fetched, once."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Address:
    """Where the kernels of a robot are, as JavaScript."""

    key: str
    robot: dict[str, Any]

    @property
    def path(self) -> str:
        return f"/k/{self.key}.js"


class Downloads:
    """Files in memory, the oldest go when there are too many bytes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.waiting: OrderedDict[str, Download] = OrderedDict()

    def put(self, name: str, content: bytes) -> str:
        """Keep a file; returns its address."""
        key = secrets.token_urlsafe(24)
        self.waiting[key] = Download(name, content)
        while len(self.waiting) > 1 and sum(len(d.content) for d in self.waiting.values()) > self.most:
            self.waiting.popitem(last=False)
        return f"/files/{key}/{name}"

    def take(self, key: str, name: str) -> Download | None:
        """The file of that address; it is there no more afterwards."""
        if key not in self.waiting or self.waiting[key].name != name:
            return None
        return self.waiting.pop(key)


class Desk:
    """Shared by every connection; requests carry all that they need, so a new connection simply goes on."""

    def __init__(
        self, doors: Doors, workspace: Workspace, limits: Limits | None = None, opened: dict[str, Any] | None = None
    ) -> None:
        self.doors, self.workspace, self.opened = doors, workspace, opened
        self.limits = limits or Limits()
        self.solver, self.jobs = Solver(self.limits), Jobs(self.limits)
        self.downloads = Downloads(self.limits.downloads)
        self.sockets = 0
        self.runs: OrderedDict[str, dict[str, Any]] = OrderedDict()  # job → its request
        self.robots: OrderedDict[str, dict[str, Any]] = OrderedDict()  # key of kernels → which robot
        self.scripts: OrderedDict[str, str] = OrderedDict()  # the same → text

    # Kernels as JavaScript ----------------------------------------------------------------------

    def kernels(self, source: str | None, toml: str | None) -> Address:
        """Where a robot's JavaScript module is; values stay inputs of the kernels."""
        plain: dict[str, Any] = {"source": source, "toml": toml, "values": {}}
        return Address(self.doors.key("kernels", json.dumps(plain)), plain)

    def given_out(self, address: Address, reply: Reply) -> None:
        """Remember whose address it is, if the answer has told it: no text that is no robot needs a place."""
        if address.path.encode() in reply.content:
            remember(self.robots, address.key, address.robot, self.limits.scripts)

    async def script(self, key: str) -> str | None:
        """The text of a module whose address was given out; None where there is none."""
        if key in self.scripts:
            return self.scripts[key]
        if key not in self.robots:
            return None
        body = {"robot": self.robots[key]}
        reply = await self.jobs.run("javascript", body, SCRIPT_SECONDS, lambda progress: None, keep=True)
        if not reply.ok:
            return None
        remember(self.scripts, key, str(reply.document["text"]), self.limits.scripts)
        return self.scripts[key]

    # Runs ---------------------------------------------------------------------------------------

    def remember_run(self, body: dict[str, Any]) -> str:
        """A name for a run, by which its files can be asked for."""
        job = secrets.token_urlsafe(12)
        remember(self.runs, job, body, self.limits.runs)
        return job

    async def quick(self, op: str, body: dict[str, Any]) -> Reply:
        """Ask the solver."""
        return await self.solver.ask(op, body, OPERATIONS[op].seconds)

    async def end(self) -> None:
        """End every child."""
        await self.jobs.end()
        await self.solver.end()


def remember(table: OrderedDict[str, Any], key: str, value: Any, most: int) -> None:
    """Keep the newest."""
    table[key] = value
    table.move_to_end(key)
    while len(table) > most:
        table.popitem(last=False)
