"""Planning for the conditional value at risk in a known low-rank model, by simulation: the subproblem of CVaR-LSVI.

Maximising CVaR needs min_pi V^pi_1(s_1, c) for each initial budget c. A planner is given a model, bonuses and one initial
budget, and may simulate; in its `run(env)` the environment is that simulator.
"""

from __future__ import annotations

from verifier.model.setting import Setting
from verifier_settings.cvar.planning.catalogue import CATALOGUE, FAMILIES
from verifier_settings.cvar.planning.garbage import GARBAGE
from verifier_settings.cvar.planning.instance import Instance, Public, make
from verifier_settings.cvar.planning.plan import Answer, Round
from verifier_settings.cvar.planning.session import WIDTHS, PlanningEnvironment, PlanningSession
from verifier_settings.cvar.planning.strategies import PlanningRecipe
from verifier_settings.cvar.planning.views import Rounds, Run
from verifier_settings.views import parameters

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


PLANNING = Setting[Instance, Round | Answer](
    name="cvar-planning",
    description="planning by simulation in a known low-rank model, for one initial budget",
    catalogue=CATALOGUE,
    session=lambda instance, seeds, yields: PlanningSession(instance, seeds),
    widths=WIDTHS,
    parameters=parameters("S A H d m=grid.m q=grid.q budget T1 T2 lambda=ridge delta"),
    families=FAMILIES,
    garbage=GARBAGE,
    recipes=PlanningRecipe,
)
