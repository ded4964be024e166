"""Values as bytes and back, for a pipe whose other end may be hostile.

Unpickling runs the functions that the bytes name. Here they can name those of `_VOCABULARY` and nothing else; these make
arrays, numbers, dataclasses and references, and run no code of their classes. What can travel is numbers, texts, bytes,
arrays, and tuples, lists, dicts, sets and dataclasses of them; a dataclass arrives as an instance of the class of the same name
on the other side. What the agent sends may hold dataclasses of the harness, and of the package its setting is from, only: methods
of any other class (`__repr__`, `__hash__`, a property) would run beside the truth. Of a class derived from one of these the
fields of that one travel. Bits survive: floating-point numbers, the order of the axes of an array in memory, and whether it may
be written to.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError

Refer = Callable[[Any], tuple[Any, ...]]
Resolve = Callable[..., Any]
Find = Callable[[str], Any]

MOST_OBJECTS = 1 << 24

_KINDS = frozenset("biufcSUMm")
_PLACES = frozenset({"PUT", "BINPUT", "LONG_BINPUT"})


class GarbageError(Exception):
    """What arrived is no message."""


def pack(value: Any, refer: Refer, home: Sequence[str] | None = None) -> bytes:
    """A value as bytes.

    Parameters
    ----------
    value : object
    refer : callable
        Gives the arguments of `resolve` for an object that cannot travel, or raises.
    home : sequence of str, optional
        Packages whose dataclasses may travel; all, if not given.
    """
    buffer = io.BytesIO()
    _Writer(buffer, refer, home).dump(value)
    return buffer.getvalue()


def unpack(data: bytes, resolve: Resolve, find: Find = sys.modules.__getitem__) -> Any:
    """The inverse of `pack`.

    Parameters
    ----------
    data : bytes
    resolve : callable
        Gives the object of a reference.
    find : callable
        Gives the module of a name, for dataclasses; by default only those that are imported already.

    Raises
    ------
    GarbageError
        If the bytes do not come from `pack`.
    """
    try:
        _refuse_places(data)
        return _Reader(io.BytesIO(data), resolve, find).load()
    except (MemoryError, GarbageError):
        raise
    except Exception as error:  # unpickling what is no pickle raises anything
        raise GarbageError(f"{type(error).__name__}: {error}") from None


def _refuse_places(data: bytes) -> None:
    """Refuse instructions that name the place where a value is remembered, which `pack` never writes.

    The unpickler would make room for all places before it: for 32 GB, at the word of a message of ten bytes.
    """
    if b"r" not in data and b"\n" not in data:
        return  # two instructions make room without bound: one begins with this letter, the other ends its line
    if any(operation.name in _PLACES for operation, _, _ in pickletools.genops(data)):
        raise GarbageError("a place in the memo")


def only(home: Sequence[str]) -> Find:
    """Gives the modules, of those that are imported, of these packages."""

    def find(module: str) -> Any:
        if module.partition(".")[0] not in home:
            raise GarbageError(f"a dataclass of {module}, expected one of {', '.join(home)}")
        return sys.modules[module]

    return find


def no_reference(value: Any) -> tuple[Any, ...]:
    """Refuses what cannot travel.

    Raises
    ------
    ContractError
        Always.
    """
    raise ContractError(
        f"an object of type {type(value).__module__}.{type(value).__qualname__} cannot be handed to the harness in blind mode; "
        "expected numbers, texts, arrays, and tuples, lists, dicts and the setting's dataclasses of them"
    )


class _Writer(pickle.Pickler):
    """Writes builtin types as they are, and everything else as a call of one of the functions of the vocabulary."""

    def __init__(self, file: io.BytesIO, refer: Refer, home: Sequence[str] | None) -> None:
        super().__init__(file, protocol=5)
        self._refer, self._home = refer, home

    def reducer_override(self, value: Any) -> Any:
        """How a value is written that is not of a builtin type."""
        if isinstance(value, np.ndarray):
            return _written(np.asarray(value))
        if isinstance(value, np.generic) and value.dtype.kind in _KINDS:
            return _scalar, (value.dtype.str, value.tobytes())
        if type(value) is complex:
            return _complex, (value.real, value.imag)
        if isinstance(value, FunctionType) and value in _VOCABULARY:
            return NotImplemented  # by its name
        cls = self._travelling(type(value))
        if cls is not None:
            content = {field.name: getattr(value, field.name) for field in fields(cls)}
            return _dataclass, (cls.__module__, cls.__qualname__, content)
        return _reference, self._refer(value)

    def _travelling(self, cls: type) -> type | None:
        """The dataclass as which an instance of a class may travel, if there is one."""
        if self._home is None:
            return cls if is_dataclass(cls) and importable(cls) else None
        at_home = (base for base in cls.__mro__ if base.__module__.partition(".")[0] in self._home)
        return next((base for base in at_home if "__dataclass_fields__" in vars(base) and importable(base)), None)


def _written(array: Array) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    if array.dtype.kind not in _KINDS:  # its content is not looked at: the other side is told its kind and refuses it
        return _objects, array.shape
    order = tuple(sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))) if array.ndim > 1 else None
    inside = array if order is None else array.transpose(order)
    return _array, (array.dtype.str, inside.shape, order, array.flags.writeable, inside.tobytes())


def importable(cls: type) -> bool:
    """Whether the class is found under its own name."""
    found: Any = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is cls


class _Reader(pickle.Unpickler):
    """Reads with a closed vocabulary."""

    def __init__(self, file: io.BytesIO, resolve: Resolve, find: Find) -> None:
        super().__init__(file)
        self._resolve, self._find = resolve, find

    def find_class(self, module: str, name: str) -> Any:
        """The function of the vocabulary that has this name."""
        function = _NAMES.get(name) if module == __name__ else None
        if function is None:
            raise GarbageError(f"{module}.{name} is not what a message may name")
        if function is _reference:
            return self._resolve
        return partial(function, self._find) if function is _dataclass else function


def _array(name: str, inside: tuple[int, ...], order: tuple[int, ...] | None, writeable: bool, data: bytes) -> Array:
    array = np.frombuffer(bytearray(data), _plain(name)).reshape(inside)
    if order is not None:
        array = array.transpose(np.argsort(order))
    array.flags.writeable = writeable
    return array


def _objects(*shape: int) -> Array:
    if math.prod(shape) > MOST_OBJECTS:
        raise GarbageError("an array of too many objects")
    return np.full(shape, None, dtype=object)


def _scalar(name: str, data: bytes) -> Any:
    return np.frombuffer(data, _plain(name))[0]


def _plain(name: str) -> np.dtype[Any]:
    found = np.dtype(name) if isinstance(name, str) else None
    if found is None or found.kind not in _KINDS:
        raise GarbageError(f"an array of {name!r}, expected one of plain numbers or texts")
    return found


def _complex(real: float, imaginary: float) -> complex:
    return complex(real, imaginary)


def _dataclass(find: Find, module: str, name: str, content: dict[str, Any]) -> Any:
    cls: Any = find(module)
    for part in name.split("."):
        cls = getattr(cls, part)
    if not isinstance(cls, type) or (cls.__module__, cls.__qualname__) != (module, name):
        raise GarbageError(f"{module}.{name} is not a class")
    if not is_dataclass(cls) or {field.name for field in fields(cls)} != content.keys():
        raise GarbageError(f"{module}.{name} is not a dataclass with these fields")
    made = object.__new__(cls)
    for field, item in content.items():
        object.__setattr__(made, field, item)
    return made


def _reference(*reference: Any) -> Any:
    """Stands for the reader's `resolve`."""


_VOCABULARY = (_array, _objects, _scalar, _complex, _dataclass, _reference)
_NAMES = {function.__name__: function for function in _VOCABULARY}
