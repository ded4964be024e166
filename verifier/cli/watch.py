"""`verifier check NAME --watch`: the check again at each change of the code, and which verdicts changed.

Each check is a process of its own, since Python imports a module once. Files are looked at every half second, by size and time of
their last change: that needs no library, and works on network disks and in containers, where notifications do not arrive.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.base import folders
from verifier.base.errors import ExitCode, UsageError
from verifier.cli.output import say

if TYPE_CHECKING:
    from verifier.record import Record

SUFFIXES = (".py", ".toml")
PAUSE = 0.5

RECORD = "VERIFIER_WATCH_RECORD"
"""Variable with the path where a check that is watched leaves its record; an option would show in the commands that it prints."""

Stamp = Mapping[Path, tuple[int, int]]
"""Size and time of the last change of each file."""


def stamp(roots: Sequence[Path]) -> Stamp:
    """The stamp of what Python files and configurations there are below some folders, but for hidden ones and environments."""
    found = {}
    for file in (file for root in roots for file in _files(root)):
        try:
            status = file.stat()
        except OSError:  # removed meanwhile
            continue
        found[file] = status.st_size, status.st_mtime_ns
    return found


def _files(root: Path) -> Iterator[Path]:
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if not (name.startswith((".", "__")) or (Path(folder, name) / "pyvenv.cfg").exists())]
        yield from (Path(folder, name) for name in names if name.endswith(SUFFIXES))


def watched(targets: Sequence[str]) -> list[Path]:
    """The folders whose files make a difference: of a project, of the file of an agent, of an installed algorithm's package.

    Raises
    ------
    UsageError
        If a target does not exist.
    """
    from verifier.cli.projects import is_folder, with_bug
    from verifier.commands.source_folders import source_folders

    found: dict[Path, None] = {}
    for target in targets:
        file, _, _ = target.rpartition(":")
        folder, _ = with_bug(target)
        if file.endswith(".py") or is_folder(folder):
            path = Path(file or folder).resolve()
            if not path.exists():
                raise UsageError(f"there is no {path}, so there is nothing to watch; give a file or a folder that is there")
            found[path if path.is_dir() else path.parent] = None
        else:
            found.update(dict.fromkeys(source_folders(target)))
    return list(found)


def leave(record: Record) -> None:
    """Leave the record of a check where one who watches it wants it."""
    if path := os.environ.get(RECORD):
        Path(path).write_text(json.dumps(record.to_json()), encoding="utf-8")


def without_watch(words: Sequence[str]) -> list[str]:
    """A command without ``--watch``.

    Raises
    ------
    UsageError
        If its standard output is no screen: one report after the other would be written there.
    """
    if any(word.endswith("=-") for word in words):
        raise UsageError("--watch shows the screen of each check, so no report can go to standard output; give a path")
    return [word for word in words if word != "--watch"]


@dataclass
class Watch:
    """A check that is run again and again.

    Parameters
    ----------
    words : sequence of str
        The command, without ``--watch``.
    roots : sequence of Path
        The folders of `watched`.
    wait : callable
        Waits so many seconds.
    """

    words: Sequence[str]
    roots: Sequence[Path]
    wait: Callable[[float], None] = time.sleep

    def run(self) -> int:
        """Check until Ctrl-C; the exit code of the last check, or that of an interruption if that was not finished."""
        before, seen = None, stamp(self.roots)
        code = unfinished = int(ExitCode.INTERRUPTED)
        try:
            while True:
                code = unfinished
                code, after = self._check()
                if before is not None and after is not None:
                    say(compared(before, after), nl=False)
                before = after or before
                say(f"waiting for a change below {', '.join(map(str, self.roots))}; Ctrl-C ends", err=True)
                seen = self._changed(seen)
        except KeyboardInterrupt:
            say("", err=True)
            return code

    def _check(self) -> tuple[int, Record | None]:
        """The exit code of a check, and its record, if it came to one."""
        from verifier.record.file import read_record

        with folders.temporary() as folder:
            file = folder / "record.json"
            done = subprocess.run(self.words, check=False, env={**os.environ, RECORD: str(file)})
            return done.returncode, read_record(file) if file.exists() else None

    def _changed(self, seen: Stamp) -> Stamp:
        """Wait for a change and its end, and say which files it is of; an editor may write several."""
        while (now := stamp(self.roots)) == seen:
            self.wait(PAUSE)
        while (later := self._later()) != now:
            now = later
        files = sorted(file for file in {*seen, *now} if seen.get(file) != now.get(file))
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        say(f"\n{time.strftime('%H:%M:%S')}  {files[0].name}{more} changed", err=True)
        return now

    def _later(self) -> Stamp:
        """The stamp after a pause."""
        self.wait(PAUSE)
        return stamp(self.roots)


def compared(before: Record, after: Record) -> str:
    """The verdicts that are others than in the check before."""
    from verifier.commands.comparison import changes

    text, _ = changes(before, after)
    lines = [line for line in text.splitlines() if line.startswith("  ")]
    return "".join(f"{line}\n" for line in (["Since the check before:", *lines] if lines else ["No verdict has changed."]))
