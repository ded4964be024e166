"""The named planning problems."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from verifier.model.setting import Scenario
from verifier.settings.cvar.generators import grid_rewards, latent
from verifier.settings.cvar.planning.instance import Instance, make

_STANDARD: dict[str, Any] = {"S": 5, "A": 3, "d": 2, "H": 3, "m": 2, "T1": 400}


def random(
    rng: np.random.Generator, *, S: int, A: int, d: int, H: int, m: int, q: int = 1, bonus: float = 0.0, T1: int, T2: int = 200,
    budget: int | None = None,
) -> Instance:  # fmt: skip
    """A random latent model; bonuses uniform on [0, bonus] where exploration has them, in all but the last two steps."""
    phi, psi = latent(rng, S=S, A=A, d=d, steps=H - 1)
    reward = grid_rewards(rng, H=H, X=S * A, m=m)
    bonuses = bonus * rng.random((H, S * A))
    bonuses[max(H - 2, 0) :] = 0.0
    return make(phi=phi, psi=psi, reward=reward, A=A, bonus=bonuses, q=q, T1=T1, T2=T2, budget=budget)


def saturated(rng: np.random.Generator, *, H: int = 8, T1: int = 60) -> Instance:
    """Bonuses of 2 in six steps and no rewards: V* = -12, below the lower clip -H = -8 that Algorithm 2 prints."""
    phi, psi = latent(rng, S=3, A=2, d=2, steps=H - 1)
    reward = np.zeros((H, 6, 2))
    reward[..., 0] = 1.0
    bonuses = np.full((H, 6), 2.0)
    bonuses[H - 2 :] = 0.0
    return make(phi=phi, psi=psi, reward=reward, A=2, bonus=bonuses, budget=0, T1=T1, T2=20)


def above(rng: np.random.Generator) -> Instance:
    """No rewards and a step of 0.3: nothing is taken off budgets up to 3.6, and the upper clip H = 3 is below their values."""
    reward = np.zeros((3, 2, 11))
    reward[..., 0] = 1.0
    return make(phi=np.ones((2, 2, 1)), psi=np.ones((2, 1, 1)), reward=reward, A=2, q=3, T1=40, T2=5)


def _edge(name: str, description: str, **sizes: Any) -> Scenario[Instance]:
    chosen = {"S": 3, "A": 2, "d": 2, "H": 3, "m": 2, "bonus": 0.5, "T1": 30, "T2": 40, **sizes}
    return Scenario(name, description, partial(random, **chosen), share=0.0)


CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario("plain-model", "random model without bonuses", partial(random, **_STANDARD), share=0.5),
    Scenario("bonus-model", "random model with bonuses up to 1", partial(random, **{**_STANDARD, "bonus": 1.0}), share=0.5),
    Scenario("saturated", "V* below -H: the printed lower clip is too high", saturated, share=0.0),
    Scenario("high-budgets", "budgets above H, where the upper clip acts", above, share=0.0),
    _edge("coarse-steps", "step 0.3, which does not divide 1", m=10, q=3),
    _edge("last-step-only", "H = 1: no transition", H=1),
    _edge("two-steps", "H = 2", H=2),
    _edge("zero-budget", "initial budget 0: only bonuses count", budget=0),
    _edge("one-round", "T1 = 1: nothing was seen yet", T1=1),
    _edge("many-episodes", "T2 = 40000: estimates tell the policies apart", T2=40_000),
    _edge("one-policy", "A = 1: V* is the value of the only policy", A=1),
)
