"""Elliptical potential lemmas and determinant inequalities, of the Gram matrices the algorithm reports.

With the harness's own Gram matrices these are theorems about any sequence of features and no implementation could break
them; so the norms are taken under the matrices of the plan in force, as the algorithm yielded them. `staleness` is what a
plan's matrices may lag behind: 1 when the algorithm plans in every episode, e when it replans once log det has grown by 1.
`features` says whether the matrices are those of phi or of psi, and which field of a plan has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.model.inequality import Inequality
from verifier.model.property import Property
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


def _steps(view: LinearRun[Any, Any]) -> dict[str, Any]:
    return {"h": view.labels["h"]}


def potential(staleness: float, features: Features = PHI) -> Property:
    """sum_k min(1, ||phi_h^k||^2) under the matrices in force against 2 staleness log(det Lambda^{K+1} / det Lambda^1)."""

    def evaluate(view: LinearRun[Any, Any]) -> Inequality:
        total = np.minimum(1.0, features.reported(view) ** 2).sum(axis=0)
        K = view.public.K
        tolerance = K * (rounding.log_det(view.public.d, view.public.ridge, K) + 2 * _bonus_rounding(view, features))
        bound = 2 * staleness * features.log_det_growth(view)
        return Inequality(total, bound, ("h",), trivial=float(K), tolerance=tolerance, labels=_steps(view))

    description = (
        "Squared bonus norms at the visited pairs, under the Gram matrices the algorithm reports; log det from the transcript."
    )
    return Property("potential", "run", evaluate, frozenset(features.needs), description, looks_back=False)


def sum_of_norms(staleness: float, features: Features = PHI) -> Property:
    """sum_k ||phi_h^k|| under the matrices in force against sqrt(staleness) sqrt(2 d K log(1 + K/(d lambda))), lambda >= 1."""

    def evaluate(view: LinearRun[Any, Any]) -> Inequality:
        K, d, ridge = view.public.K, features.dimension(view.public), view.public.ridge
        return Inequality(
            features.reported(view).sum(axis=0),
            np.sqrt(staleness * 2 * d * K * np.log1p(K / (d * ridge))),
            ("h",),
            trivial=K / np.sqrt(ridge),
            tolerance=K * _bonus_rounding(view, features),
            labels=_steps(view),
            premise=ridge >= 1,
        )

    description = "Bonus norms at the visited pairs, under the Gram matrices the algorithm reports."
    return Property("sum-of-norms", "run", evaluate, frozenset(features.needs), description, looks_back=False)


def stale_norm(features: Features = PHI) -> Property:
    """The squared bonus norm at a visited pair under the reported matrix in force against e times that under the current one."""

    def evaluate(view: LinearRun[Any, Any]) -> Inequality:
        return Inequality(
            features.reported(view) ** 2,
            np.e * features.norm(view) ** 2,
            ("episode", "h"),
            trivial=1.0 / view.public.ridge,
            tolerance=8 * _bonus_rounding(view, features),
            labels=view.labels,
        )

    description = "Bonus norms under the matrices in force, as reported, and under the current ones, from the transcript."
    return Property("stale-norm", "run", evaluate, frozenset(features.needs), description, looks_back=False)
