"""Declarations that agents of checkouts have in common."""

from __future__ import annotations

from typing import ClassVar

from verifier import Algorithm
from verifier_settings.episodic import Public


class CheckoutAgent(Algorithm):
    """An agent of a checkout, with constants of its own; subclasses say which, and take the plan from its arrays."""

    setting: ClassVar[str] = "episodic"
    groups: ClassVar[tuple[str, ...]] = ("checkouts",)
    regimes: ClassVar[tuple[str, ...]] = ("published",)
    hidden: ClassVar[frozenset[str]] = frozenset({"reward"})
    public: Public

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Width that is never asked for: the agent has its own constants."""
        return 1.0
