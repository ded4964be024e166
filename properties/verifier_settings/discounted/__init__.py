"""Discounted MDPs met in a single stream with resets.

Setting of "Optimistic Planning by Regularized Dynamic Programming" (ICML 2023): finite states and actions, known rewards, unknown
transitions, an agent that may ask for a reset to the initial law at any time.
"""

from __future__ import annotations

from verifier.model.setting import Setting
from verifier_settings.discounted.catalogue import CATALOGUE, FAMILIES
from verifier_settings.discounted.environment import DiscountedEnvironment
from verifier_settings.discounted.epochs import Epochs
from verifier_settings.discounted.garbage import GARBAGE
from verifier_settings.discounted.instance import Instance, Public, Truth, make, simulation
from verifier_settings.discounted.plan import DiscountedPlan
from verifier_settings.discounted.run import Run
from verifier_settings.discounted.session import WIDTHS, DiscountedSession
from verifier_settings.discounted.strategies import DiscountedRecipe
from verifier_settings.views import parameters

__all__ = [
    "DISCOUNTED",
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


DISCOUNTED = Setting[Instance, DiscountedPlan](
    name="discounted",
    description="discounted MDPs, one stream of steps with resets",
    catalogue=CATALOGUE,
    session=DiscountedSession,
    widths=WIDTHS,
    parameters=parameters("X A T gamma d B lambda=ridge delta"),
    families=FAMILIES,
    garbage=GARBAGE,
    recipes=DiscountedRecipe,
    simulation=simulation,
    make=make,
)
