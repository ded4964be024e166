"""`verifier new`: what is written, and what to do next."""

from __future__ import annotations

from pathlib import Path

from verifier.base.errors import UsageError
from verifier.base.tables import folded
from verifier.cli.console import columns
from verifier.cli.output import say
from verifier.commands.new.agent import write_agent
from verifier.commands.new.source import source_of
from verifier.commands.new.write import write


def run(name: str, setting: str, folder: Path, verifier_source: str | None, to: str | None, shape: str | None) -> None:
    """Write a plugin project, or an agent that is held against an algorithm, and say so.

    Raises
    ------
    UsageError
        If it cannot be written, or an option is about the other one.
    """
    if to is None and shape is not None:
        raise UsageError("--agent is about an agent of an algorithm that is here; say which one, --as NAME")
    if to is not None and verifier_source is not None:
        raise UsageError("--verifier-source is about a plugin project, and --as writes none")
    if to is None:
        _project(name, setting, folder, verifier_source)
    else:
        files, held = write_agent(name, to, shape or "class", folder)
        _tell(folder, files)
        say(f"\nNow: cd {folder}; pytest; verifier check {held}")


def _project(name: str, setting: str, folder: Path, verifier_source: str | None) -> None:
    source = source_of(verifier_source)
    _tell(folder, write(name, setting, folder, source))
    say(f"\n{folded(source.note, columns())}")
    if source.replaces:
        say(folded("Installing the project puts a copy in the place of your editable installation of verifier.", columns()))
    say(f"\nNow: verifier gate ./{folder}" if not folder.is_absolute() else f"\nNow: verifier gate {folder}")


def _tell(folder: Path, files: list[Path]) -> None:
    for path in files:
        say(str(folder / path))
