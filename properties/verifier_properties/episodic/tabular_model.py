"""Empirical models of tabular MDPs and their bonuses, replayed from the transcript; sums over visits.

Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.measurement import Explanations, Inequality, Part, equality
from verifier.model.property import Property, phase_property
from verifier_properties.episodic import count_suspects
from verifier_settings.episodic import Phases, Public, Run, bonuses, tolerances

TOPIC = "Confidence"

Term = Callable[[Phases], Array]


@dataclass(frozen=True)
class Model:
    """Counts and frequencies, from the transcript.

    Parameters
    ----------
    visits : callable
        Maps phases to N, shape (p, 1 or H, X): the axis of steps is 1 where it is the same at all of them.
    kernel : callable
        To Phat, with a last axis of states.
    field : str
        The plan field in which an algorithm reports its Phat.
    reward : callable
        To the rewards planned with, broadcasting against (p, H, X): r(s,a) for algorithms that know it.
    reported_visits, reported_reward : str
        The plan fields of its N, and of its rewards where it does not know them.
    """

    visits: Term
    kernel: Term
    field: str
    reward: Term = lambda view: view.truth.reward
    reported_visits: str = "visits"
    reported_reward: str = ""

    def seen(self, view: Phases) -> BoolArray:
        """(p, 1 or H, X) where something was."""
        return np.asarray(self.visits(view) > 0)

    def own_backup(self, view: Phases) -> tuple[BoolArray, Array] | None:
        """(p, 1 or H, X) what a plan knows, and (p, H, X) Q made of what it reports; None if some of that is not reported."""
        names = [name for name in (self.reported_visits, self.field, "bonus", self.reported_reward) if name]
        if not reports(view, *names):
            return None
        visits = _over_steps(view.reported(self.reported_visits), 2)
        kernel = self.reported_kernel(view)
        reward = view.reported(self.reported_reward)[:, None] if self.reported_reward else self.reward(view)
        return np.asarray(visits > 0), reward + bonuses.expected(kernel, view.V[:, 1:]) + view.reported("bonus")

    def reported_kernel(self, view: Phases) -> Array:
        """(p, 1 or H, X, S) the Phat a plan reports."""
        return _over_steps(view.reported(self.field), 3)

    def reported_error(self, view: Phases) -> Array:
        """(p, H, X) (Phat - P) V*_{h+1} of the Phat a plan reports."""
        return view.error_of(view.reported(self.field))


def reports(view: Phases, *fields: str) -> bool:
    """Whether all plans report these fields."""
    return all(getattr(plan, name, None) is not None for plan in view.plans for name in fields)


def _over_steps(array: Array, axes: int) -> Array:
    """Array with an axis of steps behind the first one, which pooled arrays have not; `axes` is how many these have."""
    return array[:, None] if array.ndim == axes else array


POOLED = Model(lambda view: view.visits[:, None], lambda view: view.kernel[:, None], "kernel")
"""Over all steps: the kernel is the same at all."""
BY_STEP = Model(lambda view: view.step_visits, lambda view: view.step_kernel, "step_kernel", reported_visits="step_visits")
"""Model of each step, which has a kernel of its own."""


@dataclass(frozen=True)
class Bonus:
    """The formula of a bonus, from the widths handed out and the transcript.

    Parameters
    ----------
    value : callable
        Maps phases to the bonuses, shape (p, H, X), infinite where nothing was seen.
    rounding : callable
        Their rounding, of the same shape, 0 where nothing was seen.
    model : Model
        Whose counts it is of: those over all steps by default.
    parts : callable
        To its parts by name.
    suspects : callable
        To what may be in its place.
    """

    value: Term
    rounding: Term
    model: Model = POOLED
    parts: Callable[[Phases], Mapping[str, Part]] = lambda view: {}
    suspects: Callable[[Phases], Explanations] | None = None

    def explanations(self, view: Phases, expected: Array) -> Explanations:
        """The suspects; of a bonus that falls like 1/sqrt(N), unless it has others, what may be wrong with N."""
        if self.suspects:
            return self.suspects(view)
        visits = self.model.visits(view)
        return {
            "the formula with N + 1 for N": lambda: expected * np.sqrt(visits / (visits + 1)),
            "the formula with 1/N for its root": lambda: expected / np.sqrt(np.maximum(visits, 1.0)),
        }


def _relative(view: Phases) -> Array:
    return 16 * EPS * view.width[:, :, None] * np.where(view.seen, bonuses.per_root(view.visits), 0.0)[:, None]


def _by_step(view: Phases) -> Array:
    return view.width[:, :, None] * bonuses.per_root(view.step_visits)


HOEFFDING = Bonus(lambda view: view.hoeffding, _relative)
"""width / sqrt(N)."""
BERNSTEIN = Bonus(lambda view: view.bernstein, lambda view: view.bernstein_rounding)
"""width times the bonus of Algorithm 4."""
HOEFFDING_BY_STEP = Bonus(_by_step, lambda view: np.where(view.step_visits > 0, 16 * EPS * _by_step(view), 0.0), BY_STEP)
"""width / sqrt(N_h), of the visits at each step."""


@phase_property("visits")
def visits(view: Phases) -> Inequality:
    """N_k(s,a) of every plan against the visits of earlier episodes, at any step: counts, which add without an error."""
    return equality(
        view.reported("visits"), view.visits, axes=("plan", "pair"), tolerance=0.0, labels=view.labels,
        explanations={
            "the visits of the first step alone": lambda: view.counts[:, 0].sum(axis=2),
            "the formula without those of the last step": lambda: view.counts[:, :-1].sum(axis=(1, 3)),
            "the formula without the last episode": lambda: count_suspects.without_last_episode(view),
        },
    )  # fmt: skip


@phase_property("kernel")
def kernel(view: Phases) -> Inequality:
    """Phat_k of every plan against the frequencies of earlier episodes, where N_k(s,a) > 0."""
    return equality(
        view.reported("kernel"),
        view.kernel,
        axes=("plan", "pair", "s"),
        tolerance=tolerances.frequency(view.public, view.start)[:, None, None],
        labels=view.labels,
        premise=view.seen[:, :, None],
        explanations={
            "the formula smoothed by one uniform visit": lambda: (
                (view.transitions + 1.0 / view.public.S) / (view.visits + 1.0)[..., None]
            ),
            "frequencies of the states that are left, not of those that follow": lambda: np.broadcast_to(
                np.repeat(np.eye(view.public.S), view.public.A, axis=0), view.kernel.shape
            ),
        },
    )


@phase_property("step_visits")
def step_visits(view: Phases) -> Inequality:
    """N_{k,h}(s,a) of every plan against the visits of earlier episodes at that step: counts, which add without an error."""
    return equality(
        view.reported("step_visits"), view.step_visits, axes=view.pair_axes, tolerance=0.0, labels=view.labels,
        explanations={
            "the visits at any step": lambda: np.broadcast_to(view.visits[:, None], view.step_visits.shape),
            "the visits of the state, whatever the action": lambda: np.repeat(
                view.step_visits.reshape(*view.step_visits.shape[:2], view.public.S, view.public.A).sum(axis=3),
                view.public.A,
                axis=2,
            ),
            "1 where there was a visit": lambda: np.minimum(view.step_visits, 1.0),
        },
    )  # fmt: skip


@phase_property("step_kernel")
def step_kernel(view: Phases) -> Inequality:
    """Phat_{k,h} of every plan against the frequencies of earlier episodes at that step, where N_{k,h}(s,a) > 0."""
    return equality(
        view.reported("step_kernel"), view.step_kernel, axes=(*view.pair_axes, "s"), labels=view.labels,
        tolerance=tolerances.frequency(view.public, view.start)[:, None, None, None],
        premise=np.asarray(view.step_visits > 0)[..., None],
    )  # fmt: skip


@phase_property("reward")
def rewards(view: Phases) -> Inequality:
    """The estimated rewards of every plan against the mean of those seen, r(s,a) without noise; where N_k(s,a) > 0."""
    tolerance = tolerances.frequency(view.public, view.start)[:, None] * tolerances.scale(view.public)
    return equality(
        view.reported("reward"),
        view.mean_reward,
        axes=("plan", "pair"),
        tolerance=tolerance,
        labels=view.labels,
        premise=view.seen,
    )


def bonus_formula(formula: Bonus, description: str) -> Property:
    """The bonuses a plan reports against their formula, where N_k(s,a) > 0; `description` says how that is evaluated.

    A bonus above H may be reported as H: values are cut there, so that both give the same Q.
    """

    def evaluate(view: Phases) -> Inequality:
        reported, H = view.reported("bonus"), float(view.public.H)
        seen = formula.model.seen(view)
        expected = np.where(seen, formula.value(view), 0.0)
        return equality(
            reported,
            np.where(reported == H, np.minimum(expected, H), expected),
            axes=view.pair_axes,
            tolerance=view.once(formula.rounding),
            labels=view.labels,
            premise=seen,
            parts=formula.parts(view),
            explanations=formula.explanations(view, expected),
        )

    return Property("bonus-formula", "phase", evaluate, frozenset({"bonus"}), description)


def q_formula(formula: Bonus, *, monotone: bool = True) -> Property:
    """Q_h against min(previous Q_h, H, r + Phat V_{h+1} + bonus), and H where nothing was seen.

    All from the transcript but V and the previous Q, which are the plans'.

    Parameters
    ----------
    formula : Bonus
    monotone : bool
        Whether the previous Q takes part.
    """

    def evaluate(view: Phases) -> Inequality:
        public = view.public
        mean = formula.model.reward(view) + bonuses.expected(formula.model.kernel(view), view.V[:, 1:])
        bonus, cap, previous = formula.value(view), float(public.H), view.previous
        seen = np.broadcast_to(formula.model.seen(view), mean.shape).reshape(view.Q.shape)

        def full(mean: Array, bonus: Array, cap: float = cap, previous: Array | float = previous, unseen: float = cap) -> Array:
            values = mean + bonus
            np.minimum(values, cap, out=values)
            values = values.reshape(seen.shape)
            return np.where(seen, np.minimum(values, previous, out=values), unseen)

        last = previous if monotone else np.inf

        def repaired(own: tuple[BoolArray, Array]) -> Array:
            known, values = (np.broadcast_to(part, mean.shape).reshape(seen.shape) for part in own)
            return np.where(known, np.minimum(np.minimum(values, cap), last), cap)

        own = formula.model.own_backup(view)
        rounding = tolerances.backup(public, view.start)[:, None, None] + view.once(formula.rounding)
        return equality(
            view.Q,
            full(mean, bonus, previous=last),
            axes=("plan", "h", "s", "a"),
            tolerance=rounding.reshape(view.Q.shape),
            labels=view.labels,
            parts={
                "the bonus": Part(lambda: bonus, lambda bonus: full(mean, bonus, previous=last)),
                "the mean": Part(lambda: mean, lambda mean: full(mean, bonus, previous=last)),
            },
            explanations={
                "the formula without its cut at H": lambda: full(mean, bonus, np.inf, last),
                "the formula without the plan before": lambda: full(mean, bonus, previous=np.inf),
                "the formula with 0 where nothing was seen": lambda: full(mean, bonus, previous=last, unseen=0.0),
                "the mean alone, and 0 where nothing was seen": lambda: full(mean, 0.0 * mean, previous=np.inf, unseen=0.0),
                "the formula without its cuts at H and at the plan before": lambda: full(mean, bonus, np.inf, np.inf),
            },
            repaired=partial(repaired, own) if own else None,
        )

    description = "Q of every plan, from counts and bonuses recomputed from the transcript, and V of the plan."
    return Property("q-formula", "phase", evaluate, frozenset(), description)


@phase_property(topic="Planning")
def monotone(view: Phases) -> Inequality:
    """Q_{k,h}(s,a) of every plan against that of the plan before it, H before the first."""
    return Inequality(view.Q, view.previous, ("plan", "h", "s", "a"), trivial=float(view.public.H), labels=view.labels)


# Counting -----------------------------------------------------------------------------------------------------------


def visit_sum_bound(public: Public, stale: int = 2) -> float:
    """stale H S A + 2 sqrt(stale) sqrt(S A T).

    Of plans made in every episode `stale` is 2. In the episodes in which N_k(s,a) < H, the pair is visited fewer than 2H times in
    all. In the others an episode adds at most H <= N_k visits, so 1/N_k is at most 2 over the number of visits so far, and
    sum_{n <= N} 1/sqrt(n) <= 2 sqrt(N); Cauchy-Schwarz over the pairs.

    Of plans kept until the visits of some pair have doubled it is 3. While a plan is in force, a pair is visited at most
    max(1, N_k) + H - 1 times: fewer than max(1, N_k) before the last episode. So it is visited at most H - 1 + 2H - 2 times, or
    once where H = 1, while N_k < H, and where N_k >= H the visits so far are fewer than 3 N_k.
    """
    pairs = public.S * public.A
    return stale * public.H * pairs + 2 * float(np.sqrt(stale * pairs * public.T))


def theorem_log(public: Public, K: float) -> float:
    """L = ln(5 H S A T / delta) of Theorems 1 and 2 of Azar et al. 2017; their bonuses have no H in it."""
    return float(np.log(5 * public.H * public.S * public.A * K * public.H / public.delta))


def hoeffding_regret(public: Public, K: float) -> float:
    """Theorem 1 of Azar et al. 2017: 20 H^{3/2} L sqrt(SAK) + 250 H^2 S^2 A L^2."""
    S, A, H, L = public.S, public.A, public.H, theorem_log(public, K)
    return 20 * H**1.5 * L * float(np.sqrt(S * A * K)) + 250 * H**2 * S**2 * A * L**2


def visit_sum(stale: int = 2) -> Property:
    """sum_{k,h} 1/sqrt(max(1, N_k(s,a))) of the counts the plans report; `stale` as in `visit_sum_bound`."""

    def evaluate(view: Run) -> Inequality:
        total = float((1.0 / np.sqrt(np.maximum(view.series.reported_visits, 1.0))).sum())
        T = float(view.public.T)
        return Inequality(total, visit_sum_bound(view.public, stale), trivial=T, tolerance=8 * EPS * T**1.5)

    description = "The sum over the steps played, of the counts in force, against stale H S A + 2 sqrt(stale S A T)."
    return Property("visit-sum", "run", evaluate, frozenset({"visits"}), description, topic="Potential")


def model_slack(view: Run) -> Array:
    """(K, H) what a step of the regret adds: bonus + (Phat - P) V_{h+1} at the visited pair, or H where nothing was seen."""
    series = view.series
    return np.where(series.seen, series.added + series.model_error, float(view.public.H))
