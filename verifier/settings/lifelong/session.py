"""The harness's side of one run: it owns the transcript, watches the plans and computes oracle widths."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from verifier.arrays import Array, IntArray
from verifier.errors import ContractError
from verifier.setting import Seeds, Session
from verifier.settings import mdp
from verifier.settings.lifelong import tasks
from verifier.settings.lifelong.environment import LifelongEnvironment, Transcript
from verifier.settings.lifelong.instance import Instance
from verifier.settings.lifelong.plan import LifelongPlan, checked
from verifier.settings.lifelong.views import EpisodeSeries, Phases, Run, bonus, gram_from_visits, gram_norm

ORACLE_SLACK = 1e-9
"""Added to the oracle width, relatively and absolutely, so that rounding of the width itself cannot make the event fail."""

BATCH_BYTES = 32e6
BATCH_PHASES = 64

Widths = Mapping[tuple[str, int], tuple[float, Array]]


class LifelongSession(Session[LifelongPlan]):
    """One run in the lifelong setting.

    Parameters
    ----------
    instance : Instance
    seeds : Seeds
    yields : frozenset of str
        Optional plan fields the algorithm declared.
    """

    def __init__(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> None:
        public = instance.public
        self._instance, self._yields = instance, yields
        self._transcript = Transcript(public.K, public.H)
        shape = (public.S, public.W)
        self._board = tasks.Board(public.S, public.W, public.K, instance.truth.V[0].copy(), np.ones(shape), seeds.adversary)
        self._rule, self._adaptive = tasks.rule(instance.tasks), instance.tasks in tasks.ADAPTIVE
        self.environment = LifelongEnvironment(
            instance, self._transcript, lambda k: self._rule(k, self._board), seeds.environment, seeds.agent
        )
        self._counts = np.zeros((public.H, public.S * public.A, public.S))
        self._counted = 0
        self._gram: Array | None = None
        self._pending: list[tuple[LifelongPlan, int, Array, Array, Array]] = []
        self._starts: list[int] = []
        self._series: list[EpisodeSeries] = []
        self._batch = int(np.clip(BATCH_BYTES / max(self._counts.nbytes, 1), 1, BATCH_PHASES))

    # The oracle -------------------------------------------------------------------------------------------------

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """Least-squares estimate minus truth for the value functions `target` (S, n); shape (d, n)."""
        if of != "transition":
            raise ContractError(f"width of {of!r} asked for; the lifelong setting knows 'transition'")
        target = np.asarray(target, dtype=float)
        if target.ndim != 2 or target.shape[0] != self._instance.public.S or not np.isfinite(target).all():
            raise ContractError(
                f"width(step={step}) was handed a value function of shape {target.shape}, expected ({self._instance.public.S}, n), finite"
            )
        sums = self._instance.public.phi.T @ (self._current_counts()[step] @ target)
        estimate = np.linalg.solve(self._current_gram()[step], sums)
        return np.asarray(estimate - self._instance.truth.mu[step] @ target)

    def oracle(self, of: str, step: int, target: Array) -> float:
        """The exact radius: the largest realised error of the targets in the Gram norm, plus rounding slack."""
        error = self.realised_error(of, step, target)
        return float((1 + ORACLE_SLACK) * gram_norm(error, self._current_gram()[step]).max(initial=0.0) + ORACLE_SLACK)

    def _current_counts(self) -> Array:
        done = self._transcript.episodes
        if done > self._counted:
            new = slice(self._counted, done)
            s, a = self._transcript.states[new], self._transcript.actions[new]
            step = np.broadcast_to(np.arange(a.shape[1]), a.shape)
            np.add.at(self._counts, (step, s[:, :-1] * self._instance.public.A + a, s[:, 1:]), 1.0)
            self._counted = done
            self._gram = None
        return self._counts

    def _current_gram(self) -> Array:
        counts = self._current_counts()
        if self._gram is None:
            self._gram = gram_from_visits(self._instance.public, counts.sum(axis=2))
        return self._gram

    # Watching ---------------------------------------------------------------------------------------------------

    def observe(self, plan: LifelongPlan, widths: Widths) -> Phases | None:
        """Keep a plan; return the batch of completed phases when it is full."""
        public, k = self._instance.public, self._transcript.episodes
        if not self.environment.at_start:
            raise ContractError(
                f"a plan was yielded in the middle of episode {k + 1} or before begin_episode; yield it right after begin_episode"
            )
        if self._starts and self._starts[-1] == k:
            raise ContractError(f"two plans were yielded at the start of episode {k + 1}; yield one")
        accepted = checked(plan, public, self._yields, k + 1)
        if self._pending and accepted.Q.shape != self._pending[-1][0].Q.shape:
            raise ContractError(f"the number of contexts of the plan changed at episode {k + 1}; keep it constant in a run")
        radius, handed = self._widths(widths, accepted, k + 1)
        full = self._flush() if len(self._pending) >= self._batch else None
        self._pending.append((accepted, k, self._current_counts().copy(), radius, handed))
        self._starts.append(k)
        if self._adaptive:
            self._inform_adversary(accepted)
        return full

    def _widths(self, widths: Widths, plan: LifelongPlan, episode: int) -> tuple[Array, Array]:
        public = self._instance.public
        expected = (public.S, len(plan.targets))
        radius, handed = np.empty(public.H), np.empty((public.H, *expected))
        for h in range(public.H):
            if ("transition", h) not in widths:
                raise ContractError(
                    f"plan at episode {episode}: the algorithm did not ask for the width of step h={h + 1}; "
                    "call self.width(h, V_next) at each step"
                )
            radius[h], value = widths["transition", h]
            if value.shape != expected or not np.isfinite(value).all():
                raise ContractError(
                    f"plan at episode {episode}: the width of step h={h + 1} was asked with a value function of shape {value.shape}, "
                    f"expected {expected} (states, targets) and finite"
                )
            handed[h] = value
        return radius, handed

    def _inform_adversary(self, plan: LifelongPlan) -> None:
        public, truth = self._instance.public, self._instance.truth
        policy, contexts = plan.policy[None], plan.contexts
        value = mdp.policy_values(truth.P, public.reward[:, :, contexts][:, :, None, :], policy)[0, 0]
        self._board.gap[:, contexts] = truth.V[0][:, contexts] - value
        squares = bonus(public.phi, np.linalg.inv(self._current_gram())) ** 2
        reward = np.broadcast_to(squares[:, :, None, None], (*squares.shape, 1, len(contexts)))
        self._board.novelty[:, contexts] = mdp.policy_values(truth.P, reward, policy)[0, 0]

    def _flush(self) -> Phases | None:
        if not self._pending:
            return None
        starts = np.array([start for _, start, _, _, _ in self._pending])
        done = slice(int(starts[0]), self._transcript.episodes)
        episodes = np.arange(done.start, done.stop)
        contexts = self._transcript.contexts[done]
        phase = np.searchsorted(starts, episodes, side="right") - 1
        phases = Phases(
            instance=self._instance,
            plans=[plan for plan, _, _, _, _ in self._pending],
            start=starts,
            counts=np.stack([counts for _, _, counts, _, _ in self._pending]),
            width=np.stack([radius for _, _, _, radius, _ in self._pending]),
            handed=np.stack([handed for _, _, _, _, handed in self._pending]),
            states=self._transcript.states[done],
            actions=self._transcript.actions[done],
            contexts=contexts,
            phase=phase,
        )
        self._require_contexts(phases, episodes)
        self._series.append(phases.episode)
        self._pending = []
        return phases

    @staticmethod
    def _require_contexts(phases: Phases, episodes: IntArray) -> None:
        missing = ~(phases.contexts[phases.phase] == phases.episode_contexts[:, None]).any(axis=1)
        if missing.any():
            k = int(np.argmax(missing))
            raise ContractError(
                f"episode {episodes[k] + 1} has context {phases.episode_contexts[k]}, but the plan in force gives no action values for it; "
                "plan for it or include it in `contexts`"
            )
        absent = ~(phases.contexts[:, None, :] == phases.targets[:, :, None]).any(axis=2).all(axis=1)
        if absent.any():
            raise ContractError(f"plan at episode {phases.start[int(np.argmax(absent))] + 1}: a target is not among its contexts; include it")

    def finish(self) -> tuple[Phases | None, Run]:
        """Close the run; all K episodes must have been played."""
        public, played = self._instance.public, self._transcript.episodes
        if played != public.K:
            raise ContractError(f"run() ended after {played} of K = {public.K} episodes; play all of them")
        if not self._starts or self._starts[0] != 0:
            first = f"the first plan came at episode {self._starts[0] + 1}" if self._starts else "no plan was yielded"
            raise ContractError(f"{first}; yield a plan at the start of episode 1")
        last = self._flush()
        t = self._transcript
        run = Run(
            self._instance, t.states, t.actions, t.contexts, np.array(self._starts), EpisodeSeries.join(self._series)
        )
        return last, run

    def digest(self) -> str:
        """Hash of the transcript."""
        return self._transcript.digest()
