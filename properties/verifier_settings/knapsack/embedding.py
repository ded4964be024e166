"""Factored MDP of a knapsack problem: state, budgets, and for each budget a value more that is never left once it is overspent.

A second route to V*, which shares with the first one nothing but the tables: the flat MDP of the product of the factors, solved
like any other. Its reward depends on all factors, because nothing is paid once any budget is overspent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model.simulation import Simulation
from verifier_settings import factored
from verifier_settings.factored import RewardPart, Scope
from verifier_settings.knapsack.instance import Instance, Public


def embedded(instance: Instance) -> factored.Instance:
    """The factored MDP: factors are the state and b_i in 0..B_i, where B_i + 1 stands for overspent."""
    public, truth = instance.public, instance.truth
    S, A, d = public.S, public.A, public.d
    sizes = (S, *(B + 2 for B in public.budgets))
    factors: list[tuple[Scope, Array]] = [((0, 1 + d), truth.P)]
    for i, law in enumerate(truth.costs):
        factors.append(((0, 1 + i, 1 + d), _budget_law(law, public.supports[i], public.budgets[i], S, A)))
    start = np.multiply.outer(instance.start, _whole(public)).ravel()
    part = RewardPart(np.append(truth.part.support, 0.0), _masked(truth.part.law, sizes, A))
    return factored.make(sizes, (A,), factors, [(tuple(range(d + 2)), part)], H=public.H, K=public.K, start=start)


def _budget_law(law: Array, support: tuple[int, ...], B: int, S: int, A: int) -> Array:
    """(S * (B+2) * A, B+2) what becomes of one budget."""
    found = np.zeros((S, B + 2, A, B + 2))
    found[:, B + 1, :, B + 1] = 1.0
    for s in range(S):
        for a in range(A):
            for cost, chance in zip(support, law[s * A + a], strict=True):
                for b in range(B + 1):
                    found[s, b, a, b - cost if cost <= b else B + 1] += chance
    return found.reshape(-1, B + 2)


def _masked(law: Array, sizes: tuple[int, ...], A: int) -> Array:
    """(cells, v+1) the law of the reward where no budget is overspent, and the value 0, which comes last, elsewhere."""
    spent = np.zeros(sizes[1:], dtype=bool)
    for i, size in enumerate(sizes[1:]):
        spent[(slice(None),) * i + (size - 1,)] = True
    found = np.zeros((sizes[0], spent.size, A, law.shape[1] + 1))
    found[..., :-1] = np.where(spent.ravel()[:, None, None], 0.0, law.reshape(sizes[0], 1, A, -1))
    found[:, spent.ravel(), :, -1] = 1.0
    return found.reshape(-1, law.shape[1] + 1)


def _whole(public: Public) -> Array:
    """The law of the budgets at the start of an episode."""
    full = np.zeros([B + 2 for B in public.budgets])
    full[tuple(public.budgets)] = 1.0
    return full


def values(instance: Instance) -> Array:
    """(H+1, S, G) V* of the factored MDP where no budget is overspent."""
    public = instance.public
    V = embedded(instance).truth.V.reshape(public.H + 1, public.S, *(B + 2 for B in public.budgets))
    left = tuple(slice(B + 1) for B in public.budgets)
    return V[(slice(None), slice(None), *left)].reshape(public.H + 1, public.S, public.G)


def simulation(instance: Instance) -> Simulation:
    """The factored MDP as tables: an episode that is over goes on, in a state that is never left and pays nothing."""
    found = embedded(instance)
    part, cells = found.truth.parts[0], np.arange(found.public.X)
    reward: Callable[[int, int, int, np.random.Generator], float] = partial(_drawn, part.support, part.law[cells])
    return Simulation(found.truth.P[None], found.start[0][:, None], reward, found.public.H)


def _drawn(support: Array, law: Array, h: int, row: int, context: int, rng: np.random.Generator) -> float:
    return float(rng.choice(support, p=law[row]))
