"""A process that can change no file but those in one folder: what the agent of a blind run is.

Linux has had this for any process since version 5.13, under the name of Landlock; a process gives the right away for itself and
for all it starts, and cannot take it back. It can neither trace nor write to processes outside any more. So no agent can write
rows to the store of finished trials, nor leave notes for a later run.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from functools import cache
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""Numbers of the system calls, the same on all processors."""

_NO_NEW_PRIVILEGES = 38
_BENEATH = 1
_VERSION = 1

_WRITE = 1 << 1
_TRUNCATE = 1 << 14
_CHANGES = _WRITE | sum(1 << bit for bit in range(4, 13))  # remove and make files, folders, links, sockets and devices
_SINCE = {2: 1 << 13, 3: _TRUNCATE}
"""Rights that later versions know: moving between folders, and shortening."""


@cache
def version() -> int:
    """The version of Landlock; 0 where the system does not have it."""
    return max(_call(_CREATE, None, 0, _VERSION), 0) if sys.platform == "linux" else 0


def confine(folder: Path) -> bool:
    """Let this process change no file from now on but those in a folder; returns whether the system can do that."""
    if not version():
        return False
    changes = _CHANGES | sum(right for since, right in _SINCE.items() if since <= version())
    ruleset = _call(_CREATE, struct.pack("=Q", changes), 8, 0)
    _allow(ruleset, folder, changes)
    _allow(ruleset, Path(os.devnull), changes & (_WRITE | _TRUNCATE))
    done = _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 and _call(_RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return done


def _allow(ruleset: int, place: Path, rights: int) -> None:
    descriptor = os.open(place, getattr(os, "O_PATH", 0))
    _call(_ADD, ruleset, _BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    found: int = _libc().syscall(ctypes.c_long(number), *(ctypes.c_long(x) if isinstance(x, int) else x for x in arguments))
    return found


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
