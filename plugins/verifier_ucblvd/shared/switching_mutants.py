"""Bugs in when to replan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model.mutant import Mutant, plant
from verifier.model.width import Width
from verifier.settings.lifelong import Public
from verifier_ucblvd.rare_switching import RareSwitching


class EveryEpisode(RareSwitching):
    """Looks in every episode whether to replan, because no bound is known for what it looks at; no bug yet."""

    def patience(self, growth: Array) -> Array | None:
        """No weights: one episode at a time."""
        return None


class Trigger(RareSwitching):
    """A wrong rule; it maps the growth of the log determinants to a decision."""

    rule: ClassVar[Callable[[Array], Any]]

    def triggered(self, growth: Array) -> bool:
        """Whether to replan."""
        return bool(type(self).rule(growth))


def replans_always(original: type[Algorithm]) -> Mutant:
    """The mutant of an algorithm that replans rarely."""
    claims = ("trigger", "planning-calls")
    return plant(
        original,
        "trigger-always",
        "replans in every episode",
        Trigger,
        claims,
        rule=lambda growth: True,
        differs="planned in every episode",
    )


class PlansInSecret(RareSwitching):
    """Plans in every episode, and yields the plan when the rule says so: all that is yielded and played is as it should be."""

    def triggered(self, growth: Array) -> bool:
        """Whether to use a plan."""
        replan = super().triggered(growth)
        if not replan:
            self.plan()
        return replan


def plans_in_secret(original: type[Algorithm]) -> Mutant:
    """The mutant of an algorithm that replans rarely."""
    return plant(
        original,
        "plans-in-secret",
        "plans in every episode",
        PlansInSecret,
        ("trigger", "planning-calls"),
        differs="planned in every episode",
    )


class ShareOfOne(RareSwitching):
    """The threshold is 1/d, the share of each eigenvalue, instead of 1 for all together."""

    def triggered(self, growth: Array) -> bool:
        """Whether to replan."""
        return bool((growth > 1.0 / self.public.d).any())


class StaleReference(RareSwitching):
    """The growth is taken from the first plan for ever."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.initial = self.log_det()

    def triggered(self, growth: Array) -> bool:
        """Whether to replan."""
        return super().triggered(self.log_det() - self.initial)


class StopsReplanning(RareSwitching):
    """Replans five times and not again."""

    replanned = 0

    def triggered(self, growth: Array) -> bool:
        """Whether to replan."""
        replan = self.replanned < 5 and super().triggered(growth)
        self.replanned += replan
        return replan
