"""Reward-free exploration: linear MDPs with a kernel for each step; rewards are revealed after all episodes were played.

Setting of LSVI-RFE (Hu, Chen and Huang 2023).
"""

from __future__ import annotations

from functools import partial

from verifier.model.setting import Setting
from verifier_settings.reward_free.catalogue import CATALOGUE, FAMILIES
from verifier_settings.reward_free.environment import RewardFreeEnvironment
from verifier_settings.reward_free.garbage import GARBAGE
from verifier_settings.reward_free.generators import of_chain
from verifier_settings.reward_free.instance import Instance, Public, Truth, make, other_rewards, simulation
from verifier_settings.reward_free.phases import EpisodeSeries, Phases, Planning, Run
from verifier_settings.reward_free.plan import ExplorationPlan, Plan, PlanningPlan
from verifier_settings.reward_free.session import WIDTHS, RewardFreeSession
from verifier_settings.reward_free.strategies import RewardFreeRecipe
from verifier_settings.reward_free.weights import StepWeights
from verifier_settings.tables import PREFIX, scenario
from verifier_settings.views import parameters

__all__ = [
    "REWARD_FREE",
    "EpisodeSeries",
    "ExplorationPlan",
    "Instance",
    "Phases",
    "Plan",
    "Planning",
    "PlanningPlan",
    "Public",
    "RewardFreeEnvironment",
    "RewardFreeSession",
    "Run",
    "StepWeights",
    "Truth",
    "make",
]


REWARD_FREE = Setting[Instance, Plan](
    name="reward-free",
    description="linear MDPs without rewards, which are revealed after exploration",
    catalogue=CATALOGUE,
    session=RewardFreeSession,
    widths=WIDTHS,
    parameters=parameters("S A H K d lambda=ridge delta W=reward_norm rewards"),
    families=FAMILIES,
    garbage=GARBAGE,
    recipes=RewardFreeRecipe,
    sources={PREFIX: partial(scenario, of_chain)},
    simulation=simulation,
    unrevealed=("reveal", other_rewards),
)
