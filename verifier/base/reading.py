"""JSON data read as dataclasses: each value is checked against the type of its field, and what does not fit is named by its path.

A few lines more than a library would need: cattrs wants a strict hook for each of these types too, or it turns 3 into "3" and
splits strings into lists; msgspec has no place for numbers written as "inf"; dacite names no indices.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import EnumType
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from verifier.base import documents
from verifier.base.errors import UsageError

T = TypeVar("T")
Reader: TypeAlias = Callable[[Any, str], Any]
"""Function from a value and its path in the data to what it stands for."""


def read(kind: type[T], data: Any) -> T:
    """JSON data as a dataclass.

    Objects are read as dataclasses, of which fields with a default may be missing and keys that are no field are passed over, or
    as mappings; lists are read as tuples. Floats may be written as ``"inf"``, ``"-inf"`` and ``"nan"``. A string annotated with
    an enumeration is the value of one of its members.

    Raises
    ------
    UsageError
        If something is missing or of the wrong type; the message names it by its path in the data.
    """
    whole: Any = kind
    found: T = _reader(whole)(data, "")
    return found


def _misfit(where: str, value: Any, expected: str) -> UsageError:
    shown = f"an integer of more than {documents.DIGITS} digits" if documents.too_long(value) else reprlib.repr(value)
    return UsageError(f"{where or 'the data'} is {shown}, expected {expected}")


@cache
def _reader(kind: Any) -> Reader:
    """Reader of the values of a type."""
    origin, arguments = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _object(kind)
    if origin in (Union, UnionType):
        return _either(arguments)
    if origin is tuple:
        return _tuple(arguments)
    if origin is Mapping:
        return _mapping(_reader(arguments[1]))
    if origin is Literal:
        return _choice(arguments)
    if origin is Annotated:
        (choices,) = (choices for choices in arguments[1:] if isinstance(choices, EnumType))
        return _choice(tuple(choices))
    return _number if kind is float else _exactly(kind)


def _object(kind: Any) -> Reader:
    hints = get_type_hints(kind, include_extras=True)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}
    needed = [field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]

    def read(value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            raise _misfit(where, value, "an object")
        inside = where and f"{where}."
        for name in needed:
            if name not in value:
                raise UsageError(f"{inside}{name} is missing")
        given = {name: readers[name](item, f"{inside}{name}") for name, item in value.items() if name in readers}
        try:
            return kind(**given)
        except ValueError as error:
            raise UsageError(f"{where}: {error}") from None

    return read


def _either(kinds: tuple[Any, ...]) -> Reader:
    """Reader of a union: one type or null, or several plain types."""
    others = [kind for kind in kinds if kind is not NoneType]
    if len(others) > 1:
        return _exactly(*kinds)
    inner = _reader(others[0])
    return lambda value, where: None if value is None else inner(value, where)


def _tuple(kinds: tuple[Any, ...]) -> Reader:
    inner = _reader(kinds[0])
    size = None if kinds[-1] is ... else len(kinds)
    expected = "a list" if size is None else f"a list of {size}"

    def read(value: Any, where: str) -> Any:
        if not isinstance(value, list) or (size is not None and len(value) != size):
            raise _misfit(where, value, expected)
        return tuple(inner(item, f"{where}[{index}]") for index, item in enumerate(value))

    return read


def _mapping(inner: Reader) -> Reader:
    def read(value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            raise _misfit(where, value, "an object")
        return {key: inner(item, f"{where}.{key}") for key, item in value.items()}

    return read


def _choice(values: tuple[Any, ...]) -> Reader:
    known, expected = frozenset(values), "one of " + ", ".join(repr(str(value)) for value in values)

    def read(value: Any, where: str) -> Any:
        if not isinstance(value, str) or value not in known:
            raise _misfit(where, value, expected)
        return value

    return read


_WORDS = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}


def _exactly(*kinds: Any) -> Reader:
    """A value of one of these plain types; `bool` is no `int` here."""
    if Any in kinds:
        return _free
    known, expected = frozenset(kinds), " or ".join(_WORDS[kind] for kind in kinds)

    def read(value: Any, where: str) -> Any:
        if type(value) not in known or documents.too_long(value):
            raise _misfit(where, value, expected)
        return value

    return read


def _free(value: Any, where: str) -> Any:
    """Whatever JSON has a form for."""
    try:
        return documents.modest(value)
    except ValueError as error:
        raise UsageError(f"{where} {error}") from None


def _number(value: Any, where: str) -> float:
    if type(value) is float or (type(value) is int and not documents.too_long(value)):
        return value
    if isinstance(value, str) and value in ("inf", "-inf", "nan"):
        return float(value)
    raise _misfit(where, value, "a number")
