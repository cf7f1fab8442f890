"""Landlock, Linux 5.13 and later: from here on only the named folders can be read, and one written."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from closedchain.lab.sandbox.child.kernel import forbid_new_privileges, system_call

CREATE, ADD_RULE, RESTRICT = 444, 445, 446  # the same numbers on every architecture
VERSION, BENEATH = 1, 1
EXECUTE, WRITE, READ, LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE, DEVICE = 1 << 14, 1 << 15
OF_A_FILE = EXECUTE | WRITE | READ | TRUNCATE | DEVICE
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # version of landlock: how many file rights it knows
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


def version() -> int:
    """Landlock's version; 0 where the kernel has none."""
    try:
        return system_call(CREATE, None, 0, VERSION)
    except (OSError, AttributeError):
        return 0


def restrict(readable: Iterable[str], listable: Iterable[str], writable: str) -> None:
    """Allow reading `readable` and below, listing `listable`, everything in `writable`, and nothing else."""
    known = version()
    every = (1 << RIGHTS[min(known, 5)]) - 1
    ruleset = _create(known, every)
    try:
        for path in readable:
            _allow(ruleset, path, EXECUTE | READ | LIST)
        for path in listable:
            _allow(ruleset, path, LIST)
        for path in DEVICES:
            _allow(ruleset, path, (READ | WRITE | TRUNCATE) & every)
        _allow(ruleset, writable, every & ~EXECUTE)
        forbid_new_privileges()
        system_call(RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _create(known: int, every: int) -> int:
    """A ruleset over files; over TCP from version 4; over signals and abstract sockets from version 6."""
    fields = [every] + [0b11] * (known >= 4) + [0b11] * (known >= 6)
    wanted = ctypes.create_string_buffer(struct.pack(f"={len(fields)}Q", *fields), 8 * len(fields))
    return system_call(CREATE, wanted, 8 * len(fields), 0)


def _allow(ruleset: int, path: str, access: int) -> None:
    """One rule; a path that is not there needs none."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= OF_A_FILE
        if access:
            rule = ctypes.create_string_buffer(struct.pack("=Qi", access, descriptor), 12)
            system_call(ADD_RULE, ruleset, BENEATH, rule, 0)
    finally:
        os.close(descriptor)
