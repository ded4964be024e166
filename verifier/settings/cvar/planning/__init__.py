"""Planning for the conditional value at risk in a known low-rank model, by simulation: the subproblem of CVaR-LSVI.

Maximising CVaR needs min_pi V^pi_1(s_1, c) for each initial budget c. A planner is given a model, bonuses and one initial
budget, and may simulate; in its `run(env)` the environment is that simulator.
"""

from __future__ import annotations

from collections.abc import Mapping

from verifier.model.setting import Family, Recipe, Scenario, Seeds, Setting
from verifier.settings.cvar.planning.catalogue import CATALOGUE
from verifier.settings.cvar.planning.instance import Instance, Public, make
from verifier.settings.cvar.planning.plan import Answer, Round
from verifier.settings.cvar.planning.session import PlanningEnvironment, PlanningSession
from verifier.settings.cvar.planning.sizes import FAMILIES
from verifier.settings.cvar.planning.views import Rounds, Run

__all__ = [
    "PLANNING",
    "Answer",
    "Instance",
    "Planning",
    "PlanningEnvironment",
    "PlanningSession",
    "Public",
    "Round",
    "Rounds",
    "Run",
    "make",
]


class Planning(Setting[Instance, Round | Answer]):
    """The planning setting."""

    name = "cvar-planning"
    description = "planning by simulation in a known low-rank model, for one initial budget"

    def catalogue(self) -> tuple[Scenario[Instance], ...]:
        """The named planning problems."""
        return CATALOGUE

    def session(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> PlanningSession:
        """Open a run."""
        return PlanningSession(instance, seeds)

    def public(self, instance: Instance, hidden: frozenset[str] = frozenset()) -> Public:
        """The whole problem; nothing of it can be hidden."""
        return instance.public

    def parameters(self, instance: Instance) -> Mapping[str, float | int | str]:
        """Sizes and constants."""
        public = instance.public
        return {
            "S": public.S, "A": public.A, "H": public.H, "d": public.d, "m": public.grid.m, "q": public.grid.q,
            "budget": public.budget, "T1": public.T1, "T2": public.T2, "lambda": public.ridge, "delta": public.delta,
        }  # fmt: skip

    def families(self) -> tuple[Family[Instance], ...]:
        """Planning problems with any number of rounds."""
        return FAMILIES

    def recipes(self) -> type[Recipe[Instance]]:
        """How small planning problems are drawn."""
        from verifier.settings.cvar.planning.strategies import PlanningRecipe

        return PlanningRecipe


PLANNING = Planning()
