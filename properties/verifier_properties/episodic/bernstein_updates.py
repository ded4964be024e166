"""Q-learning whose bonuses have an empirical variance in them (Jin, Allen-Zhu, Bubeck and Jordan 2018, Algorithm 2).

The next values of the t visits of a pair, V_{h+1}^{k_i}(s'_i) with V of the plans in force, have the empirical variance W_t. With
it, and a logarithm iota that is handed out as the width,

    beta_t = min{ c_1 (sqrt(H (W_t + H) iota / t) + sqrt(H^7 S A) iota / t), c_2 sqrt(H^3 iota / t) },   beta_0 = 0,
    b_t = (beta_t - (1 - alpha_t) beta_{t-1}) / (2 alpha_t),   so that   sum_i alpha_t^i b_i = beta_t / 2.

Views: `verifier_properties.episodic.updates`, made of `verifier_settings.episodic.Run`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import EPS, Array, cached_property
from verifier.formulas.quantity import Quantity, quantity
from verifier.formulas.scope import altered
from verifier.model.property import Property
from verifier.model.statement import Formula, at_most, identity
from verifier_properties.episodic.q_learning import BONUSES, NOISE, of_updates
from verifier_properties.episodic.updates import UpdateError, Updates, logarithm
from verifier_settings.episodic import Public
from verifier_settings.sessions import oracle_width

TOPIC = "Confidence"


class Constants:
    """c_1 and c_2, which the paper leaves open."""

    c1: float
    c2: float

    @classmethod
    def least_iota(cls, public: Public, t: int, needed: float) -> float:
        """The least iota with which beta_t is at least what is needed, whatever the variance.

        Both arms of the minimum rise with it. With u = sqrt(iota / t) the first is least c_1 (H u + sqrt(H^7 S A) u^2), where the
        variance is 0, and the second is c_2 sqrt(H^3) u.
        """
        H, share = public.H, needed / cls.c1
        root = np.sqrt(H**2 + 4 * np.sqrt(float(H) ** 7 * public.S * public.A) * share)
        u = max(2 * share / (H + root), needed / (cls.c2 * H**1.5))
        return float(t * u**2)


def variance(S_1: Any, S_2: Any, t: Any) -> Any:  # named like the sums
    """W_t = (1/t) sum_i V(s'_i)^2 - [(1/t) sum_i V(s'_i)]^2."""
    return np.maximum(S_2 / t - (S_1 / t) ** 2, 0.0)  # which rounding may make negative


def beta(c_1: Any, c_2: Any, H: Any, S: Any, A: Any, W: Any, w: Any, t: Any) -> Any:
    """beta_t, with iota = w."""
    first = c_1 * (np.sqrt(H * (W + H) * w / t) + np.sqrt(H**7 * S * A) * w / t)
    return np.minimum(first, c_2 * np.sqrt(H**3 * w / t))


def bonus(alpha: Any, beta_t: Any, beta_before: Any) -> Any:
    """Bonus b_t of an update."""
    return (beta_t - (1 - alpha) * beta_before) / (2 * alpha)


class BernsteinUpdates(Constants, Updates):
    """Updates with the bonus above; subclasses have the constants."""

    define: ClassVar[Mapping[str, Formula]] = {**Updates.define, "W": variance, "beta_t": beta, "b": bonus}
    made_of: ClassVar[Mapping[str, Formula]] = {"w": logarithm}
    bonus_reads: ClassVar[frozenset[str]] = frozenset({"V"})
    """Values that follow a step: their variance is in the bonus."""

    @quantity("c_1", symbol="c₁")
    def first_constant(self) -> float:
        """Constant of the first bound."""
        return self.c1

    @quantity("c_2", symbol="c₂")
    def second_constant(self) -> float:
        """Constant of the second bound."""
        return self.c2

    def _sum(self, values: Array) -> Array:
        """sum_{i <= t} of values."""
        return self.fold(0.0, lambda k, old: old + values[k])[1]

    # A sum of t values of at most H, or of their squares, is off by t units in the last place of itself, on either side.

    @quantity("S_1", "episode h", symbol="Σ_i V_{h+1}(s′_i)", rounding=lambda found: 2 * EPS * found.t**2 * found.public.H)
    def values_so_far(self) -> Array:
        """Sum of the next values of the pair."""
        return self._sum(self.following)

    @quantity("S_2", "episode h", symbol="Σ_i V_{h+1}(s′_i)²", rounding=lambda found: 2 * EPS * found.t**2 * found.public.H**2)
    def squares_so_far(self) -> Array:
        """Sum of their squares."""
        return self._sum(self.following**2)

    @cached_property
    def beta(self) -> Array:
        """beta_t, with iota as it was handed out."""
        return self._evaluated("beta_t")[0]

    @quantity("beta_before", "episode h", symbol="β_{t−1}",
              rounding=lambda found: found.previous(found._evaluated("beta_t")[1], 0.0)[:-1])  # fmt: skip
    def beta_before(self) -> Array:
        """beta_{t-1}; beta_0 = 0."""
        return self.previous(self.beta, 0.0)[:-1]

    @property
    def carried(self) -> dict[str, dict[str, Callable[[Array], Array]]]:
        """Quantities that follow from a symbol at other updates, by the name of the symbol."""
        return {"beta_t": {"beta_before": self._before}}

    def _before(self, beta: Array) -> Array:
        """(K-1, H) another beta at the update before, from one over the axes of a formula, of which the first two count."""
        return self.previous(np.broadcast_to(beta.reshape(beta.shape[:2]), self.t.shape), 0.0)[:-1]

    @property
    def altered(self) -> dict[str, Callable[[], Updates]]:
        """Views on data that are off."""
        others = {
            "with the mean before each visit": self._with_old_means,
            "with the sums of the state": self._with_sums_of_states,
        }
        return {**super().altered, **others}

    def _with_sums_of_states(self) -> Updates:
        """Sums of all actions of the state, divided by the updates of the pair."""
        sums = {"values_so_far": self.following, "squares_so_far": self.following**2}
        found: Updates = altered(self, **{name: self.summed_over_states(values) for name, values in sums.items()})
        return found

    def _with_old_means(self) -> Updates:
        """Squares such that the variance is that of Welford's recursion with the mean before each value in both factors."""
        mean = np.where(self.t > 1, (self.values_so_far - self.following) / np.maximum(self.t - 1.0, 1.0), self.following)
        squares = self._sum((self.following - mean) ** 2) + self.values_so_far**2 / self.t
        found: Updates = altered(self, squares_so_far=squares)
        return found


class BernsteinError(Constants, UpdateError):
    """The oracle of iota: the least with which beta_t is twice the weighted error of the updates, whatever the variance is.

    The variance is of the agent's own values, which the harness need not know for this.
    """

    def width(self, step: int, target: Array) -> float:
        """The least iota of the update; the slack is that of beta."""
        needed = oracle_width(2.0 * abs(float(self.error(step, target))))
        return self.least_iota(self.instance.public, max(len(self.visited(step)), 1), needed)


Kind = type[BernsteinUpdates]


@of_updates(identity, "variance", needs=("V",), name="variance")
def variance_formula(W: Any) -> Any:
    """The variance that the next plan reports of the pair updated, against that of V of the plans at its next states."""
    return W


@of_updates(identity, "beta", needs=("V",), name="beta")
def beta_formula(beta_t: Any) -> Any:
    """beta_t that the next plan reports, against the minimum of both bounds, from the transcript and the widths."""
    return beta_t


TOTAL_BONUS = Quantity(BONUSES.computed, "Bonuses", "episode h", "Σ_i α_tⁱb_i", rounding=lambda found: found.rounding)


@of_updates(identity, "Bonuses", needs=("V", "bonus", "rate"), local=(TOTAL_BONUS,))
def half_beta(beta: Any) -> Any:
    """The weighted sum of the bonuses reported, at the rates reported, against half of the last beta reported."""
    return beta / 2


def _published(iota: Callable[[Public], float]) -> Quantity:
    return Quantity(lambda found: iota(found.public), "iota", "", "ι")


def confidence(updates: Kind, iota: Callable[[Public], float]) -> Property:
    """The event of optimism, with the logarithm of the theorem."""

    def published(c_1: Any, c_2: Any, H: Any, S: Any, A: Any, W: Any, iota: Any, t: Any) -> Any:
        return beta(c_1, c_2, H, S, A, W, iota, t)

    description = (
        "The weighted noise of the next values V*, at the rates of the plans, against half of beta_t at the published iota."
    )
    return of_updates(
        at_most, "abs(Noise)", needs=("V", "rate"), name="confidence-event", description=description,
        define={**updates.define, "beta_t": published}, local=(NOISE, _published(iota)), topic=TOPIC,
    )("beta_t / 2")(updates)  # fmt: skip


def _true_deviation(found: Updates) -> Array:
    """Standard deviation of V*_{h+1} under the true kernel, at the pairs updated."""
    mean, square = (found.backup(found.truth.V**power)[:-1] for power in (1, 2))
    return np.sqrt(np.maximum(square - mean**2, 0.0))


def _squared_leads(found: BernsteinUpdates) -> Array:
    return found._sum(found.lead**2)


DEVIATIONS = (
    Quantity(
        lambda found: np.maximum(found.reported("variance"), 0.0), "W_hat", "episode h", "W_t", 0.0, np.inf,
        rounding=lambda found: 8 * EPS * (found.t + 4) * found.public.H**2,  # as of the sums above
    ),
    Quantity(_true_deviation, "deviation", "episode h", "√(Var V*_{h+1})", 0.0, "H"),
    Quantity(_squared_leads, "Leads2", "episode h", "Σ_i (V_{h+1}^{k_i} − V*_{h+1})²"),
    Quantity(lambda found: np.arange(found.public.H - 1.0, -1.0, -1.0), "left", "h", "(H − h)"),
)  # fmt: skip


def variance_estimate(updates: Kind, iota: Callable[[Public], float]) -> Property:
    """The square root of W_t, as reported, against that of the true variance of V*_{h+1}, from the second visit on."""

    def formula(left: Any, iota: Any, t: Any, Leads2: Any) -> Any:
        return left * np.sqrt(4 * iota / (t - 1)) + np.sqrt(Leads2 / (t - 1))

    return of_updates(
        at_most, "abs(sqrt(t / (t - 1) * W_hat) - deviation)", needs=("V", "variance"), where="t > 1",
        name="variance-estimate", local=(*DEVIATIONS, _published(iota)),
        description="The deviation reported, against that of V* under the true kernel, and how far V of the plans is from V*.",
    )(formula)(updates)  # fmt: skip


def _sums_of_growth(power: float) -> Callable[[Updates], Array]:
    """(H,) sum_{j < H-h} w_j^power, w_j = (1 + 1/H)^j, for steps h = 1..H."""

    def found(updates: Updates) -> Array:
        H = updates.public.H
        sums = np.cumsum((1.0 + 1.0 / H) ** (power * np.arange(H)))
        return np.concatenate([[0.0], sums])[np.arange(H - 1, -1, -1)]

    return found


LEADS = (
    Quantity(
        lambda found: found._sum(found.lead), "D", "episode h", "Σ_i (V_{h+1}^{k_i} − V*_{h+1})(s′_i)", -np.inf,
        lambda found: found.public.H * found.t * (np.arange(found.public.H, 0, -1) > 1),
        rounding=lambda found: found.rounding * found.public.H * found.t,
    ),
    Quantity(lambda found: np.maximum.accumulate(found.width.max(axis=1)), "iota", "episode", "max ι"),
    Quantity(lambda found: found.sound[:-1], "sound", "episode h", "bonuses covered all errors before"),
    Quantity(_sums_of_growth(1.0), "growth", "h", "Σ_{j<H−h} w_j"),
    Quantity(_sums_of_growth(0.5), "roots", "h", "Σ_{j<H−h} √w_j"),
)  # fmt: skip


@of_updates(at_most, "D", needs=("V",), where="sound", local=LEADS)
def lead_sum(S: Any, A: Any, H: Any, growth: Any, c_2: Any, iota: Any, roots: Any, t: Any) -> Any:
    """The sum of what V of the plans exceeds V* by at the next states of a pair, against the bound with its constants."""
    return S * A * H * growth + 2 * c_2 * np.sqrt(H**3 * iota) * roots * np.sqrt(S * A * t)
