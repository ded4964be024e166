"""The named planning problems, and their family."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from verifier.model.setting import Family, Scenario
from verifier_settings.cvar.generators import grid_rewards, latent, lock
from verifier_settings.cvar.planning.instance import Instance, make
from verifier_settings.scenarios import once

_STANDARD: dict[str, Any] = {"S": 5, "A": 3, "d": 2, "H": 3, "m": 2, "T1": 400}


def random(
    rng: np.random.Generator, *, S: int, A: int, d: int, H: int, m: int, q: int = 1, bonus: float = 0.0, T1: int, T2: int = 200,
    budget: int | None = None, start: int = 0,
) -> Instance:  # fmt: skip
    """A random latent model; bonuses uniform on [0, bonus] where exploration has them, in all but the last two steps."""
    phi, psi = latent(rng, S=S, A=A, d=d, steps=H - 1)
    reward = grid_rewards(rng, H=H, X=S * A, m=m)
    bonuses = bonus * rng.random((H, S * A))
    bonuses[max(H - 2, 0) :] = 0.0
    return make(phi=phi, psi=psi, reward=reward, A=A, bonus=bonuses, q=q, T1=T1, T2=T2, budget=budget, start=start)


def saturated(rng: np.random.Generator, *, H: int = 8, T1: int = 60) -> Instance:
    """Bonuses of 2 in six steps and no rewards: V* = -12, below the lower clip -H = -8 that Algorithm 2 prints."""
    phi, psi = latent(rng, S=3, A=2, d=2, steps=H - 1)
    reward = np.zeros((H, 6, 2))
    reward[..., 0] = 1.0
    bonuses = np.full((H, 6), 2.0)
    bonuses[H - 2 :] = 0.0
    return make(phi=phi, psi=psi, reward=reward, A=2, bonus=bonuses, budget=0, T1=T1, T2=20)


def above(rng: np.random.Generator) -> Instance:
    """Instance without rewards, step 0.3: budgets up to 3.6 lose nothing, and the upper clip H = 3 is below their values."""
    reward = np.zeros((3, 2, 11))
    reward[..., 0] = 1.0
    return make(phi=np.ones((2, 2, 1)), psi=np.ones((2, 1, 1)), reward=reward, A=2, q=3, T1=40, T2=5)


def sure_choice(rng: np.random.Generator) -> Instance:
    """Instance with one step and rewards 1 and 0: the bound on the returned policy is below the worst value."""
    reward = np.zeros((1, 2, 2))
    reward[0, 0, 0] = reward[0, 1, 1] = 1.0
    return make(phi=np.ones((0, 2, 1)), psi=np.ones((0, 1, 1)), reward=reward, A=2, budget=1, T1=200, T2=2000)


def small(rng: np.random.Generator, **sizes: Any) -> Instance:
    """A small random problem with some sizes changed."""
    return random(rng, **{"S": 3, "A": 2, "d": 2, "H": 3, "m": 2, "bonus": 0.5, "T1": 30, "T2": 40, **sizes})


def bait(rng: np.random.Generator, *, T1: int) -> Instance:
    """The true model of `verifier_settings.cvar.generators.lock`, from the budget 1."""
    problem = lock(rng, H=4, A=3, K=1)
    model, public = problem.truth.index, problem.public
    steps = np.arange(len(model))
    phi, psi = public.phi[model, steps], public.psi[model, steps]
    return make(phi=phi, psi=psi, reward=public.reward, A=public.A, budget=public.m, T1=T1, T2=2)


CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario("plain-model", "random model without bonuses", partial(random, **_STANDARD), share=0.5),
    Scenario("bonus-model", "random model with bonuses up to 1", partial(random, **{**_STANDARD, "bonus": 1.0}), share=0.5),
    Scenario(
        "wide-bonuses",
        "H = 8 and bonuses up to 2H: values far below -H, for which the printed width is too small",
        partial(random, S=3, A=2, d=1, H=8, m=1, bonus=16.0, T1=30, T2=20),
        share=0.25,
    ),
    once("saturated", "V* below -H: the printed lower clip is too high", saturated),
    once("high-budgets", "budgets above H, where the upper clip acts", above),
    once("coarse-steps", "step 0.3, which does not divide 1", partial(small, m=10, q=3)),
    once("planned-elsewhere", "s_1 is not the first state", partial(small, start=2)),
    once("above-horizon", "H = 2, step 0.3, from the least budget above H", partial(small, H=2, m=10, q=3, budget=7)),
    once("five-steps", "H = 5, step 2/3", partial(small, H=5, m=3, q=2, bonus=2.0, T1=15)),
    once("last-step-only", "H = 1: no transition", partial(small, H=1)),
    once("two-steps", "H = 2", partial(small, H=2)),
    once("zero-budget", "initial budget 0: only bonuses count", partial(small, budget=0)),
    once("one-round", "T1 = 1: nothing was seen yet", partial(small, T1=1)),
    once("many-episodes", "T2 = 40000: estimates tell the policies apart", partial(small, T2=40_000)),
    once("sure-choice", "H = 1, one action pays and the other does not: the returned policy is the better one", sure_choice),
    once("one-policy", "A = 1: V* is the value of the only policy", partial(small, A=1)),
)

FAMILIES: tuple[Family[Instance], ...] = (
    Family("bait-rounds", "a known lock with a bait, H = 4, any number of rounds", "T1", "rounds", bait),
)
