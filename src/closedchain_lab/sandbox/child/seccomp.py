"""A seccomp filter for Linux: no network, no processes, no signals to others, no attributes of files, no system calls
that reach around the other fences. Each refusal is an ordinary PermissionError in the submission."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

from closedchain_lab.sandbox.child.kernel import call, forbid_new_privileges

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data, little endian
KILL, REFUSE, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
CLONE_THREAD, X32 = 0x00010000, 0x40000000
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

# Name: number on x86_64, number on aarch64 (None where there is no such call).
REFUSED: dict[str, tuple[int | None, int | None]] = {
    # network
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "sendto": (44, 206), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    # programs and other processes
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272), "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "setpriority": (141, 140), "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119), "sched_setaffinity": (203, 122), "sched_setattr": (314, 274),
    "ioprio_set": (251, 30), "migrate_pages": (256, 238), "move_pages": (279, 239),
    # attributes of files, which landlock leaves alone
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None),
    "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None),
    "futimesat": (261, None), "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "fsetxattr": (190, 7), "setxattrat": (463, 463), "removexattr": (197, 14), "lremovexattr": (198, 15),
    "fremovexattr": (199, 16), "removexattrat": (466, 466), "file_setattr": (469, 469),
    # memory and queues that outlive a process
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "msgget": (68, 186), "msgsnd": (69, 189),
    "msgrcv": (70, 188), "msgctl": (71, 187), "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191),
    "semtimedop": (220, 192), "mq_open": (240, 180), "mq_unlink": (241, 181),
    # users, mounts, namespaces
    "setuid": (105, 146), "setgid": (106, 144), "setreuid": (113, 145), "setregid": (114, 143),
    "setgroups": (116, 159), "setresuid": (117, 147), "setresgid": (119, 149), "setfsuid": (122, 151),
    "setfsgid": (123, 152), "capset": (126, 91), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "quotactl": (179, 60), "fanotify_init": (300, 262),
    # the kernel itself
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294), "reboot": (169, 142),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "syslog": (103, 116),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266), "adjtimex": (159, 171),
    "sethostname": (170, 161), "setdomainname": (171, 162), "iopl": (172, None), "ioperm": (173, None),
    "personality": (135, 92),
}  # fmt: skip
CLONE, CLONE3, PRLIMIT, TO_ITSELF = (56, 220), (435, 435), (302, 261), {"kill": (62, 129), "tgkill": (234, 131)}


def supported() -> bool:
    """Whether the numbers above are this machine's."""
    return platform.system() == "Linux" and platform.machine() in ARCHITECTURES


def install() -> None:
    """Put the filter on; it cannot be taken off."""
    filters = program(platform.machine(), os.getpid())
    forbid_new_privileges()
    code = ctypes.create_string_buffer(b"".join(filters))
    head = struct.pack("@HP", len(filters), ctypes.addressof(code))
    call("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, head, 0, 0)


def program(machine: str, pid: int) -> list[bytes]:
    """The filter's instructions; a system call of another architecture ends the process."""
    column, architecture = ARCHITECTURES[machine]
    made = [_do(LOAD, ARCHITECTURE), _do(EQUAL, architecture, 1, 0), _do(RETURN, KILL), _do(LOAD, NUMBER)]
    made += [_do(AT_LEAST, X32, 0, 1), _refuse(errno.ENOSYS)]
    for numbers in REFUSED.values():
        number = numbers[column]
        if number is not None:
            made += [_do(EQUAL, number, 0, 1), _refuse(errno.EPERM)]
    made += [_do(EQUAL, CLONE3[column], 0, 1), _refuse(errno.ENOSYS)]  # the C library falls back on clone
    made += _unless(CLONE[column], _do(ANY_BIT, CLONE_THREAD, 1, 0))
    made += _unless(PRLIMIT[column], _do(EQUAL, 0, 1, 0))
    for pair in TO_ITSELF.values():
        made += _unless(pair[column], _do(EQUAL, pid, 1, 0))
    return [*made, _do(RETURN, ALLOW)]


def _unless(number: int, test: bytes) -> list[bytes]:
    """Refuse one call unless its first argument passes the test (which then skips one instruction)."""
    return [_do(EQUAL, number, 0, 4), _do(LOAD, FIRST_ARGUMENT), test, _refuse(errno.EPERM), _do(LOAD, NUMBER)]


def _refuse(error: int) -> bytes:
    return _do(RETURN, REFUSE | error)


def _do(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)
