"""Entries of a record about a plugin that is not installed: the folder of its project, which it takes to replay them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from verifier.base.replaying import beginning

T = TypeVar("T")


def in_project(found: T, project: str) -> T:
    """An entry of a record, where all that can be replayed says in the folder of which project; unchanged where there is none."""
    changed: T = _changed(found, project) if project else found
    return changed


def _changed(value: Any, project: str) -> Any:
    if isinstance(value, tuple):
        return tuple(_changed(item, project) for item in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    names = {each.name for each in fields(value)}
    new = {name: _changed(getattr(value, name), project) for name in names}
    if new.get("replay") and "project" in names:
        new["project"] = project
    if new.get("counterexample"):  # a text, which ends with the command
        head, told, trial = new["counterexample"].rpartition(f"\n{beginning()} ")
        new["counterexample"] = f"{head}\n{beginning(project)} {trial}" if told else trial
    return replace(value, **new)
