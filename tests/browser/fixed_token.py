"""A studio on a given port with a given token, so that one can end and another take its place."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from closedchain.studio.app import build
from closedchain.studio.desk import Desk
from closedchain.studio.limits import Limits
from closedchain.studio.security import doors
from closedchain.studio.serving import Quiet, configuration, listen
from closedchain.studio.workspace import Workspace


def main(port: int, token: str, folder: str) -> None:
    """Serve until the process is ended."""
    listener = listen("127.0.0.1", port)
    listener.listen()  # who reads the address may come at once
    port = listener.getsockname()[1]
    desk = Desk(replace(doors("127.0.0.1", port), token=token), Workspace(Path(folder)), Limits(), None)
    sys.stdout.write(f"http://127.0.0.1:{port}/#t={token}\n")
    sys.stdout.flush()
    asyncio.run(Quiet(configuration(build(desk), desk.limits)).serve([listener]))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
