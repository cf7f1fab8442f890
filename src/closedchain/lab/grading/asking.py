"""A model file in its sandbox: functions are asked one after another, a fresh child follows one that was stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from closedchain.arrays import Doubles
from closedchain.lab.grading.answers import printable
from closedchain.lab.grading.signatures import SIGNATURES
from closedchain.lab.sandbox.copying import working_copy
from closedchain.lab.sandbox.limits import Limits
from closedchain.lab.sandbox.process import Child, Stopped


class NotLoaded(Exception):
    """The file cannot be imported; `why` says it."""

    def __init__(self, why: str, protections: dict[str, str], output: str) -> None:
        self.why, self.protections, self.output = why, protections, output
        super().__init__(why)


class Respondent:
    """Asks the functions of one file; remembers how the child was held and what it printed."""

    def __init__(
        self, files: Sequence[tuple[Path | bytes, str]], name: str, limits: Limits, wanted: Sequence[str]
    ) -> None:
        self.files, self.name, self.limits, self.wanted = files, name, limits, wanted
        self.held = ExitStack()  # the child and its working copy
        self.child: Child | None = None
        self.protections: dict[str, str] = {}
        self.output = ""
        self.number = 0
        self.functions: tuple[str, ...] = ()

    def load(self) -> None:
        """Start a child with the file imported, in a copy that no other has used; raises NotLoaded."""
        try:
            folder, user = self.held.enter_context(working_copy(self.files))
            self.child = child = self.held.enter_context(Child(folder, user, self.limits))
            self.protections = child.protections
            module = Path(self.name).stem
            child.tell({"load": str(folder / self.name), "name": module, "functions": list(self.wanted)})
            child.allow(self.limits.seconds)
            answer = child.hear()
        except Stopped as stopped:
            self.leave()
            raise NotLoaded(f"importing it: {stopped.why}", self.protections, self.output) from None
        if not isinstance(answer.get("functions"), list):
            self.leave()
            why = f"importing it raised {printable(answer.get('raised', 'an error'))}"
            raise NotLoaded(why, self.protections, self.output)
        self.functions = tuple(name for name in self.wanted if name in answer["functions"])

    def ask(self, function: str, inputs: Doubles) -> tuple[list[dict[str, Any]], str]:
        """One reply for each row, and why there are fewer than rows."""
        if self.child is None:
            self.load()
        child = self.child
        if child is None:
            return [], "not loaded"
        self.number += 1
        child.tell({"function": function, "id": self.number, "calls": inputs.tolist()})
        replies: list[dict[str, Any]] = []
        try:
            for _ in self._rows(child, len(inputs), replies):
                pass
        except Stopped as stopped:
            self.leave()
            return replies, stopped.why
        return replies, ""

    def _rows(self, child: Child, count: int, replies: list[dict[str, Any]]) -> Iterator[None]:
        """Replies in their order; one that is not the next is no reply of ours."""
        child.allow(self.limits.seconds)
        while len(replies) < count:
            reply = child.hear()
            if reply.get("id") != self.number or reply.get("call") != len(replies):
                child.end()
                raise Stopped("an answer came that was not asked for")
            replies.append(reply)
            yield

    def leave(self) -> None:
        """End the child, keep what it printed, remove its copy."""
        child, self.child = self.child, None
        if child is not None:
            child.end()
            self.output = (self.output + child.output)[: self.limits.output]
        self.held.close()


@contextmanager
def responding(
    files: Sequence[tuple[Path | bytes, str]], name: str, limits: Limits, wanted: Sequence[str] = tuple(SIGNATURES)
) -> Iterator[Respondent]:
    """The file `name` among `files`, ready to be asked for the functions that are wanted; raises NotLoaded."""
    respondent = Respondent(files, name, limits, wanted)
    try:
        respondent.load()
        yield respondent
    finally:
        respondent.leave()
