"""Claims about both Gram matrices and the weights in them."""

from __future__ import annotations

from functools import partial

from verifier import Claim, Kind, Status
from verifier_lsvi_rfe.shared import constants
from verifier_lsvi_rfe.shared.premises import LOST
from verifier_properties.reward_free import matrices


def matrix_claims() -> tuple[Claim, ...]:
    """Order and ranges at every plan, then sums over the run."""
    always = partial(Claim, theorem="Gram matrices and weights", kind=Kind.ALWAYS)
    return (
        always("gram-order", matrices.gram_order, source="section 5", clause="GRAM", statement="λI ≤ Λ̂_k ≤ Λ̂_{k+1}",
            follows=("gram", "weight")),
        always("variance-gram-order", matrices.variance_gram_order, source="section 5", clause="GRAM",
            statement="λI ≤ Λ̃_k ≤ Λ̃_{k+1}", follows=("variance-gram", "variance")),
        always("norm-order", matrices.norm_order, source="section 5", clause="GRAM",
            statement="‖φ‖ under Λ̂_{k+1}⁻¹ ≤ under Λ̂_k⁻¹", follows=("gram-order",)),
        always("gram-above", matrices.gram_ratio(True), source="Lemma A.8", clause="A.8", statement="d³Λ̂ ≥ Λ̃",
            follows=("gram", "variance-gram", "weight-range")),
        always("gram-below", matrices.gram_ratio(False), source="Lemma A.8", clause="A.8", statement="Λ̃ ≥ Λ̂",
            status=Status.OURS, follows=("gram", "variance-gram", "weight-range")),
        always("threshold", matrices.threshold, source="Lemma A.9", clause="A.9", statement="min(‖φ/σ̂‖_{Λ̂⁻¹}, 1)/σ̂ ≤ 1/√(Hd³)",
            assumes=("feature-norms",), follows=("enlarged", "weight", "gram-above")),
        always("variance-range", matrices.variance_range, source="Algorithm 1, lines 16 and 17", clause="RANGE",
            statement="H ≤ σ̃² ≤ d²H", follows=("variance", "spread-range")),
        always("weight-range", matrices.weight_range, source="Algorithm 1, lines 19 to 24", clause="RANGE",
            statement="σ̃² ≤ σ̂² ≤ max(σ̃², Hd³)", follows=("weight", "variance-range")),
        always("spread-range", matrices.spread_range, source="Algorithm 1, line 16", clause="RANGE", statement="W ≤ H²",
            follows=("spread",)),
        always("value-cap", matrices.value_cap, source="Algorithm 1", clause="RANGE", statement="V_{k,h} ≤ H",
            follows=("value-function",)),
        always("potential", matrices.potential(constants.information), source="Lemma C.6", clause="C.6",
            assumes=("feature-norms",), statement="Σ_{i≤k} min(1, ‖φ/σ̂‖²_{Λ̂_i⁻¹}) ≤ 2d log(1 + k/(λHd)) for every k",
            follows=("gram", "weight-range", "plans-every-episode")),
        always("enlarged-steps", matrices.enlarged_steps(constants.enlarged_steps), source="Lemma C.7", clause="C.7",
            statement="σ̄² = Hd³ at most 3d/log(1+d⁻⁶) log(1 + 1/(Hλ log(1+d⁻⁶))) times at a step", status=Status.OURS,
            why=f"{LOST}; the proof of Lemma A.19 has it with d/(Hλ log(1+d⁻⁶)), which is larger", assumes=("feature-norms",),
            follows=("enlarged", "variance-gram", "variance-range")),
        always("enlarged-steps-sharp", matrices.enlarged_steps(constants.enlarged_steps_sharp), source="Lemma C.7", clause="C.7",
            statement="... at most n times, n log(1+d⁻⁶) ≤ d log(1 + n/(Hdλ))", status=Status.OURS, assumes=("feature-norms",),
            follows=("enlarged", "variance-gram", "variance-range")),
        always("enlarged-sum", matrices.enlarged_sum, source="Lemma A.19, proof", clause="A.19",
            statement="Σ σ̄² ≤ HT + Hd³ · (number of enlarged weights)", follows=("enlarged", "weight")),
        always("determinant", matrices.determinant, source="Lemma C.6, proof", clause="DET", kind=Kind.IDENTITY,
            statement="log det Λ̂_{K+1} − d log λ = Σ_k log(1 + ‖φ/σ̂‖²_{Λ̂_k⁻¹})",
            follows=("gram", "weight", "plans-every-episode")),
    )  # fmt: skip
