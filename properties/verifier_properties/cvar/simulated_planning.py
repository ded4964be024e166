"""Planning in a known model by least squares on simulated episodes. Views: `verifier_settings.cvar.planning`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.measurement import Inequality, equality
from verifier.model.property import Property, phase_property, run_property
from verifier_properties.any_setting.suspects import gram_parts, of_gram, other_constants
from verifier_properties.cvar import round_suspects
from verifier_settings.cvar.evaluations import own_values, unmatched
from verifier_settings.cvar.planning import Public, Rounds, Run
from verifier_settings.cvar.tolerances import TIES
from verifier_settings.elliptical import bonus as elliptical_norm

TOPIC = "Planning"

VALUES = ("t", "h", "s", "budget")


def _largest(public: Public) -> float:
    """Largest size of a value: H, or the sum over steps of the largest bonus."""
    return public.H + float(public.bonus.max(axis=1).sum())


def _solve(view: Rounds) -> Array:
    """(p,) rounding of a regression: eight times 4 D^2 eps cond (Higham 2002, Theorem 10.4) of its largest size."""
    public, seen = view.public, view.t - 1.0
    condition = 1.0 + seen / public.ridge
    return 32 * public.D**2 * EPS * condition * _largest(public) * np.sqrt(public.D * np.maximum(seen, 1.0) / public.ridge)


@phase_property()
def gram_matrix(view: Rounds) -> Inequality:
    """Lambda_h of every round against lambda I + sum phibar phibar' of the simulated transitions, recomputed in one batch."""
    seen = view.t - 1.0
    tolerance = 4 * EPS * (seen + view.counts[0].size) * (view.public.ridge + seen)
    axes = ("t", "h", "row", "column")
    return equality(
        view.gram, view.gram_replay, axes=axes, tolerance=tolerance[:, None, None, None], labels=view.labels,
        parts=gram_parts(view.gram_replay, view.public.ridge),
        explanations=of_gram(view.gram, view.gram_replay, view.public.ridge, tolerance),
    )  # fmt: skip


@phase_property()
def regression(view: Rounds) -> Inequality:
    """w_h(i) of every round and budget against a batch solve on V_{h+1}(s', (i - r)^+) of the plan."""
    tolerance = _solve(view)[:, None, None, None]
    return equality(
        view.w, view.w_replay, axes=("t", "h", "row", "budget"), tolerance=tolerance, labels=view.labels,
        explanations=round_suspects.of_regression(view),
    )  # fmt: skip


def solved(view: Rounds) -> Array:
    """(p, H, S, A) rounding of an action value: that of the regression, and beta times that of ||phibar||.

    The square of the norm, by two routes, has absolute error 8 D^2 eps cond / lambda (Higham 2002, Theorem 10.4); its root that
    divided by the norm, and no more than the root of the error.
    """
    public = view.public
    square = (8 * public.D**2 * EPS * (1.0 + view.t / public.ridge) / public.ridge)[:, None, None]
    root = square / np.maximum(view.norm, np.sqrt(square))
    each = _solve(view)[:, None, None] + view.width[:, :, None] * root
    return np.asarray(each.reshape(*each.shape[:2], public.S, public.A))


def formula(floor: Callable[[Public], float]) -> Property:
    """Q_h = Clip[ -b_h + phibar'w_h(i) - beta ||phibar|| ] to [floor, H], from the width handed out and harness estimates."""

    def evaluate(view: Rounds) -> Inequality:
        public = view.public
        low, high = floor(public), float(public.H)

        def clip(Q: Array) -> Array:
            return np.clip(Q, low, high)

        return equality(
            view.Q, clip(view.Q_replay), axes=("t", "h", "s", "a", "budget"), tolerance=solved(view)[..., None],
            labels=view.labels, parts=round_suspects.parts_of_formula(view, clip),
            explanations=round_suspects.of_formula(view, low),
        )  # fmt: skip

    return Property("formula", "phase", evaluate, frozenset(), "The widths handed out, and the harness's own regression.")


@phase_property()
def values(view: Rounds) -> Inequality:
    """V_h = min_a Q_h and V_{H+1}(s, c) = c."""
    last = np.broadcast_to(view.public.grid.levels, view.V[:, -1:].shape)
    expected = np.concatenate([view.Q.min(axis=3), last], axis=1)
    labels = {**view.labels, "h": np.arange(1, view.public.H + 2)}
    return equality(
        view.V, expected, axes=VALUES, tolerance=8 * EPS * _largest(view.public) + TIES, labels=labels,
        explanations={
            said: partial(_followed_by, last, make) for said, make in round_suspects.of_values(lambda: view.Q).items()
        },
    )  # fmt: skip


def _followed_by(last: Array, values: Callable[[], Array]) -> Array:
    """Values of steps 1 to H, and those of step H + 1."""
    return np.concatenate([values(), last], axis=1)


@phase_property()
def greedy(view: Rounds) -> Inequality:
    """pi_t takes an action of least Q, wherever it can come to from (s_1, i_1); elsewhere no value depends on it."""
    chosen = np.take_along_axis(view.Q, view.policy[:, :, :, None], axis=3)[:, :, :, 0]
    least, most = view.Q.min(axis=3), view.Q.max(axis=3)
    tolerance = 8 * EPS * _largest(view.public) + TIES
    return Inequality(
        chosen - least, 0.0, VALUES, trivial=most - least, tolerance=tolerance, labels=view.labels, premise=view.reached,
        identity=True,
    )  # fmt: skip


@phase_property()
def handed(view: Rounds) -> Inequality:
    """The value function the width was asked with is V_{h+1} of the plan."""
    tolerance = 8 * EPS * _largest(view.public)
    return equality(view.handed, view.V[:, 1:], axes=VALUES, tolerance=tolerance, labels=view.labels)


@phase_property()
def plays_policy(view: Rounds) -> Inequality:
    """The episode simulated in every round follows pi_t, the budget followed by the harness."""
    return Inequality(
        view.strays, 0.0, ("t", "h"), trivial=1.0, tolerance=0.5, labels={**view.labels, "t": view.t[: len(view.strays)]},
        identity=True,
    )  # fmt: skip


@run_property()
def evaluated_policies(view: Run) -> Inequality:
    """The policies evaluated are those of the rounds, each as often as it was planned.

    Two tables are the same policy if they agree wherever the policy can come to from the initial budget. The order of the
    evaluations, and in how many batches they were made, is left to the planner.
    """
    return Inequality(float(unmatched(view.ways, view.evaluations)), 0.0, trivial=1.0, tolerance=0.5, identity=True)


@run_property()
def estimates(view: Run) -> Inequality:
    """Vhat_t of every round against the mean of (c - sum of rewards)^+ - sum of bonuses over the episodes of its policy.

    A policy that was never evaluated has no estimate: whatever is reported differs by all that values can differ by.
    """
    public = view.public
    known = np.isfinite(view.estimates)
    tolerance = 8 * EPS * (public.T2 + public.H * public.X) * _largest(public)
    apart = np.where(known, np.abs(view.answer.estimates - view.estimates), 2 * _largest(public))
    trivial = np.where(known, np.maximum(np.abs(view.answer.estimates), np.abs(view.estimates)), 2 * _largest(public))
    reported = view.answer.estimates

    def with_bonus(bonus: Array) -> Array:
        return own_values(view.ways, view.evaluations, bonus, reported)

    return Inequality(
        apart, 0.0, ("t",), trivial=trivial, tolerance=tolerance, labels={"t": view.labels["t"]}, identity=True,
        sides=(reported, np.where(known, view.estimates, 2 * _largest(public))),
        explanations={
            "the formula without the bonus": lambda: with_bonus(0.0 * public.bonus),
            "the formula with minus the bonus": lambda: with_bonus(-public.bonus),
            "the formula in reverse order": lambda: view.estimates[::-1],
        },
    )  # fmt: skip


def width(formula: Callable[[Public], float]) -> Property:
    """beta as handed out at the published constants against its formula."""

    def evaluate(view: Rounds) -> Inequality:
        expected = formula(view.public)
        tolerance, shape = 8 * EPS * expected, view.width.shape
        return equality(
            view.width, np.full(shape, expected), axes=("t", "h"), tolerance=tolerance, labels=view.labels,
            explanations=other_constants(formula, view.public, shape),
        )  # fmt: skip

    return Property("width", "phase", evaluate, frozenset(), "The widths the harness handed out, against the formula.")


def _largest_error(view: Rounds) -> Array:
    """(p, 1, 1) what the error of a regression can be at most: bias sqrt(lambda D) and noise sqrt(t), times the largest value."""
    public = view.public
    return (2 * _largest(public) * (np.sqrt(public.ridge * public.D) + np.sqrt(view.t - 1.0)))[:, None, None]


@phase_property(topic="Confidence")
def confidence_event(view: Rounds) -> Inequality:
    """||w_h(i) - theta_h(i)|| in the Gram norm, of the harness's own estimate, against beta, for every budget."""
    tolerance = (_solve(view) * np.sqrt(view.public.ridge + view.t))[:, None, None]
    axes = ("t", "h", "budget")
    bound = view.width[:, :, None]
    return Inequality(
        view.error_norm, bound, axes, trivial=_largest_error(view), tolerance=tolerance, labels=view.labels,
        saturated=_constant(view),
    )  # fmt: skip


def _constant(view: Rounds) -> BoolArray:
    """(p, H, 1) whether V_{h+1} is the same at all states and budgets, as where it is at its cap: nothing random is estimated."""
    V = view.handed
    return np.asarray(np.ptp(V, axis=(2, 3)) <= 8 * EPS * np.abs(V).max(axis=(2, 3), initial=1.0))[:, :, None]


@phase_property(topic="Confidence")
def noise_event(view: Rounds) -> Inequality:
    """|| sum_j phibar_j [V_{h+1}(s'_j, .) - P V_{h+1}] ||_{Lambda^-1} against beta, for every budget."""
    tolerance = (_solve(view) * np.sqrt(view.public.ridge + view.t))[:, None, None]
    most = _largest_error(view)
    axes = ("t", "h", "budget")
    return Inequality(
        view.noise_norm, view.width[:, :, None], axes, trivial=most, tolerance=tolerance, labels=view.labels,
        saturated=_constant(view),
    )  # fmt: skip


@phase_property(topic="Confidence")
def estimation_error(view: Rounds) -> Inequality:
    """|phibar'w_h(i) - E[V_{h+1}(s', (i-r)^+)]| of the plan's coefficients against beta ||phibar||, where the event holds."""
    public = view.public
    xi = np.matmul(public.features, view.w) - view.backup
    bound = (view.width[:, :, None] * view.norm)[..., None]
    tolerance = 2 * _solve(view)[:, None, None, None]
    return Inequality(
        np.abs(xi), bound, ("t", "h", "pair", "budget"), trivial=2 * _largest(public), tolerance=tolerance, labels=view.labels,
        premise=view.event[:, :, None, None],
    )  # fmt: skip


def _from_here_on(view: Rounds) -> BoolArray:
    """(p, H) whether the event holds at this step and all later ones."""
    return np.flip(np.logical_and.accumulate(np.flip(view.event, axis=1), axis=1), axis=1)


@phase_property(topic="Optimism")
def optimism(view: Rounds) -> Inequality:
    """V^t_h(s, i) <= V*_h(s, i), the least value, where the event holds at every step from h on.

    Values are clipped from below at what V* cannot fall below.
    """
    public = view.public
    tolerance = (public.H * (_solve(view) + TIES))[:, None, None, None]
    return Inequality(
        view.V[:, :-1], view.truth.V[:-1], VALUES, trivial=float(public.H), cut=public.lowest, tolerance=tolerance,
        labels=view.labels, premise=_from_here_on(view)[:, :, None, None],
    )  # fmt: skip


@phase_property()
def round_gap(view: Rounds) -> Inequality:
    """V^{pi_t}_1 - V^t_1 at (s_1, i_1) <= E[ sum_h 2 beta ||phibar|| ] under pi_t, where the event holds at every step."""
    public = view.public
    tolerance = 2 * public.H * (_solve(view) + TIES)
    return Inequality(
        view.value - view.at_start(view.V), view.spent, ("t",), trivial=2 * _largest(public), tolerance=tolerance,
        labels=view.labels, premise=np.asarray(view.event.all(axis=1)),
    )  # fmt: skip


def squared_noise_bound(public: Public, growth: Array) -> Array:
    """R^2/2 (log(det(Lambda) / lambda^D) / 2 + log((N+1) H / delta)), R = H + sum_h max b_h."""
    union = math.log((public.grid.N + 1) * public.H / public.delta)
    return np.asarray(_largest(public) ** 2 / 2 * (growth / 2 + union))


@phase_property(topic="Confidence")
def fixed_noise(view: Rounds) -> Inequality:
    """The squared noise of the regression on V*, a fixed function, against R^2/2 (log det(Lambda)/2 + log((N+1) H / delta)).

    Lemma E.7 without a covering: the self-normalised bound (Abbasi-Yadkori et al., 2011, Theorem 1) for all t at once, of noise
    in an interval of length R = H + sum_h max b_h, which is R/2-sub-Gaussian; a union over steps and budgets.
    """
    public = view.public
    growth = view.log_det - public.D * math.log(public.ridge)
    bound = squared_noise_bound(public, growth)[:, :, None]
    rounding = 8 * EPS * public.D**2 * _largest(public) ** 2 * view.t * (1.0 + view.t / public.ridge)
    most = _largest(public) ** 2 * (view.t - 1.0)
    return Inequality(
        view.fixed_noise_norm**2, bound, ("t", "h", "budget"), trivial=most[:, None, None], tolerance=rounding[:, None, None],
        labels=view.labels,
    )  # fmt: skip


@phase_property(topic="Potential")
def trace(view: Rounds) -> Inequality:
    """sum_{j<t} phibar_j' Lambda_h^-1 phibar_j <= D, Lambda_h as the plan reports it."""
    public = view.public
    try:
        norm = elliptical_norm(public.features, np.linalg.inv(view.gram))
    except np.linalg.LinAlgError:
        norm = np.full(view.norm.shape, np.inf)
    counts = view.counts.sum(axis=(3, 4))
    total = (counts * np.where(counts > 0, norm, 0.0) ** 2).sum(axis=2)  # the norm may be infinite, and 0 times it is no number
    tolerance = (32 * public.D**2 * EPS * view.t * (1.0 + view.t / public.ridge))[:, None]
    return Inequality(
        total, float(public.D), ("t", "h"), trivial=(view.t - 1.0)[:, None], tolerance=tolerance, labels=view.labels
    )


@run_property(topic="Potential")
def elliptical(view: Run) -> Inequality:
    """sum_{j<=t} phibar_j' (Lambda_h^j)^-1 phibar_j <= 2 log(det Lambda_h^{t+1} / det Lambda_h^1), for every t.

    And twice that logarithm is at most 2 D log(1 + t/(D lambda)), the determinant being at most the power of the mean of the
    eigenvalues. Facts about any sequence of features, so the trivial bound is the bound itself.
    """
    public = view.public
    growth = 2 * (view.log_det - public.D * np.log(public.ridge))
    most = 2 * public.D * np.log1p(view.labels["t"] / (public.D * public.ridge))[:, None]
    bound = np.stack([growth, np.broadcast_to(most, growth.shape)], axis=2)
    tolerance = 32 * public.D**2 * EPS * public.T1 * (1.0 + public.T1)
    value = np.stack([view.elliptical, growth], axis=2)
    return Inequality(value, bound, ("t", "h", "side"), trivial=bound, tolerance=tolerance, labels=view.labels)


@run_property()
def simulated_episodes(view: Run) -> Inequality:
    """T1 simulated episodes for regression and T1 T2 for evaluation, counted by the simulator."""
    public = view.public
    expected = np.array([public.T1, public.T1 * public.T2], dtype=float)
    apart = np.abs(view.simulated - expected)
    sides = np.asarray(view.simulated, dtype=float), expected
    return Inequality(apart, 0.0, ("purpose",), trivial=1.0, tolerance=0.5, identity=True, sides=sides)


def _allowed(public: Public) -> float:
    """Hoeffding's bound on the error of T1 averages of T2 values each, all at once, with probability 1 - delta."""
    return _largest(public) * math.sqrt(math.log(2 * public.T1 / public.delta) / (2 * public.T2))


@run_property(topic="Confidence")
def evaluation_error(view: Run) -> Inequality:
    """|Vhat_t - V^{pi_t}| at (s_1, i_1) against Hoeffding's bound, for all t at once."""
    errors = np.abs(view.answer.estimates - view.series.value)
    return Inequality(errors, _allowed(view.public), ("t",), trivial=_largest(view.public), labels={"t": view.labels["t"]})


@run_property()
def chosen_estimate(view: Run) -> Inequality:
    """The value returned is the least estimate, and that of the policy returned."""
    answer = view.answer
    found = np.array([answer.value, float(answer.estimates[answer.chosen])])
    expected = np.full(2, float(answer.estimates.min()))
    return equality(
        found, expected, axes=("which",), tolerance=8 * EPS * _largest(view.public) + TIES,
        explanations={
            "the largest estimate": lambda: np.full(2, answer.estimates.max()),
            "the estimate of the last policy": lambda: np.full(2, answer.estimates[-1]),
            "the mean of the estimates": lambda: np.array([answer.estimates.mean(), expected[1]]),
        },
    )  # fmt: skip


@run_property()
def returned_policy(view: Run) -> Inequality:
    """V of the policy returned <= the least V^{pi_t} plus twice the evaluation error, where all estimates are within it.

    Premise and conclusion compare the same floats: only the additions between them round.
    """
    allowed = _allowed(view.public)
    holds = bool((np.abs(view.answer.estimates - view.series.value) <= allowed).all())
    best = float(view.series.value.min()) + 2 * allowed
    most = float(view.series.value.max())
    return Inequality(view.returned_value, best, trivial=most, tolerance=8 * EPS * _largest(view.public) + TIES, premise=holds)


@run_property()
def near_optimum(view: Run) -> Inequality:
    """V of the policy returned <= V* + (1/T1) sum_t E[ sum_h 2 beta ||phibar|| ] + twice the evaluation error.

    Where all estimates are within Hoeffding's bound and the regression's errors within beta in every round: the least gap of the
    rounds is at most their mean, and choosing by estimates costs twice their error. The right side is the epsilon of this run.
    """
    allowed = _allowed(view.public)
    holds = bool((np.abs(view.answer.estimates - view.series.value) <= allowed).all() and view.series.event.all())
    bound = view.optimum + float(view.series.spent.mean()) + 2 * allowed
    most = float(view.public.grid.levels[view.public.budget])  # no policy has less than no reward and no bonus
    tolerance = 2 * view.public.H * TIES + 1e3 * EPS * view.public.D**2 * _largest(view.public) * view.public.T1
    return Inequality(view.returned_value, bound, trivial=most, tolerance=tolerance, premise=holds)
