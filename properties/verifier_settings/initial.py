"""Arguments of every finite-horizon instance beside its tables: where episodes begin, how many there are, and how long."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError


def initial_law(start: Array | int, S: int) -> Array:
    """(S,) law of the first state of an episode.

    Parameters
    ----------
    start : (S,) array or int
        That law, or the state itself.
    S : int
        Number of states.

    Raises
    ------
    ContractError
        If it is neither a law over the states nor one of them.
    """
    if isinstance(start, (int, np.integer)):
        if not 0 <= start < S:
            raise ContractError(f"start is {start}; expected a state from 0 to {S - 1}, or the law of the first state")
        return np.asarray(np.eye(S)[start])
    law = np.asarray(start, dtype=float)
    if law.shape != (S,) or not (law >= -1e-12).all() or abs(law.sum() - 1.0) > 1e-9:
        raise ContractError(f"start has shape {law.shape} and sums to {law.sum():g}; expected a state, or a law over {S} states")
    return law


def require_run(H: int, K: int, delta: float) -> None:
    """Check the length of a run and the failure probability of its theorem.

    Parameters
    ----------
    H, K : int
        Steps and episodes.
    delta : float
        Failure probability.

    Raises
    ------
    ContractError
        If there is no step or no episode, or delta is not between 0 and 1.
    """
    if H < 1 or K < 1 or not 0.0 < delta < 1.0:
        raise ContractError(f"H = {H}, K = {K}, delta = {delta:g}; expected at least one step and one episode, and 0 < delta < 1")
