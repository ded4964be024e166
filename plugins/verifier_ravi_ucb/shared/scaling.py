"""Growth of regret, optimisation error and epochs with T (Theorems 4.1 and 5.6, section 5.1)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from verifier import Status
from verifier.model.horizon import Horizon
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier_properties.discounted import scaling as discounted_scaling
from verifier_ravi_ucb.shared import constants
from verifier_settings.discounted import Public

EXACT = "oracle[model=exact]"

_DOUBLING = tuple(500 * 2**i for i in range(11))
_SHORT = {
    "quick": (500, 2000, 4000, 6000, 8000, 12_000, 16_000),
    "standard": (500, 2000, 8000, 12_000, 16_000, 24_000, 32_000, 64_000),
    "deep": _DOUBLING[:10],
}
LONG = {
    "quick": (4000, 16_000, 24_000, 32_000, 48_000, 64_000),
    "standard": (4000, 16_000, 32_000, 48_000, 64_000, 128_000, 256_000),
    "deep": _DOUBLING[3:],
}
EARLY = {
    "quick": (1000, 4000, 6000, 8000, 12_000, 16_000, 32_000),
    "standard": (1000, 4000, 12_000, 16_000, 24_000, 32_000, 64_000, 128_000),
    "deep": _DOUBLING[1:],
}

Bound = Callable[[Public, float, float], float]
"""A formula in (public, T, scale)."""


def _steps(public: Public, scale: float, T: float) -> float:
    """Every gap is at most 1."""
    return T


_OPTIMISATION = Horizon(lambda public, scale, T: constants.regret_bound(public, T, 0.0, failure=0.0), _steps, unit="T")
_EPOCHS = Horizon(lambda public, scale, T: constants.expected_epochs(public, T), _steps, unit="T")


def optimisation_scaling(family: str) -> tuple[ScalingClaim, ...]:
    """Theorem 4.1 without bonuses: what is left is the optimisation error."""
    return (
        ScalingClaim(
            "optimisation-growth",
            discounted_scaling.discounted_regret,
            source="Theorem 4.1",
            theorem="Theorem 4.1: regret by bonuses",
            clause="T4.1",
            statement="with the exact model and no bonus, R_T = O(√T)",
            regimes=(EXACT,),
            family=family,
            rate=Rate("√T", 0.5),
            quantity="regret, exact model",
            unit="reward",
            sizes=_SHORT,
            alternative="no-accumulation",
            alternative_sizes=_DOUBLING[1:5],
            horizon=_OPTIMISATION,
            remark="the rate needs about 6 H⁴/Δ² steps, Δ the gap of the action values, to show: hence gamma = 1/2",
            follows=("regret-expectation",),
        ),
    )


def horizon_scaling(family: str) -> tuple[ScalingClaim, ...]:
    """Theorem 4.1 without bonuses, in the effective horizon."""
    return (
        ScalingClaim(
            "optimisation-horizon",
            discounted_scaling.discounted_regret,
            source="Theorem 4.1",
            theorem="Theorem 4.1: regret by bonuses",
            clause="T4.1",
            statement="with the exact model and no bonus, R_T = O(H²) in H = 1/(1−γ)",
            regimes=(EXACT,),
            family=family,
            rate=Rate("H²", 2.0),
            quantity="regret, exact model",
            unit="reward",
            sizes={"standard": (2, 3, 4, 6, 8, 12)},
            tier="standard",
            burn_in=BurnIn.none("the claim is about every horizon"),
            alternative="no-accumulation",
            horizon=Horizon(
                lambda public, scale, H: constants.regret_bound(public, public.T, 0.0, failure=0.0),
                lambda public, scale, H: float(public.T),
                unit="H",
            ),
            remark="the rate shows after about 6 H⁴/Δ² steps only; before, regret is near the largest possible, whoever plays, "
            "and with so many steps at each H it grows like H⁴, whoever plays: no ladder in H has power",
            follows=("regret-expectation",),
        ),
    )


def epochs_scaling(family: str) -> tuple[ScalingClaim, ...]:
    """Section 3."""
    return (
        ScalingClaim(
            "epochs-growth",
            discounted_scaling.epochs,
            source="§3, §4.3",
            theorem="§3: epochs",
            clause="EK",
            statement="E K(T) = 1 + (1−γ)(T−1), linear in T",
            status=Status.CORRECTED,
            why="printed as (1−γ)T",
            regimes=(EXACT,),
            family=family,
            rate=Rate("T", 1.0),
            quantity="epochs",
            sizes=_SHORT,
            burn_in=BurnIn.none("the mean is known for every T"),
            horizon=_EPOCHS,
            remark="each epoch takes a step at least, so nothing can grow faster than T; the level is for `verifier check`",
            follows=("epochs-expectation",),
        ),
    )


def regret_scaling(
    family: str, bound: Bound, rate: Rate, regime: str, source: str, sizes: dict[str, tuple[int, ...]]
) -> tuple[ScalingClaim, ...]:
    """Regret where exploration matters, before the explicit bound is below the trivial one, and from where it does."""
    horizon = Horizon(lambda public, scale, T: bound(public, T, scale), _steps, unit="T")
    regret = partial(
        ScalingClaim,
        property=discounted_scaling.discounted_regret,
        source=source,
        theorem=f"{source}: regret",
        clause="T5",
        statement=f"R_T = O({rate.label})",
        family=family,
        rate=rate,
        quantity="regret",
        unit="reward",
        horizon=horizon,
        follows=("regret",),
    )
    return (
        regret(
            "regret-growth",
            status=Status.OURS,
            regimes=(regime,),
            sizes=sizes,
            alternative="greedy",
            remark="long before the explicit bound is below the trivial one; without the bonus alone RAVI-UCB still explores: it "
            "begins at random, and turns away slowly. No rate here has power against that",
        ),
        regret(
            "regret-growth-published",
            regimes=("published",),
            sizes={"quick": _DOUBLING[1:6:2]},
            burn_in=BurnIn.until_bounded(horizon),
        ),
    )
