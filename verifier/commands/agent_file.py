"""Class or function of an agent in a file of a user, ``FILE.py:NAME``."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from types import ModuleType
from typing import Any

from verifier.base.errors import UsageError, nearest
from verifier.plugins.failure import line_of
from verifier.plugins.guard import prints_told


def agent_in(target: str) -> Callable[..., Any]:
    """The class or function of a target ``FILE.py:NAME``.

    Raises
    ------
    UsageError
        If there is no such file or name, or the file cannot be run.
    """
    file, _, name = target.rpartition(":")
    path = Path(file)
    if not file or path.suffix != ".py":
        raise UsageError(f"{target!r} names no agent; write FILE.py:CLASS")
    if not path.is_file():
        raise UsageError(f"there is no file {path}; paths are relative to {Path.cwd()}")
    module = _module(path.resolve())
    found = getattr(module, name, None)
    if not callable(found):
        own = [key for key, item in vars(module).items() if inspect.isclass(item) and item.__module__ == module.__name__]
        raise UsageError(f"{path} has no class or function {name!r}. {nearest(name, own)}")
    result: Callable[..., Any] = found
    return result


def _module(path: Path) -> Any:
    """The module of a file, which workers get by value: they import nothing from here."""
    import cloudpickle

    loaded = sys.modules.get(path.stem)
    if loaded is not None and getattr(loaded, "__file__", None) == str(path):
        return loaded  # two classes of one file
    if loaded is not None:
        raise UsageError(f"{path} has the name of the module {path.stem!r}, which is in use; give the file another name")
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None  # it ends in .py
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    known = set(sys.modules)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent))
    try:
        with prints_told():
            specification.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a script may end itself
        del sys.modules[path.stem]
        place = line_of(error)
        remedy = f"; expected a file that can be imported: `python {path.name}` stops at the same line" if place else ""
        raise UsageError(f"{path} cannot be imported: {type(error).__name__}: {error}{place}{remedy}") from error
    finally:
        sys.path.remove(str(path.parent))
    for each in (module, *_beside(path, known)):
        cloudpickle.register_pickle_by_value(each)
    return module


def _beside(path: Path, known: Collection[str]) -> list[ModuleType]:
    """Modules of the folder of a file, or below it, that its import has loaded, but for those that are installed there."""
    loaded = [module for name, module in sys.modules.items() if name not in known and name != path.stem]
    places = [(module, Path(str(getattr(module, "__file__", None) or "."))) for module in loaded]
    own = [(module, place) for module, place in places if place.is_relative_to(path.parent)]
    return [module for module, place in own if not {"site-packages", "dist-packages"} & set(place.parts)]
