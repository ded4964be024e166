"""A process that can change no file but those in one folder, and cannot read the store: what the agent of a blind run is.

Linux has had this for any process since version 5.13, under the name of Landlock; a process gives the right away for itself and
for all it starts, and cannot take it back. It can neither trace nor write to processes outside any more. So no agent can write
rows to the store of finished trials, nor leave notes for a later run; nor read what earlier trials were found to be.

Landlock knows what is allowed, and nothing that is forbidden. So the right to read files is given for everything beside the path
from the root to the store. Files that are made later in one of the folders on this path cannot be read either; folders are listed
as before.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""Numbers of the system calls, the same on all processors."""

_NO_NEW_PRIVILEGES = 38
_BENEATH = 1
_VERSION = 1

_WRITE = 1 << 1
_READ = 1 << 2
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
    return _restricted(changes, {folder: changes, Path(os.devnull): changes & (_WRITE | _TRUNCATE)})


def hide(folder: Path, name: str) -> bool:
    """Let this process read no file of a folder from now on whose name begins so; returns whether the system can do that.

    Files of other folders can be read as before, if they are there now or their folder is not on the path to this one.
    """
    if not version():
        return False
    folder = folder.resolve()
    chain = [*reversed(folder.parents), folder]
    readable: list[Path] = [Path(place) for place in (*sys.path, sys.prefix, sys.base_prefix) if place]
    for place, following in zip(chain, [*(each.name for each in chain[1:]), ""], strict=True):
        with contextlib.suppress(OSError):  # it is not there, or its names cannot be read
            names = [each for each in os.listdir(place) if (each != following if following else not each.startswith(name))]
            readable += [place / each for each in names]
    beside = [place for place in readable if not place.is_symlink() and place.resolve() not in chain]
    return _restricted(_READ, dict.fromkeys(beside, _READ))


def _restricted(handled: int, allowed: Mapping[Path, int]) -> bool:
    """Give away some rights but for these places."""
    ruleset = _call(_CREATE, struct.pack("=Q", handled), 8, 0)
    for place, rights in allowed.items():
        _allow(ruleset, place, rights)
    done = _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 and _call(_RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return done


def _allow(ruleset: int, place: Path, rights: int) -> None:
    try:
        descriptor = os.open(place, getattr(os, "O_PATH", 0))
    except OSError:  # it is gone, or it is not ours to reach
        return
    _call(_ADD, ruleset, _BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    found: int = _libc().syscall(ctypes.c_long(number), *(ctypes.c_long(x) if isinstance(x, int) else x for x in arguments))
    return found


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
