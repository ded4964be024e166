"""Action that somebody's code has chosen."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.errors import ContractError


def require_action(
    given: Any, A: int, what: str, place: Callable[[], str] = str, error: type[ContractError] = ContractError
) -> int:
    """Action of 0..A-1 that code has given, as a whole number of any kind or in an array of one.

    Parameters
    ----------
    given : object
    A : int
    what : str
        Beginning of the message, as "act(s) returned".
    place : callable
        Returns where in the code it comes from, for the message.
    error : type of ContractError

    Raises
    ------
    ContractError
        If it is none.
    """
    try:
        chosen = operator.index(given.item() if isinstance(given, np.ndarray) and given.size == 1 else given)
    except TypeError:
        chosen = None
    if chosen is None or not 0 <= chosen < A:
        remedy = "; is a `return` missing?" if given is None and "returned" in what else ""
        shown = repr(given if chosen is None else chosen)
        raise error(f"{what} {shown}; expected an action, a whole number from 0 to {A - 1}{remedy}{place()}")
    return chosen
