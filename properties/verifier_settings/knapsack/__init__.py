"""RL with knapsacks: each episode has a hard budget for each of several costs, and ends with the first step that exceeds one.

Setting of section 5 and Appendix H of *Efficient Reinforcement Learning in Factored MDPs with Application to Constrained RL*
(ICLR 2021).
"""

from __future__ import annotations

from verifier.model.setting import Setting
from verifier_settings.knapsack.catalogue import CATALOGUE, FAMILIES
from verifier_settings.knapsack.embedding import simulation
from verifier_settings.knapsack.environment import KnapsackEnvironment
from verifier_settings.knapsack.garbage import GARBAGE
from verifier_settings.knapsack.instance import Instance, Public, Truth, make
from verifier_settings.knapsack.phases import Phases
from verifier_settings.knapsack.plan import KnapsackPlan
from verifier_settings.knapsack.runs import Run
from verifier_settings.knapsack.session import WIDTHS, KnapsackSession
from verifier_settings.knapsack.strategies import KnapsackRecipe
from verifier_settings.views import parameters

__all__ = [
    "KNAPSACK",
    "Instance",
    "KnapsackEnvironment",
    "KnapsackPlan",
    "KnapsackSession",
    "Phases",
    "Public",
    "Run",
    "Truth",
    "make",
]


KNAPSACK = Setting[Instance, KnapsackPlan](
    name="knapsack",
    description="finite-horizon MDPs with hard budgets in every episode",
    catalogue=CATALOGUE,
    session=KnapsackSession,
    widths=WIDTHS,
    parameters=parameters("S A H K d delta B", B=lambda instance: ", ".join(map(str, instance.public.budgets))),
    families=FAMILIES,
    garbage=GARBAGE,
    recipes=KnapsackRecipe,
    simulation=simulation,
)
