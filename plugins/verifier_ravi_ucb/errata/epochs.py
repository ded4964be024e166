"""Errata of the random epochs: how many there are, and what a uniform epoch index gives."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from verifier.base.tables import prose, show, table
from verifier.model.erratum import Erratum, Grade, Refutation, are_laws, are_within
from verifier_ravi_ucb.errata.bandit import softmax_step

START = math.log(0.5)


def law_of_epochs(T: int, gamma: Fraction) -> dict[int, Fraction]:
    """The law of K(T), coin by coin: each of the T - 1 steps before step T ends its epoch with probability 1-g."""
    law = {1: Fraction(1)}
    for _ in range(T - 1):
        after: dict[int, Fraction] = {}
        for k, chance in law.items():
            after[k] = after.get(k, Fraction(0)) + gamma * chance
            after[k + 1] = after.get(k + 1, Fraction(0)) + (1 - gamma) * chance
        law = after
    return law


def expected_epochs() -> Refutation:
    """The mean of K(T) by its law."""
    gamma = Fraction(4, 5)
    rows = []
    for T in (1, 2, 5, 50):
        mean = sum((k * chance for k, chance in law_of_epochs(T, gamma).items()), Fraction(0))
        rows.append((T, mean, (1 - gamma) * T, 1 + (1 - gamma) * (T - 1)))
    instance = prose(
        "γ = 4/5 (H = 5). Before step T there are T − 1 coins, each of which ends an epoch with probability 1/5:"
    ) + (table(("T", "E K(T)", "(1−γ)T", "1 + (1−γ)(T−1)"), rows))
    return Refutation(
        "; ".join(f"{mean} {'=' if mean == printed else '≠'} {printed}" for _, mean, printed, _ in rows),
        any(mean == printed for _, mean, printed, _ in rows),
        "; ".join(f"{mean} = {corrected}" for _, mean, _, corrected in rows),
        all(mean == corrected for _, mean, _, corrected in rows),
        instance,
        {"0 < γ < 1": 0 < gamma < 1, "K(T) has a law": are_laws([list(law_of_epochs(T, gamma).values()) for T, *_ in rows])},
    )


@dataclass(frozen=True)
class Now:
    """State of a run of `averages`: counts N of both actions, and the sums of gaps over steps and over epochs."""

    t: int
    k: int
    counts: tuple[int, int]
    log_policy: tuple[float, ...]
    Q: tuple[float, ...]
    gap: float = 0.0
    over_steps: float = 0.0
    over_epochs: float = 0.0


@dataclass(frozen=True)
class Averages:
    """The tabular algorithm on a bandit, run along all its paths.

    Attributes
    ----------
    T : int
    gamma, eta, beta : float
    rewards : (float, float)
    """

    T: int
    gamma: float
    eta: float
    beta: float
    rewards: tuple[float, float] = (0.5, 1.0)

    def expected(self) -> tuple[float, float, float]:
        """E[(1/T) sum_{t<=T} gap of pi_t], E[(1/K(T)) sum_{k<=K(T)} gap of pi_k] and E[gap of pi_T]."""
        return self._epoch(Now(1, 1, (1, 1), (START, START), (0.0, 0.0)))

    def regret(self) -> float:
        """R_T, one step at a time: the sum of E[gap of pi_t] over t <= T."""
        return math.fsum(replace(self, T=t).expected()[2] for t in range(1, self.T + 1))

    def _epoch(self, now: Now) -> tuple[float, float, float]:
        """Planning step of Algorithm 2, from the first step of an epoch on."""
        H = 1.0 / (1.0 - self.gamma)
        V, log_policy = softmax_step(now.log_policy, now.Q, self.eta)
        gap = sum((max(self.rewards) - r) * math.exp(p) for r, p in zip(self.rewards, log_policy, strict=True))
        Q = [
            min(r + self.beta / math.sqrt(n) + self.gamma * (n - 1) / n * V, H)  # Phat V = (N - 1)/N V: one state
            for r, n in zip(self.rewards, now.counts, strict=True)
        ]
        return self._step(replace(now, log_policy=tuple(log_policy), Q=tuple(Q), gap=gap, over_epochs=now.over_epochs + gap))

    def _step(self, now: Now) -> tuple[float, float, float]:
        now = replace(now, over_steps=now.over_steps + now.gap)
        if now.t == self.T:
            return now.over_steps / self.T, now.over_epochs / now.k, now.gap
        total = [0.0, 0.0, 0.0]
        for a, p in enumerate(now.log_policy):
            counts = (now.counts[0] + (a == 0), now.counts[1] + (a == 1))
            same = self._step(replace(now, t=now.t + 1, counts=counts))
            new = self._epoch(replace(now, t=now.t + 1, k=now.k + 1, counts=counts))
            for i in range(3):
                total[i] += math.exp(p) * (self.gamma * same[i] + (1.0 - self.gamma) * new[i])
        return total[0], total[1], total[2]


ROUNDING = 1e-12
"""Bound on the rounding of sums over 4^6 paths of gaps below 1: each product and sum along a path errs by at most 100 eps."""


def epoch_index() -> Refutation:
    """The two averages of the gaps, over all paths of six steps."""
    T, gamma = 6, 0.2
    published = math.sqrt(2 * math.log(2) / T) * (1 - gamma)
    rows: list[tuple[float, float, float, float]] = []
    regrets: list[float] = []
    beta = 1.0
    for eta in (published, 5.0, 50.0):
        run = Averages(T, gamma, eta, beta=beta)
        steps, epochs, _ = run.expected()
        rows.append((eta, steps, epochs, steps - epochs))
        regrets.append(run.regret() / T)
    instance = prose(
        "X = 1, A = 2, r = (½, 1), γ = 0.2, T = 6: the tabular algorithm with β = 1, exactly, over all sequences of actions and "
        "resets. The first row has Theorem 4.1's η. (With Lemma 5.1's β all Q are H, all gaps are ¼ and both averages agree.)"
    ) + table(("η", "E (1/T) Σ_{t≤T} gap_t", "E (1/K) Σ_{k≤K} gap_k", "difference"), rows)
    _, steps, epochs, _ = rows[-1]
    return Refutation(
        f"E gap(π_U) = {show(epochs)} ≠ R_T/T = {show(regrets[-1])}, U uniform on the epochs; the rows differ by "
        f"{', '.join(show(row[3]) for row in rows)}",
        any(abs(row[2] - regret) <= ROUNDING for row, regret in zip(rows, regrets, strict=True)),
        f"E gap(π_I) = {show(steps)} = R_T/T = {show(regrets[-1])}, I uniform on the steps",
        all(abs(row[1] - regret) <= ROUNDING for row, regret in zip(rows, regrets, strict=True)),
        instance,
        {
            "0 < γ < 1": 0 < gamma < 1,
            "0 ≤ r ≤ 1": are_within(run.rewards, 0, 1),
            "η = √(2 log|A|/(H²T)) in the first row": math.isclose(rows[0][0] ** 2 * T / (1 - gamma) ** 2, 2 * math.log(2)),
            # |γ(P̂ - P)V| = γV/N <= γH/N, as P̂V = (N - 1)/N V, which is at most β/√N from N = 1 on if it is at N = 1
            "bonuses are valid": gamma / (1 - gamma) <= beta,
        },
    )


ERRATA = (
    Erratum(
        "expected-epochs",
        "Section 4.3",
        Grade.STEP,
        "E K(T) = (1−γ)T, and so E[log|A|/η + ηH³K(T)/2] = √(2H² T log|A|)",
        "Epoch 1 starts without a coin, and the coin after step T starts an epoch that does not count: K(T) is 1 plus a "
        "Binomial(T−1, 1−γ). As the epochs are summed to their ends, T⁺ takes the place of T: E T⁺ = H E K(T) = T + γH.",
        "E K(T) = 1 + (1−γ)(T−1); Theorem 4.1 gets γηH⁴/2 = γH³√(log|A|/(2T)) more. With a uniform π_0 and bonuses that are "
        "always valid it also holds as printed, thanks to constants in Lemma 4.3 that are four and two times as large as needed",
        ("ravi-ucb-tabular/epochs-expectation",),
        expected_epochs,
    ),
    Erratum(
        "epoch-index",
        "Section 5.2, Corollary 5.7",
        Grade.NOT_IMPLIED,
        "π_out = π_U for an epoch index U drawn uniformly from the range of epochs; an online-to-batch conversion of the regret "
        "bound gives E⟨μ* − μ^π_out, r⟩ ≤ ε",
        "A gap of the proof; whether E⟨μ* − μ^π_U, r⟩ ≤ ε is left open. The regret sums over steps: R_T/T weighs "
        " each epoch by its length. Given K(T) all compositions of T into epochs are "
        "equally likely, so both averages agree if the gaps do not depend on the data; but the policy of an epoch depends on the "
        "lengths of those before it, and the longer these are the shorter it is.",
        "E gap(π_I) = R_T/T for I uniform on the steps 1, ..., T, π_I the policy played in step I. (For the epoch index, Lemma "
        "4.3 divided by K(T) is the bound to use.)",
        ("ravi-ucb-tabular/uniform-output",),
        epoch_index,
    ),
)  # fmt: skip
