"""Lifelong RL: contextual finite-horizon linear MDPs whose tasks are chosen one by one, possibly by an adversary.

Setting of "Provably Efficient Lifelong Reinforcement Learning with Linear Representation" (ICLR 2023), on finite sets of
states, actions and contexts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from verifier.setting import Family, Recipe, Scenario, Seeds, Setting
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

    def public(self, instance: Instance, hidden: frozenset[str] = frozenset()) -> Public:
        """What the agent may know; hidden arrays are filled with NaN, so that using one is found out at once."""
        blank = {name: np.full_like(getattr(instance.public, name), np.nan) for name in hidden}
        return replace(instance.public, **blank)

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
