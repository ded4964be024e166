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
``linear-bandit``
    A bandit with several states, which are drawn anew in each round, or with features `Public.phi`: the decision set of a round
    has the features of all actions in its state, and mean rewards are linear in them.
``adversarial``
    A bandit whose rewards are fixed for each episode before the run (`RewardTable`): an adversary that does not see the actions.
    Its rewards count as noisy, since none need be the mean.
``declared-range``
    Only the search draws it: rewards in [1/2, 1], which are declared to be there, for agents that read the declared range.
``stopping``
    A run may end before K episodes: `Public.epsilon` is the accuracy that its output is to have (`EpisodicEnvironment.stop`).
"""

from __future__ import annotations

from functools import partial

from verifier.model.setting import Setting
from verifier_settings.acting import BY_ACTIONS
from verifier_settings.episodic.catalogue import CATALOGUE, DIFFERING, FAMILIES, TELLING
from verifier_settings.episodic.environment import EpisodicEnvironment
from verifier_settings.episodic.followed import decisions, draw, drawn_decisions, follow
from verifier_settings.episodic.garbage import GARBAGE
from verifier_settings.episodic.held import MADE_HERE
from verifier_settings.episodic.held_classes import held_agent
from verifier_settings.episodic.holdings import holds
from verifier_settings.episodic.instance import Instance, Public, Truth, beyond, from_chain, make, simulation
from verifier_settings.episodic.phases import Phases
from verifier_settings.episodic.plan import EpisodicPlan
from verifier_settings.episodic.rewards import RewardLaw, RewardTable, bernoulli
from verifier_settings.episodic.runs import Run
from verifier_settings.episodic.session import WIDTHS, EpisodicSession
from verifier_settings.episodic.strategies import EpisodicRecipe
from verifier_settings.tables import PREFIX, scenario
from verifier_settings.views import Parameter, parameters

__all__ = [
    "EPISODIC",
    "EpisodicEnvironment",
    "EpisodicPlan",
    "EpisodicSession",
    "Instance",
    "Phases",
    "Public",
    "RewardLaw",
    "RewardTable",
    "Run",
    "Truth",
    "bernoulli",
    "make",
]


_sizes = parameters(
    "S A H K d lambda=ridge delta rewards", rewards=lambda instance: f"[{instance.public.low:g}, {instance.public.high:g}]"
)


def _parameters(instance: Instance) -> dict[str, Parameter]:
    """Sizes and constants, with the accuracy of problems that have one."""
    accuracy: dict[str, Parameter] = {"epsilon": instance.public.epsilon} if instance.public.epsilon > 0 else {}
    return {**_sizes(instance), **accuracy}


EPISODIC = Setting[Instance, EpisodicPlan](
    name="episodic",
    description="finite-horizon MDPs with one task",
    catalogue=CATALOGUE,
    session=EpisodicSession,
    widths=WIDTHS,
    parameters=_parameters,
    families=FAMILIES,
    garbage=GARBAGE,
    held=held_agent,
    made_here=MADE_HERE,
    usual=True,
    follow=follow,
    decisions=decisions,
    draw=draw,
    drawn_decisions=drawn_decisions,
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
