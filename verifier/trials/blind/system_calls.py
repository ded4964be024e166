"""A process that may not ask the system for some things: no sockets, no memory that others share, no marks on files or processes.

Landlock keeps an agent from changing what files hold. It leaves their modes, times and attributes, sockets, memory and queues of
System V and POSIX, and priorities, processors and limits of other processes, such as the one that the next run is forked from:
with these an agent could leave notes for the next run, or have another process of the user act for it. A filter of system calls
(seccomp, Linux) refuses them with EPERM, for this process and for all it starts, for good. What was open before stays so: the
agent's own connection.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
from functools import cache

_REFUSED = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202), "accept4": (288, 242),
    "shmget": (29, 194), "shmctl": (31, 195), "shmat": (30, 196), "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191),
    "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "mq_open": (240, 180), "mq_unlink": (241, 181),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466),
    "ptrace": (101, 117), "process_vm_writev": (311, 271), "io_uring_setup": (425, 425),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "setpriority": (141, 140), "ioprio_set": (251, 30),
}  # fmt: skip
"""System calls by name, with their numbers on x86-64 and on 64-bit ARM, which does not have some of the older ones. A ring of
requests (`io_uring_setup`) would open sockets past the filter."""

_OF_OTHERS = {
    "sched_setparam": (142, 118), "sched_setscheduler": (144, 119), "sched_setaffinity": (203, 122), "sched_setattr": (314, 274),
    "prlimit64": (302, 261),
}  # fmt: skip
"""System calls that are refused but for the caller itself, which is process 0 to them: libraries ask for limits of their own."""

_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""Name of the processor in the kernel, and the place of its numbers."""

_FIRST_OF_X32 = 0x40000000
"""First number from which on x86-64 has the same calls once more, with other numbers: nobody uses them, and all are refused."""

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _PROCESS = 0, 4, 16
"""Places where a filter finds the number of the call, the processor it was made for, and the first argument, a small number."""

_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001
_NO_NEW_PRIVILEGES, _SET_FILTER, _FILTERS = 38, 22, 2
_GET_FILTER = 21


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


@cache
def known() -> bool:
    """Whether this system has filters of system calls, and this module the numbers of its processor."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    return int(ctypes.CDLL(None).prctl(_GET_FILTER, 0, 0, 0, 0)) >= 0


def refuse() -> bool:
    """Refuse this process the calls above from now on; returns whether the system can do that."""
    if not known():
        return False
    code = _filter(*_MACHINES[platform.machine()])
    held = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    return int(libc.prctl(_SET_FILTER, _FILTERS, ctypes.byref(program), 0, 0)) == 0


def _filter(architecture: int, place: int) -> bytes:
    """The instructions: calls made for another processor and those with the numbers above are refused, all others allowed."""
    refused, of_others = (
        [number for each in calls.values() if (number := each[place]) is not None] for calls in (_REFUSED, _OF_OTHERS)
    )
    code = [_step(_LOAD, _ARCHITECTURE), _step(_EQUAL, architecture, 1, 0), _step(_RETURN, _REFUSE), _step(_LOAD, _NUMBER)]
    # Jumps are over so many instructions: to the last one, and to the fourth last, behind the one that allows all other calls.
    left = len(refused) + len(of_others)
    code += [_step(_AT_LEAST, _FIRST_OF_X32, left + 4, 0)]
    code += [_step(_EQUAL, number, left - i + 3, 0) for i, number in enumerate(refused)]
    code += [_step(_EQUAL, number, len(of_others) - i, 0) for i, number in enumerate(of_others)]
    code += [_step(_RETURN, _ALLOW), _step(_LOAD, _PROCESS), _step(_EQUAL, 0, 0, 1)]
    return b"".join([*code, _step(_RETURN, _ALLOW), _step(_RETURN, _REFUSE)])


def _step(what: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("=HBBI", what, if_so, if_not, value)
