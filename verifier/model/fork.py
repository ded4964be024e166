"""Two runs with the same past and different futures: what must not depend on the future is the same in both, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from struct import pack
from typing import Any

import numpy as np

from verifier.base.arrays import Array, field_names, frozen


@dataclass(frozen=True, eq=False)
class Fork:
    """A run and another one whose environment draws other numbers from some point on.

    The runs part at the first answer of the environment that is not the same in both. What the agent does before that, the calls
    with their arguments and the plans, may depend on its own seed, which is the same, and on the answers before.

    Attributes
    ----------
    compared, foreseen : int
        Calls and plans before the runs part, and how many of them are not the same, 0 or 1: after the first, the
        agent has chosen another way itself.
    parted : str
        The method whose answer parts them; empty if none does.
    steps : int
        Calls of `step` until then, that one included.
    plans : (mapping, mapping) or None
        The first plans after they parted, field by field; None if there is none.
    played : int
        Calls of `step` between.
    foresees : str
        What is not the same before the runs part: ``call`` or ``plan``; empty if nothing.
    """

    compared: int
    foreseen: int
    parted: str
    steps: int
    plans: tuple[Mapping[str, Array], Mapping[str, Array]] | None = None
    played: int = 0
    foresees: str = ""


@dataclass(frozen=True, eq=False)
class Forks:
    """The forks of one trial.

    Attributes
    ----------
    public : object
        What the agent may know.
    forks : sequence of Fork
    unrevealed : callable, optional
        Plays the trial again where the environment reveals something else at its end; None where a setting reveals nothing.
    """

    public: Any
    forks: Sequence[Fork]
    unrevealed: Callable[[], Fork] | None = None


def fingerprint(value: Any) -> int:
    """Hash of a value, equal for values that are equal bit for bit: numbers, texts, arrays, tuples, mappings and data classes.

    Of anything else only the type counts. Others have another one but for a chance of 2^-64; it is good in one process only.
    """
    parts: list[bytes | str] = []
    _feed(parts.append, value)
    return hash(tuple(parts))


def _feed(update: Callable[[bytes | str], None], value: Any) -> None:
    kind: type = type(value)
    if kind is float:  # as the arrays of one number below, without making one: nearly all values are numbers
        update("<f8()")
        update(pack("<d", value))
    elif kind is int and -(2**63) <= value < 2**63:
        update("<i8()")
        update(pack("<q", value))
    elif kind is str or value is None:
        update(repr(value))
    elif _of_numbers(value):
        update(f"{value.dtype.str}{value.shape}")
        update(value.tobytes())
    elif isinstance(value, (list, tuple, np.ndarray)):
        update(f"[{len(value)}")
        for item in value:
            _feed(update, item)
    elif isinstance(value, (dict, Mapping)):  # asking for a dictionary first is faster
        _feed(update, [part for item in value.items() for part in item])
    elif names := field_names(kind):
        _feed(update, {name: getattr(value, name) for name in names})
    elif isinstance(value, (bool, int, float, complex, np.generic)):
        _feed(update, np.asarray(value))
    else:
        update(repr(value) if isinstance(value, (str, bytes)) else kind.__qualname__)


def arrays_of(plan: Any) -> dict[str, Array]:
    """Copies of the arrays of a plan by field, which cannot be changed; those it leaves out are not among them."""
    return {name: frozen(value) for name, value in _values(plan).items() if isinstance(value, np.ndarray)}


def rest_of(plan: Any) -> Any:
    """Fields of a plan that `same_arrays` skips: all but the arrays of numbers; a plan without fields whole."""
    values = _values(plan)
    return {name: value for name, value in values.items() if not _of_numbers(value)} if values else plan


def same_arrays(plan: Any, kept: Mapping[str, Array]) -> bool:
    """Whether the arrays of numbers in the fields of a plan are those of another, by field, bit for bit."""
    own, others = ({name: value for name, value in given.items() if _of_numbers(value)} for given in (_values(plan), kept))
    return own.keys() == others.keys() and all(_same_bits(value, others[name]) for name, value in own.items())


def _values(plan: Any) -> dict[str, Any]:
    """The fields of a dataclass by name."""
    return {name: getattr(plan, name) for name in field_names(plan.__class__)}


def _of_numbers(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not value.dtype.hasobject


def _same_bits(left: Array, right: Array) -> bool:
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.itemsize == 8 and left.ndim and left.flags.c_contiguous and right.flags.c_contiguous:  # nearly all
        return bool((left.view(np.int64) == right.view(np.int64)).all())
    return left.tobytes() == right.tobytes()
