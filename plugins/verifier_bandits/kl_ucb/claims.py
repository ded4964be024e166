"""The claims of KL-UCB, one per checkable clause of the paper."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier_bandits.kl_ucb import formulas
from verifier_bandits.shared.claims import REPLAYED, assumption_claims, count_claims, largest_claims, plays_of_arm_claims
from verifier_properties.episodic import arms, divergences

SOURCE = "Algorithm 1"
NEAR = "N d⁺(x̄, μ) is within the level of the round at every arm, all of which were played, at this plan"
CONSTANT = (
    "an index with another c for 3 is another one: the text recommends c = 0 in practice, and its Theorems 1 and 2 are for c = 3 "
    "and, by Remark 5, any larger one; the t of the level is the number of the round, one more than the plays so far"
)


def _index_claims() -> tuple[Claim, ...]:
    same = partial(
        Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source=SOURCE, clause="INDEX", follows=(PSEUDO_CODE, "reward"),
        assumes=("reward-range",),
    )  # fmt: skip
    always = partial(same, kind=Kind.ALWAYS)
    return (
        *count_claims(SOURCE, "the level as printed, times 1"),
        same("index-formula", divergences.index_equation(formulas.level), why=CONSTANT,
            statement="N d(x̄, U) = ln t + 3 ln ln t, where x̄ < 1, once all arms were played",
            follows=(PSEUDO_CODE, "visits", "reward")),
        always("upper-root", divergences.upper_root, statement="x̄ ≤ U, once all arms were played"),
        always("index-range", divergences.index_range, statement="U ≤ 1, once all arms were played"),
        *largest_claims(SOURCE),
    )  # fmt: skip


def _optimism_claims() -> tuple[Claim, ...]:
    given = partial(
        Claim, theorem="Theorem 2, proof", kind=Kind.GIVEN, clause="NEAR", given=NEAR, assumes=("reward-range",),
    )  # fmt: skip
    return (
        given("optimism", divergences.optimism(formulas.level), source="Theorem 2, proof", statement="U ≥ μ",
            follows=("index-formula", "upper-root")),
        given("divergence-of-played", divergences.divergence_of_played(formulas.level), source="Lemma 7, proof",
            statement="N_I d⁺(x̄_I, μ*) ≤ ln t + 3 ln ln t of the arm I played",
            follows=("optimism", "index-formula", "largest-index")),
    )  # fmt: skip


def _regret_claims() -> tuple[Claim, ...]:
    mean = partial(
        Claim, theorem="Theorem 2: plays", kind=Kind.EXPECTATION, regimes=("published",), assumes=("reward-range",),
        status=Status.OURS,
    )  # fmt: skip
    return (
        mean("underestimates", divergences.underestimates(formulas.level, formulas.underestimates), source="Theorem 2, proof",
            clause="FAR", why="the proof adds up the chances of the best arm; this is of all, from round 3 on",
            statement="E #{t, a: N d⁺(x̄, μ) > L_t} ≤ A Σ_t e⌈ln² t + 3 ln t ln ln t⌉ / (t ln³ t), L_t = ln t + 3 ln ln t",
            follows=("no-foresight",)),
        mean("plays-of-losing-arms", arms.plays_of_losing_arms(formulas.plays, divergences.rivals), source="Theorem 2",
            clause="PLAYS", why="the sums of the proof, before they are rounded to C_1, C_2(ε) and β(ε), and one play more: "
            "Lemma 7 is about rounds with an index, and the first play of an arm has none",
            statement="E Σ N_a(K) ≤ Σ (1 + Σ_t e⌈ln² t + 3 ln t ln ln t⌉ / (t ln³ t) + min_r (K_n + e^{−d(r,μ_a)K_n} / "
            "(1 − e^{−d(r,μ_a)}))), K_n = ⌊L_K / d(r, μ*)⌋, over the arms a with μ_a < μ*",
            follows=("divergence-of-played", "underestimates")),
        *plays_of_arm_claims(mean, formulas.plays, divergences.rivals, source="Theorem 2", why="as of all losing arms together",
            statement="E N_a(K) ≤ 1 + Σ_t e⌈ln² t + 3 ln t ln ln t⌉ / (t ln³ t) + min_r (K_n + e^{−d(r,μ_a)K_n} / "
            "(1 − e^{−d(r,μ_a)})), K_n = ⌊L_K / d(r, μ*)⌋", follows=("divergence-of-played", "underestimates")),
        mean("regret", arms.regret(formulas.regret, divergences.rivals), source="Theorem 2", clause="REGRET",
            why="Theorem 1 is a limit; in finite time regret is what each play loses, times the bound on plays",
            statement="E R_K ≤ Σ (μ* − μ_a) times the bound on E N_a(K)", follows=("plays-of-losing-arms",)),
    )  # fmt: skip


CLAIMS = (*assumption_claims("§2"), *_index_claims(), *_optimism_claims(), *_regret_claims())
CLAUSES = (
    Clause("BANDIT", "§2", "arms with rewards in [0, 1], drawn independently"),
    Clause("INDEX", SOURCE, "the index of each arm"),
    Clause("PLAY", SOURCE, "each arm once, then the arm of largest index"),
    Clause("NEAR", "Theorem 2, proof", "what follows while the divergences are within the level"),
    Clause("FAR", "Theorem 10", "how often an index is below the mean of its arm"),
    Clause("PLAYS", "Theorem 2", "plays of each arm that loses"),
    Clause("REGRET", "Theorem 2", "mean regret in finite time"),
    Clause("LIMIT", "Theorem 1", "lim sup E R_K / ln K ≤ Σ (μ* − μ_a) / d(μ_a, μ*)", "a limit, which no finite run attains"),
    Clause("LOWER", "Corollary 3", "the lower bound of Lai and Robbins is matched", "a limit, for all policies at once"),
    Clause("UCB", "Proposition 4", "UCB with √((ln t + 3 ln ln t) / 2N)", "another algorithm"),
    Clause("FAMILIES", "§4, Theorem 11", "divergences of other families of laws", "other algorithms"),
)  # fmt: skip
