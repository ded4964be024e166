"""Factored MDPs: states and actions are tuples, transitions are products over factors of small scope, rewards means over parts.

Setting of FMDP-CH and FMDP-BF (*Efficient Reinforcement Learning in Factored MDPs with Application to
Constrained RL*, ICLR 2021).
"""

from __future__ import annotations

from functools import partial

from verifier.model.setting import Setting
from verifier_settings.acting import BY_ACTIONS
from verifier_settings.factored.catalogue import CATALOGUE, FAMILIES, TELLING
from verifier_settings.factored.environment import FactoredEnvironment
from verifier_settings.factored.estimates import Estimates
from verifier_settings.factored.followed import decisions, follow
from verifier_settings.factored.garbage import GARBAGE
from verifier_settings.factored.held import SIZES, held_agent
from verifier_settings.factored.instance import Instance, Public, RewardPart, Scope, Truth, from_chain, make, simulation
from verifier_settings.factored.phases import Phases, Run
from verifier_settings.factored.plan import FactoredPlan
from verifier_settings.factored.session import WIDTHS, FactoredSession
from verifier_settings.factored.strategies import FactoredRecipe
from verifier_settings.tables import PREFIX, scenario
from verifier_settings.views import parameters

__all__ = [
    "FACTORED",
    "Estimates",
    "FactoredEnvironment",
    "FactoredPlan",
    "FactoredSession",
    "Instance",
    "Phases",
    "Public",
    "RewardPart",
    "Run",
    "Scope",
    "Truth",
    "make",
]


FACTORED = Setting[Instance, FactoredPlan](
    name="factored",
    description="finite-horizon MDPs whose states, actions and rewards are factored",
    catalogue=CATALOGUE,
    session=FactoredSession,
    widths=WIDTHS,
    parameters=parameters("S A H K n m delta"),
    families=FAMILIES,
    garbage=GARBAGE,
    held=held_agent,
    sizes=SIZES,
    follow=follow,
    decisions=decisions,
    by_actions=BY_ACTIONS,
    telling=TELLING,
    recipes=FactoredRecipe,
    sources={PREFIX: partial(scenario, from_chain)},
    simulation=simulation,
)
