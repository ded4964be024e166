"""Clauses of the paper on its algorithms."""

from __future__ import annotations

from verifier import Clause

LIKELY = "; each is claimed with probability 1 - delta, which the paper's accounting gives in sum"

SHARED = (
    Clause("MDP", "§2", "factored MDP: product transitions, rewards in [0, 1] observed part by part"),
    Clause("COUNT", "§2", "counts and estimates by cell, over all steps"),
    Clause("KNOWN", "Algorithms 2, 3", "the known pairs"),
    Clause("BONUS", "Algorithms 2, 3", "the bonus, by part and factor, before any clip"),
    Clause("Q", "Algorithms 2, 3", "optimistic value iteration"),
    Clause("PLAY", "Algorithms 1, 2", "greedy play, one plan for each episode"),
    Clause("PRODUCT", "Lemma E.1", "errors of products of laws"),
    Clause("EVENT", "Lemmas D.1, D.2", "the events the analysis rests on"),
    Clause("COVER", "Lemmas E.2, F.9", "the bonus covers the error of the backup of V*"),
    Clause("OPT", "Lemmas E.3, F.10 to F.12", "optimism, and pessimism"),
    Clause("CHAIN", "Lemma E.3", "what the regret of an episode is at most"),
    Clause("SUMS", "Lemmas E.3, F.5", "sums of inverse powers of visits"),
    Clause("REGRET", "Theorems 2, 5, 6", "regret"),
    Clause(
        "ORDER",
        "Theorems 2, 5, 6; Corollary 6.1",
        "regret of the order (1/m) sum_i sqrt(X_i T L) + sum_j H sqrt(X_j T L), for FMDP-BF with the root outside the sum over j",
        "orders with hidden constants: with all of them written out a bound is below T from T about 10^7 on; what can be seen at "
        "sizes that can be run is growth in the number of factors, by `verifier scale`, and the chain and sums behind it",
    ),
    Clause(
        "LOWER",
        "Theorem 3",
        "some instance has E Reg >= c [(1/m) sum_i sqrt(X_i T) + (1/n) sum_j sqrt(X_j H T)]",
        "about the best algorithm on the worst instance of a family: it says nothing of an implementation on one instance, and "
        "no implementation can break the average over the family; a test measures that average on the bandit half",
    ),
)
"""Clauses of both algorithms."""

VARIANCE = Clause("VARIANCE", "Theorem 1, Corollary 1.1", "the variance of a return splits over steps, factors and rewards")

LATER = (
    Clause(
        "TRANSFER",
        "Lemmas F.13 to F.16",
        "expected bonuses, errors for V*, for V - V* and of rewards add up to the orders of Theorem 2",
        "orders without constants, some in terms of the regret itself; what they are summands of is `regret-chain`, exactly, and "
        "what they are sums of is bounded in `inverse-sum`, `root-sum` and `quarter-sum`",
    ),
    Clause(
        "SQUARES",
        "Lemma F.18",
        "the sum of CB^2 is at most (2m + 4) H^2 sum_i X_i L_i log T / m^2 + 128 n (m + n) H^2 sum_i X_i L sum_j |S_j| log T",
        "false as printed: an erratum; its last step is Lemma F.5, which is corrected in `inverse-sum`",
    ),
    Clause(
        "GAPS",
        "Lemmas F.19, F.20",
        "sums of (V - lower)^2 and of u_i are O(log T) and O(H^2 sum_j sqrt(T X_j |S_j| L))",
        "orders without reliable constants; at the theory's constants V - lower = H in every episode that can be run, so that "
        "the sums are H^2 T there and a slope would say nothing",
    ),
)
"""Steps of the proof of Theorem 2 that are orders."""
