"""Bugs in when to replan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model.mutant import Mutant, plant
from verifier.model.width import Width
from verifier_settings.lifelong import Public
from verifier_ucblvd.rare_switching import RareSwitching


class EveryEpisode(RareSwitching):
    """Looks in every episode whether to replan, because no bound is known for what it looks at; no bug yet."""

    def patience(self, growth: Array) -> Array | None:
        """No weights: one episode at a time."""
        return None


class Trigger(EveryEpisode):
    """A wrong rule; it maps the growth of the log determinants to a decision."""

    rule: ClassVar[Callable[[Array], Any]]

    def left(self, growth: Array) -> Array:
        """Below 0 where the rule says to replan."""
        return np.full_like(growth, -1.0 if type(self).rule(growth) else 1.0)


def replans_always(original: type[Algorithm]) -> Mutant:
    """The mutant of an algorithm that replans rarely."""
    claims = ("trigger", "planning-calls")
    return plant(original, "trigger-always", "replans in every episode", Trigger, claims, rule=lambda growth: True,
        differs="planned in every episode")  # fmt: skip


class PlansInSecret(EveryEpisode):
    """Plans in every episode, and yields the plan when the rule says so: all that is yielded and played is as it should be."""

    def left(self, growth: Array) -> Array:
        """Rest of the growth, without a mistake; a plan is made of it where none is due."""
        left = super().left(growth)
        if (left >= 0).all():
            self.plan()
        return left


def plans_in_secret(original: type[Algorithm]) -> Mutant:
    """The mutant of an algorithm that replans rarely."""
    return plant(original, "plans-in-secret", "plans in every episode", PlansInSecret, ("trigger", "planning-calls"),
        differs="planned in every episode")  # fmt: skip


class ShareOfOne(RareSwitching):
    """The threshold is 1/d, the share of each eigenvalue, instead of 1 for all together."""

    def left(self, growth: Array) -> Array:
        """Rest of the growth up to 1/d."""
        return 1.0 / self.public.d - growth


class StaleReference(RareSwitching):
    """The growth is taken from the first plan for ever."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.initial = self.log_det()

    def left(self, growth: Array) -> Array:
        """Rest of the growth since the beginning of the run."""
        return super().left(self.log_det() - self.initial)


class StopsReplanning(RareSwitching):
    """Replans five times and not again."""

    replanned = 0

    def left(self, growth: Array) -> Array:
        """Everything once it has."""
        left = super().left(growth) if self.replanned < 5 else np.full_like(growth, np.inf)
        self.replanned += bool((left < 0).any())
        return left
