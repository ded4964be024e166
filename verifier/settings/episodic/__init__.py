"""Episodic RL: finite-horizon MDPs whose transitions and rewards do not depend on the step.

Setting of UCBVI (Azar, Osband and Munos 2017) and, with one kernel for all steps, of LSVI-UCB (Jin et al. 2020): the
single-task algorithms that most public code implements.
"""

from __future__ import annotations

from collections.abc import Mapping

from verifier.model.setting import Family, Recipe, Scenario, Seeds, Setting
from verifier.settings.episodic.catalogue import CATALOGUE
from verifier.settings.episodic.environment import EpisodicEnvironment
from verifier.settings.episodic.instance import Instance, Public, Truth, make
from verifier.settings.episodic.phases import Phases
from verifier.settings.episodic.plan import EpisodicPlan
from verifier.settings.episodic.run import Run
from verifier.settings.episodic.session import EpisodicSession

__all__ = [
    "EPISODIC",
    "Episodic",
    "EpisodicEnvironment",
    "EpisodicPlan",
    "EpisodicSession",
    "Instance",
    "Phases",
    "Public",
    "Run",
    "Truth",
    "make",
]


class Episodic(Setting[Instance, EpisodicPlan]):
    """The episodic setting."""

    name = "episodic"
    description = "finite-horizon MDPs with one kernel for all steps"

    def catalogue(self) -> tuple[Scenario[Instance], ...]:
        """The named instances."""
        return CATALOGUE

    def scenario(self, name: str) -> Scenario[Instance] | None:
        """The catalogue entry of this name, or an environment of gymnasium with a transition table (``gym:FrozenLake-v1``)."""
        from verifier.settings.episodic.tables import PREFIX, table_scenario

        return table_scenario(name) if name.startswith(PREFIX) else super().scenario(name)

    def families(self) -> tuple[Family[Instance], ...]:
        """Instances whose length varies."""
        from verifier.settings.episodic.sizes import FAMILIES

        return FAMILIES

    def session(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> EpisodicSession:
        """Open a run."""
        return EpisodicSession(instance, seeds, yields)

    def parameters(self, instance: Instance) -> Mapping[str, float | int | str]:
        """Sizes and constants."""
        public = instance.public
        return {
            "S": public.S, "A": public.A, "H": public.H, "K": public.K, "d": public.d, "lambda": public.ridge,
            "delta": public.delta, "rewards": f"[{public.low:g}, {public.high:g}]",
        }  # fmt: skip

    def recipes(self) -> type[Recipe[Instance]]:
        """How small instances are drawn."""
        from verifier.settings.episodic.strategies import EpisodicRecipe

        return EpisodicRecipe


EPISODIC = Episodic()
