"""The claims of UCB1, one per checkable clause of the paper."""

from __future__ import annotations

from functools import partial

from verifier import Claim, Clause, Kind, Status
from verifier_bandits.shared import formulas
from verifier_bandits.shared.claims import assumption_claims, index_claims, index_clauses, optimism_claims, plays_of_arm_claims
from verifier_properties.episodic import arms


def _regret_claims() -> tuple[Claim, ...]:
    """Theorem 1 and what its proof adds up."""
    mean = partial(
        Claim, theorem="Theorem 1: regret", kind=Kind.EXPECTATION, regimes=("published",), assumes=("reward-range",)
    )  # fmt: skip
    return (
        mean("far-means", arms.far_means(formulas.radius, formulas.far_means), source="Theorem 1, proof", clause="FAR",
            status=Status.OURS, why="the proof adds up the chances of an arm and the best one, each on one side; this is of all",
            statement="E #{n, a: |x̄ − μ| > √(2 ln n / N)} ≤ 2Aζ(3)", follows=("no-foresight",)),
        mean("plays-of-losing-arms", arms.plays_of_losing_arms(formulas.plays), source="Theorem 1, proof", clause="PLAYS",
            statement="E Σ N_a(K) ≤ Σ (8 ln K / Δ_a² + 1 + π²/3), over the arms a with Δ_a > 0",
            follows=("gap-of-played", "far-means")),
        *plays_of_arm_claims(mean, formulas.plays, statement="E N_a(K) ≤ 8 ln K / Δ_a² + 1 + π²/3", source="Theorem 1, proof",
            follows=("gap-of-played", "far-means")),
        mean("regret", arms.regret(formulas.regret), source="Theorem 1", clause="REGRET",
            statement="E R_K ≤ 8 Σ ln K / Δ_a + (1 + π²/3) Σ Δ_a, over the arms a with Δ_a > 0",
            follows=("plays-of-losing-arms",)),
    )  # fmt: skip


ROUND = "an index with n + 1 for n, the round for the plays before it, is another one, and has the guarantee of Theorem 1, too"
"""Note on a common reading. Of the proof, c_{t+1,s} <= gap / 2 needs t + 1 <= n alone, and chances are (t + 1)^-4 for t^-4."""

CLAIMS = (
    *assumption_claims("§1"),
    *index_claims(formulas.UCB, "Figure 1", "b = √(2 ln n / N) after n rounds", ROUND),
    *optimism_claims(formulas.UCB, "Theorem 1"),
    *_regret_claims(),
)
CLAUSES = (
    *index_clauses("Figure 1"),
    Clause("NEAR", "Theorem 1, proof", "what follows while the bonuses cover the errors"),
    Clause("FAR", "Theorem 1, proof", "how often means are far from the truth"),
    Clause("PLAYS", "Theorem 1, proof", "plays of each arm that loses"),
    Clause("REGRET", "Theorem 1", "mean regret"),
    Clause("RATE", "Theorem 1", "regret grows like ln K", "a rate: measured by `verifier scale`"),
    Clause("UCB2", "Theorems 2 to 4", "UCB2, ε_n-greedy and UCB1-normal", "other algorithms"),
)
