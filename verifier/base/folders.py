"""Temporary folders that a killed process leaves behind are removed by the next one that makes one.

Who uses a folder holds a lock on a file in it, which the system releases however its process ends. Process ids would not do: a
temporary folder may be shared by containers, which number their processes each from 1.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # pragma: no cover  # no such locks here: what is left behind stays
    fcntl = None  # type: ignore[assignment]  # a module elsewhere

PREFIX = "verifier-"
_LOCK = "lock"
_LAST = -100  # among what multiprocessing does at the end: when it removes its own folder

_held: dict[Path, int] = {}
"""Folders in use by this process, with the descriptors that hold their locks."""

_own: dict[tuple[int, str], Path] = {}


def own() -> Path:
    """The temporary folder of this process, for all it needs; made when first asked for, and again when it has vanished.

    The sockets of `multiprocessing` are put there, too, unless the program has used these before: by itself that removes its
    folder only where a process ends in peace.
    """
    key = os.getpid(), tempfile.gettempdir()
    if key not in _own or not _own[key].is_dir():
        import multiprocessing
        from multiprocessing import util

        sweep()
        _own[key] = hold(Path(tempfile.mkdtemp(prefix=PREFIX)))
        util.Finalize(None, leave, exitpriority=_LAST)
        settings: Any = getattr(multiprocessing.current_process(), "_config", {})
        if settings.get("tempdir") is None or not Path(settings["tempdir"]).is_dir():
            settings["tempdir"] = str(_own[key])
    return _own[key]


@contextlib.contextmanager
def temporary() -> Iterator[Path]:
    """A folder in `own` that is removed afterwards."""
    folder = Path(tempfile.mkdtemp(dir=own()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def hold(folder: Path) -> Path:
    """Make a folder unless it is there, and keep it from being swept away until this process ends; several may hold it."""
    while fcntl is not None and folder not in _held:
        folder.mkdir(exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # swept away before it was held: once more
            descriptor = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            if _is_open(folder / _LOCK, descriptor):
                _held[folder] = descriptor
            else:
                os.close(descriptor)
    folder.mkdir(exist_ok=True)
    return folder


def sweep() -> None:
    """Remove the folders of processes of this user that have ended without doing so."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            _remove_abandoned(folder)


def _remove_abandoned(folder: Path) -> None:
    """Remove a folder, if nobody holds it.

    Raises
    ------
    OSError
        If it is in use, is not ours, or was never held.
    """
    if fcntl is None or folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        return
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != _LOCK:
                path.unlink()
        (folder / _LOCK).unlink()  # last: what cannot be removed now can be found again
        folder.rmdir()
    finally:
        os.close(descriptor)


def _is_open(path: Path, descriptor: int) -> bool:
    """Whether a descriptor is of the file that has this name now."""
    return os.path.samestat(path.stat(), os.fstat(descriptor))


def leave() -> None:
    """Remove the folders that this process has made for itself."""
    for key in [key for key in _own if key[0] == os.getpid()]:
        folder = _own.pop(key)
        shutil.rmtree(folder, ignore_errors=True)
        if folder in _held:
            os.close(_held.pop(folder))
