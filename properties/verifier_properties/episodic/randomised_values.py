"""Values with noise: how far the estimates may be off, how often the values are optimistic, and regret.

Lemmas are those of Russo 2019, "Worst-case regret bounds for exploration via randomized value functions", see
`verifier_properties.episodic.value_noise` for the noise and `verifier_properties.episodic.regularised` for the estimates.

Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, from_here_on
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.oracle import Oracle
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier.statistics.betting import log_capital
from verifier.statistics.evidence import evidence
from verifier_properties.episodic.regularised import Tallies, aim, rounding, rounding_of_values, tallies, tallies_before
from verifier_properties.episodic.value_noise import Noise, radius, widths
from verifier_settings.episodic import Phases, Public, Run, Truth
from verifier_settings.sessions import oracle_width

LEAST = math.erfc(1.0 / math.sqrt(2.0)) / 2
"""Phi(-1), the probability of optimism that the proof ends with."""

FAILURES = math.pi**2 / 6
"""The sum of 1/k^2."""

COUNTED = 5
"""Episodes are counted up to so many in a run: the mean is smaller still, and fewer runs decide it."""


TOGETHER = 1 << 16
"""Number of probabilities that are evaluated together, about: of long runs there are many."""


def noise_error(noise: Noise) -> type[Oracle]:
    """The oracle of the factor of the noise: the least with which the noise makes up for all errors of a step."""

    class NoiseError(Oracle):
        """Estimates from the episodes completed so far."""

        def tallies(self) -> Tallies:
            """Tallies of all steps."""
            t, public = self.transcript, self.instance.public
            states, actions = t.states[: t.episodes], t.actions[: t.episodes]
            means = self.instance.truth.paid(states[:, :-1] * public.A + actions)
            return Tallies.seen(public, states, actions, means if t.rewards is None else t.rewards[: t.episodes])

        def error(self, step: int, target: Array) -> Array:
            """(X,) R - r + (P - P_h) V*_{h+1} at the step."""
            return self.tallies().error(self.instance.truth)[step]

        def width(self, step: int, target: Array) -> float:
            """The least factor."""
            k, found = np.array([self.transcript.episodes + 1.0]), self.tallies()
            unit = radius(self.instance.public, noise.deviation(self.instance.public, k, found.visits[None]))[0, step]
            return oracle_width(float((np.abs(found.error(self.instance.truth)[step]) / unit).max()))

    return NoiseError


# Optimism ---------------------------------------------------------------------------------------------------------------


def comparison(noise: Noise) -> Property:
    """V_h >= V*_h + what the noise is worth on the way of the optimal policy, less the errors it may have to make up for."""

    def allowed(view: Phases) -> Array:
        unit = radius(view.public, noise.deviation(view.public, view.start + 1.0, tallies(view).visits))
        return view.width[:, :, None] * unit

    def within(view: Phases) -> BoolArray:
        inside = (np.abs(tallies(view).error(view.truth)) <= view.once(allowed)).all(axis=2)
        return from_here_on(np.asarray(inside))

    def worth(view: Phases) -> Array:
        public, gain = view.public, view.reported("noise") - view.once(allowed)
        best = np.arange(public.S) * public.A + view.truth.Q.argmax(axis=2)
        found = np.zeros(view.V.shape)
        for h in reversed(range(public.H)):
            found[:, h] = (gain[:, h] + tallies(view).backup(found[:, h + 1, None], h)[:, 0])[:, best[h]]
        return found[:, :-1]

    return at_most(
        "V_best + worth", "V_h", on=Phases, where="within", needs=("noise",), name="comparison", topic="Optimism",
        local=(
            Quantity(worth, "worth", "plan h s", "(noise − radius along π*)", -np.inf, np.inf),
            Quantity(lambda view: view.truth.V[None, :-1], "V_best", "plan h s", "V*_h", 0.0, "H"),
            Quantity(
                lambda view: view.V[:, :-1], "V_h", "plan h s",
                rounding=lambda view: view.public.H * rounding(view)[:, None, None],
            ),
            Quantity(within, "within", "plan h", "errors are within the radius"),
        ),
        description="V of every plan against V* and the value of noise less error radius along the optimal policy in the "
        "estimated kernel.",
    )  # fmt: skip


def within(view: Run, noise: Noise) -> BoolArray:
    """(N,) whether the noise of a plan makes up for the errors at all steps and pairs."""
    allowed = widths(view) * radius(view.public, noise.before(view))
    return np.asarray((np.abs(tallies_before(view).error(view.truth)) <= allowed).all(axis=(1, 2)))


# Not a formula: evidence of how often values are optimistic, a product over plans.
def stochastic_optimism(noise: Noise) -> Property:
    """V_1(s_1) >= V*_1(s_1) with probability at least Phi(-1), given what was seen before the plan, where errors are within.

    A gambler bets against it before each plan for which they are, at odds that are fair if the probability is Phi(-1). Expected
    where no plan is ever optimistic.
    """

    def evaluate(view: Run) -> Inequality:
        known, start = within(view, noise), view.states[view.plans, 0]
        V = view.history["V"][np.arange(len(start)), 0, start]
        slack = rounding_of_values(view, 1.0 + np.abs(view.history["V"]).max())[view.plans]
        optimistic = view.truth.V[0, start] - slack <= V
        payoffs = (LEAST - optimistic[known]) / (1.0 - LEAST)
        found = evidence(log_capital(payoffs), log_capital(np.full(payoffs.shape, LEAST / (1.0 - LEAST))))
        return replace(found, premise=bool(known.any()))

    description = (
        "How often values at the start of an episode are at least the optimal ones, among plans whose errors the noise makes up "
        "for: evidence that they are more rarely so than with probability Phi(-1), whatever happened before."
    )
    return Property("stochastic-optimism", "run", evaluate, frozenset({"V"}), description, topic="Optimism")


# How often errors are within --------------------------------------------------------------------------------------------


def failures(noise: Noise) -> Property:
    """Number of episodes with a plan whose reported estimates are further off than the published noise makes up for."""

    def count(view: Run) -> float:
        public, truth = view.public, view.truth
        kernels, following = view.history.plans["step_kernel"], truth.V[1:, :, None]
        backup = np.array([np.matmul(kernel, following)[..., 0] for kernel in kernels])  # all of them together are large
        error = view.history["step_reward"] + backup - aim(truth)
        outside = (np.abs(error) > radius(public, noise.before(view)) + 8 * EPS * public.H).any(axis=(1, 2))
        episodes = np.diff(np.append(view.plans, public.K))
        return min(float(episodes @ outside), COUNTED)

    description = (
        "Estimates of the plans in force, with the true laws, against the radius sqrt(beta_k / (H S (n + 1))), where a union "
        "bound by Hoeffding's inequality, for the values of the instance, says that they are rarely outside. More than five "
        "episodes count as five."
    )
    made: Property = at_most(
        "count", lambda: FAILURES, on=Run, scope="run", where="rare", needs=("step_reward", "step_kernel"), name="failures",
        description=description, topic="Confidence", local=(
            Quantity(count, "count", "", "#{k: some error is outside}", 0.0, lambda view: min(view.public.K, COUNTED)),
            Quantity(rare(noise), "rare", "", "errors are rarely outside"),
        ),
    )  # fmt: skip
    return made


@cache
def rare(noise: Noise) -> Callable[[Run], bool]:
    """Whether a union bound says that errors are rarely outside, on the instance of a run."""

    def bounded(view: Run) -> bool:
        return union(noise, view.public, view.truth) <= FAILURES

    return lambda view: view.once(bounded)


def union(noise: Noise, public: Public, truth: Truth) -> float:
    """A bound on the mean number of episodes in which some error of the estimates is outside, for any algorithm.

    With n visits of a pair the error is (S - mu) / (n + 1), where mu = r + P V*_{h+1}, and S is the sum of n independent numbers
    of mean 0, in an interval whose length is the range b of what is seen at the pair. So |error| > e needs S > t + mu or
    S < mu - t, t = (n + 1) e, which by Hoeffding's inequality have probabilities of at most exp(-2 (t + mu)^2 / (n b^2)) and,
    where mu < t, exp(-2 (t - mu)^2 / (n b^2)). All n < k are added up, and all pairs; e grows with k, and blocks of k, each from
    the next power of 2 on, have that of their first.
    """
    K, first = public.K, 2.0 ** np.arange(math.floor(math.log2(public.K)) + 1)
    last = np.minimum(2 * first - 1, K)
    n = np.arange(K, dtype=float)
    block, seen = np.nonzero(n < last[:, None])  # of the episodes of a block, how many visits there may be before one
    deviation = noise.deviation(public, first, n[None, :, None].repeat(len(first), axis=0))[..., 0]
    t = ((n + 1.0) * radius(public, deviation))[block, seen]
    episodes, total = (last - first + 1)[block], 0.0
    outcomes, pairs = _outcomes(public, truth)
    many = max(1, TOGETHER // len(t))
    for part in (slice(i, i + many) for i in range(0, len(pairs), many)):
        mu, b = outcomes[part, :1], outcomes[part, 1:]
        rate = -2.0 / np.maximum(n[seen] * b**2, 1e-300)
        low, high = (np.exp(rate * margin**2) for margin in (np.maximum(t - mu, 0.0), t + mu))
        total += float(pairs[part] @ (np.minimum(low + high, 1.0) @ episodes))
    return total


def _outcomes(public: Public, truth: Truth) -> tuple[Array, Array]:
    """The mean and the range of r + V*_{h+1}(s') at each pair and step, without repetitions, and how often each occurs."""
    following = np.broadcast_to(truth.V[1:, None], truth.kernel.shape)
    possible = truth.kernel > 0
    largest = np.where(possible, following, -np.inf).max(axis=2)
    least = np.where(possible, following, np.inf).min(axis=2)
    mean = truth.rewards + (truth.kernel * following).sum(axis=2)
    noise = 0.0 if truth.law is None else public.high - public.low
    table = np.stack([mean.ravel(), (largest - least + noise).ravel()], axis=1).round(9)
    return np.unique(table, axis=0, return_counts=True)


# Regret -----------------------------------------------------------------------------------------------------------------


def _per_visit(view: Run) -> float:
    """sum_{k,h} 1 / (n_k(h,s,a) + 1) at the pairs played, of the counts of the plans in force."""
    counts = np.take_along_axis(view.in_force("step_visits"), view.pairs[..., None], axis=2)
    return float((1.0 / (np.maximum(counts, 0.0) + 1.0)).sum())


COUNTED_VISITS = Quantity(
    _per_visit, "Counted", "", "Σ_{k,h} 1/(n_k + 1)", 0.0, "T", rounding=lambda view: np.asarray(8 * EPS * view.public.T**1.5)
)


@at_most("Counted", on=Run, scope="run", local=(COUNTED_VISITS,), needs=("step_visits",), topic="Potential")
def visit_sum(H: Any, S: Any, A: Any, K: Any) -> Any:
    """sum_{k,h} 1 / (n_k(h,s,a) + 1) at the pairs played, of the counts of the plans in force, against H S A (1 + log K)."""
    return H * S * A * (1 + np.log(K))


def _played(table: Callable[[Run], Array]) -> Callable[[Run], Array]:
    """(K, H) entries of tables (N, H, X) of all plans at the pairs played, with the plan in force."""

    def found(view: Run) -> Array:
        plan = np.searchsorted(view.plans, np.arange(view.public.K), side="right") - 1
        return view.once(table)[plan[:, None], np.arange(view.public.H), view.pairs]

    return found


def _errors(view: Run) -> Array:
    """(K,) rounding of the values of each episode."""
    V, noise = view.history["V"], view.history["noise"]
    return rounding_of_values(view, 1.0 + np.abs(V).max() + np.abs(noise).max())


PREDICTED = (
    Quantity(lambda view: view.series.gap[:, :-1], "gap", "episode h", "δ_h", rounding=_errors),
    Quantity(lambda view: view.series.expected_gap, "P_gap", "episode h", "Pδ_{h+1}"),
    Quantity(_played(lambda view: view.history["noise"]), "noise", "episode h"),
    Quantity(_played(lambda view: tallies_before(view).reward), "R", "episode h", "R_k"),
    Quantity(lambda view: view.truth.paid(view.pairs), "r", "episode h"),
    Quantity(_played(lambda view: tallies_before(view).backup(view.history["V"][:, 1:])), "PV_hat", "episode h", "P_k V_{h+1}"),
    Quantity(
        _played(lambda view: np.matmul(view.truth.kernel, view.history["V"][:, 1:, :, None])[..., 0]),
        "PV", "episode h", "P V_{h+1}",
    ),
)  # fmt: skip


@identity("gap - P_gap", on=Run, scope="run", local=PREDICTED, needs=("V", "noise"), topic="Regret")
def prediction_error(noise: Any, R: Any, r: Any, PV_hat: Any, PV: Any) -> Any:
    """delta_h - P delta_{h+1} at the pairs played, delta = V - V^pi, against noise + (R - r) + (P_k - P) V_{h+1}."""
    return noise + (R - r) + (PV_hat - PV)
