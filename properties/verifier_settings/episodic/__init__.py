"""Episodic RL: finite-horizon MDPs, one task, a finite number of states.

Plain problems are those of UCBVI (Azar, Osband and Munos 2017): transitions and rewards do not depend on the step. What a problem
is beyond that is declared of its scenario (`Scenario.extends`), and only algorithms that handle it are run (`Algorithm.handles`):

``step-dependent``
    P_h and r_h are others at each step, as for Q-learning (Jin et al. 2018) and LSVI-UCB (Jin et al. 2020).
``noisy-rewards``
    Rewards are drawn at each visit, from laws with finitely many values in any interval; `Public.reward` are their means.
``redrawn``
    The kernel is drawn anew for each trial, from a law that is part of the instance, for statements about the mean over it.
``linear-mixture``
    `Public.base` has kernels of which that of the problem is a linear combination, whose coefficients agents learn.
``bandit``
    H = 1, and `Public.reward` is NaN: the mean rewards are what agents learn, from rewards that are drawn.
"""

from __future__ import annotations

from functools import partial

from verifier.model.setting import Setting
from verifier_settings.episodic.catalogue import CATALOGUE, DIFFERING, FAMILIES, TELLING
from verifier_settings.episodic.environment import EpisodicEnvironment
from verifier_settings.episodic.followed import decisions, follow
from verifier_settings.episodic.garbage import GARBAGE
from verifier_settings.episodic.held import BY_ACTIONS, MADE_HERE, held_agent
from verifier_settings.episodic.holdings import holds
from verifier_settings.episodic.instance import Instance, Public, Truth, beyond, from_chain, make, simulation
from verifier_settings.episodic.phases import Phases, Run
from verifier_settings.episodic.plan import EpisodicPlan
from verifier_settings.episodic.rewards import RewardLaw, bernoulli
from verifier_settings.episodic.session import EpisodicSession
from verifier_settings.episodic.strategies import EpisodicRecipe
from verifier_settings.tables import PREFIX, scenario
from verifier_settings.views import parameters

__all__ = [
    "EPISODIC",
    "EpisodicEnvironment",
    "EpisodicPlan",
    "EpisodicSession",
    "Instance",
    "Phases",
    "Public",
    "RewardLaw",
    "Run",
    "Truth",
    "bernoulli",
    "make",
]


EPISODIC = Setting[Instance, EpisodicPlan](
    name="episodic",
    description="finite-horizon MDPs with one task",
    catalogue=CATALOGUE,
    session=EpisodicSession,
    parameters=parameters(
        "S A H K d lambda=ridge delta rewards", rewards=lambda instance: f"[{instance.public.low:g}, {instance.public.high:g}]"
    ),
    families=FAMILIES,
    garbage=GARBAGE,
    held=held_agent,
    made_here=MADE_HERE,
    follow=follow,
    decisions=decisions,
    by_actions=BY_ACTIONS,
    telling=TELLING,
    holds=holds,
    differing=DIFFERING,
    recipes=EpisodicRecipe,
    sources={PREFIX: partial(scenario, from_chain)},
    simulation=simulation,
    make=make,
    beyond=beyond,
)
