"""Instances in files: ``tables.npz``, with the arguments of a setting's `make`, ``file.py:function``, ``recipe.json``."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import json
import pickle
import secrets
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from verifier.base.errors import ContractError, UsageError, nearest
from verifier.base.instance_name import FUNCTION

_MAKE = "verifier_settings.{setting}.make"


def builder(
    name: str, setting: str, make: Callable[..., Any] | None, drawn: Callable[[Mapping[str, Any]], Any] | None = None
) -> Callable[[np.random.Generator], Any]:
    """Builder of the instance of a name for which `is_file` holds.

    Parameters
    ----------
    name : str
        ``tables.npz``, ``file.py:function`` or ``recipe.json``; paths are relative to the working directory.
    setting : str
        For messages.
    make : callable, optional
        Builds an instance of the setting from the arrays of an ``.npz`` file, given by name.
    drawn : callable, optional
        Builds an instance of the setting from a recipe as plain data, as `verifier tight --worst` writes it.

    Returns
    -------
    callable
        Of a function that takes an argument it is the generator that the instance is drawn from.

    Raises
    ------
    UsageError
        If there is no such file or function, the file cannot be read, or its arrays make no instance.
    """
    found = FUNCTION.fullmatch(name)
    path = Path(found["path"] if found else name)
    if not _exists(path):
        raise UsageError(f"instance {name!r}: there is no file {path}; paths are relative to {Path.cwd()}")
    if found:
        function = _function(path, found["function"])
        return lambda rng: _checked(function(rng) if inspect.signature(function).parameters else function(), name, setting)
    if path.suffix == ".py":
        raise UsageError(f"instance {name!r} names no function; write {name}:FUNCTION, which returns what {_made(setting)} does")
    state = path.stat()
    if path.suffix == ".json":
        built = _from_recipe(path, (state.st_mtime_ns, state.st_size), setting, drawn)
        return lambda rng: built
    if make is None:
        raise UsageError(f"instance {name!r}: setting {setting} reads no tables; give FILE.py:FUNCTION")
    instance = _from_tables(path, (state.st_mtime_ns, state.st_size), setting, make)
    return lambda rng: instance


def _exists(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # no file can have such a name
        return False


def content(instance: Any) -> str:
    """A hash of an instance, for the key of its trials; one that no other has where there is none."""
    try:
        return hashlib.sha256(pickle.dumps(instance)).hexdigest()[:16]
    except Exception:  # pickling calls code of the objects
        return secrets.token_hex(8)


def _made(setting: str) -> str:
    return _MAKE.format(setting=setting.replace("-", "_"))


def _checked(instance: Any, name: str, setting: str) -> Any:
    if not hasattr(instance, "public"):
        kind = type(instance).__name__
        raise UsageError(f"{name} returned a {kind}, expected an instance of setting {setting}, as {_made(setting)} returns")
    return instance


def _function(path: Path, name: str) -> Callable[..., Any]:
    state = path.stat()
    module = _module(path.resolve(), (state.st_mtime_ns, state.st_size))
    function = getattr(module, name, None)
    if not inspect.isfunction(function):
        known = [key for key, value in vars(module).items() if inspect.isfunction(value) and value.__module__ == module.__name__]
        raise UsageError(f"{path} has no function {name!r}. {nearest(name, known)}")
    return function


@lru_cache(maxsize=16)
def _module(path: Path, state: tuple[int, int]) -> Any:
    """The module of a file as it is now; it finds others beside it."""
    name = f"verifier_instance_{hashlib.sha256(str((path, state)).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # its name ends in .py
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path} cannot be imported ({type(error).__name__}: {error})") from error
    finally:
        sys.path.remove(str(path.parent))
    return module


@lru_cache(maxsize=16)
def _from_tables(path: Path, state: tuple[int, int], setting: str, make: Callable[..., Any]) -> Any:
    try:
        with np.load(path, allow_pickle=False) as file:
            given = {key: file[key] for key in file.files}
    except Exception as error:  # whatever numpy and zipfile raise for what they cannot read
        raise UsageError(f"{path} cannot be read ({type(error).__name__}: {error}); expected what numpy.savez writes") from error
    _require_arguments(path, given, make, setting)
    try:
        return make(**{key: array.item() if array.ndim == 0 else array for key, array in given.items()})
    except Exception as error:
        what = str(error) if isinstance(error, ContractError) else f"{type(error).__name__}: {error}"
        raise UsageError(f"{path} makes no instance of setting {setting}: {what}") from error


def recipe_text(setting: str, recipe: Mapping[str, Any], tables: str) -> str:
    """Content of a file that `builder` reads: a recipe of a setting as plain data, and the instance as tables for a reader."""
    data = {"setting": setting, "recipe": recipe, "tables": tables.splitlines()}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


@lru_cache(maxsize=16)
def _from_recipe(path: Path, state: tuple[int, int], setting: str, drawn: Callable[[Mapping[str, Any]], Any] | None) -> Any:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        given, recipe = data["setting"], data["recipe"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} holds no recipe of an instance ({type(error).__name__}: {error}); expected what 'verifier tight --worst' "
            "writes"
        ) from error
    if given != setting or drawn is None:
        raise UsageError(f"{path} holds an instance of setting {given}, and this algorithm is of setting {setting}")
    try:
        return drawn(recipe)
    except Exception as error:  # a recipe that somebody has changed by hand may fail anywhere
        raise UsageError(f"{path} makes no instance of setting {setting}: {type(error).__name__}: {error}") from error


def _require_arguments(path: Path, given: Mapping[str, Any], make: Callable[..., Any], setting: str) -> None:
    parameters = inspect.signature(make).parameters
    for key, array in given.items():
        if key not in parameters:
            raise UsageError(f"{path} has an array {key!r}, which is no argument of {_made(setting)}. {nearest(key, parameters)}")
        if array.dtype.kind not in "biufU":  # numpy would take the real part of complex numbers, and time for a number
            raise UsageError(f"{path}: {key} holds {array.dtype}, expected real numbers")
        if parameters[key].annotation == "int" and not (array.ndim == 0 and array.dtype.kind in "iu" and array >= 0):
            raise UsageError(f"{path}: {key} has shape {array.shape} and type {array.dtype}, expected an integer from 0 on")
    missing = [key for key, parameter in parameters.items() if parameter.default is inspect.Parameter.empty and key not in given]
    if missing:
        raise UsageError(f"{path} has no array {', '.join(missing)}; expected the arguments of {_made(setting)} by name")
