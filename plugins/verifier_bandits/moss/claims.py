"""The claims of MOSS."""

from __future__ import annotations

from verifier import Clause
from verifier_bandits.shared import formulas
from verifier_bandits.shared.claims import assumption_claims, index_claims, index_clauses

CLAIMS = (
    *assumption_claims("§1"),
    *index_claims(formulas.MINIMAX, "MOSS", "b = √(max(ln(K/(AN)), 0) / N)"),
)
CLAUSES = (
    *index_clauses("MOSS"),
    Clause("NEAR", "MOSS", "how far means are from the truth, by peeling",
        "a step of the proof, whose text was not at hand; bonuses are 0 of arms that were played often"),
    Clause("REGRET", "regret of MOSS", "regret of order √(AK) whatever the gaps are",
        "the text of the paper was not at hand, and its constant is not quoted from memory"),
)  # fmt: skip
