"""Names that a plugin shares with all others in one process, looked at when it is imported.

Watched are the harness with its built-in plugins, numpy, scipy, `random`, `math` and the built-in names: functions, classes and
public constants of their modules, and methods of their classes. A plugin that replaces one on import, as patches for old versions
of a library do, is an error of its own, and changes no verdict of others. This finds what people do in good faith, and nothing
that hides, in a closure or in the memory of the interpreter.

What a run replaces is not looked at: no worker runs trials of two plugins.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from verifier.base.errors import ContractError
from verifier.plugins.entry_points import packages, top

_LIBRARIES = frozenset({"numpy", "scipy", "builtins", "math", "random"})
_ABSENT = object()


class Shared:
    """The names that are watched, and what they stand for when this object is made."""

    def __init__(self) -> None:
        watched = _LIBRARIES | packages(own=True)
        named = [(name, module) for name, module in sys.modules.items() if isinstance(module, ModuleType)]
        modules = [module for name, module in named if top(name) in watched]
        classes = (value for module in modules for value in list(vars(module).values()) if isinstance(value, type))
        owners = {id(owner): owner for owner in (*modules, *classes) if top(_name(owner)) in watched}
        self._held = [(owner, dict(vars(owner))) for owner in owners.values()]

    def restored(self) -> list[str]:
        """Put back what was replaced or removed; returns its names."""
        changed = []
        for owner, held in self._held:
            now = vars(owner)
            for name, value in held.items():
                public = not (name.startswith("_") or isinstance(value, ModuleType))  # modules may be imported again
                if now.get(name, _ABSENT) is not value and (callable(value) or public):
                    setattr(owner, name, value)
                    changed.append(f"{_name(owner)}.{name}")
        return changed


@contextlib.contextmanager
def nothing_replaced(shared: Shared) -> Iterator[None]:
    """Import a plugin, and put back what it has replaced.

    Raises
    ------
    ContractError
        If it has replaced anything, whatever else it has raised.
    """
    try:
        yield
    finally:
        if names := shared.restored():
            listed = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
            raise ContractError(
                f"the plugin replaced {listed}; the harness and other plugins use it too; give your version a name of its own"
            )


def _name(owner: Any) -> str:
    return owner.__name__ if isinstance(owner, ModuleType) else f"{owner.__module__}.{owner.__qualname__}"
