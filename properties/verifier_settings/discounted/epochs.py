"""The view on a batch of epochs: what was planned and played, what of it exceeds rounding, and evidence against laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array, BoolArray, cached_property
from verifier.formulas.quantity import quantity, reports
from verifier.formulas.scope import altered
from verifier_settings.discounted import laws, tolerances
from verifier_settings.discounted.models import Counting, MixtureEstimates, MixtureRegression, Steps
from verifier_settings.discounted.played import PlayedEpochs
from verifier_settings.discounted.policies import log, log_mass
from verifier_settings.elliptical import bonus as elliptical_norm

SUMS = (
    "rounding", "lengths", "eta", "gap", "optimism", "deviation", "residual", "V", "previous_Q",
    "invalid", "pessimistic", "pessimistic_on_optimal", "excessive", "regret",
    "played_bonus", "weighted_bonus", "met_bonus", "met_norm", "action", "bonus_drift",
)  # fmt: skip
"""Per-epoch series whose running sums statements about every prefix of the run need."""

MIXTURE_SUMS = ("potential", "bad", "chain")
"""Sums of algorithms that regress."""


def _estimate_of_reports(view: Epochs) -> Array | None:
    """(p, X, A) <theta_k, phi_k> of the theta_k that plans report."""
    if not reports(view, "theta"):
        return None
    return np.matmul(view.mixture.phi, view.plans["theta"][..., None]).reshape(view.Q.shape)


def _norm_of_reports(view: Epochs) -> Array | None:
    """(p, X, A) the norm by the Lambda_k that plans report."""
    return view.reported_norm.reshape(view.Q.shape) if reports(view, "gram") else None


@dataclass(eq=False, kw_only=True)
class Epochs(PlayedEpochs):
    """A batch of epochs, with what the harness derives from them (lazily, once)."""

    plan_axis: ClassVar[str] = "epoch"
    plan_axes: ClassVar[Mapping[str, str]] = {"visits": "x a", "gram": "i j", "theta": "i"}
    """Axes of the fields that plans may have."""

    # Quantities ---------------------------------------------------------------------------------------------------

    @quantity("r", "x a", low=0.0, high=1.0)
    def reward(self) -> Array:
        """(X, A) the rewards."""
        return self.public.reward

    @quantity("k", "epoch")
    def index(self) -> Array:
        """(p,) the number of each epoch."""
        return self.number.astype(float)

    @quantity("w", "epoch", symbol="β", low=0.0, high=np.inf)
    def handed_width(self) -> Array:
        """(p,) the widths that the harness handed out; NaN where the regime replaced what is made of them."""
        return self.width

    @quantity("eta", "epoch", symbol="η", low=0.0, high=np.inf)
    def rate(self) -> Array:
        """(p,) the learning rates."""
        return self.eta

    @quantity("V", "epoch x", symbol="V_k", low=-np.inf, high=np.inf, rounding=tolerances.value)
    def values(self) -> Array:
        """(p, X) V_k, with the rounding of a planning step."""
        return self.V

    @quantity("Q_k", "epoch x a")
    def Q_before(self) -> Array:
        """(p, X, A) Q_k of the plan before."""
        return self.previous_Q

    @quantity("pi_0", "x a", symbol="π_0", low=0.0, high=1.0)
    def first_policy(self) -> Array:
        """Policy pi_0, shape (X, A)."""
        return self.public.initial_policy

    @quantity("log_pi_before", "epoch x a", symbol="log π_{k−1}")
    def log_before(self) -> Array:
        """(p, X, A) log pi_{k-1} of the plan before."""
        return self.previous_log_policy

    @quantity("lse", "epoch x", symbol="log Σ_a π_{k−1} exp(ηQ_k)")
    def log_sum(self) -> Array:
        """(p, X) log sum_a pi_{k-1} exp(eta Q_k)."""
        return log_mass(self.previous_log_policy + self.eta[:, None, None] * self.previous_Q)[..., 0]

    @quantity("Q_max", "epoch x", symbol="max_a Q_k")
    def largest(self) -> Array:
        """(p, X) max_a Q_k."""
        return self.previous_Q.max(axis=2)

    @quantity("pi_Q", "epoch x", symbol="⟨π_k, Q_k⟩")
    def mean_value(self) -> Array:
        """Means <pi_k, Q_k>, shape (p, X)."""
        return (self.policy * self.previous_Q).sum(axis=2)

    @quantity("PV", "epoch x a", symbol="PV_k", low=0.0, high="H", rounding=tolerances.backup)
    def expected(self) -> Array:
        """Expected values P V_k, shape (p, X, A)."""
        return self.PV

    @quantity("slack", "epoch", symbol="ε", low=0.0)
    def backup_rounding(self) -> Array:
        """(p,) rounding of a backup, within which eq. (2) is taken to hold."""
        return self.once(tolerances.backup)

    @quantity("N", "epoch x a", symbol="N_k", low=1.0, high=np.inf, reported="visits")
    def visits(self) -> Array:
        """(p, X, A) N_k, the phantom visit included."""
        return self.counting.visits

    @quantity(
        "NV",
        "epoch x a",
        symbol="Σ_x′ N′_k V_k",
        rounding=lambda view: view.once(tolerances.estimate) * view.counting.visits,
        reported=lambda view: None,  # no plan reports what was counted
    )
    def counted_values(self) -> Array:
        """(p, X, A) sum of V_k over the states that followed."""
        return self.counting.total

    @quantity("theta_hat", "epoch i", symbol="Λ_k⁻¹ Σ φV", rounding=tolerances.parameter,
              careful=lambda view: tolerances.parameter(view, updated=False))  # fmt: skip
    def parameter(self) -> Array:
        """(p, d) theta_k, by a batch solve."""
        return self.mixture.theta

    @quantity("PV_hat", "epoch x a", symbol="⟨θ_k, φ_k⟩", rounding=tolerances.estimate, reported=_estimate_of_reports,
              careful=lambda view: tolerances.estimate(view, updated=False))  # fmt: skip
    def own_estimate(self) -> Array:
        """(p, X, A) <theta_k, phi_k>."""
        return self.mixture.mean

    @quantity("norm", "epoch x a", symbol="‖φ_k‖_{Λ_k⁻¹}", low=0.0, rounding=tolerances.norm, reported=_norm_of_reports,
              careful=lambda view: tolerances.norm(view, updated=False))  # fmt: skip
    def own_norm(self) -> Array:
        """(p, X, A) ||phi_k|| in the norm of Lambda_k^{-1}."""
        return self.mixture.norm

    @quantity("gram_norm", "epoch x a", symbol="‖φ_k‖_{Λ_k}")
    def norm_of_gram(self) -> Array:
        """(p, X, A) ||phi_k|| in the norm of Lambda_k."""
        return elliptical_norm(self.mixture.phi, self.mixture.gram).reshape(self.Q.shape)

    @property
    def altered(self) -> dict[str, Callable[[], Epochs]]:
        """Views like this one on data that are off in a way that agents get wrong, by what is said of them."""

        def weighted(log_weights: Array) -> Epochs:
            found: Epochs = altered(self, previous_log_policy=np.broadcast_to(log_weights, self.log_policy.shape))
            return found

        A = self.public.A
        of_policies = {
            "with π_0 for π_{k−1}": lambda: weighted(log(self.public.initial_policy)),
            "with π_k for π_{k−1}": lambda: weighted(self.log_policy),
            "with the uniform policy for π_{k−1}": lambda: weighted(np.full((1, 1, A), -np.log(A))),
            "without the weights π_{k−1}": lambda: weighted(np.zeros((1, 1, A))),
        }
        return of_policies | self._other_data()

    def _other_data(self) -> dict[str, Callable[[], Epochs]]:
        """Views with other estimates, of other steps where the batch is the first: all steps are at hand there."""
        estimates, steps = self.estimates, self.steps
        found: dict[str, Callable[[], Epochs]] = {}
        if isinstance(estimates, MixtureEstimates):
            before = np.concatenate([np.full((1, *estimates.phi.shape[1:]), np.nan), estimates.phi[:-1]])
            found["with the features of the epoch before"] = lambda: altered(self, estimates=replace(estimates, phi=before))
        else:
            shared = self.V.mean(axis=1)[:, None, None]
            found["with a uniform successor of the phantom visit"] = lambda: altered(
                self, counted_values=self.counting.total + shared
            )
        if self.first > 1:
            return found

        def of(which: Any, successors: Any = steps.successors, targets: Array | None = None) -> Epochs:
            model = (MixtureRegression if isinstance(estimates, MixtureEstimates) else Counting).start(self.public)
            given = Steps(steps.rows[which], successors[which], steps.epoch[which], steps.V, targets)
            other: Epochs = altered(self, estimates=model.estimates(given))
            return other

        first = np.diff(steps.epoch, prepend=-1) > 0
        left = steps.rows // self.public.A
        reset = np.where(np.append(first[1:], False), np.append(left[1:], steps.successors[-1]), steps.successors)
        met = np.unique(steps.epoch * self.public.X * self.public.A + steps.rows, return_index=True)[1]
        return found | {
            "without the last step of each epoch": lambda: of(np.flatnonzero(~np.append(first[1:], False))),
            "of the first step of each epoch alone": lambda: of(first),
            "of the first visit to each pair in an epoch alone": lambda: of(np.sort(met)),
            "with every step counted twice": lambda: of(np.repeat(np.arange(len(first)), 2)),
            "with V at the state that is left": lambda: of(slice(None), left),
            "with V_{k−1} for V_k": lambda: of(slice(None), targets=np.concatenate([steps.V[:1], steps.V[:-1]])),
            "with V after the reset at the end of an epoch": lambda: of(slice(None), reset),
        }

    # Sums over the run --------------------------------------------------------------------------------------------

    def after(self) -> dict[str, Any]:
        """Sums up to the end of the batch, the `before` of the next one."""
        regresses = isinstance(self.estimates, MixtureEstimates)
        return {name: self.total(name)[-1] for name in SUMS + MIXTURE_SUMS * regresses}

    rounding = cached_property(tolerances.average)
    """(p,) what a statement about one epoch may be off by."""

    # Comparisons --------------------------------------------------------------------------------------------------

    @cached_property
    def valid(self) -> BoolArray:
        """(p, X, A) eq. (2): g |P V_k - est_k| <= CB_k, up to rounding."""
        return np.asarray(self.error <= self.bonus + self.once(tolerances.backup)[:, None, None])

    @cached_property
    def invalid(self) -> Array:
        """(p,) how many pairs break eq. (2)."""
        return (~self.valid).sum(axis=(1, 2)).astype(float)

    @cached_property
    def _low(self) -> BoolArray:
        return self.optimism_residual < -self.once(tolerances.backup)[:, None, None]

    @cached_property
    def pessimistic(self) -> Array:
        """(p,) how many pairs have res_k < 0."""
        return self._low.sum(axis=(1, 2)).astype(float)

    @cached_property
    def pessimistic_on_optimal(self) -> Array:
        """(p,) how many of them are on the support of mu*."""
        return (self._low & (self.instance.optimal_occupancy > 0)).sum(axis=(1, 2)).astype(float)

    @cached_property
    def excessive(self) -> Array:
        """(p,) how many pairs have res_k > 2 CB_k."""
        high = self.optimism_residual > 2 * self.bonus + self.once(tolerances.backup)[:, None, None]
        return high.sum(axis=(1, 2)).astype(float)

    # Evidence -----------------------------------------------------------------------------------------------------

    # what `laws` adds up
    action = cached_property(laws.action)
    bonus_drift = cached_property(laws.bonus_drift)
