"""Q-learning whose bonuses have an empirical variance in them (Jin, Allen-Zhu, Bubeck and Jordan 2018, Algorithm 2).

The next values of the t visits of a pair, V_{h+1}^{k_i}(s'_i) with V of the plans in force, have the empirical variance W_t. With
it, and a logarithm iota that is handed out as the width,

    beta_t = min{ c_1 (sqrt(H (W_t + H) iota / t) + sqrt(H^7 S A) iota / t), c_2 sqrt(H^3 iota / t) },   beta_0 = 0,
    b_t = (beta_t - (1 - alpha_t) beta_{t-1}) / (2 alpha_t),   so that   sum_i alpha_t^i b_i = beta_t / 2.

Views: `verifier_settings.episodic.Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from verifier.base.arrays import EPS, Array, cached_property
from verifier.model.measurement import UNBOUNDED, Explanations, Inequality, equality
from verifier.model.property import Property
from verifier_properties.episodic import bernstein_suspects
from verifier_properties.episodic.q_learning import AXES
from verifier_properties.episodic.updates import UpdateError, Updates
from verifier_settings.episodic import Public
from verifier_settings.sessions import oracle_width

TOPIC = "Confidence"


class Constants:
    """c_1 and c_2, which the paper leaves open."""

    c1: float
    c2: float

    @classmethod
    def correction(cls, public: Public) -> float:
        """sqrt(H^7 S A)."""
        return float(np.sqrt(float(public.H) ** 7 * public.S * public.A))

    @classmethod
    def hoeffding(cls, public: Public, iota: Array | float, t: Array | float) -> Array:
        """c_2 sqrt(H^3 iota / t)."""
        return np.asarray(cls.c2 * np.sqrt(float(public.H) ** 3 * iota / t))

    @classmethod
    def least_iota(cls, public: Public, t: int, needed: float) -> float:
        """The least iota with which beta_t is at least what is needed, whatever the variance.

        Both arms of the minimum rise with it. With u = sqrt(iota / t) the first is least c_1 (H u + sqrt(H^7 S A) u^2), where the
        variance is 0, and the second is c_2 sqrt(H^3) u.
        """
        H, share = public.H, needed / cls.c1
        root = np.sqrt(H**2 + 4 * cls.correction(public) * share)
        u = max(2 * share / (H + root), needed / (cls.c2 * H**1.5))
        return float(t * u**2)


class BernsteinUpdates(Constants, Updates):
    """Updates with the bonus above; subclasses have the constants."""

    bonus_reads: ClassVar[frozenset[str]] = frozenset({"V"})
    """Values that follow a step: their variance is in the bonus."""

    @cached_property
    def variance(self) -> Array:
        """(K, H) W_t, by Welford's recursion."""
        values, t = self.following(self.V), self.t

        def step(k: int, old: Array) -> Array:
            new, change = old.copy(), values[k] - old[:, 0]
            new[:, 0] += change / t[k]
            new[:, 1] += change * (values[k] - new[:, 0])
            return new

        return np.asarray(self.fold(np.zeros(2), step)[1][..., 1] / t)

    def beta_with(self, iota: Array | float) -> Array:
        """(K, H) beta_t."""
        return np.minimum(self.bernstein(iota, float(self.public.H)), self.hoeffding(self.public, iota, self.t))

    def bernstein(self, iota: Array | float, floor: float, lower: float = 1.0) -> Array:
        """(K, H) the first of the two, with what is added to the variance, and a factor of the term of lower order."""
        root = np.sqrt(self.public.H * (self.variance + floor) * iota / self.t)
        return np.asarray(self.c1 * (root + lower * self.correction(self.public) * iota / self.t))

    @cached_property
    def beta(self) -> Array:
        """(K, H) with iota as it was handed out."""
        return self.beta_with(self.width)

    @cached_property
    def bonus(self) -> Array:
        """Bonus b_t, shape (K, H)."""
        return (self.beta - (1.0 - self.rate) * self.previous(self.beta, 0.0)) / (2.0 * self.rate)

    @property
    def bonus_suspects(self) -> Explanations:
        """Suspects of the bonus."""
        beta, before = self.beta, self.previous(self.beta, 0.0)
        return bernstein_suspects.of_bonus(beta[:-1], before[:-1], self.rate[:-1], self.bonus[:-1])

    @property
    def beta_suspects(self) -> Explanations:
        """Suspects of beta_t."""

        def first(floor: float, lower: float) -> Array:
            return self.bernstein(self.width, floor, lower)[:-1]

        second = self.hoeffding(self.public, self.width, self.t)[:-1]
        return bernstein_suspects.of_beta(first, second, float(self.public.H))

    @cached_property
    def variance_rounding(self) -> Array:
        """(K, H) of W_t = sigma / t - (mu / t)^2, from sums of t values of at most H, and of their squares.

        Either sum is off by t units in the last place of itself, and so by t EPS H^2 and 2 t EPS H^2 in the difference.
        """
        return np.asarray(8 * EPS * (self.t + 4) * float(self.public.H) ** 2)

    @cached_property
    def beta_rounding(self) -> Array:
        """(K, H) that of W_t under the root, which is at least sqrt(H) there, and a few units in the last place."""
        through = self.c1 * np.sqrt(self.width / self.t) * self.variance_rounding / 2.0
        return np.asarray(8 * EPS * self.beta + through)

    @cached_property
    def bonus_rounding(self) -> Array:
        """(K, H) that of both beta, divided as they are."""
        return (self.beta_rounding + self.previous(self.beta_rounding, 0.0)) / (2.0 * self.rate)

    @cached_property
    def _leads(self) -> Array:
        """(K, H, 2) sums over i <= t, of leads and of their squares."""
        each = np.stack([self.lead, self.lead**2], axis=-1)
        return self.fold(np.zeros(2), lambda k, old: old + each[k])[1]

    @property
    def squared_lead(self) -> Array:
        """(K, H) sum_{i <= t} (V_{h+1}^{k_i} - V*_{h+1})(s'_i)^2."""
        return self._leads[..., 1]

    @property
    def total_lead(self) -> Array:
        """(K, H) sum_{i <= t} (V_{h+1}^{k_i} - V*_{h+1})(s'_i)."""
        return self._leads[..., 0]


class BernsteinError(Constants, UpdateError):
    """The oracle of iota: the least with which beta_t is twice the weighted error of the updates, whatever the variance is.

    The variance is of the agent's own values, which the harness need not know for this.
    """

    def width(self, step: int, target: Array) -> float:
        """The least iota of the update; the slack is that of beta."""
        needed = oracle_width(2.0 * abs(float(self.error(step, target))))
        return self.least_iota(self.instance.public, max(len(self.visited(step)), 1), needed)


Kind = type[BernsteinUpdates]


def _property(
    name: str, updates: Kind, description: str, statement: Callable[[BernsteinUpdates], Inequality], *needs: str
) -> Property:
    return Property(name, "run", lambda view: statement(updates.of(view)), frozenset(needs), description)


def variance_formula(updates: Kind) -> Property:
    """Variance W_t of the values after each update, reported against recomputed."""

    def statement(found: BernsteinUpdates) -> Inequality:
        expected, tolerance = found.variance[:-1], found.variance_rounding[:-1]
        return equality(
            found.afterwards("variance"), expected, axes=AXES, tolerance=tolerance, labels=found.view.labels,
            explanations=bernstein_suspects.of_variance(found, expected),
        )  # fmt: skip

    description = (
        "The variance that the next plan reports of the pair updated, against that of V of the plans at its next states."
    )
    return _property("variance", updates, description, statement, "V", "variance")


def beta_formula(updates: Kind) -> Property:
    """beta_t."""

    def statement(found: BernsteinUpdates) -> Inequality:
        expected, tolerance = found.beta[:-1], found.beta_rounding[:-1]
        return equality(
            found.afterwards("beta"), expected, axes=AXES, tolerance=tolerance, labels=found.view.labels,
            explanations=found.beta_suspects,
        )  # fmt: skip

    description = "beta_t that the next plan reports, against the minimum of both bounds, from the transcript and the widths."
    return _property("beta", updates, description, statement, "V", "beta")


def half_beta(updates: Kind) -> Property:
    """sum_i alpha_t^i b_i = beta_t / 2, of the rates, bonuses and beta reported."""

    def statement(found: BernsteinUpdates) -> Inequality:
        total = found.reported_mean["bonus"][1]
        tolerance = found.rounding[:-1]
        return equality(total, found.afterwards("beta") / 2.0, axes=AXES, tolerance=tolerance, labels=found.view.labels)

    description = "The weighted sum of the bonuses reported, at the rates reported, against half of the last beta reported."
    return _property("half-beta", updates, description, statement, "V", "bonus", "rate", "beta")


def confidence(updates: Kind, iota: Callable[[Public], float]) -> Property:
    """The event of optimism, with the logarithm of the theorem."""

    def statement(found: BernsteinUpdates) -> Inequality:
        error = found.reported_mean["noise"][1]
        return Inequality(
            np.abs(error), found.beta_with(iota(found.public))[:-1] / 2.0, AXES, labels=found.view.labels,
            trivial=np.ptp(found.truth.V[1:], axis=1), tolerance=found.rounding[:-1],
        )  # fmt: skip

    description = (
        "The weighted noise of the next values V*, at the rates of the plans, against half of beta_t at the published iota."
    )
    return _property("confidence-event", updates, description, statement, "V", "rate")


def variance_estimate(updates: Kind, iota: Callable[[Public], float]) -> Property:
    """The square root of W_t, as reported, against that of the true variance of V*_{h+1}, from the second visit on."""

    def statement(found: BernsteinUpdates) -> Inequality:
        H, t = found.public.H, found.t[:-1]
        left = np.maximum(t - 1.0, 1.0)
        truth = _root(_true_variance(found)[:-1])
        estimate = _root(t / left * found.afterwards("variance"))
        noise = (H - 1.0 - np.arange(H)) * np.sqrt(4.0 * iota(found.public) / left)
        return Inequality(
            np.abs(estimate - truth), noise + _root(found.squared_lead[:-1] / left), AXES, trivial=UNBOUNDED,
            labels=found.view.labels,
            tolerance=_root(2 * found.variance_rounding[:-1]), premise=t > 1,
        )  # fmt: skip

    description = "The deviation reported, against that of V* under the true kernel, and how far V of the plans is from V*."
    return _property("variance-estimate", updates, description, statement, "V", "variance")


def _root(values: Array) -> Array:
    return np.sqrt(np.maximum(values, 0.0))


def _true_variance(found: BernsteinUpdates) -> Array:
    """(K, H) of V*_{h+1} at the pairs visited."""
    kernel, following = found.truth.kernel, found.truth.V[1:, :, None]
    mean = np.matmul(kernel, following)
    variance = np.matmul(kernel, following**2) - mean**2
    return np.asarray(np.maximum(variance[..., 0], 0.0)[found.at, found.rows])


def lead_sum(updates: Kind) -> Property:
    """sum_i phi_{h+1}^{k_i} over the visits of a pair, against what the second arm of beta allows."""

    def statement(found: BernsteinUpdates) -> Inequality:
        public, t = found.public, found.t[:-1]
        iota = np.maximum.accumulate(found.width.max(axis=1))[:-1, None]
        bound = sum_of_leads(updates, public, iota, t)
        steps_left = public.H - 1.0 - np.arange(public.H)
        tolerance = found.rounding[:-1] * public.H * t
        return Inequality(
            found.total_lead[:-1], bound, AXES, labels=found.view.labels, trivial=public.H * t * (steps_left > 0),
            tolerance=tolerance, premise=found.sound[:-1],
        )  # fmt: skip

    description = "How much V of the plans exceeds V* at the next states of a pair, in all, against the bound with its constants."
    return _property("lead-sum", updates, description, statement, "V")


def sum_of_leads(updates: Kind, public: Public, iota: Array, t: Array) -> Array:
    """(..., H) sum_{j < H-h} [S A H w_j + 2 c_2 sqrt(H^3 iota) sqrt(w_j S A t)], w_j = (1 + 1/H)^j, for steps h = 1..H."""
    S, A, H = public.S, public.A, public.H
    growth = (1.0 + 1.0 / H) ** np.arange(H)
    after = H - 1 - np.arange(H)
    start, roots = (np.concatenate([[0.0], np.cumsum(each)])[after] for each in (growth, np.sqrt(growth)))
    return np.asarray(S * A * H * start + 2.0 * updates.hoeffding(public, iota, 1.0) * roots * np.sqrt(S * A * t))
