"""A tool called: one process of the command line in a folder of its own, under a clock, that can be ended."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from closedchain.mcp.tools import Tool

COMMAND = (sys.executable, "-P", "-m", "closedchain")  # the current folder holds no modules of ours
PACKAGE = Path(__file__).parents[2]
SECONDS = 600.0
LARGEST = 5_000_000  # bytes of a file that is handed back
NO_SOLUTION, CHECK_FAILED = 4, 1  # exit codes of answers that are no failures
KINDS = {".xml": "application/xml", ".sdf": "application/xml", ".urdf": "application/xml", ".html": "text/html"}

Tell = Callable[[str], None]


class Call:
    """One call; `end` stops it from another thread."""

    def __init__(self, tool: Tool, given: dict[str, Any], tell: Tell) -> None:
        self.tool, self.given, self.tell = tool, given, tell
        self.process: subprocess.Popen[str] | None = None
        self.ended = False

    def end(self) -> None:
        """Stop it; its answer is then not sent."""
        self.ended = True
        if self.process is not None:
            self.process.kill()

    def run(self) -> dict[str, Any]:
        """The result of `tools/call`."""
        words = self.tool.words(self.given)
        with tempfile.TemporaryDirectory(prefix="closedchain-mcp-") as folder:
            before = {Path(folder, name) for argument, name in self.tool.files.items() if argument in self.given}
            for argument, name in self.tool.files.items():
                if argument in self.given:
                    Path(folder, name).write_text(self.given[argument], encoding="utf-8")
            out, code, said = self._ask(words if self.tool.name == "schema" else [*words, "--json"], folder)
            if code not in (0, CHECK_FAILED, NO_SOLUTION) or not out:
                return {"content": [_text(said or "it ended without an answer")], "isError": True}
            document = json.loads(out)
            content = [_text(out)]
            if self.tool.makes_files:
                content += [
                    _resource(path) for path in sorted(Path(folder).rglob("*")) if path.is_file() and path not in before
                ]
                document["written"] = [str(Path(name).name) for name in document.get("written", ())]
                content[0] = _text(json.dumps(document, indent=2, ensure_ascii=False))
            return {"content": content, "structuredContent": document, "isError": False}

    def _ask(self, words: list[str], folder: str) -> tuple[str, int, str]:
        """What the command line answered, its exit code, and the last line it said beside that."""
        path = os.pathsep.join(filter(None, (str(PACKAGE), os.environ.get("PYTHONPATH"))))
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": path},
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        if self.ended:  # meanwhile
            self.process.kill()
        clock = threading.Timer(SECONDS, self.process.kill)
        clock.start()
        said: list[str] = []
        listening = threading.Thread(target=self._listen, args=(self.process, said))
        listening.start()
        assert self.process.stdout is not None
        out = self.process.stdout.read()
        code = self.process.wait()
        listening.join()
        late = not clock.is_alive()
        clock.cancel()
        if late:
            return "", code, f"{self.tool.name} took longer than {SECONDS:g} s and was stopped; try a smaller question"
        return out, code, said[-1].removeprefix("closedchain: ") if said else ""

    def _listen(self, process: subprocess.Popen[str], said: list[str]) -> None:
        """Pass on what it says while it works."""
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line.strip())
            self.tell(line.strip().removeprefix("closedchain: "))


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _resource(path: Path) -> dict[str, Any]:
    """A file in the answer itself."""
    if path.stat().st_size > LARGEST:
        return _text(f"{path.name} is larger than {LARGEST} bytes; write it with `closedchain export`")
    held: dict[str, Any] = {"uri": f"closedchain:///{path.name}", "mimeType": KINDS.get(path.suffix, "text/plain")}
    try:
        held["text"] = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        held |= {"blob": base64.b64encode(path.read_bytes()).decode("ascii"), "mimeType": "application/octet-stream"}
    return {"type": "resource", "resource": held}
