"""Rules that choose the initial state and the context of each episode; the paper lets an adaptive adversary do it.

A rule maps the episode and a `Board` (what the adversary may look at) to a state and a context.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import UsageError, nearest


@dataclass
class Board:
    """What an adversary sees at the start of an episode.

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


Rule: TypeAlias = Callable[[int, Board], tuple[int, int]]


def iid(k: int, board: Board) -> tuple[int, int]:
    """Both uniform and independent."""
    return int(board.rng.integers(board.S)), int(board.rng.integers(board.W))


def fixed_start(k: int, board: Board) -> tuple[int, int]:
    """State 0 and a uniform context."""
    return 0, int(board.rng.integers(board.W))


def round_robin(k: int, board: Board) -> tuple[int, int]:
    """Contexts in turn, always from state 0."""
    return 0, k % board.W


def blocks(k: int, board: Board) -> tuple[int, int]:
    """One context for K/W episodes, then the next: bait for a stale policy."""
    return int(board.rng.integers(board.S)), min(k * board.W // board.K, board.W - 1)


def late_context(k: int, board: Board) -> tuple[int, int]:
    """The last context appears only after three quarters of the episodes (zero-shot use of the plan)."""
    known = max(board.W - 1, 1) if 4 * k < 3 * board.K else board.W
    return int(board.rng.integers(board.S)), int(board.rng.integers(known))


def adaptive_regret(k: int, board: Board) -> tuple[int, int]:
    """Where the policy in force loses most."""
    return _argmax(board.gap)


def adaptive_novelty(k: int, board: Board) -> tuple[int, int]:
    """Where the policy in force will see most that is new."""
    return _argmax(board.novelty)


def _argmax(table: Array) -> tuple[int, int]:
    s, w = np.unravel_index(int(np.argmax(table)), table.shape)
    return int(s), int(w)


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
