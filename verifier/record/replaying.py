"""Folders and files that the commands of a record name to replay its entries: that of the plugin's project, and the record."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from verifier.base.instance_name import is_file
from verifier.base.replaying import beginning, command
from verifier.record.sentence import DRAWN

T = TypeVar("T")

_ID = re.compile(r"[^:]*/[^:]*:(?P<instance>.+):[^:]+:[^:]+:[^:]+")


def in_project(found: T, project: str) -> T:
    """An entry of a record, where all that can be replayed says in the folder of which project; unchanged where there is none."""
    changed: T = _changed(found, lambda trial: {"project": project}) if project else found
    return changed


def in_record(found: T, file: str) -> T:
    """A record, where what nobody else can replay without it says in which file it is; unchanged where there is none."""
    changed: T = _changed(found, lambda trial: {"record": file} if needs_record(trial) else {}) if file else found
    return changed


def needs_record(trial: str) -> bool:
    """Whether the instance of the trial with this id is in no catalogue: drawn by the search, or given as a file."""
    found = _ID.fullmatch(trial)
    return found is not None and (found["instance"].startswith(f"{DRAWN}-") or is_file(found["instance"]))


def _changed(value: Any, change: Callable[[str], Mapping[str, str]]) -> Any:
    """The value with further fields of what can be replayed, by the id of the trial; itself where nothing changes."""
    if isinstance(value, tuple):
        items = tuple(_changed(item, change) for item in value)
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    if not is_dataclass(value) or isinstance(value, type):
        return value
    old = {each.name: getattr(value, each.name) for each in fields(value)}
    new = {name: _changed(item, change) for name, item in old.items()}
    if new.get("replay"):
        new |= {name: text for name, text in change(new["replay"]).items() if name in new}
    if new.get("counterexample"):
        new["counterexample"] = _ending(new["counterexample"], change)
    return value if all(new[name] is item for name, item in old.items()) else replace(value, **new)


def _ending(text: str, change: Callable[[str], Mapping[str, str]]) -> str:
    """A counterexample, whose last line is the command, with that command as changed."""
    head, found, last = text.rpartition(f"\n{beginning()} ")
    if not found:
        return text
    *before, trial = shlex.split(last)
    project = {"project": before[1] if len(before) == 2 else shlex.join(before[1:])} if before[:1] == ["--project"] else {}
    return f"{head}\n{command(trial, **{**project, **change(trial)})}\n"
