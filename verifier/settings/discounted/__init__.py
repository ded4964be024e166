"""Discounted MDPs met in a single stream with resets.

Setting of "Optimistic Planning by Regularized Dynamic Programming" (ICML 2023): finite states and actions, known rewards, unknown
transitions, an agent that may ask for a reset to the initial law at any time.
"""

from __future__ import annotations

from collections.abc import Mapping

from verifier.model.setting import Family, Recipe, Scenario, Seeds, Setting
from verifier.settings.discounted.catalogue import CATALOGUE
from verifier.settings.discounted.environment import DiscountedEnvironment
from verifier.settings.discounted.epochs import Epochs
from verifier.settings.discounted.instance import Instance, Public, Truth, make
from verifier.settings.discounted.plan import DiscountedPlan
from verifier.settings.discounted.run import Run
from verifier.settings.discounted.session import DiscountedSession

__all__ = [
    "DISCOUNTED",
    "Discounted",
    "DiscountedEnvironment",
    "DiscountedPlan",
    "DiscountedSession",
    "Epochs",
    "Instance",
    "Public",
    "Run",
    "Truth",
    "make",
]


class Discounted(Setting[Instance, DiscountedPlan]):
    """The discounted setting."""

    name = "discounted"
    description = "discounted MDPs, one stream of steps with resets"

    def catalogue(self) -> tuple[Scenario[Instance], ...]:
        """The named instances."""
        return CATALOGUE

    def families(self) -> tuple[Family[Instance], ...]:
        """Instances whose length varies."""
        from verifier.settings.discounted.sizes import FAMILIES

        return FAMILIES

    def session(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> DiscountedSession:
        """Open a run."""
        return DiscountedSession(instance, seeds, yields)

    def parameters(self, instance: Instance) -> Mapping[str, float | int | str]:
        """Sizes and constants."""
        public = instance.public
        return {
            "X": public.X, "A": public.A, "T": public.T, "gamma": public.gamma, "d": public.d, "B": public.B,
            "lambda": public.ridge, "delta": public.delta,
        }  # fmt: skip

    def recipes(self) -> type[Recipe[Instance]]:
        """How small instances are drawn."""
        from verifier.settings.discounted.strategies import DiscountedRecipe

        return DiscountedRecipe


DISCOUNTED = Discounted()
