"""The claims of MOSS."""

from __future__ import annotations

from dataclasses import replace

from verifier import Claim, Clause, Status
from verifier_bandits.shared import formulas
from verifier_bandits.shared.claims import assumption_claims, index_claims, index_clauses, optimism_claims

WRITTEN = "elementary, and not called as printed: the text of the paper was not at hand, and its proof peels instead"


def _optimism_claims() -> tuple[Claim, ...]:
    """Statements that need nothing but that the bonuses cover the errors."""
    return tuple(
        replace(claim, status=Status.OURS, theorem="While the bonuses cover the errors", source="MOSS", why=WRITTEN)
        for claim in optimism_claims(formulas.MINIMAX, "MOSS")
    )


CLAIMS = (
    *assumption_claims("§1"),
    *index_claims(formulas.MINIMAX, "MOSS", "b = √(max(ln(K/(AN)), 0) / N)"),
    *_optimism_claims(),
)
CLAUSES = (
    *index_clauses("MOSS"),
    Clause("NEAR", "MOSS", "what follows while the bonuses cover the errors"),
    Clause("PEEL", "MOSS", "how far means are from the truth, by peeling",
        "a step of the proof, whose text was not at hand; bonuses are 0 of arms that were played often"),
    Clause("REGRET", "regret of MOSS", "regret of order √(AK) whatever the gaps are",
        "the text of the paper was not at hand, and its constant is not quoted from memory"),
    Clause("RATE", "regret of MOSS", "regret grows like √(AK)", "a rate: measured by `verifier scale`"),
)  # fmt: skip
