"""The claims of flat UCBVI-CH: that it is the special case it is meant to be."""

from __future__ import annotations

from verifier import PSEUDO_CODE, Claim, Clause, Kind
from verifier_fmdp.shared.replay_claims import REPLAYED, assumption_claims, play_claims, width_claims
from verifier_properties.factored import flat


def formula_claims() -> tuple[Claim, ...]:
    """Claims on the values of the flat algorithm."""
    return (
        Claim("q-formula", flat.q_formula, source="Algorithm 2, n = m = d = 1", theorem=REPLAYED, clause="FLAT",
            statement="Q_h = min(H, R̂ + √(2L/N) + √(2H²L/N) + P̂V_{h+1}), H where N = 0, L = ln(18TSA/δ)", kind=Kind.IDENTITY,
            follows=(PSEUDO_CODE, "width-target")),
    )  # fmt: skip


CLAIMS = (*assumption_claims(), *width_claims(), *formula_claims(), *play_claims("Algorithm 2"))
CLAUSES = (
    Clause("MDP", "§2", "factored MDP, of which pairs, states and mean rewards are seen"),
    Clause("BONUS", "Algorithm 2", "the bonus"),
    Clause("FLAT", "Appendix B", "with one factor FMDP-CH is UCBVI-CH"),
    Clause("PLAY", "Algorithm 2", "greedy play, one plan for each episode"),
    Clause("THEORY", "Theorem 5", "events, optimism and regret with one factor",
        "claimed of FMDP-CH, on problems with one factor too"),
)  # fmt: skip
