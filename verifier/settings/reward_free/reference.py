"""The radius of the regime *calibrated*: read off a run of the harness's own, never off the run that is judged.

At the paper's radii nothing is learned for 10^5 episodes and more. The reference runs are of Algorithms 1 and 2 on the same
instance, with generators of their own, and with the radius

    H sqrt(lambda d) + sqrt(d H) / 2,

a crude size of the error: its bias, and the standard deviation of its noise, at most, where sigma-hat^2 = H. The calibrated
radius is `MARGIN` times the largest norm of the realised error in `RUNS` such runs, over all episodes, steps and fixed rewards.
It is the same for both phases, so that beta_E >= beta_P, and for all trials: what is drawn for each of them (`Instance.redraw`)
has no influence on it. Nothing promises that errors stay below it in another run: claims are given the event, or their
rate is observed. The error of the first episode has no data in it: it is the bias of the ridge alone, the same number in every
run.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.seeds import stream
from verifier.settings.elliptical import gram_norm
from verifier.settings.reward_free.data import Data
from verifier.settings.reward_free.instance import Instance, Public
from verifier.settings.simulator import cumulative

RUNS, MARGIN = 4, 1.5
"""Without the margin another run would exceed the largest error of four with probability 1/5."""


@dataclass(frozen=True)
class _Known:
    """An instance as far as it is known before a trial; two are the same if their names are, which follow from all there is."""

    name: str
    instance: Instance = field(compare=False)


def radius(instance: Instance) -> float:
    """The calibrated radius of an instance; the reference runs are made once in a process."""
    key = hashlib.sha256(repr(instance.public).encode())
    for array in (instance.public.phi, instance.truth.mu, instance.start, *instance.fixed.values()):
        key.update(np.ascontiguousarray(array).tobytes())
    return _radius(_Known(key.hexdigest(), instance))


@cache
def _radius(known: _Known) -> float:
    largest = max(largest_error(known.instance, stream(0, "reference", known.name, run)) for run in range(RUNS))
    return MARGIN * largest or crude(known.instance.public)  # where nothing is estimated, as with H = 1, there is no error


def crude(public: Public) -> float:
    """The radius of the reference runs, H sqrt(lambda d) + sqrt(d H) / 2."""
    return float(public.H * np.sqrt(public.ridge * public.d) + np.sqrt(public.d * public.H) / 2)


def largest_error(instance: Instance, rng: np.random.Generator) -> float:
    """The largest norm of (mu_h - mu-hat_h) V_{h+1} under Lambda-hat in one reference run."""
    public, width = instance.public, crude(instance.public)
    start, laws, largest = cumulative(instance.start), cumulative(instance.truth.P), 0.0
    data = Data.none(public)
    for _ in range(public.K):
        policy, V = data.optimistic(3 * width * data.norm[None])
        largest = max(largest, _error(instance, data, V))
        states, actions = _play(policy[0], start, laws, rng.random(public.H + 1))
        data = data.after(states, actions, V[0, 1:], np.full(public.H, width))
    gain = instance.reward(np.stack(list(instance.fixed.values())))
    return max(largest, _error(instance, data, data.optimistic(gain + width * data.norm)[1]))


def _error(instance: Instance, data: Data, V: Array) -> float:
    missed = np.matmul(instance.truth.mu - data.model, V[:, 1:].transpose(1, 2, 0))
    return float(gram_norm(missed, data.gram).max())


def _play(policy: IntArray, start: Array, laws: Array, draws: Array) -> tuple[IntArray, IntArray]:
    """States and actions of an episode."""
    H, A = len(policy), laws.shape[1] // laws.shape[2]
    states, actions = np.zeros(H + 1, dtype=np.int64), np.zeros(H, dtype=np.int64)
    states[0] = start.searchsorted(draws[H], side="right")
    for h in range(H):
        actions[h] = policy[h, states[h]]
        states[h + 1] = laws[h, states[h] * A + actions[h]].searchsorted(draws[h], side="right")
    return states, actions
