"""Bandits: means and indices of arms replayed, what follows while they are near the truth, and how often arms are played.

A bandit is one state and one step; a pair is an arm, an episode is a round. A plan is made before each round.
Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray
from verifier.formulas.quantity import Quantity, reports
from verifier.model.inequality import Inequality
from verifier.model.property import Property, phase_property, run_property
from verifier.model.statement import at_most, identity
from verifier.statistics.evidence import evidence
from verifier_properties.any_setting.assumed import assumed, fact
from verifier_properties.any_setting.published import published
from verifier_properties.episodic import posterior
from verifier_properties.episodic.posterior import GRID
from verifier_properties.episodic.tabular_model import Bonus
from verifier_settings.episodic import Instance, Phases, Run, tolerances

TOPIC = "Regret"


def _mean_rounding(view: Phases) -> Array:
    """(p,) rounding of a mean of rewards."""
    return tolerances.frequency(view.public, view.start) * tolerances.scale(view.public)


ROUNDS = Quantity(lambda view: np.maximum(view.start, 1.0), "n", "plan", "n", 1.0, np.inf)
"""Rounds before a plan; 1 before the first, where nothing is compared."""
MU = Quantity(lambda view: view.truth.reward, "mu", "pair", "μ", lambda view: view.public.low, lambda view: view.public.high)
MEAN = Quantity(
    lambda view: view.mean_reward, "mean", "plan pair", "x̄", lambda view: view.public.low, lambda view: view.public.high,
    rounding=_mean_rounding, reported="reward",
)  # fmt: skip


def near(bonus: Bonus) -> Callable[[Phases], BoolArray]:
    """(p,) whether the harness's own bonus covers |mean - mu| at every arm that was played."""
    return lambda view: np.asarray(
        (np.abs(view.mean_reward - view.truth.reward) <= bonus.value(view)[:, 0]).all(axis=1, where=view.seen)
    )


# The index ----------------------------------------------------------------------------------------------------------


def bonus_formula(bonus: Bonus) -> Property:
    """The bonuses a plan reports against their formula, at arms that were played."""
    made: Property = identity(
        "bonus", bonus.formula, on=Phases, where="N > 0", local=bonus.local, name="bonus-formula", topic="Confidence",
        description="The bonus of every arm that was played, from the plays in the transcript.",
    )  # fmt: skip
    return made


def index_formula(bonus: Bonus) -> Property:
    """Q against mean + bonus at arms that were played, both recomputed."""
    made: Property = identity(
        "Q", "r_hat + b", on=Phases, where="N > 0", define={"b": bonus.formula}, local=bonus.local, reported={"b": "bonus"},
        name="index-formula", topic="Confidence",
        description="The index of every arm that was played, from the rewards and plays in the transcript.",
    )  # fmt: skip
    return made


# Not a formula: ties may fall either way, so that there is none of the arm.
@phase_property(topic="Planning")
def largest_index(view: Phases) -> Inequality:
    """The policy of every plan takes an arm never played, if there is one, and an arm of largest index otherwise.

    What index a plan reports of an arm that was never played does not matter: it counts for more than that of any other.
    """
    best, least, taken = _indices(view, view.seen)
    missed = best - taken

    def by_reports() -> Array:
        """Right side by the plays that plans report: met where these give the same choice, and are wrong instead of it."""
        best, _, taken = _indices(view, view.reported("visits") > 0)
        return np.where(best - taken > _choice_rounding(best), 0.0, missed)

    return Inequality(
        missed, 0.0, ("plan", "h", "s"), trivial=best - least, tolerance=_choice_rounding(best), labels=view.labels,
        identity=True, repaired=by_reports if reports(view, "visits") else None,
    )  # fmt: skip


def _indices(view: Phases, seen: BoolArray) -> tuple[Array, Array, Array]:
    """(p, 1, 1) the largest and the least index of all arms, and that of the arm taken, where `seen` (p, A) were played."""
    seen = seen[:, None, None, :]
    index = np.where(seen, view.Q, np.abs(view.Q).max(axis=3, keepdims=True, where=seen, initial=0.0) + 1.0)
    taken = np.take_along_axis(index, view.policy[..., None], axis=3)[..., 0] if view.policy.ndim == 3 else np.where(
        view.policy > 0, index, np.inf).min(axis=3)  # fmt: skip
    return index.max(axis=3), index.min(axis=3), taken


def _choice_rounding(best: Array) -> Array:
    """Rounding of an index: that of an arm may have been found by another order of the same sum."""
    return np.asarray(16 * EPS * (np.abs(best) + 1.0))


# While the means are near -------------------------------------------------------------------------------------------


def _known(bonus: Bonus) -> Quantity:
    """Arms that were played, where the harness's bonus covers the errors of all that were."""
    return Quantity(lambda view: near(bonus)(view)[:, None] & view.seen, "known", "plan pair", "near the truth")


def validity(bonus: Bonus) -> Property:
    """|mean - mu| against the bonus that a plan reports, at arms that were played, where the harness's bonus covers it."""
    made: Property = at_most(
        "abs(mean - mu)", "bonus", on=Phases, where="known", local=(MEAN, MU, _known(bonus)), name="bonus-validity",
        topic="Confidence", description="The distance of each mean from the truth against the bonus that is reported.",
    )  # fmt: skip
    return made


def optimism(bonus: Bonus) -> Property:
    """Q >= mu at arms that were played, where the harness's bonus covers the errors of all."""
    made: Property = at_most(
        "mu", "Q", on=Phases, where="known", local=(MU, _known(bonus)), name="optimism", topic="Optimism",
        description="The index of every arm that was played against its true mean.",
    )  # fmt: skip
    return made


def gap_of_played(bonus: Bonus) -> Property:
    """mu* - mu of the arm of a plan against twice the harness's bonus of it, where that covers the errors of all arms."""

    def arm(view: Phases) -> Any:
        return view.taken[:, 0, 0]

    gap = Quantity(
        lambda view: (view.truth.reward.max() - view.truth.reward)[arm(view)], "Gap", "plan", "Δ_I", 0.0,
        lambda view: float(np.ptp(view.truth.reward)),
    )  # fmt: skip
    own = Quantity(
        lambda view: np.take_along_axis(bonus.value(view)[:, 0], arm(view)[:, None], axis=1)[:, 0], "b_I", "plan", "b_I",
        0.0, np.inf, rounding=lambda view: _mean_rounding(view),
    )  # fmt: skip
    known = Quantity(lambda view: near(bonus)(view) & view.seen.all(axis=1), "known", "plan", "near the truth")
    made: Property = at_most(
        "Gap", "2 * b_I", on=Phases, where="known", local=(gap, own, known), name="gap-of-played", topic=TOPIC,
        description="What the arm of every plan loses against twice its bonus, recomputed from the transcript.",
    )  # fmt: skip
    return made


# Over the whole run -------------------------------------------------------------------------------------------------


def tallies(view: Run) -> tuple[Array, Array]:
    """(K, A) plays of each arm and the sum of its rewards, before each round."""
    played = np.eye(view.public.A)[view.actions[:, 0]]
    before = np.cumsum(np.stack([played, played * view.rewards[:, :1]]), axis=1)
    plays, earned = np.concatenate([np.zeros((2, 1, view.public.A)), before[:, :-1]], axis=1)
    return plays, earned


def gaps(view: Run) -> Array:
    """mu* - mu of the arms that lose."""
    loss = view.truth.reward.max() - view.truth.reward
    return np.asarray(loss[loss > 0])


def far_means(radius: Callable[[Array, Array], Array], bound: Callable[[float], float]) -> Property:
    """Rounds and arms with |mean - mu| > radius(n, N) after n rounds and N plays: their number; `bound`, in A, is of its mean."""

    def far(view: Run) -> float:
        plays, earned = tallies(view)
        n, N = np.maximum(np.arange(len(plays)), 1.0)[:, None], np.maximum(plays, 1.0)
        rounding = tolerances.frequency(view.public, len(plays)) * tolerances.scale(view.public)
        return float(((plays > 0) & (np.abs(earned / N - view.truth.reward) > radius(n, N) + rounding)).sum())

    return published(
        Quantity(far, "far", "", "#{t, i: |x̄ − μ| > b}", 0.0, all_arms), lambda view: bound(view.public.A), on=Run,
        name="far-means", topic="Confidence",
        description="How often the mean of an arm is further from the truth than its bonus, from the transcript.",
    )  # fmt: skip


def all_arms(view: Run) -> int:
    """Number of arms in all rounds together."""
    return len(view.actions) * view.public.A


def plays_of_losing_arms(bound: Callable[[Array, float], Array], of: Callable[[Run], Array] = gaps) -> Property:
    """Number of rounds in which an arm is played that is not the best, against the sum of bound(of(run), K) of these arms."""

    def losing(view: Run) -> float:
        reward = view.truth.reward
        return float((reward[view.actions[:, 0]] < reward.max()).sum())

    return published(
        Quantity(losing, "losing", "", "Σ_{Δ_a > 0} N_a", 0.0, "K"), lambda view: bound(of(view), view.public.K).sum(), on=Run,
        name="plays-of-losing-arms", topic=TOPIC,
        description="Plays of arms that are not the best, whose mean over runs is meant.",
    )  # fmt: skip


def losing_arms(reward: Array) -> IntArray:
    """Arms that are not the best, in the order of their numbers, as `gaps` has them."""
    return np.flatnonzero(reward < reward.max())


# Not a formula: it is about one arm, and nothing is compared where there is none of this rank.
def plays_of_arm(rank: int, bound: Callable[[Array, float], Array], of: Callable[[Run], Array] = gaps) -> Property:
    """Plays of one arm against its own entry of bound(of(run), K): of the arms that lose, the one with this rank.

    The arm that loses most has rank 1. It is not the bound of the arm that was played most often: the largest of several numbers
    has a larger mean than each of them. Where fewer arms lose, nothing is compared.
    """

    def evaluate(view: Run) -> Inequality:
        reward, K = view.truth.reward, float(view.public.K)
        losing = losing_arms(reward)
        if len(losing) < rank:
            return Inequality(0.0, K, trivial=K, premise=False)
        at = np.argsort(reward[losing], kind="stable")[rank - 1]
        return Inequality(float((view.actions[:, 0] == losing[at]).sum()), float(bound(of(view), K)[at]), trivial=K)

    description = "Plays of one of the arms that are not the best, whose mean over runs is meant."
    return Property(f"plays-of-arm-{rank}", "run", evaluate, frozenset(), description, topic=TOPIC)


def regret(bound: Callable[[Array, float], float], of: Callable[[Run], Array] = gaps) -> Property:
    """Regret of the run, whose mean is meant, against bound(of(run), K); no round loses more than all."""
    lost = Quantity(
        lambda view: view.series.regret.sum(), "R", "", "R_K", 0.0, lambda view: view.public.K * gaps(view).max(initial=0.0),
        lambda view: view.regret_rounding.sum(),
    )  # fmt: skip
    return published(
        lost, lambda view: bound(of(view), view.public.K), on=Run, name="regret", topic=TOPIC,
        description="Exact regret of the run against a bound on its mean, in the gaps of the arms.",
    )  # fmt: skip


# Beta posteriors ----------------------------------------------------------------------------------------------------


def _outcomes(instance: Instance) -> Array:
    """(v,) rewards that may be drawn."""
    law = instance.truth.law
    return np.atleast_1d(instance.truth.reward if law is None else law.support[(law.law > 0).any(axis=0)]).ravel()


@assumed("min(abs(r), abs(r - 1))", local=(fact(_outcomes, "r", "outcome"),))
def coins() -> Any:
    """Rewards are 0 or 1: the distance of each value from the nearer of both."""
    return 0


ALPHA = Quantity(lambda view: view.extra["alpha"], "alpha", "plan pair", "α", 0.0, np.inf)
BETA = Quantity(lambda view: view.extra["beta_s"], "beta_s", "plan pair", "β", 0.0, np.inf)
EARNED = Quantity(lambda view: view.earned.sum(axis=1), "Earned", "plan pair", "Σr", -np.inf, np.inf)


@identity("alpha", on=Phases, local=(ALPHA, EARNED), needs=("alpha",))
def successes(Earned: Any) -> Any:
    """First parameter of every arm against 1 + the number of its plays that paid 1."""
    return 1 + Earned


@identity("beta_s", on=Phases, local=(BETA, EARNED), needs=("beta_s",))
def failures(N: Any, Earned: Any) -> Any:
    """Second parameter of every arm against 1 + the number of its plays that paid 0."""
    return 1 + N - Earned


@at_most("abs(Q - 1 / 2)", on=Phases, topic="Planning")
def draws_of_means() -> Any:
    """Q of every plan is a draw of means of rewards of 0 or 1: within [0, 1] (distance from 1/2 at most 1/2)."""
    return 1 / 2


# Not a formula: evidence of a law, a product over draws.
@run_property("Q", topic="Planning")
def beta_law(view: Run) -> Inequality:
    """Evidence against the Beta posteriors, from the uniform prior, of the draws that plans report as Q.

    A draw theta is the row (theta, 1 - theta) with a Dirichlet law of two parameters, so that `posterior.scores` makes of all
    draws independent standard normal numbers, which are held against others.
    """
    plays, earned = tallies(view)
    parameters = 1.0 + np.stack([earned, plays - earned], axis=2)
    if not (parameters > 0).all():
        return evidence(0.0, 0.0)  # rewards other than 0 and 1 make no such law; the assumption says so
    theta = np.clip(view.in_force("Q").reshape(plays.shape), 0.0, 1.0)
    drawn, means = (np.stack([each, 1.0 - each], axis=2) for each in (theta, parameters[..., 0] / parameters.sum(axis=2)))
    seen, expected = (posterior.log_ratio(posterior.scores(parameters, rows), parameters) for rows in (drawn, means))
    return evidence(seen, expected, lambda: _other_draws(theta, parameters))


def _other_draws(theta: Array, parameters: Array) -> dict[str, float]:
    """Log ratios of other laws of draws (K, A) to the Beta laws with these parameters (K, A, 2); infinite if draws repeat."""
    from scipy.stats import beta

    def ratio(other: Array) -> float:
        inside = np.clip(theta, GRID, 1.0 - GRID)
        logs = [beta.logpdf(inside, of[..., 0], of[..., 1]) for of in (other, parameters)]
        return float((logs[0] - logs[1]).sum())

    chances = beta.cdf(theta, parameters[..., 0], parameters[..., 1])  # uniform and independent under the right laws
    # one number that was turned into draws comes back with an error below 1e-9; two of their own are so near with chance 2e-6
    shared = theta.shape[1] > 1 and np.allclose(chances, chances[:, :1], atol=1e-6)
    # draws of continuous laws repeat with probability 0; of two arms half of all are kept where one is played in each round
    kept = np.mean(theta[1:] == theta[:-1]) > 0.1
    return {
        "one uniform number for all arms": np.inf if shared else -np.inf,
        "a draw that is kept while its arm is not played": np.inf if kept else -np.inf,
        "a prior of 1/2 and 1/2": ratio(parameters - 0.5),
        "twice the plays": ratio(2 * parameters - 1),
        "half the plays": ratio((parameters + 1) / 2),
    }
