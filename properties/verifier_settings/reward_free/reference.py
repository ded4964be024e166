"""The radius of the regime *calibrated*: read off a run of the harness's own, never off the run that is judged.

At the paper's radii nothing is learned for 10^5 episodes and more. The reference runs are of Algorithms 1 and 2 on the same
instance, with generators of their own. The error of a regression has two parts: its bias, lambda Lambda^-1 mu V, which has no
noise in it and is nearly the same number in every run, since it is largest before there are data; and what the transitions drew.
The calibrated radius is the largest bias plus `MARGIN` times the largest noise of `RUNS` runs, over all episodes, steps and
fixed rewards, each in the norm of Lambda: only what varies from run to run has a margin.

The runs of the first round have the radius

    H sqrt(lambda d) + sqrt(d H) / 2,

a crude size of the error: its bias, and the standard deviation of its noise, at most, where sigma-hat^2 = H. With it all values
may stay at their cap, and a constant has no noise. So the runs of a second round have the radius that the first one gave, and
what they give counts. Where these have no noise either, nothing varies that one could calibrate on, and the radius is the crude
one, which is read off no run: a multiple of what is the same in every run would be a constant that is compared with itself. With
lambda = 1/H the crude radius is 1.5 times the largest bias there can be, all the same.

The radius is the same for both phases, so that beta_E >= beta_P, and for all trials: what is drawn for each of them
(`Instance.redraw`) has no influence on it. Nothing promises that errors stay below it in another run: claims are given the event,
or their rate is observed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.seeds import stream
from verifier_settings.elliptical import gram_norm
from verifier_settings.reward_free.data import Data
from verifier_settings.reward_free.instance import Instance, Public
from verifier_settings.simulator import cumulative

ROUNDS, RUNS, MARGIN = 2, 4, 1.5
"""Reason for the margin: without it the noise of another run would exceed the largest of four with probability 1/5."""

NO_NOISE = 1e-6
"""Share of the bias below which noise does not count: a radius that varies by less is the same number in every run.

Noise is computed as a difference, with rounding of up to eps times the condition of Lambda, K / lambda <= 10^7: 2e-9.
"""


@dataclass(frozen=True)
class _Known:
    """An instance as far as it is known before a trial; two are the same if their names are, which follow from all there is."""

    name: str
    instance: Instance = field(compare=False)


def radius(instance: Instance) -> float:
    """The calibrated radius of an instance; the reference runs are made once in a process."""
    key = hashlib.sha256(repr(instance.public).encode())
    for array in (instance.public.phi, instance.truth.mu, instance.start, *_rewards(instance)):
        key.update(np.ascontiguousarray(array).tobytes())
    return _radius(_Known(key.hexdigest(), instance))


def _rewards(instance: Instance) -> list[Array]:
    """Reward parameters that reference runs plan for, each (H, d)."""
    return list((instance.fixed if instance.calibrating is None else instance.calibrating).values())


@cache
def _radius(known: _Known) -> float:
    instance = known.instance
    width = crude(instance.public)
    for turn in range(ROUNDS):
        streams = (stream(0, "reference", known.name, turn, run) for run in range(RUNS))
        bias, noise = np.max([largest_errors(instance, rng, width) for rng in streams], axis=0)
        width = float(bias + MARGIN * noise)
        if not width:
            break  # with H = 1 nothing is estimated
    return width if noise > NO_NOISE * bias else crude(instance.public)


def crude(public: Public) -> float:
    """The radius of the reference runs, H sqrt(lambda d) + sqrt(d H) / 2."""
    return float(public.H * np.sqrt(public.ridge * public.d) + np.sqrt(public.d * public.H) / 2)


def largest_errors(instance: Instance, rng: np.random.Generator, width: float) -> Array:
    """(2,) The largest norms of the bias and of the noise of mu-hat_h V_{h+1} under Lambda-hat in one reference run."""
    public = instance.public
    start, laws, largest = cumulative(instance.start), cumulative(instance.truth.P), np.zeros(2)
    data = Data.none(public)
    for _ in range(public.K):
        policy, V = data.optimistic(3 * width * data.norm[None])
        largest = np.maximum(largest, _errors(instance, data, V))
        states, actions = _play(policy[0], start, laws, rng.random(public.H + 1))
        data = data.after(states, actions, V[0, 1:], np.full(public.H, width))
    gain = instance.reward(np.stack(_rewards(instance)))
    return np.maximum(largest, _errors(instance, data, data.optimistic(gain + width * data.norm)[1]))


def _errors(instance: Instance, data: Data, V: Array) -> Array:
    """(2,) The norms of lambda Lambda^-1 mu V and of the rest of (mu - mu-hat) V, the largest of all steps and values."""
    values = V[:, 1:].transpose(1, 2, 0)
    backup = np.matmul(instance.truth.mu, values)
    bias = instance.public.ridge * np.linalg.solve(data.gram, backup)
    noise = backup - np.matmul(data.model, values) - bias
    return np.array([gram_norm(part, data.gram).max() for part in (bias, noise)])


def _play(policy: IntArray, start: Array, laws: Array, draws: Array) -> tuple[IntArray, IntArray]:
    """States and actions of an episode."""
    H, A = len(policy), laws.shape[1] // laws.shape[2]
    states, actions = np.zeros(H + 1, dtype=np.int64), np.zeros(H, dtype=np.int64)
    states[0] = start.searchsorted(draws[H], side="right")
    for h in range(H):
        actions[h] = policy[h, states[h]]
        states[h + 1] = laws[h, states[h] * A + actions[h]].searchsorted(draws[h], side="right")
    return states, actions
