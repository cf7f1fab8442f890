"""Linux system calls that Python has no name for, through the C library."""

from __future__ import annotations

import ctypes
import os
import struct

PR_SET_KEEPCAPS, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 8, 22, 38
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWNET = 0x08000000, 0x10000000, 0x40000000
CAPABILITIES = 0x20080522  # version 3 of the interface, 64 bits
CAP_DAC_READ_SEARCH = 2


def call(name: str, *arguments: int) -> None:
    """A function of the C library that answers 0 or sets errno; raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*(ctypes.c_ulong(value) for value in arguments)) != 0:
        raise _failure(name)


def system_call(number: int, *arguments: int | ctypes.Array[ctypes.c_char] | None) -> int:
    """A system call by its number; raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    wide = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    answer = int(library.syscall(ctypes.c_long(number), *wide))
    if answer < 0:
        raise _failure(f"system call {number}")
    return answer


def _failure(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")


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
    header = ctypes.create_string_buffer(struct.pack("=Ii", CAPABILITIES, 0))
    sets = ctypes.create_string_buffer(struct.pack("=6I", low, low, 0, high, high, 0))
    if ctypes.CDLL(None, use_errno=True).capset(header, sets) != 0:
        raise _failure("capset")


def become(user: int, keep_reading: bool) -> None:
    """Turn from root into a user with no rights, but the one to read what landlock leaves readable."""
    call("prctl", PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    keep_capabilities(1 << CAP_DAC_READ_SEARCH if keep_reading else 0)
