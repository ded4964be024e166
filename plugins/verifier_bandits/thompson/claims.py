"""The claims of Thompson sampling: the posterior, the law of what is drawn, and play."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind
from verifier_bandits.shared.claims import REPLAYED, play_claims
from verifier_properties.episodes import tabular_planning
from verifier_properties.episodic import arms


def _assumption_claims() -> tuple[Claim, ...]:
    return (
        Claim("coins", arms.coins, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="BANDIT", source="§1",
            statement="rewards are 0 or 1"),
    )  # fmt: skip


def _replay_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="Algorithm 1", follows=(PSEUDO_CODE,))
    drawn = partial(same, clause="SAMPLE", assumes=("coins",))
    return (
        same("successes", arms.successes, clause="POSTERIOR", statement="α = S + 1 after S plays that paid 1"),
        same("failures", arms.failures, clause="POSTERIOR", statement="β = F + 1 after F plays that paid 0"),
        drawn("draws", arms.draws_of_means, kind=Kind.ALWAYS, statement="0 ≤ θ ≤ 1"),
        drawn("beta-law", arms.beta_law, kind=Kind.LAW, wrong_law="the posterior means in place of draws",
            statement="θ has the law Beta(α, β), and is drawn anew for each arm and round",
            follows=(PSEUDO_CODE, "successes", "failures", "draws", "plans-every-episode")),
        same("greedy", tabular_planning.greedy, clause="PLAY", statement="the arm of largest θ is played"),
    )  # fmt: skip


CLAIMS = (*_assumption_claims(), *_replay_claims(), *play_claims("Algorithm 1"))
CLAUSES = (
    Clause("BANDIT", "§1", "arms with rewards of 0 or 1, drawn independently"),
    Clause("POSTERIOR", "Algorithm 1", "the Beta posterior of each arm, from the uniform prior"),
    Clause("SAMPLE", "Algorithm 1", "a draw from each posterior"),
    Clause("PLAY", "Algorithm 1", "the arm of the largest draw is played"),
    Clause("GENERAL", "Algorithm 2", "rewards in [0, 1], with a coin of the agent's own", "another algorithm"),
    Clause("REGRET", "Theorems 1 and 2", "regret of order ln T / Δ + 1/Δ³ with two arms, and of Σ(1/Δ²)² ln T with more",
        "printed as orders; the constants of the proofs were not at hand"),
)  # fmt: skip
