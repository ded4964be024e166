"""The harness's side of one run: it owns the transcript, watches the plans and computes realised errors."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.setting import Seeds
from verifier_settings.episodes import EpisodeSession, Phase
from verifier_settings.knapsack import augmented
from verifier_settings.knapsack.bonuses import log_term
from verifier_settings.knapsack.environment import KnapsackEnvironment, KnapsackTranscript
from verifier_settings.knapsack.instance import Instance
from verifier_settings.knapsack.phases import EpisodeSeries, Phases
from verifier_settings.knapsack.plan import REQUIRED, KnapsackPlan, checked
from verifier_settings.knapsack.runs import Run
from verifier_settings.sessions import Widths, asked_of, by_step, oracle_width, require_steps, require_values, stacked

WIDTHS = {"transition": "the logarithm L of the transitions, at each step", "reward": "the logarithm L of the rewards, once"}
"""Widths by name, each with what it multiplies."""
ERRORS = (*WIDTHS, "law", "mean")
"""Names of the realised errors: those of the widths, and of the laws themselves, to plan with the true ones."""


@dataclass(frozen=True, eq=False)
class _Phase(Phase[KnapsackPlan]):
    """Phase with what had been seen, the width of the rewards, and whether the true laws were told."""

    transitions: Array
    costs: tuple[Array, ...]
    outcomes: Array
    reward_width: float
    exact: bool


class KnapsackSession(EpisodeSession[KnapsackPlan, _Phase, Phases]):
    """Run in the knapsack setting.

    Parameters
    ----------
    instance : Instance
    seeds : Seeds
    yields : frozenset of str
        Optional plan fields the algorithm declared.
    """

    def __init__(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> None:
        public, truth = instance.public, instance.truth
        self._record = KnapsackTranscript(public.K, public.H, public.d)
        super().__init__(self._record, 32 * public.H * public.X * public.G * prod(public.sizes))
        self._instance, self._yields = instance, yields
        self.environment = KnapsackEnvironment(instance, self._record, seeds.environment, seeds.agent)
        self._seen = tuple(np.zeros_like(law) for law in truth.rows)
        self._outcomes = np.zeros_like(truth.part.law)
        self._after = augmented.after(public)
        self._counted = 0
        self._exact = False
        self._series: list[EpisodeSeries] = []

    # The oracle -------------------------------------------------------------------------------------------------

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """Estimate minus truth. Where a pair is unknown, laws are estimated as 0 and the mean reward as 1.

        ``transition``: (Phat - P) V*_{h+1} at every pair and budget, shape (X, G), and 0 where a pair is unknown; V* is what the
        confidence intervals are about. ``reward``, ``mean``: Rhat - R, shape (X,). ``law``: of factor `step`, 0 for the next
        state and i for cost i, shape (X, size). Who asks for the last two plans with the true laws.
        """
        if of not in ERRORS:
            raise ContractError(f"the error of {of!r} was asked for; expected {', '.join(map(repr, ERRORS))}")
        self._count()
        truth, visits = self._instance.truth, self._seen[0].sum(axis=1)
        known = visits > 0
        self._exact |= of in ("law", "mean")
        if of in ("reward", "mean"):
            mean = np.where(known, self._outcomes @ truth.part.support / np.maximum(visits, 1.0), 1.0)
            return np.asarray(mean - truth.reward)
        rows = [counts / np.maximum(visits, 1.0)[:, None] for counts in self._seen]
        if of == "law":
            return np.asarray(rows[step] - truth.rows[step])
        public = self._instance.public
        require_values(step, target, public.S, public.G)
        estimated, true = (augmented.backup(laws, truth.V[step + 1], self._after) for laws in (rows, truth.rows))
        return np.where(known[:, None], estimated - true, 0.0)

    def oracle(self, of: str, step: int, target: Array) -> float:
        """The least factor on L with which H sqrt(2 L / N), or sqrt(2 L / N) for rewards, covers the realised error."""
        if of not in WIDTHS:
            raise ContractError(f"the width of {of!r} was asked for; expected {' or '.join(map(repr, WIDTHS))}")
        public = self._instance.public
        error, visits = np.abs(self.realised_error(of, step, target)), self._seen[0].sum(axis=1)
        largest = error.reshape(public.X, -1).max(axis=1) / (public.H if of == "transition" else 1)
        return oracle_width(float((largest**2 * visits).max(initial=0.0)) / (2 * log_term(public)))

    def _count(self) -> None:
        """Bring the counts up to date with the transcript; steps that were not played are not counted."""
        t, done = self._record, self._record.episodes
        if done == self._counted:
            return
        new = slice(self._counted, done)
        on = np.arange(t.actions.shape[1]) < t.lengths[new, None]
        pairs = (t.states[new, :-1] * self._instance.public.A + t.actions[new])[on]
        np.add.at(self._seen[0], (pairs, t.states[new, 1:][on]), 1.0)
        for i, counts in enumerate(self._seen[1:]):
            np.add.at(counts, (pairs, t.costs[new, :, i][on]), 1.0)
        np.add.at(self._outcomes, (pairs, t.outcomes[new][on]), 1.0)
        self._counted = done

    # Watching ---------------------------------------------------------------------------------------------------

    def observe(self, plan: KnapsackPlan, widths: Widths) -> Phases | None:
        """Keep a plan; return the batch of completed phases when it is full."""
        k = self._next_start()
        accepted = checked(plan, self._instance.public, self._yields | REQUIRED, k + 1)
        width, handed, reward_width = self._radii(widths, k)
        self._count()
        transitions, *costs = (counts.copy() for counts in self._seen)
        told, self._exact = self._exact, False
        phase = _Phase(
            accepted, k, width, handed, transitions, tuple(costs), self._outcomes.copy(), reward_width, told
        )  # fmt: skip
        return self._keep(phase)

    def _radii(self, widths: Widths, k: int) -> tuple[Array, Array, float]:
        """The widths handed out, by step, the value functions they were asked with, and the width of the rewards.

        NaN where none is ever asked for, as by an algorithm whose bonus is the realised error.
        """
        public, where = self._instance.public, f"plan at episode {k + 1}"
        if not widths:
            return np.full(public.H, np.nan), np.full((public.H, public.S, public.G), np.nan), np.nan
        asked, rewards = asked_of(widths, "transition"), asked_of(widths, "reward")
        require_steps(asked, public.H, where, "self.width(h, V_next) at each step")
        require_steps(rewards, 1, where, 'self.width(0, of="reward") once')
        return *by_step(asked, public.H, public.S, public.G), rewards[0][0]

    def _view(self, pending: list[_Phase]) -> Phases:
        costs = tuple(np.stack(parts) for parts in zip(*(phase.costs for phase in pending), strict=True))
        done = self._episodes(pending)
        phases = Phases(
            instance=self._instance, **self._recorded(pending), costs=costs, lengths=self._record.lengths[done],
            spent=self._spent(done), **stacked(pending, "transitions", "outcomes", "reward_width", "exact"),
        )  # fmt: skip
        self._series.append(phases.episode)
        return phases

    def _spent(self, done: slice) -> IntArray:
        """(e, H, d) what each step cost, in units; 0 where none was played."""
        t, supports = self._record, self._instance.public.supports
        spent = np.stack([np.array(support)[t.costs[done, :, i]] for i, support in enumerate(supports)], axis=2)
        return np.where((np.arange(spent.shape[1]) < t.lengths[done, None])[..., None], spent, 0)

    def finish(self) -> tuple[Phases | None, Run]:
        """Close the run; all K episodes must have been played."""
        self._require_all()
        last, t = self._flush(), self._record
        return last, Run(
            instance=self._instance, states=t.states, actions=t.actions, lengths=t.lengths, late=t.late,
            spent=self._spent(slice(None)), plans=np.array(self._starts), secret=self._secret(),
            series=EpisodeSeries.join(self._series),
        )  # fmt: skip
