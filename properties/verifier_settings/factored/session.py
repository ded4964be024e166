"""The harness's side of one run: it owns the transcript, watches the plans and computes oracle widths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.setting import Seeds
from verifier_settings.counts import Seen, summed
from verifier_settings.episodes import EpisodeSession, Phase
from verifier_settings.factored.environment import FactoredEnvironment, FactoredTranscript
from verifier_settings.factored.estimates import Estimates
from verifier_settings.factored.instance import Instance
from verifier_settings.factored.logs import log_reward, log_transition
from verifier_settings.factored.phases import EpisodeSeries, Phases, Run
from verifier_settings.factored.plan import FactoredPlan, checked
from verifier_settings.sessions import Widths, asked_of, by_step, oracle_width, require_steps, require_values, stacked

WIDTHS = {"transition": "the logarithm L^P of the transitions, at each step", "reward": "every logarithm L^R_i, once"}
"""Widths by name, each with what it multiplies."""


@dataclass(frozen=True, eq=False)
class _Phase(Phase[FactoredPlan]):
    """Phase with the width of the rewards."""

    reward_width: float


class FactoredSession(EpisodeSession[FactoredPlan, _Phase, Phases]):
    """Run in the factored setting.

    Parameters
    ----------
    instance : Instance
    seeds : Seeds
    yields : frozenset of str
        Optional plan fields the algorithm declared.
    """

    def __init__(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> None:
        instance = instance.drawn(seeds.adversary)
        public, truth = instance.public, instance.truth
        self._record = FactoredTranscript(public.K, public.H, public.m)
        super().__init__(self._record, 8 * public.H * public.X * public.S)
        self._instance, self._yields = instance, yields
        self.environment = FactoredEnvironment(instance, self._record, seeds.environment, seeds.agent)
        laws = (*truth.factors, *(part.law for part in truth.parts))
        self._counts = (*(np.zeros(law.shape) for law in laws), np.zeros(public.X), np.zeros((public.X, public.S)))
        self._before = tuple(counts.copy() for counts in self._counts)
        self._next = public.state_factors()
        self._scopes = [public.cells(scope) for scope in (*public.transition_scopes, *public.reward_scopes)]
        self._counted = 0
        self._series: list[EpisodeSeries] = []

    # The oracle -------------------------------------------------------------------------------------------------

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """Estimate minus truth.

        ``transition``: (Phat - P) V*_{h+1} at every pair, split over the factors by replacing one after the other, shape
        (n, X), 0 where a pair is unknown; V* is what the confidence intervals are about. ``reward``: Rhat_i - Rbar_i at every
        pair, shape (m, X), with Rhat_i = 1 where nothing was seen.
        """
        estimates = self._estimates(of, step, target)
        if of == "reward":
            return estimates.reward_error
        return estimates.telescoped(self._instance.truth.V[None, step + 1])[:, 0]

    def oracle(self, of: str, step: int, target: Array) -> float:
        """The least factor on the logarithms with which the confidence intervals hold for the realised errors, plus slack.

        ``transition``: those of (8) and (14) for V*_{h+1} and that of (9). ``reward``: those of (7) and (13).
        """
        estimates, public = self._estimates(of, step, target), self._instance.public
        if of == "reward":
            return oracle_width(_least_for_rewards(estimates, log_reward(public)[:, None]))
        return oracle_width(_least_for_transitions(estimates, step, log_transition(public)))

    def _estimates(self, of: str, step: int, target: Array) -> Estimates:
        if of not in WIDTHS:
            raise ContractError(f"the width of {of!r} was asked for; expected {' or '.join(map(repr, WIDTHS))}")
        if of == "transition":
            require_values(step, target, self._instance.public.S)
        self._count()
        return Estimates(self._instance, *self._split(self._counts))

    def _split(self, counts: Sequence[Array]) -> tuple[Sequence[Array], Sequence[Array]]:
        """Counts of the factors, and counts of the parts of the reward."""
        n = self._instance.public.n
        return counts[:n], counts[n : n + self._instance.public.m]

    def _places(self, episodes: slice) -> list[tuple[tuple[IntArray, ...], Array | float]]:
        """Cells in which each step of some episodes is counted, and the amounts: by factor, by part, of rewards and of moves."""
        t, parts, n = self._record, self._instance.truth.parts, self._instance.public.n
        outcomes = t.outcomes[episodes]
        pairs = t.states[episodes, :-1] * self._instance.public.A + t.actions[episodes]
        following = self._next[t.states[episodes, 1:]]
        cells = [scope[pairs] for scope in self._scopes]
        earned = sum(part.support[outcomes[:, :, i]] for i, part in enumerate(parts)) / len(parts)
        return [
            *(((cells[j], following[..., j]), 1.0) for j in range(n)),
            *(((cells[n + i], outcomes[..., i]), 1.0) for i in range(len(parts))),
            ((pairs,), np.asarray(earned)),
            ((pairs, t.states[episodes, 1:]), 1.0),
        ]

    def _count(self) -> None:
        """Bring the counts up to date with the transcript."""
        done = self._record.episodes
        if done > self._counted:
            for counts, (place, added) in zip(self._counts, self._places(slice(self._counted, done)), strict=True):
                np.add.at(counts, place, added)
            self._counted = done

    # Watching ---------------------------------------------------------------------------------------------------

    def observe(self, plan: FactoredPlan, widths: Widths) -> Phases | None:
        """Keep a plan; return the batch of completed phases when it is full."""
        k = self._next_start()
        accepted = checked(plan, self._instance.public, self._yields, k + 1)
        width, handed, reward_width = self._radii(widths, k)
        return self._keep(_Phase(accepted, k, width, handed, reward_width))

    def _radii(self, widths: Widths, k: int) -> tuple[Array, Array, float]:
        """The widths handed out, by step, the value functions they were asked with, and the width of the rewards.

        NaN where none is ever asked for, as by an algorithm whose bonus is the realised error.
        """
        public, where = self._instance.public, f"plan at episode {k + 1}"
        if not widths:
            return np.full(public.H, np.nan), np.full((public.H, public.S), np.nan), np.nan
        asked, rewards = asked_of(widths, "transition"), asked_of(widths, "reward")
        require_steps(asked, public.H, where, "self.width(h, V_next) at each step")
        require_steps(rewards, 1, where, 'self.width(0, of="reward") once')
        return *by_step(asked, public.H, public.S), rewards[0][0]

    def _view(self, pending: list[_Phase]) -> Phases:
        recorded, kept = self._recorded(pending), stacked(pending, "reward_width")
        seen = partial(summed, plans=len(pending), phase=recorded["phase"])
        *places, (moves, _) = self._places(self._episodes(pending))
        *counts, earned = (
            seen(before, index=place, what=added) for before, (place, added) in zip(self._before[:-1], places, strict=True)
        )
        history = Seen(self._before[-1][None], len(pending), recorded["phase"], *moves)
        self._count()
        self._before = tuple(counts.copy() for counts in self._counts)  # a batch ends where the next one begins
        phases = Phases(
            instance=self._instance, **recorded, estimates=Estimates(self._instance, *self._split(counts)), history=history,
            earned=earned, **kept,
        )  # fmt: skip
        self._series.append(phases.episode)
        return phases

    def finish(self) -> tuple[Phases | None, Run]:
        """Close the run; all K episodes must have been played."""
        self._require_all()
        last, t = self._flush(), self._record
        return last, Run(
            instance=self._instance, states=t.states, actions=t.actions, outcomes=t.outcomes, plans=np.array(self._starts),
            secret=self._secret(), series=EpisodeSeries.join(self._series),
        )  # fmt: skip


def _least_for_transitions(estimates: Estimates, step: int, L: float) -> float:
    """The least factor lambda with which (8), (9) and (14) hold where anything was seen.

    (8) sqrt(2 H^2 lambda L / N) and (14) sqrt(2 sigma^2 lambda L / N) + 2 H lambda L / (3 N) cover the error of factor j for V*;
    (9) 2 y + 4 y^2/3 with y^2 = |S_j| lambda L / N covers the L1 distance.
    """
    instance = estimates.instance
    H = instance.public.H
    error = np.abs(estimates.factor_error(slice(step, step + 1))[:, 0])
    spread = np.sqrt(2 * instance.variances[:, step])
    sizes = np.array(instance.public.state_sizes)[:, None]
    hoeffding = error / (np.sqrt(2.0) * H)
    freedman = _root(2 * H / 3, spread, error)
    radius = _root(4.0 / 3.0, 2.0, estimates.distance) / np.sqrt(sizes)
    least = np.maximum(np.maximum(hoeffding, freedman), radius) ** 2 * estimates.visits / L
    return float(least.max(initial=0.0))


def _least_for_rewards(estimates: Estimates, L: Array) -> float:
    """Least lambda with which (7) sqrt(2 lambda L / N) and (13) sqrt(2 sigmahat^2 lambda L / N) + 8 lambda L / (3 N) hold."""
    error = np.abs(estimates.reward_error)
    bernstein = _root(8.0 / 3.0, np.sqrt(2 * estimates.reward_variance), error)
    least = np.maximum(error / np.sqrt(2.0), bernstein) ** 2 * estimates.reward_visits / L
    return float(least.max(initial=0.0))


def _root(a: float, b: Array | float, c: Array) -> Array:
    """The y >= 0 with a y^2 + b y = c, written so that nothing cancels."""
    divisor = b + np.sqrt(np.asarray(b) ** 2 + 4 * a * c)
    return np.divide(2 * c, divisor, out=np.zeros(np.broadcast(c, divisor).shape), where=divisor > 0)
