"""The formulas of settings, properties and algorithms, found by introspection, and each broken on purpose."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

import verifier_properties
import verifier_settings
from verifier.plugins.registry import registry

from ..modules import run_by

NUMBERS = re.compile(r"(Array|IntArray|BoolArray|float|int|bool|tuple|[\[\], .])+")
"""Annotations of functions that return numbers, arrays of them, or tuples of such."""

Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Formula:
    """A function or method of the harness that returns numbers.

    Parameters
    ----------
    name : str
        Where it is defined, without the name of the package.
    function : function
    type : str
        What it returns, as annotated.
    field : str
        Which field of the series it returns; empty where it returns numbers itself.
    """

    name: str
    function: FunctionType
    type: str
    field: str = ""

    @property
    def decides(self) -> bool:
        """Whether it says yes or no."""
        return self.type in ("bool", "BoolArray")


def formulas() -> dict[str, Formula]:
    """Every formula by name: public functions, methods and properties of settings, properties and installed algorithms.

    Agents of other libraries are left out, whose formulas are theirs.
    """
    found = (formula for module in _modules() for formula in _formulas_in(module))
    return {formula.name: formula for formula in found}


def _modules() -> Iterator[ModuleType]:
    for root in (verifier_settings, verifier_properties):
        for info in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            yield import_module(info.name)
    own = (run_by(guarantees) for guarantees in registry().guarantees.values() if not guarantees.algorithm.libraries)
    for name in sorted(set[str]().union(*own)):
        yield import_module(name)


def _formulas_in(module: ModuleType) -> Iterator[Formula]:
    where = re.sub(r"^verifier[._]", "", module.__name__)
    for name, item in vars(module).items():
        if getattr(item, "__module__", "") != module.__name__ or name.startswith("_"):
            continue
        if isinstance(item, FunctionType):
            yield from _formulas_of(item, f"{where}.{name}")
        elif inspect.isclass(item) and not getattr(item, "_is_protocol", False):
            for attribute, value in vars(item).items():
                if (function := _function(value)) and not attribute.startswith("_"):
                    yield from _formulas_of(function, f"{where}.{name}.{attribute}")


def _function(item: object) -> FunctionType | None:
    """The function behind an attribute of a class, if it has one that is written out."""
    if isinstance(item, (classmethod, staticmethod)):
        item = item.__func__
    elif isinstance(item, property):
        item = item.fget
    elif isinstance(item, cached_property):
        item = inspect.unwrap(item.func)
    if not isinstance(item, FunctionType) or not item.__module__.startswith("verifier"):
        return None
    return None if getattr(item, "__isabstractmethod__", False) else item


def _formulas_of(function: FunctionType, name: str) -> Iterator[Formula]:
    """The function itself where it returns numbers, or each field where it returns series."""
    returned = str(function.__annotations__.get("return", ""))
    if NUMBERS.fullmatch(returned):
        yield Formula(name, function, returned)
    elif returned.endswith("Series") and function.__name__ != "join":  # which puts series one after the other
        for field in fields(function.__globals__[returned]):
            yield Formula(f"{name}.{field.name}", function, str(field.type), field.name)


# Breaking them -----------------------------------------------------------------------------------------------------------


def _everywhere(change: Callable[[Any], Any]) -> Change:
    """A change of numbers, for tuples as well; whole numbers stay whole."""

    def changed(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(changed(part) for part in value)
        if isinstance(value, np.ndarray):
            return change(value).astype(value.dtype)
        return type(value)(change(value))

    return changed


NUMBERS_CHANGED: Mapping[str, Change] = {
    "halved": _everywhere(lambda x: x / 2),
    "less 1": _everywhere(lambda x: x - 1),
    "doubled": _everywhere(lambda x: x * 2),
    "plus 1": _everywhere(lambda x: x + 1),
    "negated": _everywhere(lambda x: -x),
    "ten thousand times": _everywhere(lambda x: x * 1e4),
    "a ten-thousandth": _everywhere(lambda x: x * 1e-4),
}
DECISIONS_CHANGED: Mapping[str, Change] = {
    "opposite": _everywhere(np.logical_not),
    "no": _everywhere(np.zeros_like),
    "yes": _everywhere(np.ones_like),
}


def changes(formula: Formula) -> Mapping[str, Change]:
    """Ways in which what a formula returns can be wrong."""
    return DECISIONS_CHANGED if formula.decides else NUMBERS_CHANGED


@contextmanager
def broken(formula: Formula, change: Change) -> Iterator[None]:
    """The formula with its result changed, for whoever holds it: its code is replaced, not a name that refers to it."""
    function, field = formula.function, formula.field
    code, defaults, keywords = function.__code__, function.__defaults__, function.__kwdefaults__
    right = FunctionType(code, function.__globals__, function.__name__, defaults, function.__closure__)
    right.__kwdefaults__ = keywords

    def wrong(*args: Any, **kwargs: Any) -> Any:
        result = right(*args, **kwargs)
        return replace(result, **{field: change(getattr(result, field))}) if field else change(result)

    function.__globals__["_wrong"] = wrong
    function.__defaults__ = function.__kwdefaults__ = None
    function.__code__ = _detour.__code__.replace(co_freevars=code.co_freevars)
    try:
        yield
    finally:
        function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, keywords
        del function.__globals__["_wrong"]


def _detour(*args: Any, **kwargs: Any) -> Any:
    return _wrong(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821  # found where the formula's code is run
