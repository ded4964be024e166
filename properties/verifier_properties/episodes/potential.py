"""Elliptical potential lemmas and determinant inequalities, of the Gram matrices the algorithm reports.

With the harness's own Gram matrices these are theorems about any sequence of features and no implementation could break
them; so the norms are taken under the matrices of the plan in force, as the algorithm yielded them. `staleness` is what a
plan's matrices may lag behind: 1 when the algorithm plans in every episode, e when it replans once log det has grown by 1.
`features` says whether the matrices are those of phi or of psi, and which field of a plan has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_properties.any_setting import least_squares
from verifier_settings import rounding
from verifier_settings.phases import LinearRun
from verifier_settings.regression import Regression

TOPIC = "Potential"


@dataclass(frozen=True)
class Features:
    """Features of a Gram matrix; `needs` has the optional field of plans that holds it."""

    psi: bool
    needs: tuple[str, ...] = ()

    def dimension(self, public: Any) -> int:
        """Dimension of the features, d or d'."""
        return int(public.dp if self.psi else public.d)

    @property
    def regression(self) -> tuple[Callable[[Any], Regression], tuple[str, ...]]:
        """The regression, and the plan fields it reads."""
        return least_squares.of_psi if self.psi else least_squares.main, self.needs

    def log_det_growth(self, view: Any) -> Array:
        """(H,) over the run."""
        return np.asarray(view.psi_log_det[-1] - view.psi_log_det[0] if self.psi else view.log_det_growth)

    def reported(self, view: Any) -> Array:
        """(K, H), under the reported matrices in force."""
        return np.asarray(view.series.reported_psi_bonus if self.psi else view.series.reported_bonus)

    def norm(self, view: Any) -> Array:
        """(K, H), under the current matrices."""
        return np.asarray(view.psi_norm if self.psi else view.norm)


PHI, PSI = Features(psi=False), Features(psi=True, needs=("psi_gram",))
"""Features of the lifelong setting, whose plans have the Gram matrices of phi unless they have those of psi."""

REPORTED = Features(psi=False, needs=("gram",))
"""phi, where a plan need not have Gram matrices."""


def _bonus_rounding(view: LinearRun[Any, Any], features: Features) -> float:
    """Rounding of one bonus norm; the errors of a solve grow with the square of the dimension."""
    ratio = features.dimension(view.public) / view.public.d
    return float(ratio**2 * rounding.bonus(view.public.phi, view.public.ridge, view.public.K))


def _dimension(features: Features) -> Quantity:
    """The dimension of the features, d or d'."""
    return Quantity(lambda view: features.dimension(view.public), "dim", "", "d′" if features.psi else "d")


def _twice(staleness: float) -> Quantity:
    """The staleness times two: 2, or 2e."""
    return Quantity(lambda view: 2 * staleness, "twice", "", "2e" if staleness == np.e else f"{2 * staleness:g}")


def potential(staleness: float, features: Features = PHI) -> Property:
    """sum_k min(1, ||phi_h^k||^2) under the matrices in force against 2 staleness log(det Lambda^{K+1} / det Lambda^1)."""

    def of_total(view: LinearRun[Any, Any]) -> float:
        K, d, ridge = view.public.K, view.public.d, view.public.ridge
        return float(K * (rounding.log_det(d, ridge, K) + 2 * _bonus_rounding(view, features)))

    total = Quantity(
        lambda view: np.minimum(1.0, features.reported(view) ** 2).sum(axis=0),
        "total", "h", "Σ_k min(1, ‖φ_h^k‖²)", 0.0, "K", of_total,
    )  # fmt: skip
    growth = Quantity(features.log_det_growth, "growth", "h", "ln(det Λ_h^{K+1} / det Λ_h^1)")
    found: Property = at_most(
        "total", "twice * growth", on=LinearRun, scope="run", local=(total, growth, _twice(staleness)), needs=features.needs,
        name="potential", topic=TOPIC,
        description=(
            "Squared bonus norms at the visited pairs, under the Gram matrices the algorithm reports; log det from the "
            "transcript."
        ),
    )  # fmt: skip
    return replace(found, looks_back=False)


def sum_of_norms(staleness: float, features: Features = PHI) -> Property:
    """sum_k ||phi_h^k|| under the matrices in force against sqrt(staleness) sqrt(2 d K log(1 + K/(d lambda))), lambda >= 1."""
    total = Quantity(
        lambda view: features.reported(view).sum(axis=0),
        "total", "h", "Σ_k ‖φ_h^k‖", 0.0, lambda view: view.public.K / np.sqrt(view.public.ridge),
        lambda view: view.public.K * _bonus_rounding(view, features),
    )  # fmt: skip
    found: Property = at_most(
        "total", lambda twice, dim, K, ridge: np.sqrt(twice * dim * K * np.log(1 + K / (dim * ridge))), where="ridge >= 1",
        on=LinearRun, scope="run", local=(total, _dimension(features), _twice(staleness)), needs=features.needs,
        name="sum-of-norms", topic=TOPIC,
        description="Bonus norms at the visited pairs, under the Gram matrices the algorithm reports.",
    )  # fmt: skip
    return replace(found, looks_back=False)


def stale_norm(features: Features = PHI) -> Property:
    """The squared bonus norm at a visited pair under the reported matrix in force against e times that under the current one."""
    squared = Quantity(
        lambda view: features.reported(view) ** 2,
        "squared", "episode h", "‖φ_h^k‖² in force", 0.0, lambda view: 1.0 / view.public.ridge,
        lambda view: 8 * _bonus_rounding(view, features),
    )  # fmt: skip
    found: Property = at_most(
        "squared", "e * norm**2", on=LinearRun, scope="run", needs=features.needs, name="stale-norm", topic=TOPIC,
        local=(squared, Quantity(features.norm, "norm", "episode h", "‖φ_h^k‖"), Quantity(lambda view: np.e, "e", "")),
        description="Bonus norms under the matrices in force, as reported, and under the current ones, from the transcript.",
    )  # fmt: skip
    return replace(found, looks_back=False)
