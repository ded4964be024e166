"""The harness's side of one run: it owns the transcript, watches the plans and computes oracle widths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.base.seeds import spare_seed
from verifier.model.setting import Seeds
from verifier_settings.elliptical import gram_norm, gram_of
from verifier_settings.episodes import CountingSession, Phase
from verifier_settings.episodic import balls, bonuses, mixtures
from verifier_settings.episodic.environment import EpisodicEnvironment, EpisodicTranscript
from verifier_settings.episodic.instance import Instance
from verifier_settings.episodic.phases import EpisodeSeries, Phases
from verifier_settings.episodic.plan import EpisodicPlan, checked, shapes
from verifier_settings.episodic.runs import History, Run
from verifier_settings.plans import sized
from verifier_settings.sessions import Widths, by_step, oracle_width, require_steps, require_values, stacked

WIDTHS = {
    "hoeffding": "1/√N, of the visits of a pair over all steps",
    "bernstein": "the bonus of Algorithm 4 of UCBVI-BF",
    "ball": "the radius of the L1 ball of kernels around P̂ in UCRL2",
    "ellipsoid": "the radius of the ellipsoid of coefficients of base kernels in UCRL-VTR",
    "regression": "‖φ(s,a)‖ in the norm of the inverse Gram matrix of the step",
}
"""Widths by name, each with what it multiplies."""

FORESEEN = frozenset({"hoeffding", "divergence"})
"""Widths whose oracle is known before a plan is made: they cover errors of the model, or at V*, not at its own values."""

FOUND = frozenset({"bernstein", "regression"})
"""Widths whose oracle depends on the values of the plan: one that covers their errors is found by planning with several."""

HISTORY_BYTES = 2**28
"""Bytes that what is kept of all plans may take, a quarter of what a worker has."""

NONE = np.empty(0)


@dataclass(frozen=True, eq=False)
class _Phase(Phase[EpisodicPlan]):
    """Phase with the sums of the rewards seen, by step and pair (H, S*A), where they are random.

    `output` says whether its plan is the output of a run that has stopped; nothing is played under it.
    """

    drawn: Array
    output: bool


class EpisodicSession(CountingSession[EpisodicPlan, _Phase, Phases]):
    """Run in the episodic setting.

    Parameters
    ----------
    instance : Instance
    seeds : Seeds
    yields : frozenset of str
        Optional plan fields the algorithm declared.
    """

    environment: EpisodicEnvironment

    def __init__(self, instance: Instance, seeds: Seeds, yields: frozenset[str]) -> None:
        instance, public = instance.drawn(seeds.adversary), instance.public
        record = EpisodicTranscript(public.K, public.H, instance.truth.law is not None)
        super().__init__(public.S, public.A, record)
        self._instance, self._yields, self._record, self._rewards = instance, yields, record, record.rewards
        self.environment = EpisodicEnvironment(instance, record, seeds.environment, seeds.agent)
        self._drawn = np.zeros(self._counts.shape[:2])
        self._pooled, self._visits = np.zeros(self._counts.shape[1:]), np.zeros(self._counts.shape[:2])
        self._before_batch: Array = np.full((public.H, public.S, public.A), float(public.H))
        self._targets = mixtures.Targets(public.ridge * np.eye(public.m), np.zeros(public.m))
        self._met_before: tuple[int, mixtures.Targets] = (-1, self._targets)
        self._series: list[EpisodeSeries] = []
        self._extra: dict[str, tuple[int, ...]] = {}
        self._history: dict[str, list[Array]] = {}
        self._applied: Array = np.full((public.K, public.H), np.nan)
        self._has_output, self._spare = False, spare_seed(seeds.environment)

    # The oracle -------------------------------------------------------------------------------------------------

    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """Estimate minus truth.

        ``hoeffding``, ``bernstein``: (Phat - P) V*_{h+1} at every pair, shape (X,), 0 where nothing was seen; V* is what the
        confidence intervals of the paper are about. ``ball``: ||Phat - P||_1 at every pair, likewise. ``ellipsoid``: least
        squares of the values met on base kernels, minus the true coefficients, shape (m,). ``regression``: least squares of
        r + V minus the true parameter, for the value function `target`, shape (d,).
        """
        if of not in WIDTHS:
            raise ContractError(f"the width of {of!r} was asked for; expected {', '.join(map(repr, WIDTHS))}")
        require_values(step, target, self._instance.public.S)
        public, truth = self._instance.public, self._instance.truth
        if of == "ellipsoid":
            return np.asarray(self._met().estimate - truth.weights)
        counts, earned = self._current_counts(), self._earned()
        if of != "regression":
            visits, kernel = self._model()
            error = kernel - truth.kernel[step]
            return np.where(visits > 0, np.abs(error).sum(axis=1) if of == "ball" else error @ truth.V[step + 1], 0.0)
        seen = counts[step] @ target + earned[step]
        estimate = np.linalg.solve(self._gram(step), public.phi.T @ seen)
        theta, mu = truth.linear(step)
        return np.asarray(estimate - theta - mu @ target)

    def oracle(self, of: str, step: int, target: Array) -> float:
        """The least width with which the bonus covers the realised error, plus rounding slack."""
        error = self.realised_error(of, step, target)
        if of == "ellipsoid":
            gram = self._met().gram
            radius = float(gram_norm(error[:, None], gram)[0] / mixtures.radius(self._instance.public, gram))
        elif of == "regression":
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
        if of == "ball":
            public, t = self._instance.public, self._instance.public.H * self._transcript.episodes + 1.0
            return np.asarray(balls.radius(public.S, public.A, t, public.delta, visits))
        return bonuses.bernstein(self._instance.public, kernel, visits, self._counts[step].sum(axis=0), target)

    def _model(self) -> tuple[Array, Array]:
        """N (X,) and Phat (X, S), over all steps."""
        visits = self._pooled.sum(axis=1)
        return visits, self._pooled / np.maximum(visits, 1.0)[:, None]

    def _met(self) -> mixtures.Targets:
        """The regression on the values of all episodes completed so far."""
        if self._met_before[0] != self._transcript.episodes:
            self._met_before = self._transcript.episodes, self._targets_after(self._pending)
        return self._met_before[1]

    def _targets_after(self, pending: list[_Phase]) -> mixtures.Targets:
        """Regression on values after some plans: from the one before them, and the episodes played under them."""
        if not pending:
            return self._targets
        t, done = self._transcript, self._episodes(pending)
        phase = np.searchsorted([item.start for item in pending], np.arange(done.start, done.stop), side="right") - 1
        states, values = t.states[done], np.array([item.plan.V for item in pending])
        return self._targets.along(
            self._instance.public.base, values, phase, states, states[:, :-1] * self._A + t.actions[done]
        ).at(-1)

    def _gram(self, step: int) -> Array:
        return gram_of(self._instance.public.phi, self._counts[step].sum(axis=1), self._instance.public.ridge)

    def _count_more(self, new: slice, step: IntArray, row: IntArray, following: IntArray) -> None:
        np.add.at(self._pooled, (row, following), 1.0)
        np.add.at(self._visits, (step, row), 1.0)
        if self._rewards is not None:
            np.add.at(self._drawn, (step, row), self._rewards[new])

    def _earned(self) -> Array:
        """(H, S*A) the sums of the rewards of the episodes completed so far."""
        drawn = self._drawn_so_far()
        return self._visits * self._instance.truth.rewards if self._rewards is None else drawn.copy()

    def _drawn_so_far(self) -> Array:
        self._current_counts()
        return self._drawn

    # What updates are made with -----------------------------------------------------------------------------------

    def answered(self, of: str, step: int, target: Array, width: float) -> None:
        """Note the width of an update by the last time its step was played."""
        super().answered(of, step, target, width)
        played = self._transcript.last(step)
        if not target.size and played is not None:
            self._applied[played, step] = width

    # Watching ---------------------------------------------------------------------------------------------------

    def declare(self, extra: Mapping[str, tuple[int | str, ...]]) -> None:
        """Expect these arrays in every plan, beside the fields of the setting."""
        public = self._instance.public
        if both := sorted(extra.keys() & shapes(public).keys()):
            raise ContractError(
                f"`extra` declares {', '.join(both)}, a field that plans have anyway; name it in `yields` instead"
            )
        self._extra = sized(extra, public)

    def remember(self, fields: frozenset[str]) -> None:
        """Keep these fields of all plans."""
        self._history = {name: [] for name in fields}

    def observe(self, plan: EpisodicPlan, widths: Widths) -> Phases | None:
        """Keep a plan; return the batch of completed phases when it is full."""
        k = self._next_start()
        accepted = checked(plan, self._instance.public, self._yields, k + 1, self._extra)
        width, handed = self._radii(widths, k)
        drawn = NONE if self._rewards is None else self._drawn_so_far().copy()
        self._look_back(accepted, k)
        return self._keep(_Phase(accepted, k, width, handed, drawn, self.environment.stopped))

    def _next_start(self) -> int:
        """The episode, from 0, at whose start a plan is yielded; after `stop` the number of episodes played, for the output."""
        if not self.environment.stopped:
            return super()._next_start()
        if self._has_output:
            raise ContractError("two plans were yielded after stop; yield one, the output")
        self._has_output = True
        return self._transcript.episodes

    def _look_back(self, plan: EpisodicPlan, k: int) -> None:
        """Keep what statements about the whole run look back at."""
        for name, values in self._history.items():
            values.append(plan.extra[name] if name in self._extra else getattr(plan, name))
        if sum(values[0].nbytes * len(values) for values in self._history.values()) > HISTORY_BYTES:
            raise ContractError(
                f"{', '.join(self._history)} of all plans fill more than {HISTORY_BYTES / 2**20:.3g} MB by episode {k + 1}, "
                "and a claim about the whole run looks back at them; let it need a smaller field, or shorten the instance"
            )

    def _radii(self, widths: Widths, k: int) -> tuple[Array, Array]:
        """The widths handed out, by step, and the value functions they were asked with; NaN where none is ever asked for."""
        public = self._instance.public
        asked = {h: given for (_of, h), given in widths.items() if given[1].size}
        if not asked:
            return np.full(public.H, np.nan), np.full((public.H, public.S), np.nan)
        require_steps(asked, public.H, f"plan at episode {k + 1}", "self.width(h, V_next, of=...) at each step")
        return by_step(asked, public.H, public.S)

    def _view(self, pending: list[_Phase]) -> Phases:
        phases = Phases(
            instance=self._instance, transcript=self._record.shown(), before=self._before_batch, targets=self._targets,
            **self._recorded(pending), **stacked(pending, "drawn", "output"),
        )  # fmt: skip
        self._before_batch, self._targets = pending[-1].plan.Q, phases.targets_after
        self._series.append(phases.episode)
        return phases

    def _paid(self) -> Array:
        """(K, H) the rewards of the run; of as many episodes as were played."""
        t, known, done = self._transcript, self._instance, self._transcript.episodes
        if self._rewards is not None:
            return self._rewards[:done]
        return known.truth.paid(t.states[:done, :-1] * known.public.A + t.actions[:done])

    def finish(self) -> tuple[Phases | None, Run]:
        """Close the run; all K episodes must have been played, unless it has stopped, and has an output."""
        stopped, t = self.environment.stopped, self._transcript
        if not stopped:
            self._require_all()
        elif not self._has_output:
            raise ContractError("run() ended after stop without an output; yield the plan that it stopped with")
        last, done = self._flush(), t.episodes
        # Nothing is played under the output: it is no plan of an episode.
        plans = np.array(self._starts[: len(self._starts) - stopped], dtype=np.int64)
        if done and not (plans.size and plans[0] == 0):
            raise ContractError("episodes were played before the first plan; yield a plan at the start of episode 1")
        return last, Run(
            instance=self._instance, states=t.states[:done], actions=t.actions[:done], plans=plans, secret=self._secret(),
            series=EpisodeSeries.join(self._series), history=History(self._history), applied=self._applied[:done],
            rewards=self._paid(), stopped=stopped, spare=self._spare,
        )  # fmt: skip
