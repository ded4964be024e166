"""Small git repositories of tests."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path


def git(folder: Path, *words: str) -> str:
    """What git prints of a folder."""
    settings = ("user.name=A", "user.email=a@example.org", "commit.gpgsign=false", "init.defaultBranch=main")
    named = [word for setting in settings for word in ("-c", setting)]
    done = subprocess.run(("git", "-C", str(folder), *named, *words), check=True, capture_output=True, text=True)
    return done.stdout.strip()


def committed(folder: Path, versions: Iterable[Mapping[str, str]]) -> list[str]:
    """Hashes of the commits of a new repository, one for each version of its files, the oldest first."""
    folder.mkdir()
    git(folder, "init", "--quiet")
    hashes = []
    for number, files in enumerate(versions):
        for name, text in files.items():
            (folder / name).write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--allow-empty", "--message", f"Version {number}")
        hashes.append(git(folder, "rev-parse", "HEAD"))
    return hashes
