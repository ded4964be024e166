"""Claims about values in exploration, and their sums over the run."""

from __future__ import annotations

from functools import partial

from verifier import Claim, Kind, Status
from verifier_lsvi_rfe.shared import constants
from verifier_lsvi_rfe.shared.horizons import (
    backup_horizon,
    sum_horizon,
    value_horizon,
    weight_horizon,
)
from verifier_lsvi_rfe.shared.premises import ADAPTED, DRAWN, EVENT, LARGE, LARGER, LINEAR_MDP, LOST, MEASURED, THROUGHOUT
from verifier_properties.reward_free import exploration
from verifier_settings.reward_free import Run


def value_claims() -> tuple[Claim, ...]:
    """Lemmas A.7, A.10 and A.17: values of exploration."""
    given = partial(
        Claim,
        theorem="Values in exploration",
        kind=Kind.GIVEN,
        given=EVENT,
        assumes=LINEAR_MDP,
        horizon=value_horizon(constants.exploration_radius, 3),
    )
    return (
        given("exploration-optimism", exploration.optimism, source="Lemma A.7", clause="A.7",
            statement="V_{k,h}(s) ≥ Ṽ_h(s; r_k) ≥ 0, Ṽ cut at H", follows=("pointwise-error", "q-formula", "value-function")),
        given("twofold-optimism", exploration.twofold_optimism, source="Lemma A.7, proof", clause="A.7", status=Status.OURS,
            statement="V_{k,h}(s) ≥ Ṽ_h(s; 2β_E‖φ‖), Ṽ cut at H",
            why="stated with r_k = β_E‖φ‖; the induction has the other half of the bonus to spare",
            follows=("pointwise-error", "q-formula", "value-function")),
        given("variance-bound", exploration.variance_bound, source="Lemma A.10", clause="A.10",
            statement="Var_{P_h}(V − V*_{h+1})(s_h^k, a_h^k) ≤ W_{k,h} for every V with V*−ζ ≤ V ≤ V_{k,h+1}+V*+ζ, every V*",
            follows=("pointwise-error", "exploration-optimism", "spread")),
        given("simulation-lemma", exploration.from_above, source="Lemma A.17", clause="A.17", status=Status.CORRECTED,
            statement="V_{k,h}(s) ≤ min(H, E Σ_{i≥h} min(4β_E‖φ‖, H)) under π_k", why="printed with the mean of a minimum",
            follows=("one-step-bound", "greedy")),
        Claim("one-step-bound", exploration.one_step, source="Lemma A.17, proof", theorem="Values in exploration", clause="A.17",
            kind=Kind.ALWAYS, assumes=LINEAR_MDP, status=Status.OURS, horizon=value_horizon(constants.exploration_radius, 3),
            statement="V_{k,h}(s) ≤ min(H, (3β_E + e)‖φ‖ + P_h V_{k,h+1}), e the realised error",
            follows=("regression", "q-formula", "value-function")),
    )  # fmt: skip


def sum_claims() -> tuple[Claim, ...]:
    """Lemmas A.18 to A.21."""
    claim = partial(Claim, theorem="Sums over the run", kind=Kind.PROBABILITY, assumes=LINEAR_MDP, regimes=MEASURED)
    return (
        claim("sum-of-backups", exploration.sum_of_backups, source="Lemma A.18", clause="A.18", failure_probability=2.0,
            any_width=ADAPTED, statement="Σ P_h V_{k,h+1} ≤ 4Hβ_E √(Σσ̂²) √(Σ min(‖φ/σ̂‖², 1)) + (H²+H)√(2T log(H/δ))",
            given=THROUGHOUT, status=Status.CORRECTED, why=f"printed with φ for φ/σ̂; {LARGE}", horizon=backup_horizon(),
            follows=("simulation-lemma", "value-cap", "plays-policy", "foresight")),
        claim("sum-of-weights", exploration.sum_of_weights(_weights), source="Lemma A.19", clause="A.19", failure_probability=2.0,
            any_width=ADAPTED, statement="Σσ̂² ≤ 2HT + 12H³d¹⁰ log(1+2d⁷/(λH)) + ... + 8d⁵H(1+2H)²β_E² log(1+K/(Hdλ))",
            given=THROUGHOUT, status=Status.CORRECTED, why=f"printed with d⁹, where the proof gives d¹⁰; {LARGER}",
            horizon=weight_horizon(),
            follows=("weight", "variance", "spread", "sum-of-backups", "enlarged-sum", "enlarged-steps", "potential")),
        claim("sum-of-values", exploration.sum_of_values(_values), source="Lemma A.20", clause="A.20", failure_probability=1.0,
            any_width=ADAPTED, statement="Σ_k V_{k,1}(s_1^k) ≤ 4β_E √(Σσ̂²) √(2Hd log(1+K/(λHd))) + H√(2T log(1/δ))",
            given=THROUGHOUT, status=Status.OURS, horizon=sum_horizon(),
            why=f"{LOST}: the constants of its proof, with T in the last root, as Lemma A.17 is corrected; {LARGE}",
            follows=("simulation-lemma", "potential", "value-cap", "plays-policy", "foresight")),
        claim("first-states", exploration.first_states, source="Lemma A.21", clause="A.21", failure_probability=1.0,
            any_width=DRAWN, statement="Σ_k (E Ṽ_1(s; r_k) − Ṽ_1(s_1^k; r_k)) ≤ H√(2K log(1/δ))", status=Status.OURS,
            why=f"{LOST}: Lemma C.3 for its K differences, each at most H", follows=("reward", "plans-before-start")),
    )  # fmt: skip


def _weights(view: Run) -> float:
    return constants.weight_sum(view.public, float(view.series.width.max()))


def _values(view: Run) -> float:
    return constants.exploration_sum(view.public, float(view.series.width.max()), float(view.series.weight.sum()))
