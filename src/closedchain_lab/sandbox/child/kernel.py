"""What Linux can forbid a process and Python has no name for, through the C library: rights, network, files.

Landlock, Linux 5.13 and later: from `restrict` on only the named folders can be read, and one written.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
from collections.abc import Iterable

PR_SET_KEEPCAPS, PR_SET_NO_NEW_PRIVS = 8, 38
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWNET = 0x08000000, 0x10000000, 0x40000000
CAPABILITIES = 0x20080522  # version 3 of the interface, 64 bits
CAP_DAC_READ_SEARCH = 2
CREATE, ADD_RULE, RESTRICT = 444, 445, 446  # landlock's calls, the same numbers on every architecture
VERSION, BENEATH = 1, 1
EXECUTE, WRITE, READ, LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE, DEVICE = 1 << 14, 1 << 15
OF_A_FILE = EXECUTE | WRITE | READ | TRUNCATE | DEVICE
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # version of landlock: how many file rights it knows
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


def call(name: str, *arguments: int | bytes | None) -> int:
    """A function of the C library, which answers a number or sets errno; raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    answer = getattr(library, name)(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    if answer < 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
    return int(answer)


def forbid_new_privileges() -> None:
    """No program started from here on gains rights; seccomp and landlock ask for it."""
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def leave_network() -> bool:
    """Move into network and IPC namespaces of one's own, without any interface; whether the system allows it."""
    uid, gid, root = os.getuid(), os.getgid(), os.geteuid() == 0
    try:
        call("unshare", CLONE_NEWNET | CLONE_NEWIPC | (0 if root else CLONE_NEWUSER))
        if not root:
            for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
    except OSError:
        return False
    return True


def keep_capabilities(mask: int) -> None:
    """Give up every capability but those of the mask."""
    low, high = mask & 0xFFFFFFFF, mask >> 32
    call("capset", struct.pack("=Ii", CAPABILITIES, 0), struct.pack("=6I", low, low, 0, high, high, 0))


def become(user: int, keep_reading: bool) -> None:
    """Turn from root into a user with no rights, but the one to read what landlock leaves readable."""
    call("prctl", PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    keep_capabilities(1 << CAP_DAC_READ_SEARCH if keep_reading else 0)


def landlock() -> int:
    """Landlock's version; 0 where the kernel has none."""
    try:
        return call("syscall", CREATE, None, 0, VERSION)
    except (OSError, AttributeError):
        return 0


def restrict(readable: Iterable[str], listable: Iterable[str], writable: str) -> None:
    """Allow reading `readable` and below, listing `listable`, everything in `writable`, and nothing else.

    The ruleset is over files; over TCP from version 4 on; over signals and abstract sockets from version 6 on.
    """
    known = landlock()
    every = (1 << RIGHTS[min(known, 5)]) - 1
    fields = [every] + [0b11] * (known >= 4) + [0b11] * (known >= 6)
    ruleset = call("syscall", CREATE, struct.pack(f"={len(fields)}Q", *fields), 8 * len(fields), 0)
    try:
        for paths, access in (
            (readable, EXECUTE | READ | LIST),
            (listable, LIST),
            (DEVICES, (READ | WRITE | TRUNCATE) & every),
            ((writable,), every & ~EXECUTE),
        ):
            for path in paths:
                with contextlib.suppress(FileNotFoundError, PermissionError):  # what is not there needs no rule
                    _allow(ruleset, path, access)
        forbid_new_privileges()
        call("syscall", RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        access &= -1 if stat.S_ISDIR(os.fstat(descriptor).st_mode) else OF_A_FILE
        if access:
            call("syscall", ADD_RULE, ruleset, BENEATH, struct.pack("=Qi", access, descriptor), 0)
    finally:
        os.close(descriptor)
