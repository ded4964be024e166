"""Lifelong RL: contextual finite-horizon linear MDPs whose tasks are chosen one by one, possibly by an adversary.

Setting of "Provably Efficient Lifelong Reinforcement Learning with Linear Representation" (ICLR 2023), on finite sets of
states, actions and contexts.
"""

from __future__ import annotations

from collections.abc import Mapping

from verifier.model.setting import Family, Recipe, Scenario, Seeds, Setting
from verifier.settings.lifelong.catalogue import CATALOGUE
from verifier.settings.lifelong.environment import LifelongEnvironment
from verifier.settings.lifelong.instance import Instance, Public, Truth, make
from verifier.settings.lifelong.phases import Phases
from verifier.settings.lifelong.plan import LifelongPlan
from verifier.settings.lifelong.run import Run
from verifier.settings.lifelong.session import LifelongSession

__all__ = [
    "LIFELONG",
    "Instance",
    "Lifelong",
    "LifelongEnvironment",
    "LifelongPlan",
    "LifelongSession",
    "Phases",
    "Public",
    "Run",
    "Truth",
    "make",
]


class Lifelong(Setting[Instance, LifelongPlan]):
    """The lifelong setting."""

    name = "lifelong"
    description = "contextual finite-horizon linear MDPs, tasks chosen one by one"

    def catalogue(self) -> tuple[Scenario[Instance], ...]:
        """The named instances."""
        return CATALOGUE

    def families(self) -> tuple[Family[Instance], ...]:
        """Instances whose length varies."""
        from verifier.settings.lifelong.sizes import FAMILIES

        return FAMILIES

    def session(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> LifelongSession:
        """Open a run."""
        return LifelongSession(instance, seeds, yields)

    def parameters(self, instance: Instance) -> Mapping[str, float | int | str]:
        """Sizes and constants."""
        public = instance.public
        return {
            "S": public.S, "A": public.A, "W": public.W, "H": public.H, "K": public.K, "d": public.d, "m": public.m,
            "n": public.n, "L": public.L, "lambda": public.ridge, "delta": public.delta, "tasks": instance.tasks,
        }  # fmt: skip

    def recipes(self) -> type[Recipe[Instance]]:
        """How small instances are drawn."""
        from verifier.settings.lifelong.strategies import LifelongRecipe

        return LifelongRecipe


LIFELONG = Lifelong()
