"""Errata of Theorem 4.1: which initial policies it holds for, and what planning adds to the rate of section 5.1."""

from __future__ import annotations

import math

from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation, in_all
from verifier_ravi_ucb.errata.bandit import Bandit, planned_exactly, sizes, steps_in_epochs
from verifier_ravi_ucb.shared import constants

T = 20_000


def initial_policy() -> Refutation:
    """A bandit planned with the exact model and no bonus, from initial policies that hardly play the better action."""
    gamma = 0.1
    public = sizes(X=1, A=2, gamma=gamma, T=T)
    printed = constants.printed_regret_bound(public, T, 0.0)
    steps = steps_in_epochs(T, gamma)
    rows: list[tuple[float, float, float, float]] = []
    hypotheses: list[dict[str, bool]] = []
    for chance in (0.5, 1e-2, 1e-6, 1e-100):
        bandit = Bandit(gamma, constants.eta(public, T), (0.5, 1.0), (math.log1p(-chance), math.log(chance)))
        entropy = -math.log(chance)
        bound = constants.regret_bound(public, T, 0.0, entropy=entropy, failure=0.0)
        rows.append((chance, entropy, float(steps @ bandit.gaps(T)), bound))
        hypotheses.append(planned_exactly(public, bandit))
    instance = prose(
        "X = 1, A = 2, r = (½, 1), γ = 0.1 (H = 10/9), T = 20000. The model is exact (P̂_k = P) and CB_k = 0, which is "
        "valid. No data enter, so R_T = Σ_k (gap of π_k)·E[steps of epoch k up to T], with H·Pr(Bin(T, 1−γ) ≥ k) steps "
        f"in the mean. Printed bound: √(2H⁴ T log 2) + 2H² = {show(printed)}"
    ) + table(
        ("π_0(best)", "H(π*‖π_0)", "R_T", "corrected bound"),
        [(chance, entropy, round(regret), round(bound)) for chance, entropy, regret, bound in rows],
    )
    regrets = [row[2] for row in rows]
    return Refutation(
        f"R_T = {', '.join(str(round(regret)) for regret in regrets)}, and {round(max(regrets))} "
        f"{sign(max(regrets) <= printed)} {show(printed)}",
        max(regrets) <= printed,
        "; ".join(f"{round(regret)} ≤ {round(bound)}" for _, _, regret, bound in rows),
        all(regret <= bound for _, _, regret, bound in rows) and regrets[0] <= printed,
        instance,
        in_all(hypotheses),
    )


def tabular_rate() -> Refutation:
    """Two arms of rewards 0 and 1, planned with the exact model and no bonus: what planning alone costs, for growing H."""
    rows = []
    hypotheses: list[dict[str, bool]] = []
    for H in (2, 4, 8, 16):
        T, gamma = 20 * H**4, 1.0 - 1.0 / H
        public, K = sizes(X=1, A=2, gamma=gamma, T=T), 2 * T // H
        bandit = Bandit(gamma, constants.eta(public, T), (0.0, 1.0), (math.log(0.5), math.log(0.5)))
        hypotheses.append(planned_exactly(public, bandit))
        regret = float(steps_in_epochs(T, gamma)[:K] @ bandit.gaps(K))
        rate = H * math.sqrt(2 * T)
        rows.append((H, T, regret, rate, regret / rate, math.log(T), constants.regret_bound(public, T, 0.0, failure=0.0)))
    instance = prose(
        "X = 1, A = 2, r = (0, 1), π_0 uniform, P̂_k = P and CB = 0, which is valid; T = 20H⁴. The log odds of the arms grow "
        "by η "
        "per epoch, so the regret is H Σ_k 1/(1 + exp(ηk)), about H log(2)/η = H²√(T log(2)/2):"
    ) + table(("H", "T", "R_T", "XH√(AT)", "ratio", "log T", "corrected bound"), rows)
    growth, logs = rows[-1][4] / rows[0][4], (rows[-1][5] / rows[0][5]) ** 2
    return Refutation(
        f"R_T / (XH√(AT)) = {', '.join(show(row[4]) for row in rows)}: it grows by {show(growth)} {sign(growth <= logs)} "
        f"{show(logs)}, the growth of (log T)²",
        growth <= logs,
        "; ".join(f"{show(row[2])} ≤ {show(row[6])}" for row in rows),
        all(row[2] <= row[6] for row in rows),
        instance,
        in_all(hypotheses),
    )


ERRATA = (
    Erratum(
        "initial-policy",
        "Theorem 4.1",
        Grade.FALSE,
        "With η = √(2 log|A|/(H²T)), V_0 = 0 and any policy π_0, valid bonuses give R_T ≤ 2 E Σ_{t≤T+} CB_t + √(2H⁴ log|A| T) "
        "+ 2H²",
        "Lemma 4.3 has H(π*‖π_0)/η, and H(π*‖π_0) ≤ log|A| is used in section 4.3, which sets π_0 uniform. For other π_0 the "
        "relative entropy is unbounded: the agent can spend all T steps on leaving π_0.",
        "For the uniform π_0 (as in Theorem 5.6). For any π_0 the optimisation term is H[H(π*‖π_0)/η + E K(T) ηH³/2], with the "
        "same η; it is infinite if π_0 excludes an action of π*",
        ("ravi-ucb-tabular/regret-expectation",),
        initial_policy,
    ),
    Erratum(
        "tabular-rate",
        "Section 5.1",
        Grade.NOT_IMPLIED,
        "With Lemmas 5.1 and 5.2, Theorem 4.1 gives R_T = Õ(|X| H √(|A|T))",
        "Theorem 4.1 also has √(2H⁴ log|A| T), the cost of planning with a learning rate, which no bonus enters: it is of lower "
        "order only if |X|√|A| ≥ H√(log|A|). With an exact model and no bonus it is all of the regret, and grows with H².",
        "R_T = Õ(|X| H √(|A|T) + H² √(T log|A|)), as Theorem 5.6 has it for linear mixtures",
        ("ravi-ucb-tabular/regret",),
        tabular_rate,
    ),
)  # fmt: skip
