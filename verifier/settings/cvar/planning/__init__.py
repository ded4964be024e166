"""Planning for the conditional value at risk in a known low-rank model, by simulation: the subproblem of CVaR-LSVI.

Maximising CVaR needs min_pi V^pi_1(s_1, c) for each initial budget c. A planner is given a model, bonuses and one initial
budget, and may simulate; in its `run(env)` the environment is that simulator.
"""

from __future__ import annotations

from verifier.model.setting import Setting
from verifier.settings.cvar.planning.catalogue import CATALOGUE, FAMILIES
from verifier.settings.cvar.planning.instance import Instance, Public, make
from verifier.settings.cvar.planning.plan import Answer, Round
from verifier.settings.cvar.planning.session import PlanningEnvironment, PlanningSession
from verifier.settings.cvar.planning.strategies import PlanningRecipe
from verifier.settings.cvar.planning.views import Rounds, Run

__all__ = [
    "PLANNING",
    "Answer",
    "Instance",
    "PlanningEnvironment",
    "PlanningSession",
    "Public",
    "Round",
    "Rounds",
    "Run",
    "make",
]


def _parameters(instance: Instance) -> dict[str, float | int | str]:
    public = instance.public
    return {
        "S": public.S, "A": public.A, "H": public.H, "d": public.d, "m": public.grid.m, "q": public.grid.q,
        "budget": public.budget, "T1": public.T1, "T2": public.T2, "lambda": public.ridge, "delta": public.delta,
    }  # fmt: skip


PLANNING = Setting[Instance, Round | Answer](
    name="cvar-planning",
    description="planning by simulation in a known low-rank model, for one initial budget",
    catalogue=CATALOGUE,
    session=lambda instance, seeds, yields: PlanningSession(instance, seeds),
    parameters=_parameters,
    families=FAMILIES,
    recipes=PlanningRecipe,
)
