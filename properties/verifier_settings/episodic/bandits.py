"""Bandits of the catalogue: arms that draw rewards, arms whose rewards an adversary has fixed, and arms with features."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.model.setting import Scenario
from verifier_settings.episodic import generators
from verifier_settings.episodic.instance import ADVERSARY, BANDIT, LINEAR, NOISE, Instance
from verifier_settings.episodic.rewards import RewardLaw, bernoulli
from verifier_settings.scenarios import edge, fixed

bandit = partial(Scenario, extends=NOISE | BANDIT)
bandit_edge = partial(edge, extends=NOISE | BANDIT)
adversary = partial(Scenario, extends=NOISE | BANDIT | ADVERSARY)
adversary_edge = partial(edge, extends=NOISE | BANDIT | ADVERSARY)
linear_bandit = partial(Scenario, extends=NOISE | BANDIT | LINEAR)
linear_edge = partial(edge, extends=NOISE | BANDIT | LINEAR)


def arms(*means: float, K: int) -> Callable[..., Instance]:
    """Build of a bandit whose rewards are 0 or 1."""
    return partial(fixed(generators.bandit), law=bernoulli(np.array(means)), K=K)


def features(*rows: tuple[float, ...], theta: tuple[float, ...], **sizes: Any) -> Callable[..., Instance]:
    """Build of a linear bandit with these features, a row for each pair."""
    return partial(fixed(generators.linear_bandit), phi=np.array(rows), theta=np.array(theta), **sizes)


def halves(means: Array) -> RewardLaw:
    """Rewards of 0, 1/2 or 1 with these means."""
    spare = np.minimum(means, 1 - means)
    return RewardLaw(np.array([0.0, 0.5, 1.0]), np.stack([1 - means - spare / 2, spare, means - spare / 2], axis=1))


def quiet(means: Array) -> RewardLaw:
    """Rewards 0.05 above or below these means."""
    own = means[:, None] + np.array([-0.05, 0.05])
    values = np.unique(own)
    return RewardLaw(values, (own[:, :, None] == values).sum(axis=1) / 2)


GRADED = RewardLaw(
    np.linspace(0.0, 1.0, 5), np.array([[0.4, 0.0, 0.2, 0.0, 0.4], [0.1, 0.2, 0.4, 0.2, 0.1], [0.0, 0.5, 0.0, 0.5, 0.0]])
)
"""Rewards of three arms with equal means and other variances."""
COSTS = RewardLaw(np.array([-1.0, 2.0]), np.array([[0.5, 0.5], [0.8, 0.2]]))
"""Rewards outside [0, 1]."""

BANDITS: tuple[Scenario[Instance], ...] = (
    bandit("bandit-two", "two arms of means 0.9 and 0.2, K = 1000", arms(0.9, 0.2, K=1000), share=0.5),
    bandit("bandit-five", "five arms, the best one last", arms(0.5, 0.45, 0.2, 0.6, 0.9, K=300), share=0.5),
    bandit(
        "bandit-near",
        "two arms of means 1/2 and 0.6: near, as those of lower bounds are; no claim is on regret from below",
        arms(0.5, 0.6, K=400),
        share=0.25,
    ),
    bandit(
        "bandit-apart",
        "five arms, four of which lose much: how often each of them may be played is far below K = 400",
        arms(0.15, 0.1, 0.0, 0.9, 0.05, K=400),
        share=0.25,
    ),
    bandit_edge("bandit-one-arm", "A = 1: nothing to decide", arms(0.3, K=60)),
    bandit_edge("bandit-ties", "three arms of mean 1/2", arms(0.5, 0.5, 0.5, K=120)),
    bandit_edge("bandit-sure", "arms that always pay 0, or always 1, and one coin", arms(0.0, 1.0, 0.5, K=80)),
    bandit_edge("bandit-few-rounds", "fewer rounds than arms", arms(0.5, 0.4, 0.3, 0.2, 0.1, K=3)),
    bandit_edge("bandit-graded", "five rewards in [0, 1]", partial(fixed(generators.bandit), law=GRADED, K=120)),
    bandit_edge(
        "bandit-wide", "rewards of -1 or 2: outside what the theorems assume", partial(fixed(generators.bandit), law=COSTS, K=120)
    ),
    adversary(
        "adversary-constant",
        "arms that pay 0.9 and 0.2 in every round, K = 1000: the regret bound is far below what can be lost",
        partial(fixed(generators.constant_rewards), rewards=(0.9, 0.2), K=1000),
        share=0.75,
    ),
    adversary(
        "adversary-switch",
        "two arms, the first of which pays in the first 200 rounds of 600, and the other one after them",
        partial(fixed(generators.switching), pays=((1.0, 0.0), (0.0, 1.0), (0.0, 1.0)), K=600),
        share=0.5,
    ),
    adversary(
        "adversary-near",
        "two coins thrown before the run, one of them better by √(A/K)/4: as near as the lower bounds have them",
        partial(generators.near_arms, A=2, K=400),
        share=0.25,
    ),
    adversary_edge(
        "adversary-turns",
        "three arms that trade places in every round",
        partial(
            fixed(generators.adversary),
            rounds=np.array([(1.0, 0.5, 0.25), (0.25, 1.0, 0.5), (0.5, 0.25, 1.0)])[np.arange(120) % 3],
        ),
    ),
    adversary_edge(
        "adversary-ties", "three arms that all pay 1/2", partial(fixed(generators.constant_rewards), rewards=(0.5,) * 3, K=120)
    ),
    adversary_edge(
        "adversary-nothing", "no arm ever pays", partial(fixed(generators.constant_rewards), rewards=(0.0,) * 3, K=80)
    ),
    adversary_edge(
        "adversary-graded",
        "four arms with five rewards in [0, 1], without any order",
        partial(generators.graded_rewards, A=4, K=120),
    ),
    adversary_edge("adversary-few-rounds", "fewer rounds than arms: γ = 1", partial(generators.graded_rewards, A=5, K=3)),
    linear_bandit(
        "linear-bandit-random",
        "four states, which are drawn in each round, and twelve features in three dimensions, K = 300",
        partial(generators.signed_bandit, S=4, A=3, d=3, K=300),
        share=0.5,
    ),
    linear_bandit(
        "linear-bandit-line",
        "d = 1, features 1 and 0.1, K = 1000: the regret bound is below what can be lost",
        features((1.0,), (0.1,), theta=(0.9,), K=1000),
        share=0.25,
        regimes=("published",),
    ),
    linear_edge(
        "linear-bandit-one-action",
        "A = 1: nothing to decide; d = 1, where the bonus of the oracle is the error itself",
        features((1.0,), (0.5,), theta=(0.8,), S=2, K=40),
    ),
    linear_edge(
        "linear-bandit-few-rounds", "fewer rounds than dimensions", partial(generators.signed_bandit, S=2, A=3, d=5, K=3)
    ),
    linear_edge(
        "linear-bandit-arms",
        "unit vectors: three arms that have nothing in common; lambda = 2",
        features(
            (1.0, 0.0, 0.0),
            (0.0, 1.0, 0.0),
            (0.0, 0.0, 1.0),
            theta=(0.3, 0.5, 0.6),
            K=80,
            ridge=2.0,
        ),
    ),
    linear_edge(
        "linear-bandit-copies",
        "equal features, parallel ones, and one of length 0, in a plane of three dimensions",
        features(
            (1.0, 0.0, 0.0),
            (1.0, 0.0, 0.0),
            (0.5, 0.0, 0.0),
            (0.0, 0.0, 0.0),
            (0.6, 0.8, 0.0),
            (0.0, 0.5, 0.0),
            theta=(0.5, 0.8, 0.3),
            S=2,
            K=60,
        ),
    ),
    linear_edge(
        "linear-bandit-constants",
        "d = 4, lambda = 5/2, B = 3/2, delta = 0.02",
        partial(generators.signed_bandit, S=3, A=2, d=4, K=60, ridge=2.5, delta=0.02, B=1.5),
    ),
    linear_edge(
        "linear-bandit-weak-ridge",
        "lambda = 1/20: the first norms are above 1",
        partial(generators.signed_bandit, S=2, A=3, d=3, K=60, ridge=0.05),
    ),
    linear_edge(
        "linear-bandit-halves", "rewards of 0, 1/2 or 1", partial(generators.signed_bandit, S=2, A=3, d=2, K=60, law=halves)
    ),
    linear_edge(
        "linear-bandit-bent",
        "means that are not linear: outside what the theorems assume",
        features(
            (1.0,),
            (0.6,),
            (0.1,),
            theta=(0.9,),
            law=lambda _: bernoulli(np.array([0.1, 0.9, 0.4])),
            K=60,
        ),
    ),
)
"""Bandits whose rewards are drawn, then those whose rewards are fixed, then those with features."""
