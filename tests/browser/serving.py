"""A studio that a test ends and starts again, at the same address with the same token."""

import subprocess
import sys
import time
from pathlib import Path


def serve(port, folder):
    """A server's address and its process; port 0 is any that is free."""
    command = [sys.executable, Path(__file__).with_name("fixed_token.py"), str(port), "a-token-for-this-test", folder]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return process.stdout.readline().strip(), process


def end(process):
    """End a server and wait until it is gone."""
    process.terminate()
    process.wait(20)
    process.stdout.close()
    time.sleep(0.1)
