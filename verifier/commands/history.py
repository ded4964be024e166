"""History of a git repository, read through a temporary worktree: the user's own checkout is never touched."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from verifier.base import folders
from verifier.base.errors import UsageError


@dataclass(frozen=True)
class Commit:
    """A commit: its full hash, its date (ISO), and the first line of its message."""

    hash: str
    date: str
    subject: str

    def __str__(self) -> str:
        """Line of text."""
        return f"{self.hash[:10]}  {self.date}  {self.subject}"


class History:
    """History of a repository.

    Parameters
    ----------
    folder : Path
        A folder of a git checkout.

    Attributes
    ----------
    folder, top : Path
        The folder, and that of the whole checkout.

    Raises
    ------
    UsageError
        If it is none.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"there is no folder {folder}; give the folder of a git checkout")
        self.top = self.folder = folder.resolve()
        found = self._git(
            "rev-parse", "--show-toplevel", fails=f"{folder} is no git checkout; clone the repository, history and all"
        )
        self.top = Path(found).resolve()

    def _git(self, *words: str, fails: str = "", place: Path | None = None) -> str:
        # A repository that the environment names would be another one, and hooks are programs of strangers.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {"LC_ALL": "C"}
        command = ("git", "-c", f"core.hooksPath={os.devnull}", "-C", str(place or self.top), *words)
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
        except FileNotFoundError:
            raise UsageError("git is not installed; install it to go through a history") from None
        if done.returncode:
            raise UsageError(fails or f"git {words[0]} failed: {done.stderr.strip() or f'exit code {done.returncode}'}")
        return done.stdout.rstrip("\n")

    def commit(self, name: str) -> Commit:
        """The commit of a name: a hash, a branch, a tag, ``HEAD~3``."""
        fails = f"{self.top} has no commit {name!r}; `git log` lists them"
        found = self._git("log", "-1", "--format=%H%x00%cs%x00%s", "--end-of-options", name, "--", fails=fails)
        return Commit(*found.split("\0"))

    def ancestors(self, bad: Commit) -> list[str]:
        """Hashes of a commit and those before it on its branch, the newest first."""
        return self._git("rev-list", "--first-parent", bad.hash).split()

    def between(self, bad: str, good: Sequence[str]) -> list[str]:
        """Hashes of commits at which a change from good to bad may be: the bad one last, and first what halves them best."""
        found = self._git("rev-list", "--bisect-all", bad, "--not", *good).splitlines()
        return [line.split()[0] for line in found]

    def not_before(self, bad: str, good: Sequence[str]) -> list[str]:
        """The hashes of `between`, the newest first."""
        return self._git("rev-list", bad, "--not", *good).split()

    def diff(self, commit: str) -> str:
        """Difference to its first parent, without context; of the first commit all that is in it."""
        return self._git("show", "--first-parent", "--unified=0", "--format=", "--no-color", "--no-ext-diff", "-m", commit)

    def text(self, commit: str, file: str) -> str:
        """Text of a file at a commit; empty where it cannot be read."""
        try:
            return self._git("show", f"{commit}:{file}")
        except UsageError:
            return ""

    @contextmanager
    def worktree(self, commit: str) -> Iterator[Worktree]:
        """A checkout of its own, in a temporary folder that is removed at the end."""
        with folders.temporary() as folder:
            place = folder.resolve() / self.top.name  # some modules are named for the folder of their repository
            self._git("worktree", "add", "--detach", "--quiet", str(place), commit)
            try:
                yield Worktree(self, place)
            finally:
                self._git("worktree", "remove", "--force", str(place))


@dataclass(frozen=True)
class Worktree:
    """A temporary checkout of a history."""

    history: History
    place: Path

    def go_to(self, commit: str) -> None:
        """Check a commit out, and remove what a run has left."""
        self.history._git("checkout", "--detach", "--force", "--quiet", commit, place=self.place)
        self.history._git("clean", "-ffdxq", place=self.place)

    def instead_of(self, path: Path) -> Path | None:
        """Path in this checkout of one in that of the user; None where that is outside, or there is no such file here."""
        path = path.absolute()
        for known in (path, path.resolve()):
            if known.is_relative_to(self.history.top):
                inside = self.place / known.relative_to(self.history.top)
                return inside if inside.exists() else None
        return None
