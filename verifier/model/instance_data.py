"""Instances as plain data, for records: what a file of the user held is needed wherever its trials are run again."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import UsageError

LARGEST = 2**18
"""Numbers in all arrays of an instance; in a record they take about five megabytes."""

_KINDS = "biufU"
_PLAIN = (type(None), bool, int, str)


class UnkeptError(Exception):
    """An instance cannot be written as data; the message says why."""


def tables(instance: Any, home: Collection[str]) -> dict[str, Any]:
    """An instance as data that `instance_of` reads back bit for bit.

    Numbers, texts, arrays, containers and dataclasses become lists and objects of JSON. Arrays stand under ``arrays``, each once,
    in the order in which memory holds them; an axis along which all is the same (`numpy.broadcast_to`) has length 1 there.

    Parameters
    ----------
    instance : object
    home : collection of str
        Packages whose dataclasses are written. Those of any other class would have to be imported by who reads.

    Raises
    ------
    UnkeptError
        If it holds anything else, or more than `LARGEST` numbers.
    """
    arrays: list[dict[str, Any]] = []
    return {"instance": _Writer(home, arrays).written(instance), "arrays": arrays}


def instance_of(data: Mapping[str, Any], home: Collection[str]) -> Any:
    """The instance that `tables` has written.

    Raises
    ------
    UsageError
        If the data is of no instance of these packages. No other class is made, and nothing is imported.
    """
    try:
        return _Reader(home, data["arrays"]).read(data["instance"])
    except Exception as error:  # data of any form may come from outside
        raise UsageError(f"the record is damaged: its tables make no instance ({type(error).__name__}: {error})") from error


class _Writer:
    """Writes values as data, and their arrays to a list."""

    def __init__(self, home: Collection[str], arrays: list[dict[str, Any]]) -> None:
        self._home, self._arrays, self._numbers = home, arrays, 0

    def written(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if kind is np.ndarray:
            return {"array": self._array(value)}
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        if kind in (tuple, frozenset):
            return {kind.__name__: [self.written(item) for item in value]}
        if kind is list:
            return [self.written(item) for item in value]
        if kind is dict:
            return {"dict": [[self.written(key), self.written(item)] for key, item in value.items()]}
        if is_dataclass(kind) and _class(kind.__module__, kind.__qualname__, self._home) is kind:
            content = {field.name: self.written(getattr(value, field.name)) for field in fields(kind)}
            return {"class": [kind.__module__, kind.__qualname__], "fields": content}
        raise UnkeptError(f"it holds an object of type {kind.__module__}.{kind.__qualname__}, which is not data")

    def _array(self, array: Array) -> int:
        """The place of an array among those that were written."""
        if array.dtype.kind not in _KINDS:
            raise UnkeptError(f"it holds an array of {array.dtype}, which JSON has no numbers for")
        once = [min(length, 1) if stride == 0 else length for length, stride in zip(array.shape, array.strides, strict=True)]
        order = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]) if once[axis] > 1 else -math.inf)
        stored = array[tuple(map(slice, once))].transpose(order)  # as in memory, on which the last bits of products depend
        data = {
            "type": array.dtype.str,
            "shape": list(array.shape),
            "once": once,
            "order": order,
            "fixed": not array.flags.writeable,
            "values": [self.written(item) for item in stored.ravel().tolist()],
        }
        if data in self._arrays:
            return self._arrays.index(data)
        self._numbers += stored.size
        if self._numbers > LARGEST:
            raise UnkeptError(f"its arrays hold more than {LARGEST} numbers")
        self._arrays.append(data)
        return len(self._arrays) - 1


class _Reader:
    """The inverse of `_Writer`."""

    def __init__(self, home: Collection[str], arrays: list[dict[str, Any]]) -> None:
        self._home, self._arrays = home, arrays

    def read(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.read(item) for item in value]
        if not isinstance(value, Mapping):
            return value
        match dict(value):
            case {"float": str(text)}:
                return float(text)
            case {"array": int(place)}:
                return self._array(place)
            case {"scalar": int(place)}:
                return self._array(place)[()]
            case {"tuple": list(items)}:
                return tuple(map(self.read, items))
            case {"frozenset": list(items)}:
                return frozenset(map(self.read, items))
            case {"dict": list(items)}:
                return {self.read(key): self.read(item) for key, item in items}
            case {"class": [str(module), str(name)], "fields": dict(content)}:
                return self._made(_class(module, name, self._home), content)
        raise ValueError(f"an object with the keys {', '.join(value)}")

    def _made(self, cls: Any, content: Mapping[str, Any]) -> Any:
        if cls is None or {field.name for field in fields(cls)} != content.keys():
            raise ValueError("a class that this version does not have, or has with other fields")
        made = object.__new__(cls)  # as it was: what `__init__` computes was computed
        for name, item in content.items():
            object.__setattr__(made, name, self.read(item))
        return made

    def _array(self, place: int) -> Array:
        data = self._arrays[place]
        kind, order = np.dtype(data["type"]), data["order"]
        if kind.kind not in _KINDS:
            raise ValueError(f"an array of {kind}")
        stored = np.array([self.read(item) for item in data["values"]], dtype=kind).reshape(
            [data["once"][axis] for axis in order]
        )
        array = stored.transpose(np.argsort(order))
        if data["once"] != data["shape"]:
            array = np.broadcast_to(array, data["shape"])
        array = array if data["fixed"] or array.flags.writeable else array.copy()
        array.flags.writeable = not data["fixed"]
        return array


def _class(module: str, name: str, home: Collection[str]) -> Any:
    """The dataclass of a name, if an imported module of one of these packages has it."""
    found: Any = sys.modules.get(module) if module.partition(".")[0] in home else None
    for part in name.split("."):
        found = getattr(found, part, None)
    sound = isinstance(found, type) and is_dataclass(found) and (found.__module__, found.__qualname__) == (module, name)
    return found if sound else None
