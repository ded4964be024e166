"""Discovery inside a plugin: each algorithm has a folder of its own, and the plugin names none of them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from verifier.model.guarantees import Guarantees


def guarantees_in(package: str, *first: str) -> tuple[Guarantees, ...]:
    """Guarantees declared in the folders of a plugin.

    Adding an algorithm is adding a folder with a module `guarantees`, in which the name ``GUARANTEES`` is bound.

    Parameters
    ----------
    package : str
        Name of the plugin's package.
    *first : str
        Folders that come first, such as those of the algorithms that the others build on; the rest follows in alphabetical
        order.
    """
    found = {item.name for item in iter_modules(import_module(package).__path__) if item.ispkg}
    modules = [f"{package}.{folder}.guarantees" for folder in (*first, *sorted(found - {*first}))]
    return tuple(import_module(module).GUARANTEES for module in modules if find_spec(module) is not None)
