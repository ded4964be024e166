"""Agents that try to break what is said to hold of every implementation, with all that the harness accepts and no more.

An attacker is an algorithm whose plans or actions are changed on their way out: what it reports, what it does and what it knows
have nothing to do with one another. Agents that learn nothing at all are planted by the settings (`Setting.garbage`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.model.algorithm import Algorithm

Change = Callable[[np.random.Generator, Array], Array]
"""Of an array of numbers."""


@dataclass(frozen=True)
class Attack:
    """How an attacker differs from the algorithm in whose place it is run.

    Parameters
    ----------
    name : str
    numbers : callable, optional
        What becomes of every array of numbers that it reports.
    indices : bool
        Whether the actions, models and budgets that it reports are drawn anew in each plan.
    stale : bool
        Whether it reports the plan before.
    late : bool
        Whether it reports every third plan only.
    acts : callable, optional
        What it plays in place of an action or of a table of actions.
    """

    name: str
    numbers: Change | None = None
    indices: bool = False
    stale: bool = False
    late: bool = False
    acts: Callable[[np.random.Generator, Array, int], Array] | None = None

    def on(self, algorithm: type[Algorithm]) -> type[Algorithm]:
        """The attacker in the place of an algorithm."""

        def run(attacker: Any, env: Any) -> Iterator[Any]:
            rng, before = np.random.default_rng(31), None
            if self.acts is not None:
                _act(env, attacker.public.A, rng, self.acts)
            for i, plan in enumerate(algorithm.run(attacker, env)):
                if self.late and i % 3:
                    continue
                reported = before if self.stale and type(before) is type(plan) else plan
                before = plan
                yield self._changed(reported, attacker.public, rng)

        return type(f"{algorithm.__name__} {self.name}", (algorithm,), {"run": run})

    def _changed(self, plan: Any, public: Any, rng: np.random.Generator) -> Any:
        changes: dict[str, Any] = {}
        for name in (item.name for item in fields(plan)):
            given = getattr(plan, name)
            if name in LIMITS and self.indices:
                changes[name] = rng.integers(LIMITS[name](plan, public), size=np.shape(given))
            elif isinstance(given, np.ndarray) and given.dtype.kind == "f" and self.numbers is not None:
                changes[name] = self.numbers(rng, given)
        if "budget" in changes:
            changes["budget"] = int(changes["budget"])
        return replace(plan, **changes)


LIMITS: dict[str, Callable[[Any, Any], int]] = {
    "policy": lambda plan, public: public.A,
    "models": lambda plan, public: public.M,
    "budget": lambda plan, public: plan.policy.shape[-1],
}
"""Fields that hold indices, and what these are below."""


def _act(env: Any, A: int, rng: np.random.Generator, acts: Callable[[np.random.Generator, Array, int], Array]) -> None:
    """Have an environment play other actions than it is given; planners of models have none to play."""
    if hasattr(env, "step"):
        step = env.step
        env.step = lambda action: step(int(acts(rng, np.array(action), A)))
    for name in ("play", "trajectory"):
        if hasattr(env, name):
            setattr(env, name, _played(getattr(env, name), A, rng, acts))


def _played(play: Any, A: int, rng: np.random.Generator, acts: Callable[[np.random.Generator, Array, int], Array]) -> Any:
    return lambda policy, *more, **named: play(acts(rng, np.asarray(policy), A), *more, **named)


def _garbage(rng: np.random.Generator, given: Array) -> Array:
    return np.asarray(rng.standard_normal(given.shape) * 10.0 ** rng.uniform(-6, 6))


def _random_signs(rng: np.random.Generator, given: Array) -> Array:
    return np.asarray(given * rng.choice([-1.0, 1.0], given.shape))


def _permuted(rng: np.random.Generator, given: Array) -> Array:
    return np.asarray(rng.permutation(given, axis=-1)) if given.ndim else given


def _lonely(rng: np.random.Generator, given: Array) -> Array:
    changed = np.zeros(given.shape)
    changed.flat[rng.integers(max(given.size, 1)) :: 7] = 10.0 ** rng.uniform(0, 9)
    return changed


ATTACKS = (
    Attack("negative", lambda rng, given: -given),
    Attack("random-signs", _random_signs),
    Attack("garbage", _garbage),
    Attack("garbage-and-policies", _garbage, indices=True),
    Attack("zero", lambda rng, given: np.zeros_like(given)),
    Attack("zero-and-policies", lambda rng, given: np.zeros_like(given), indices=True),
    Attack("wide", lambda rng, given: given * 1e9),
    Attack("narrow", lambda rng, given: given * 1e-9),
    Attack("shifted", lambda rng, given: given + 1e3),
    Attack("shifted-down", lambda rng, given: given - 1e3),
    Attack("permuted", _permuted),
    Attack("permuted-and-policies", _permuted, indices=True),
    Attack("lonely", _lonely, indices=True),
    Attack("policies", indices=True),
    Attack("stale", stale=True),
    Attack("stale-negative", lambda rng, given: -given, stale=True),
    Attack("late-garbage", _garbage, indices=True, late=True),
    Attack("other-actions", acts=lambda rng, given, A: rng.integers(A, size=given.shape)),
    Attack("other-actions-and-garbage", _garbage, indices=True, acts=lambda rng, given, A: rng.integers(A, size=given.shape)),
    Attack("next-action", acts=lambda rng, given, A: (given + 1) % A),
    Attack("one-action", acts=lambda rng, given, A: np.full_like(given, A - 1)),
)
