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

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.measurement import UNBOUNDED, Inequality, equality
from verifier.model.oracle import Oracle
from verifier.model.property import Property, run_property
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

    def evaluate(view: Phases) -> Inequality:
        public, truth, found = view.public, view.truth, tallies(view)
        allowed = view.width[:, :, None] * radius(public, noise.deviation(public, view.start + 1.0, found.visits))
        within = (np.abs(found.error(truth)) <= allowed).all(axis=2)
        later = np.flip(np.logical_and.accumulate(np.flip(within, axis=1), axis=1), axis=1)
        gain = view.reported("noise") - allowed
        best = np.arange(public.S) * public.A + truth.Q.argmax(axis=2)
        worth = np.zeros(view.V.shape)
        for h in reversed(range(public.H)):
            worth[:, h] = (gain[:, h] + found.backup(worth[:, h + 1, None], h)[:, 0])[:, best[h]]
        return Inequality(
            truth.V[:-1] + worth[:, :-1], view.V[:, :-1], ("plan", "h", "s"), trivial=UNBOUNDED,
            labels=view.labels, premise=later[:, :, None],
            tolerance=public.H * rounding(view)[:, None, None],
        )  # fmt: skip

    description = (
        "V of every plan against V* and the value of noise less error radius along the optimal policy in the estimated kernel."
    )
    return Property("comparison", "phase", evaluate, frozenset({"noise"}), description, topic="Optimism")


def within(view: Run, noise: Noise) -> BoolArray:
    """(N,) whether the noise of a plan makes up for the errors at all steps and pairs."""
    allowed = widths(view) * radius(view.public, noise.before(view))
    return np.asarray((np.abs(tallies_before(view).error(view.truth)) <= allowed).all(axis=(1, 2)))


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

    def evaluate(view: Run) -> Inequality:
        public, truth = view.public, view.truth
        kernels, following = view.history.plans["step_kernel"], truth.V[1:, :, None]
        backup = np.array([np.matmul(kernel, following)[..., 0] for kernel in kernels])  # all of them together are large
        error = view.history["step_reward"] + backup - aim(truth)
        outside = (np.abs(error) > radius(public, noise.before(view)) + 8 * EPS * public.H).any(axis=(1, 2))
        episodes = np.diff(np.append(view.plans, public.K))
        return Inequality(
            min(float(episodes @ outside), COUNTED), FAILURES, trivial=float(min(public.K, COUNTED)),
            premise=rare(noise)(view),
        )  # fmt: skip

    description = (
        "Estimates of the plans in force, with the true laws, against the radius sqrt(beta_k / (H S (n + 1))), where a union "
        "bound by Hoeffding's inequality, for the values of the instance, says that they are rarely outside. More than five "
        "episodes count as five."
    )
    needs = frozenset({"step_reward", "step_kernel"})
    return Property("failures", "run", evaluate, needs, description, topic="Confidence")


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


@run_property("step_visits", topic="Potential")
def visit_sum(view: Run) -> Inequality:
    """sum_{k,h} 1 / (n_k(h,s,a) + 1) at the pairs played, of the counts of the plans in force, against H S A (1 + log K)."""
    public = view.public
    at = (np.arange(public.K)[:, None], np.arange(public.H), view.pairs)
    total = float((1.0 / (np.maximum(view.in_force("step_visits")[at], 0.0) + 1.0)).sum())
    bound = public.H * public.S * public.A * (1.0 + math.log(public.K))
    return Inequality(total, bound, trivial=float(public.T), tolerance=8 * EPS * public.T**1.5)


@run_property("V", "noise", topic="Regret")
def prediction_error(view: Run) -> Inequality:
    """delta_h - P delta_{h+1} at the pairs played, delta = V - V^pi, against noise + (R - r) + (P_k - P) V_{h+1}."""
    public, truth, found = view.public, view.truth, tallies_before(view)
    V = view.history["V"]
    backup = np.matmul(truth.kernel, V[:, 1:, :, None])[..., 0]
    expected = view.history["noise"] + found.reward - truth.rewards + found.backup(V[:, 1:]) - backup
    plan = np.searchsorted(view.plans, np.arange(public.K), side="right") - 1
    slack = rounding_of_values(view, 1.0 + np.abs(V).max() + np.abs(view.history["noise"]).max())
    return equality(
        view.series.gap[:, :-1] - view.series.expected_gap, expected[plan[:, None], np.arange(public.H), view.pairs],
        axes=("episode", "h"), tolerance=slack[:, None], labels=view.labels,
    )  # fmt: skip
