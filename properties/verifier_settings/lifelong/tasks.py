"""Rules that choose the initial state and the context of each episode; the paper lets an adaptive adversary do it.

A rule maps episodes (n,) and a `Board` (what the adversary may look at) to their states and contexts (n,). Those that draw at
random draw for one episode after the other, so that it does not matter in how many calls they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import UsageError, nearest


@dataclass
class Board:
    """View of an adversary at the start of an episode.

    Attributes
    ----------
    S, W, K : int
        Numbers of states, contexts and episodes.
    gap : (S, W) array
        V*_1 - V^pi_1 of the policy in force, by initial state and context.
    novelty : (S, W) array
        Expected sum of squared bonus norms the policy in force will meet.
    rng : numpy.random.Generator
        The adversary's own stream.
    """

    S: int
    W: int
    K: int
    gap: Array
    novelty: Array
    rng: np.random.Generator


Tasks: TypeAlias = tuple[IntArray, IntArray]
Rule: TypeAlias = Callable[[IntArray, Board], Tasks]


def iid(k: IntArray, board: Board) -> Tasks:
    """Tasks with uniform and independent state and context."""
    return _uniform(board, np.full(len(k), board.W))


def fixed_start(k: IntArray, board: Board) -> Tasks:
    """State 0 and a uniform context."""
    return np.zeros_like(k), board.rng.integers(board.W, size=len(k))


def round_robin(k: IntArray, board: Board) -> Tasks:
    """Contexts in turn, always from state 0."""
    return np.zeros_like(k), k % board.W


def blocks(k: IntArray, board: Board) -> Tasks:
    """Tasks with one context for K/W episodes, then the next: bait for a stale policy."""
    return board.rng.integers(board.S, size=len(k)), np.minimum(k * board.W // board.K, board.W - 1)


def late_context(k: IntArray, board: Board) -> Tasks:
    """The last context appears only after three quarters of the episodes (zero-shot use of the plan)."""
    return _uniform(board, np.where(4 * k < 3 * board.K, max(board.W - 1, 1), board.W))


def adaptive_regret(k: IntArray, board: Board) -> Tasks:
    """Tasks on which the policy in force loses most."""
    return _argmax(board.gap, len(k))


def adaptive_novelty(k: IntArray, board: Board) -> Tasks:
    """Tasks on which the policy in force will see most that is new."""
    return _argmax(board.novelty, len(k))


def _uniform(board: Board, contexts: IntArray) -> Tasks:
    """States, and the first of contexts (n,) many, drawn in turn."""
    drawn = board.rng.integers(np.stack([np.full_like(contexts, board.S), contexts], axis=1))
    return drawn[:, 0], drawn[:, 1]


def _argmax(table: Array, n: int) -> Tasks:
    s, w = np.unravel_index(int(np.argmax(table)), table.shape)
    return np.full(n, s), np.full(n, w)


RULES: dict[str, Rule] = {
    "iid": iid,
    "fixed-start": fixed_start,
    "round-robin": round_robin,
    "blocks": blocks,
    "late-context": late_context,
    "adaptive-regret": adaptive_regret,
    "adaptive-novelty": adaptive_novelty,
}
ADAPTIVE = frozenset({"adaptive-regret", "adaptive-novelty"})


def rule(name: str) -> Rule:
    """The rule of this name.

    Raises
    ------
    UsageError
        If there is none.
    """
    if name not in RULES:
        raise UsageError(f"task sequence {name!r} is not known. {nearest(name, RULES)}")
    return RULES[name]
