"""Lazy imports for a short start: modules of packages are imported on first use, with the garbage collector off meanwhile."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any


def later(package: str, names: Collection[str], modules: Collection[str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package that offers names of its modules and imports none of these by itself.

    Whoever imports one module imports its package first; with all of them, commands that need one would wait for the others.

    Parameters
    ----------
    package : str
        Name of the package.
    names : collection of str
        What it offers.
    modules : collection of str
        Where that is, looked through in this order.
    """

    @cache
    def found(name: str) -> Any:
        if name in names:
            for module in modules:
                held = vars(import_module(module))
                if name in held:
                    return held[name]
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return found


@contextmanager
def garbage_left() -> Iterator[None]:
    """Inside, no garbage is looked for: what imports make stays, and to search it again and again takes a tenth of a start."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
