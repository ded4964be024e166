"""The harness's side of one run: it owns the transcript, watches the plans and computes oracle widths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.setting import Seeds
from verifier.settings.elliptical import gram_norm, gram_of
from verifier.settings.episodes import EpisodeSession, Widths
from verifier.settings.episodic import bonuses
from verifier.settings.episodic.environment import EpisodicEnvironment
from verifier.settings.episodic.instance import Instance
from verifier.settings.episodic.phases import Phases
from verifier.settings.episodic.plan import EpisodicPlan, checked
from verifier.settings.episodic.run import Run
from verifier.settings.episodic.series import EpisodeSeries
from verifier.settings.oracle import oracle_width

WIDTHS = ("hoeffding", "bernstein", "regression")
"""What an algorithm may ask the width of: what 1/sqrt(N) is multiplied by; what the bonus of Algorithm 4 is multiplied by; what
||phi|| in the norm of the inverse Gram matrix is multiplied by."""


@dataclass(frozen=True)
class _Phase:
    """A plan as it was yielded, with what the harness knew then."""

    plan: EpisodicPlan
    start: int
    counts: Array
    width: Array
    handed: Array
    previous: Array


class EpisodicSession(EpisodeSession[EpisodicPlan]):
    """One run in the episodic setting.

    Parameters
    ----------
    instance : Instance
    seeds : Seeds
    yields : frozenset of str
        Optional plan fields the algorithm declared.
    """

    def __init__(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> None:
        public = instance.public
        super().__init__(public.S, public.A, public.H, public.K)
        self._instance, self._yields = instance, yields
        self.environment = EpisodicEnvironment(instance, self._transcript, seeds.environment, seeds.agent)
        self._pooled = np.zeros(self._counts.shape[1:])
        self._previous: Array = np.full((public.H, public.S, public.A), float(public.H))
        self._pending: list[_Phase] = []
        self._series: list[EpisodeSeries] = []
        self._batch = self._batch_of(self._counts.nbytes)

    # The oracle -------------------------------------------------------------------------------------------------

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """Estimate minus truth.

        ``hoeffding``, ``bernstein``: (Phat - P) V*_{h+1} at every pair, shape (X,), 0 where nothing was seen; V* is what the
        confidence intervals of the paper are about. ``regression``: least squares of r + V minus the true parameter, for the
        value function `target`, shape (d,).
        """
        if of not in WIDTHS:
            raise ContractError(f"the width of {of!r} was asked for; expected {', '.join(map(repr, WIDTHS))}")
        self._require_values(step, target)
        public, truth = self._instance.public, self._instance.truth
        counts = self._current_counts()
        if of != "regression":
            visits, kernel = self._model()
            return np.where(visits > 0, (kernel - truth.P) @ truth.V[step + 1], 0.0)
        seen = counts[step] @ target + counts[step].sum(axis=1) * truth.reward
        estimate = np.linalg.solve(self._gram(step), public.phi.T @ seen)
        return np.asarray(estimate - truth.theta - truth.mu @ target)

    def oracle(self, of: str, step: int, target: Array) -> float:
        """The least width with which the bonus covers the realised error, plus rounding slack."""
        error = self.realised_error(of, step, target)
        if of == "regression":
            radius = float(gram_norm(error[:, None], self._gram(step))[0])
        else:
            unit = self._unit(of, step, target)
            radius = float(np.max(np.abs(error) / unit, initial=0.0))
        return oracle_width(radius)

    def _unit(self, of: str, step: int, target: Array) -> Array:
        """The bonus of width 1 at every pair."""
        visits, kernel = self._model()
        if of == "hoeffding":
            return bonuses.per_root(visits)
        return bonuses.bernstein(self._instance.public, kernel, visits, self._counts[step].sum(axis=0), target)

    def _model(self) -> tuple[Array, Array]:
        """N (X,) and Phat (X, S), over all steps."""
        visits = self._pooled.sum(axis=1)
        return visits, self._pooled / np.maximum(visits, 1.0)[:, None]

    def _gram(self, step: int) -> Array:
        return gram_of(self._instance.public.phi, self._counts[step].sum(axis=1), self._instance.public.ridge)

    def _require_values(self, step: int, target: Array) -> None:
        S = self._instance.public.S
        if np.shape(target) != (S,) or not np.isfinite(target).all():
            raise ContractError(
                f"width(step={step}) was handed a value function of shape {np.shape(target)}, expected ({S},), finite"
            )

    def _count_more(self, step: IntArray, row: IntArray, following: IntArray, context: IntArray) -> None:
        np.add.at(self._pooled, (row, following), 1.0)

    # Watching ---------------------------------------------------------------------------------------------------

    def observe(self, plan: EpisodicPlan, widths: Widths) -> Phases | None:
        """Keep a plan; return the batch of completed phases when it is full."""
        k = self._next_start()
        accepted = checked(plan, self._instance.public, self._yields, k + 1)
        width, handed = self._radii(widths, k)
        phase = _Phase(accepted, k, self._current_counts().copy(), width, handed, self._previous)
        full = self._flush() if len(self._pending) >= self._batch else None
        self._pending.append(phase)
        self._starts.append(k)
        self._previous = accepted.Q
        return full

    def _radii(self, widths: Widths, k: int) -> tuple[Array, Array]:
        """The widths handed out, by step, and the value functions they were asked with; NaN where none is ever asked for."""
        public = self._instance.public
        width, handed = np.full(public.H, np.nan), np.full((public.H, public.S), np.nan)
        for (_of, h), (value, target) in widths.items():
            self._require_values(h, target)
            width[h], handed[h] = value, target
        if widths and np.isnan(width).any():
            h = int(np.argmax(np.isnan(width)))
            raise ContractError(
                f"plan at episode {k + 1}: the algorithm did not ask for the width of step h={h + 1}; call "
                "self.width(h, V_next, of=...) at each step"
            )
        return width, handed

    def _flush(self) -> Phases | None:
        if not self._pending:
            return None
        pending, self._pending = self._pending, []
        starts = np.array([phase.start for phase in pending])
        phases = Phases(
            instance=self._instance,
            plans=[phase.plan for phase in pending],
            start=starts,
            counts=np.stack([phase.counts for phase in pending]),
            width=np.stack([phase.width for phase in pending]),
            handed=np.stack([phase.handed for phase in pending]),
            previous=np.stack([phase.previous for phase in pending]),
            **self._played(starts),
        )
        self._series.append(phases.episode)
        return phases

    def finish(self) -> tuple[Phases | None, Run]:
        """Close the run; all K episodes must have been played."""
        self._require_all()
        last, t = self._flush(), self._transcript
        return last, Run(self._instance, t.states, t.actions, np.array(self._starts), EpisodeSeries.join(self._series))
