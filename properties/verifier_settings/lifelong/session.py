"""The harness's side of one run: it owns the transcript, watches the plans and computes oracle widths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.setting import Seeds
from verifier_settings import mdp
from verifier_settings.counts import Batches, Seen
from verifier_settings.elliptical import bonus, gram_norm, gram_of
from verifier_settings.episodes import CountingSession, Phase, batch_of
from verifier_settings.lifelong import tasks
from verifier_settings.lifelong.environment import LifelongEnvironment
from verifier_settings.lifelong.instance import Instance
from verifier_settings.lifelong.phases import EpisodeSeries, Phases
from verifier_settings.lifelong.plan import LifelongPlan, checked
from verifier_settings.lifelong.psi import PsiData
from verifier_settings.lifelong.run import Run
from verifier_settings.sessions import Widths, asked_of, by_step, oracle_width, require_steps, require_values
from verifier_settings.simulator import Transcript

WIDTHS = {
    "transition": "‖φ(s,a)‖ in the norm of the inverse Gram matrix of the step",
    "value": "‖ψ(s,a,w)‖ in the norm of the inverse of `psi_gram`, which the plan has to have",
    "reward": "‖ψ(s,a,w)‖ in that norm, for the regression of rewards",
}
"""Widths by name, each with what it multiplies."""


@dataclass(frozen=True, eq=False)
class _Phase(Phase[LifelongPlan]):
    """Phase with the widths of the reward estimate (H,), where there is one."""

    reward_width: Array | None


class LifelongSession(CountingSession[LifelongPlan, _Phase, Phases]):
    """Run in the lifelong setting.

    Parameters
    ----------
    instance : Instance
    seeds : Seeds
    yields : frozenset of str
        Optional plan fields the algorithm declared.
    """

    def __init__(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> None:
        public = instance.public
        super().__init__(public.S, public.A, Transcript(public.K, public.H))
        self._instance, self._yields = instance, yields
        shape = (public.S, public.W)
        self._board = tasks.Board(public.S, public.W, public.K, instance.truth.V[0].copy(), np.ones(shape), seeds.adversary)
        self._rule, self._adaptive = tasks.rule(instance.tasks), instance.tasks in tasks.ADAPTIVE
        self._drawn = None if self._adaptive else self._rule(np.arange(public.K), self._board)
        self.environment = LifelongEnvironment(
            instance, self._transcript, lambda episodes: self._tasks(episodes), seeds.environment, seeds.agent
        )
        self._psi_counts = np.zeros((public.H, public.S * public.A, public.W, public.S)) if "psi_gram" in yields else None
        self._psi_batches = Batches((public.H, public.S * public.A * public.W, public.S))
        self._gram: Array | None = None
        self._psi_gram: Array | None = None
        self._series: list[EpisodeSeries] = []
        if self._psi_counts is not None:
            self._batch = batch_of(self._counts.nbytes + self._psi_counts.nbytes)

    def _tasks(self, episodes: IntArray) -> tasks.Tasks:
        """The initial states and contexts of episodes (n,); an adversary chooses them when they are asked for."""
        if self._drawn is None:
            return self._rule(episodes, self._board)
        return self._drawn[0][episodes], self._drawn[1][episodes]

    # The oracle -------------------------------------------------------------------------------------------------

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """Least-squares estimate minus truth, shape (parameters, n).

        ``transition``: theta-hat - theta for the value functions `target` (S, n). ``value``: nu-hat - nu on psi for the value
        function `target` (S, W). ``reward``: eta-hat - eta; the target is not used.
        """
        if of == "transition":
            require_values(step, target, self._instance.public.S, "n")
            sums = self._instance.public.phi.T @ (self._current_counts()[step] @ target)
            estimate = np.linalg.solve(self._current_gram()[step], sums)
            return np.asarray(estimate - self._instance.truth.mu[step] @ target)
        if of not in ("value", "reward") or self._psi_counts is None:
            known = ", ".join(map(repr, WIDTHS if self._psi_counts is not None else ["transition"]))
            raise ContractError(f"the width of {of!r} was asked for; expected {known} (the last two need psi_gram in `yields`)")
        self._current_counts()
        if of == "value":
            require_values(step, target, self._instance.public.S, "n")
            seen = np.einsum("xws,sw->xw", self._psi_counts[step], target)
            truth = self._instance.psi_inverse @ (self._instance.truth.P[step] @ target).ravel()
        else:
            seen = self._psi_counts[step].sum(axis=2) * self._instance.public.reward[step]
            truth = self._instance.truth.eta[step]
        estimate = np.linalg.solve(self._current_psi_gram()[step], self._instance.psi_rows.T @ seen.ravel())
        return np.asarray(estimate - truth)[:, None]

    def oracle(self, of: str, step: int, target: Array) -> float:
        """The exact radius: the largest realised error of the targets in the Gram norm, plus rounding slack."""
        error = self.realised_error(of, step, target)
        gram = self._current_gram() if of == "transition" else self._current_psi_gram()
        return oracle_width(gram_norm(error, gram[step]).max(initial=0.0))

    def _count_more(self, new: slice, step: IntArray, row: IntArray, following: IntArray) -> None:
        if self._psi_counts is not None:
            context = self._transcript.contexts[new]
            np.add.at(self._psi_counts, (step, row, context[:, None], following), 1.0)
        self._gram = self._psi_gram = None

    def _current_gram(self) -> Array:
        counts = self._current_counts()
        if self._gram is None:
            self._gram = gram_of(self._instance.public.phi, counts.sum(axis=2), self._instance.public.ridge)
        return self._gram

    def _current_psi_gram(self) -> Array:
        self._current_counts()
        if self._psi_gram is None and self._psi_counts is not None:
            visits = self._psi_counts.sum(axis=3).reshape(len(self._psi_counts), -1)
            self._psi_gram = gram_of(self._instance.psi_rows, visits, self._instance.public.ridge)
        assert self._psi_gram is not None
        return self._psi_gram

    # Watching ---------------------------------------------------------------------------------------------------

    def observe(self, plan: LifelongPlan, widths: Widths) -> Phases | None:
        """Keep a plan; return the batch of completed phases when it is full."""
        k = self._next_start()
        accepted = checked(plan, self._instance.public, self._yields, k + 1)
        if self._pending and _sizes(accepted) != _sizes(self._pending[-1].plan):
            raise ContractError(
                f"the number of contexts or targets of the plan changed at episode {k + 1}; keep it constant in a run"
            )
        full = self._keep(self._phase(accepted, k, widths))
        if self._adaptive:
            self._inform_adversary(accepted)
        return full

    def _phase(self, plan: LifelongPlan, k: int, widths: Widths) -> _Phase:
        asked = self._asked("value" if "psi_estimate" in self._yields else "transition", widths, k)
        H, S = self._instance.public.H, self._instance.public.S
        radius, handed = by_step(asked, H, S, len(plan.targets), where=f"plan at episode {k + 1}: ")
        rewards = self._asked("reward", widths, k) if "reward_estimate" in self._yields else None
        reward_radius = None if rewards is None else np.array([rewards[h][0] for h in range(H)])
        return _Phase(plan, k, radius, handed, reward_radius)

    def _asked(self, of: str, widths: Widths, k: int) -> dict[int, tuple[float, Array]]:
        """The widths handed out for one quantity at each step, and the value functions they were asked with."""
        H, asked = self._instance.public.H, asked_of(widths, of)
        call = "self.width(h, V_next)" if of == "transition" else f"self.width(h, V_next, of={of!r})"
        require_steps(asked, H, f"plan at episode {k + 1}", f"{call} at each step")
        return asked if len(asked) == H else {h: asked[h] for h in range(H)}

    def _inform_adversary(self, plan: LifelongPlan) -> None:
        public, truth = self._instance.public, self._instance.truth
        policy, contexts = plan.policy[None], plan.contexts
        value = mdp.policy_values(truth.P, public.reward[:, :, contexts][:, :, None, :], policy)[0, 0]
        self._board.gap[:, contexts] = truth.V[0][:, contexts] - value
        squares = bonus(public.phi, np.linalg.inv(self._current_gram())) ** 2
        reward = np.broadcast_to(squares[:, :, None, None], (*squares.shape, 1, len(contexts)))
        self._board.novelty[:, contexts] = mdp.policy_values(truth.P, reward, policy)[0, 0]

    def _view(self, pending: list[_Phase]) -> Phases:
        contexts, recorded = self._transcript.contexts[self._episodes(pending)], self._recorded(pending)
        extra = PsiData(self._psi_history(recorded["history"], contexts), _stacked([phase.reward_width for phase in pending]))
        phases = Phases(instance=self._instance, **recorded, episode_contexts=contexts, extra=extra)
        self._require_contexts(phases)
        self._series.append(phases.episode)
        return phases

    def _psi_history(self, history: Seen, contexts: IntArray) -> Seen | None:
        """The transitions of a batch by context, in which the pair (s, a) is row (s*A + a)*W + w."""
        if self._psi_counts is None:
            return None
        row = history.row * self._instance.public.W + contexts[:, None]
        return self._psi_batches.next(history.plans, history.phase, row, history.following)

    @staticmethod
    def _require_contexts(phases: Phases) -> None:
        missing = ~(phases.contexts[phases.phase] == phases.episode_contexts[:, None]).any(axis=1)
        if missing.any():
            k = int(np.argmax(missing))
            raise ContractError(
                f"episode {phases.start[0] + k + 1} has context {phases.episode_contexts[k]}, but the plan in force gives no "
                f"action values for it; "
                "plan for it or include it in `contexts`"
            )
        absent = ~(phases.contexts[:, None, :] == phases.targets[:, :, None]).any(axis=2).all(axis=1)
        if absent.any():
            raise ContractError(
                f"plan at episode {phases.start[int(np.argmax(absent))] + 1}: a target is not among its contexts; include it"
            )

    def finish(self) -> tuple[Phases | None, Run]:
        """Close the run; all K episodes must have been played."""
        self._require_all()
        last, t = self._flush(), self._transcript
        joined, self._series = EpisodeSeries.join(self._series), []  # a session is in cycles and outlives its run
        run = Run(
            instance=self._instance, states=t.states, actions=t.actions, contexts=t.contexts, plans=np.array(self._starts),
            secret=self._secret(), series=joined,
        )  # fmt: skip
        return last, run


def _sizes(plan: LifelongPlan) -> tuple[int, int]:
    return len(plan.contexts), len(plan.targets)


def _stacked(arrays: Sequence[Array | None]) -> Array | None:
    present = [array for array in arrays if array is not None]
    return np.stack(present) if len(present) == len(arrays) else None
