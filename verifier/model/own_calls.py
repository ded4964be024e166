"""Calls that the methods of a class make of each other."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any


def outermost(owner: Any, names: Iterable[str], beside: Iterable[str] = ()) -> list[str]:
    """Names of the methods of a class that none of the others calls, nor one of those ``beside``; all, if each is called.

    ``start_episode()`` may call ``plan()`` where it has to: then the first is what somebody else should call.
    """
    present = [name for name in names if callable(getattr(owner, name, None))]
    callers = {*present, *beside}
    found = [name for name in present if not any(name in used_by(owner, other) for other in callers - {name})]
    return found or present


def used_by(owner: Any, name: str) -> frozenset[str]:
    """Names of the attributes of the object itself that a method or property uses, as ``plan`` in ``self.plan()``."""
    method = getattr(owner, name, None)
    method = getattr(method, "fget", method)
    if not inspect.isfunction(method) or not method.__code__.co_varnames:
        return frozenset()
    return frozenset(_attributes(method.__code__, method.__code__.co_varnames[0]))


def changes(owner: Any, name: str) -> bool:
    """Whether a method sets something, an attribute or an entry of an array."""
    method = getattr(owner, name, None)
    return inspect.isfunction(method) and any(
        step.opname.startswith(("STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE")) for step in dis.get_instructions(method)
    )


def _attributes(code: CodeType, owner: str) -> Iterator[str]:
    """Attributes that are loaded of a variable, in functions inside as well."""
    is_owner = False
    for step in dis.get_instructions(code):
        if is_owner and step.opname.startswith(("LOAD_ATTR", "LOAD_METHOD")):
            yield str(step.argval)
        # later versions of Python load two variables at once
        loaded = step.argval[-1:] if isinstance(step.argval, tuple) else (step.argval,)
        is_owner = step.opname.startswith(("LOAD_FAST", "LOAD_DEREF")) and loaded == (owner,)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _attributes(inner, owner)
