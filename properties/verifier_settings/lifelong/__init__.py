"""Lifelong RL: contextual finite-horizon linear MDPs whose tasks are chosen one by one, possibly by an adversary.

Setting of "Provably Efficient Lifelong Reinforcement Learning with Linear Representation" (ICLR 2023), on finite sets of
states, actions and contexts.
"""

from __future__ import annotations

from verifier.model.setting import Setting
from verifier_settings.acting import BY_ACTIONS
from verifier_settings.lifelong.catalogue import CATALOGUE, FAMILIES, TELLING
from verifier_settings.lifelong.environment import LifelongEnvironment
from verifier_settings.lifelong.followed import decisions, follow
from verifier_settings.lifelong.garbage import GARBAGE
from verifier_settings.lifelong.held import SIZES, TASK, held_agent
from verifier_settings.lifelong.instance import Instance, Public, Truth, make, simulation
from verifier_settings.lifelong.phases import Phases
from verifier_settings.lifelong.plan import LifelongPlan
from verifier_settings.lifelong.run import Run
from verifier_settings.lifelong.session import WIDTHS, LifelongSession
from verifier_settings.lifelong.strategies import LifelongRecipe
from verifier_settings.views import parameters

__all__ = [
    "LIFELONG",
    "Instance",
    "LifelongEnvironment",
    "LifelongPlan",
    "LifelongSession",
    "Phases",
    "Public",
    "Run",
    "Truth",
    "make",
]


LIFELONG = Setting[Instance, LifelongPlan](
    name="lifelong",
    description="contextual finite-horizon linear MDPs, tasks chosen one by one",
    catalogue=CATALOGUE,
    session=LifelongSession,
    widths=WIDTHS,
    parameters=parameters("S A W H K d m n L lambda=ridge delta tasks", tasks=lambda instance: instance.tasks),
    families=FAMILIES,
    garbage=GARBAGE,
    held=held_agent,
    task=TASK,
    sizes=SIZES,
    follow=follow,
    decisions=decisions,
    by_actions=BY_ACTIONS,
    telling=TELLING,
    recipes=LifelongRecipe,
    simulation=simulation,
    make=make,
)
