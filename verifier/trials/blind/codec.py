"""Values as bytes and back, for a pipe whose other end may be hostile.

Unpickling runs the functions that the bytes name, and other instructions set attributes and items of what these return. So
reading has two steps. First the bytes are decoded. They may hold the instructions that `pack` writes and no other, and may name
the functions of `_VOCABULARY` and nothing else. None of these is called: what stands for a call has no attributes, items or
methods. Then the calls are made. They give arrays, numbers, dataclasses and references, and run no code of their classes.

What can travel is numbers, texts, bytes, arrays, and tuples, lists, dicts, sets and dataclasses of them; a dataclass arrives as
an instance of the class of the same name on the other side. What the agent sends may hold dataclasses of the harness, and of
the package its setting is from, only: methods of any other class (`__repr__`, `__hash__`, a property) would run beside the
truth. Of a class derived from one of these the fields of that one travel. Bits survive: floating-point numbers, the order of the
axes of an array in memory, and whether it may be written to.
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

INSTRUCTIONS = frozenset(
    [
        *("PROTO", "FRAME", "STOP", "MEMOIZE", "BINGET", "LONG_BINGET", "STACK_GLOBAL", "REDUCE", "MARK"),
        *("NONE", "NEWTRUE", "NEWFALSE", "BININT", "BININT1", "BININT2", "LONG1", "LONG4", "BINFLOAT"),
        *("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "SHORT_BINBYTES", "BINBYTES", "BINBYTES8"),
        *("EMPTY_TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "TUPLE", "EMPTY_LIST", "APPEND", "APPENDS"),
        *("EMPTY_DICT", "SETITEM", "SETITEMS", "EMPTY_SET", "ADDITEMS", "FROZENSET"),
    ]
)
"""The instructions of pickles that `pack` writes. Missing are those that set attributes (BUILD), make objects of classes, or name
the place where a value is remembered: the unpickler would make room for all places before it, for 32 GB at ten bytes."""


class GarbageError(Exception):
    """Bytes that arrived are no message."""


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
        _require_known(data)
        return _Builder(resolve, find).built(_Reader(io.BytesIO(data)).load())
    except (MemoryError, GarbageError):
        raise
    except Exception as error:  # unpickling what is no pickle raises anything
        raise GarbageError(f"{type(error).__name__}: {error}") from None


def _require_known(data: bytes) -> None:
    """Refuse instructions that `pack` never writes."""
    for instruction, _, _ in pickletools.genops(data):
        if instruction.name not in INSTRUCTIONS:
            raise GarbageError(f"the instruction {instruction.name}")


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
        """Form in which a value is written that is not of a builtin type."""
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


class _Call:
    """A call that is to be made once all is decoded; nothing can be done with it meanwhile."""

    __slots__ = ("arguments", "name")

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        self.name, self.arguments = name, arguments


class _Named:
    """A function of the vocabulary, as the bytes name it; to call it notes the call."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *arguments: Any) -> _Call:
        return _Call(self.name, arguments)


class _Reader(pickle.Unpickler):
    """Decodes with a closed vocabulary, and calls nothing."""

    def find_class(self, module: str, name: str) -> Any:
        """Stand-in for the function of the vocabulary that has this name."""
        if module != __name__ or name not in _NAMES:
            raise GarbageError(f"{module}.{name} is not what a message may name")
        return _Named(name)


class _Builder:
    """Makes the calls of what was decoded, each once.

    Parameters
    ----------
    resolve, find : callable
        As for `unpack`.
    """

    def __init__(self, resolve: Resolve, find: Find) -> None:
        self._functions = {**_NAMES, _reference.__name__: resolve, _dataclass.__name__: partial(_dataclass, find)}
        self._done: dict[
            int, tuple[Any, Any]
        ] = {}  # by identity; with what was decoded, whose number is not given away meanwhile

    def built(self, value: Any) -> Any:
        """A value with the results of its calls in their places; lists and dicts are changed, and may hold themselves."""
        kind = type(value)
        if kind not in _BUILT:
            return value
        if kind is _Named:
            raise GarbageError(f"the function {value.name}, expected a call of it")
        if id(value) in self._done:
            return self._done[id(value)][1]
        result: Any = value
        if kind in (list, dict):
            self._done[id(value)] = value, value
        if kind is list:
            value[:] = [self.built(item) for item in value]
        elif kind is dict:
            items = [(self._key(key), self.built(item)) for key, item in value.items()]
            value.clear()
            value.update(items)
        elif kind is _Call:
            result = self._functions[value.name](*map(self.built, value.arguments))
        elif kind is tuple:
            result = tuple(map(self.built, value))
        else:
            result = kind(map(self._key, value))
        self._done[id(value)] = value, result
        return result

    def _key(self, value: Any) -> Any:
        """A key of a dict or a member of a set: no object of the harness, whose code would be asked for its hash."""
        if type(value) is _Call and value.name == _reference.__name__:
            raise GarbageError("a reference as a key")
        return self.built(value)


_BUILT = frozenset({_Call, _Named, list, dict, tuple, set, frozenset})


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
    """Stands for the `resolve` of whoever reads."""


_VOCABULARY = (_array, _objects, _scalar, _complex, _dataclass, _reference)
_NAMES = {function.__name__: function for function in _VOCABULARY}
