"""Scaling claims: how fast a quantity may grow with a size of the instance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verifier.base.errors import ContractError
from verifier.base.profile import TIERS, Tier
from verifier.model.claim import Claim, Kind
from verifier.model.horizon import Horizon, horizon_size

MARGIN = 0.1
"""Exponents this close to the claimed one count as claimed: what sizes of a few orders of magnitude can tell apart.

Over sizes from n to 100 n a factor of (log size) adds between 0.1 and 0.3 to the exponent, and lower-order terms as much.
"""

LEAST = 3
"""Fewest seeds, and fewest sizes, from which anything is concluded."""


@dataclass(frozen=True)
class Rate:
    """A claimed rate ``n^exponent (log n)^log_power``.

    Parameters
    ----------
    label : str
        As the paper writes it, e.g. ``"√K log K"``.
    exponent, log_power : float
    curve : callable, optional
        Maps (public, size) to the claimed curve up to a factor, where the paper gives it in full, e.g. log(1 + K/d).

    Examples
    --------
    >>> from verifier import Rate
    >>> Rate("√K", 0.5).at(None, 10_000.0)
    100.0
    """

    label: str
    exponent: float
    log_power: float = 0.0
    curve: Callable[[Any, float], float] | None = None

    def at(self, public: Any, size: float) -> float:
        """The claimed curve at a size, up to a factor."""
        if self.curve is not None:
            return self.curve(public, size)
        return float(size**self.exponent * math.log(size) ** self.log_power)


@dataclass(frozen=True)
class Stated:
    """A number the paper states, or shows in a figure.

    Parameters
    ----------
    label : str
        Where, e.g. ``"paper, Figure 1a"``.
    size, value : float
    """

    label: str
    size: float
    value: float


@dataclass(frozen=True)
class BurnIn:
    """Rule for the smallest size at which a rate is looked at; fixed before any trial.

    Parameters
    ----------
    size : callable
        Maps (public, regime scale c) to the least size that counts.
    reason : str
        Why, in words.

    Examples
    --------
    >>> from verifier import BurnIn
    >>> rule = BurnIn(lambda public, c: 1000.0, "the bonus leaves its cap after some 1000 episodes")
    >>> rule.size(None, 1.0)
    1000.0
    """

    size: Callable[[Any, float], float]
    reason: str

    @classmethod
    def none(cls, why: str) -> BurnIn:
        """Every size counts."""
        return cls(lambda public, scale: 0.0, f"none: {why}")

    @classmethod
    def until_bounded(cls, horizon: Horizon) -> BurnIn:
        """Sizes count from where the explicit bound is below the trivial bound."""
        return cls(
            lambda public, scale: horizon_size(horizon, public, scale),
            "below, the explicit bound is above the trivial bound",
        )


@dataclass(frozen=True)
class ScalingClaim(Claim):
    """A claim of kind scaling; its property is a @run_property with one comparison, whose left side is the quantity.

    Parameters
    ----------
    family : str
        Name of the family of instances (`verifier.model.setting.Setting.families`).
    rate : Rate
        What is claimed.
    quantity, unit : str
        What is measured, in words, and its unit (may be empty).
    sizes : mapping of str to tuple of int
        Increasing sizes by profile; a profile without an entry takes that of the profile before.
    burn_in : BurnIn, optional
        By default sizes below the geometric middle of the ladder are shown but not used: half of the orders of magnitude.
    margin : float
        How far above the claimed exponent still counts as claimed.
    alternative : str
        Name of a mutant for which the claim should fail: does it, on this instance? Without one the power is not known.
    alternative_sizes : tuple of int
        Its ladder, where it is too slow for that of the claim; all of them are used.
    tier : {"quick", "standard", "deep"}
        The smallest profile in which it is evaluated.
    figure : str
        Key of the figure of the paper it redraws, e.g. ``"1a"``; such a claim is evaluated with ``--figure`` only.
    stated : tuple of Stated
        Numbers of the paper to show beside.
    remark : str
        What of the paper's experiment could not be reproduced, or what else a reader has to know.

    Examples
    --------
    >>> from verifier import Inequality, Kind, Rate, ScalingClaim, run_property
    >>> @run_property()
    ... def regret(view):
    ...     return Inequality(view.regret, 10.0, trivial=100.0)
    >>> growth = ScalingClaim("regret-growth", regret, "Theorem 1", "Theorem 1", "regret ≤ c √K", Kind.SCALING,
    ...                       family="random", rate=Rate("√K", 0.5), quantity="regret", unit="", sizes={"quick": (100, 400, 900)})
    >>> growth.rate.exponent, growth.sizes["quick"]
    (0.5, (100, 400, 900))
    """

    kind: Kind = Kind.SCALING
    family: str = field(kw_only=True)
    rate: Rate = field(kw_only=True)
    quantity: str = field(kw_only=True)
    unit: str = field(default="", kw_only=True)
    sizes: Mapping[str, tuple[int, ...]] = field(kw_only=True)
    burn_in: BurnIn | None = field(default=None, kw_only=True)
    margin: float = field(default=MARGIN, kw_only=True)
    alternative: str = field(default="", kw_only=True)
    alternative_sizes: tuple[int, ...] = field(default=(), kw_only=True)
    tier: Tier = field(default="quick", kw_only=True)
    figure: str = field(default="", kw_only=True)
    stated: tuple[Stated, ...] = field(default=(), kw_only=True)
    remark: str = field(default="", kw_only=True)

    def _check(self) -> None:
        super()._check()
        if self.kind is not Kind.SCALING or self.property.scope != "run":
            raise ContractError(
                f"scaling claim {self.name!r} has kind {self.kind.value!r} and a property of scope {self.property.scope!r}; "
                "expected kind 'scaling' and a @run_property with one comparison, whose left side is the quantity"
            )
        for profile, sizes in self.sizes.items():
            if profile not in TIERS or len(sizes) < LEAST or list(sizes) != sorted(set(sizes)) or sizes[0] <= 0:
                raise ContractError(
                    f"scaling claim {self.name!r}: sizes for {profile!r} are {sizes}; expected one of {', '.join(TIERS)} and at "
                    f"least {LEAST} positive increasing sizes"
                )
        if self.tier not in self.sizes:
            raise ContractError(
                f"scaling claim {self.name!r} has no sizes for its tier {self.tier!r}; give `sizes` an entry for it"
            )
        if "*" in self.regimes:
            raise ContractError(f"scaling claim {self.name!r} must name its regimes: a rate is about one of them; set `regimes`")

    def ladder(self, profile: str, alternative: bool = False) -> tuple[int, ...]:
        """The sizes in a profile, of the algorithm or of the wrong one; empty where the claim is not evaluated."""
        if self.wrong:
            return ()
        depth = TIERS.index(profile) if profile in TIERS else 0
        if depth < TIERS.index(self.tier):
            return ()
        if alternative and self.alternative_sizes:
            return self.alternative_sizes
        return next(self.sizes[tier] for tier in reversed(TIERS[: depth + 1]) if tier in self.sizes)

    def first_size(self, public: Any, scale: float, sizes: tuple[int, ...], alternative: bool = False) -> tuple[float, str]:
        """The least size that is used, of the algorithm or of the wrong one, and why."""
        if alternative and self.alternative_sizes:
            return 0.0, "none: sizes chosen for the wrong algorithm"
        if self.burn_in is not None:
            return self.burn_in.size(public, scale), self.burn_in.reason
        middle = math.sqrt(sizes[0] * sizes[-1])
        return middle, "the geometric middle of the sizes, fixed before any trial: a rate is about large sizes"
