"""Comparison of what plugins share with the harness in one process: modules, classes, functions.

Watched are the harness with its built-in plugins, numpy, scipy, and a few modules of the standard library: names of modules,
attributes of classes, code and defaults of functions, and of the harness what its tables hold and what its declarations (claims,
properties, settings: frozen dataclasses) say. What a library adds or fills in by itself (a module imported late, a cache) is no
change: of libraries counts only what was there and is a function, a class or a public constant. Nothing here stops a plugin that
hides what it does, in a closure or in the memory of the interpreter; but then its own trials are all that it can spoil, since no
other plugin is run in its worker.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from operator import attrgetter
from types import FunctionType, ModuleType
from typing import Any

from verifier.base.errors import ContractError
from verifier.plugins.entry_points import packages, top

CHANGING = {
    "verifier.base.folders": frozenset({"_held", "_own"}),
    "verifier.trials.agents": frozenset({"_provided"}),
    "verifier.trials.blind.run": frozenset({"_nursery", "_plugin", "_seconds"}),
    "verifier.trials.trace": frozenset({"_watch"}),
}
"""Names that the harness changes itself, by module."""

_LIBRARIES = frozenset({"numpy", "scipy", "builtins", "math", "random"})
IMPORTED = ("math", "random", "numpy.linalg", "numpy.random", "verifier.record.entries")
"""Modules that everybody uses, and the record: it is there before a plugin of others is, and so it is known how it was."""

_MADE_LATE = frozenset({"__annotate__", "__annotate_func__"})
_ABSENT = object()

_CONTAINERS = (tuple, list, set, frozenset, dict)
_PARTS = ("__code__", "__defaults__", "__kwdefaults__")
_INNER = {
    staticmethod: "__func__",
    classmethod: "__func__",
    property: "fget",
    functools.cached_property: "func",
    type(cache(len)): "__wrapped__",
}


class Shared:
    """The state of all that is watched, as it was when this object was made, or `changes` was called last."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleType] = {}
        self._spaces: dict[int, _Space] = {}
        self._functions: dict[FunctionType, None] = {}
        self._parts: dict[str, list[Any]] = {part: [] for part in _PARTS}
        self._looked: set[str] = set()
        for name in IMPORTED:
            import_module(name)
        self._look()

    def changes(self) -> list[str]:
        """Names of what was changed since, and is put back now; what was imported meanwhile is watched from now on."""
        found = [name for space in self._different() for name in space.restored()]
        found += [f"sys.modules[{name!r}]" for name, module in self._modules.items() if sys.modules.get(name) is not module]
        sys.modules.update(self._modules)
        for part, old in self._parts.items():
            if not _same(list(map(attrgetter(part), self._functions)), old):
                found += _restored(part, self._functions, old)
        found += [name for space in self._look() for name in space.foreign()]
        return list(dict.fromkeys(found))

    def _different(self) -> list[_Space]:
        """Name spaces that may have been changed; in one loop, since there are a thousand and this runs often."""
        spaces = list(self._spaces.values())
        try:
            return [space for space in spaces if space.now != space.held or (space.tables and not space.tables_same())]
        except Exception:  # of an array, or of what a plugin has put there, when it is compared
            return spaces

    def _look(self) -> list[_Space]:
        """Take in what is new, and return it."""
        new, watched, walked = [], _LIBRARIES | packages(own=True), set[int]()
        for name in [name for name in sys.modules if name not in self._looked]:
            module = sys.modules[name]
            if not isinstance(module, ModuleType):
                continue
            self._looked.add(name)
            if top(name) in watched:
                self._modules[name] = module
                owners: list[ModuleType | type] = [module, *_classes(module, watched)]
                new += [self._add(_Space(owner)) for owner in owners if id(owner) not in self._spaces]
                new += self._declared(module, name, walked) if top(name) not in _LIBRARIES else ()
        functions = (function for space in new for value in space.held.values() for function in _functions(value))
        added = [function for function in dict.fromkeys(functions) if function not in self._functions]
        self._functions.update(dict.fromkeys(added))
        for part, old in self._parts.items():
            old += map(attrgetter(part), added)
        return new

    def _declared(self, module: ModuleType, name: str, walked: set[int]) -> list[_Space]:
        """Take in the declarations that a module, a container or another declaration holds; `walked` are ids of containers."""
        found: list[_Space] = []
        waiting: list[tuple[Any, str]] = [(vars(module), name)]
        while waiting:
            given, place = waiting.pop()
            if isinstance(given, _CONTAINERS):
                if id(given) in walked:  # as the built-in functions are, which every module has
                    continue
                walked.add(id(given))
                items = list(given.items()) if isinstance(given, dict) else [("", item) for item in given]
                waiting += [(item, f"{place}.{key}" if key else place) for key, item in reversed(items) if _may_declare(item)]
            elif id(given) not in self._spaces:
                found.append(self._add(_Declaration(given, place)))
                waiting.append((vars(given), place))
        return found

    def _add(self, space: _Space) -> _Space:
        self._spaces[id(space.owner)] = space
        return space


class _Space:
    """The names of a module, or the attributes of a class, as they are now."""

    def __init__(self, owner: Any, name: str = "") -> None:
        self.owner = owner
        self.now = vars(owner)
        self.name = name or (owner.__name__ if isinstance(owner, ModuleType) else f"{owner.__module__}.{owner.__qualname__}")
        self.library = top(self.name) in _LIBRARIES
        self.own = CHANGING.get(self.name, frozenset())
        self._note()

    def _note(self) -> None:
        self.held = dict(self.now)
        tables = {} if self.library or isinstance(self.owner, type) else self.held
        self.tables = {name: (table, list(_entries(table))) for name, table in tables.items() if self._is_table(name, table)}

    def _is_table(self, name: str, value: object) -> bool:
        return type(value) in (dict, list, set) and not name.startswith("__") and name not in self.own

    def tables_same(self) -> bool:
        """Whether the tables hold what they held."""
        return all(_same(list(_entries(table)), before) for table, before in self.tables.values())

    def restored(self) -> list[str]:
        """Put back what was changed; returns its names."""
        now, changed = self.now, []
        if not _same(now, self.held):
            changed = [name for name in {**self.held, **now} if self._counts(name, now.get(name, _ABSENT))]
            for name in changed:
                self._put_back(name)
        for name, (table, before) in self.tables.items():
            if not _same(list(_entries(table)), before):
                changed.append(name)
                _refill(table, before)
        if changed or len(now) != len(self.held):
            self._note()
        return [f"{self.name}.{name}" for name in changed]

    def _put_back(self, name: str) -> None:
        if name in self.held:
            setattr(self.owner, name, self.held[name])
        else:
            delattr(self.owner, name)

    def _counts(self, name: str, new: object) -> bool:
        """Whether another object under this name is a change."""
        old = self.held.get(name, _ABSENT)
        if new is old or name in self.own or name in _MADE_LATE or sys.modules.get(f"{self.name}.{name}", self) is new:
            return False
        if name.startswith("__") and name.endswith("__"):
            return callable(old) or (callable(new) and not self.library)
        if old is _ABSENT and self.library:  # it may add to itself, but not what takes the place of a built-in function
            return hasattr(builtins, name) and self.owner is not builtins
        return not self.library or callable(old) or not (name.startswith("_") or old is None)

    def foreign(self) -> list[str]:
        """Names that a plugin made: changed before they were looked at for the first time."""
        others = packages(own=False) | {"__main__"}
        modules = ((name, getattr(value, "__module__", None)) for name, value in self.held.items() if callable(value))
        return [f"{self.name}.{name}" for name, module in modules if isinstance(module, str) and top(module) in others]


class _Declaration(_Space):
    """The fields of a frozen dataclass; what is computed from them when it is first asked for may be kept beside them."""

    def _counts(self, name: str, new: object) -> bool:
        return name in self.held and new is not self.held[name]

    def _put_back(self, name: str) -> None:
        object.__setattr__(self.owner, name, self.held[name])


@contextlib.contextmanager
def nothing_replaced(shared: Shared) -> Iterator[None]:
    """Run code of a plugin, and put back what it has changed of what is shared as it was when last looked at.

    Raises
    ------
    ContractError
        If it has changed anything, whatever else it has raised.
    """
    try:
        yield
    finally:
        if names := shared.changes():
            raise ContractError(replaced(names))


def replaced(names: list[str]) -> str:
    """The message to a plugin that has changed these."""
    listed = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    return f"the plugin replaced {listed}; the harness and other plugins use it too; give your version a name of its own"


def _same(now: object, before: object) -> bool:
    """Whether containers hold the same; objects that are equal without being identical may count as the same."""
    try:
        return bool(now == before)
    except Exception:  # of an array, or of what a plugin has put there
        return False


def _restored(part: str, functions: Iterable[FunctionType], before: Iterable[Any]) -> Iterator[str]:
    for function, old in zip(functions, before, strict=True):
        if getattr(function, part) is not old:
            setattr(function, part, old)
            yield f"{function.__module__}.{function.__qualname__}"


def _entries(table: Any) -> Iterable[Any]:
    return (*table.keys(), *table.values()) if type(table) is dict else table


def _refill(table: Any, entries: list[Any]) -> None:
    table.clear()
    if type(table) is list:
        table.extend(entries)
    else:
        half = len(entries) // 2
        table.update(zip(entries[:half], entries[half:], strict=True) if type(table) is dict else entries)


def _classes(module: ModuleType, watched: frozenset[str]) -> Iterator[type]:
    for value in list(vars(module).values()):
        if isinstance(value, type) and isinstance(value.__module__, str) and top(value.__module__) in watched:
            yield value


def _may_declare(value: object) -> bool:
    """Whether a value is a declaration, or a container, in which one may be."""
    return isinstance(value, _CONTAINERS) or _is_declaration(value)


def _is_declaration(value: object) -> bool:
    kind = type(value)
    parameters = getattr(kind, "__dataclass_params__", None)
    own = parameters is not None and parameters.frozen and top(kind.__module__) in packages(own=True)
    return own and hasattr(value, "__dict__")


def _functions(value: Any) -> Iterator[FunctionType]:
    inner = getattr(value, _INNER[type(value)], None) if type(value) in _INNER else value
    if type(inner) is FunctionType:
        yield inner
