"""FMDP-CH (Algorithm 2)."""

from __future__ import annotations

from typing import ClassVar

from verifier_fmdp.hoeffding import Hoeffding


class FMDPCH(Hoeffding):
    """FMDP-CH: optimism from the inequalities of Chernoff and Hoeffding, factor by factor."""

    name: ClassVar[str] = "fmdp-ch"
    title: ClassVar[str] = "FMDP-CH (Algorithm 2)"
    yields: ClassVar[frozenset[str]] = frozenset(
        {"visits", "kernel", "reward_visits", "reward", "known", "reward_bonus", "transition_bonus", "cross"}
    )
