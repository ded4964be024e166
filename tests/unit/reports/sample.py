"""Records to test reports with: a realistic one, and odd ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from verifier.commands.check import exit_code
from verifier.record import (
    AlgorithmEntry,
    ClaimEntry,
    ClauseEntry,
    ErratumEntry,
    ErrorEntry,
    InstanceEntry,
    Ledger,
    LedgerEntry,
    Record,
    SupportEntry,
    TheoremEntry,
)

from .entries import (
    FAILED,
    INF,
    NAN,
    SEED,
    UNMEASURED,
    VERDICTS,
    assumption,
    broken_lemma,
    claim,
    counting,
    empty_bound,
    entry,
    identity,
    idle,
    lemma,
    means,
    probable,
)


def sample_claims() -> list[ClaimEntry]:
    return [
        assumption("linear-mdp", "Assumption 1", "P_h(s'|s,a) = <phi(s,a), mu_h(s')>", {}),
        assumption("completeness", "Assumption 2", "P_h f(.,w) is linear in psi for every f in F", {"mixture": 1.83}),
        assumption("realisable", "4.1", "Q*_h is linear in psi", {"mixture": 0.128}),
        assumption("kronecker", "Assumption 3", "psi = phi x rho, n <= m", {"corridor": 2.0}),
        assumption("span", "Assumption 3", "rho(w) = sum_j c_j(w) rho(w^(j)), sum_j |c_j(w)| <= L", {}),
        identity("gram-matrix", "eq. 5", "Lambda_h = lambda I + sum_t phi_t phi_t'", 3.1e-14, 2e-9),
        identity("regression", "eq. 5", "theta_h(w_j) = Lambda_h^-1 sum_t phi_t V_{h+1}(s'_t, w_j)", 6.6e-13, 2e-9),
        identity("value-formula", "eq. 7", "Q_h = [r_h + <xi_h, psi> + 2 L beta ||phi||]^+", 0.0, 1e-9),
        identity("greedy", "line 12", "a_h = argmax_a Q_h(s_h, a, w_k)", 0.0, 1e-9),
        identity("replan-trigger", "line 5", "replans exactly when log det Lambda_h grew by more than 1", 1.0, 0.5),
        identity(
            "distillation-feasible",
            "eq. 8",
            "||theta^j - thetahat^j||_Lambda <= beta, ||xi|| <= H sqrt(md)",
            1e-9,
            1e-6,
        ),
        broken_lemma(),
        idle("backup-combination", "eq. 23", "P_h V(.,w) = sum_j c_j(w) P_h V(.,w_j) where w is no representative"),
        lemma("self-consistency", "eq. 23", "P_h V(.,w) = sum_j c_j(w) <theta_h(w_j), phi>", 1.2, 1.45),
        lemma("regression-error", "eq. 13", "|<thetahat_h(w), phi> - P_h V| <= beta ||phi||", 0.98, 1.0),
        lemma("distillation-error-half", "cf. Lemma 1", "the error is at most L beta ||phi||", 0.494, 1.0, status="ours"),
        lemma("optimism", "Lemma 7", "Q_h^k(s,a,w) >= Q*_h(s,a,w)", -8e-11, 0.0),
        lemma("bellman-recursion", "eq. 25", "delta_h <= xi_{h+1} + delta_{h+1} + 4 L beta ||phi||", -4e-11, 0.0),
        lemma("pathwise-regret", "cf. Theorem 2", "R_K <= sum xi + sum 4 L beta ||phi||", 41.0, 77.3, status="ours"),
        *counting(),
        lemma("stale-determinant", "eq. 27", "||x||^2_{B^-1} / ||x||^2_{A^-1} <= det A / det B", 2.61, 2.718),
        probable("confidence-event", "Lemma 5", "Theorem 2", "||theta_h(w_j) - thetahat_h(w_j)||_Lambda <= beta", 8, 48),
        probable("concentration", "Lemma 6", "Theorem 2", "||sum phi_t eps_t||_{Lambda^-1} <= c_0 H (d + sqrt(d'))", 8, 48),
        probable("martingale", "A.1", "Theorem 2", "sum xi <= 2 H sqrt(T log(dT/delta))", 8, 48),
        empty_bound("regret", "Theorem 2", "R_K <= 2H sqrt(T log(dT/delta)) + 8 H L beta sqrt(2dK log(1+K))", 2.13e6, 1.2e9),
        empty_bound("reward-free-error", "Theorem 3", "|<etahat - eta, psi>| <= beta~ ||psi||", 1.9e4, None, status="corrected"),
        empty_bound("misspecified-regret", "Theorem 6", "R_K <= (4L + 2 L_phi sqrt(md)) H K zeta + ...", 7e7, INF),
        claim(
            "misspecified-error",
            "Lemma 16",
            "Theorem 6",
            "|<xi, psi> - P V| <= (1 + L) zeta + 2 L beta ||phi||",
            "given",
            entry(
                "misspecified-error",
                "oracle@rotation",
                "error",
                NAN,
                NAN,
                comparisons=0,
                reason="2 of 8 trials timed out",
            ),
            status="corrected",
        ),
        claim(
            "many-contexts",
            "Remark 2",
            "Remark 2",
            "Theorem 2 without the Kronecker structure",
            "given",
            entry(
                "many-contexts",
                "oracle@corridor",
                "not applicable",
                **{"reason": f"kronecker fails: {FAILED['corridor']['kronecker']}"} | UNMEASURED,
            ),
            assumes=("kronecker",),
        ),
        claim(
            "computation-sharing",
            "Theorem 5",
            "Remark 3",
            "|P V - <nuhat, psi>| <= beta ||psi||",
            "given",
            entry(
                "computation-sharing",
                "oracle@corridor",
                "not applicable",
                **{"reason": "the event it is given held nowhere (80 comparisons left out)", "excluded": 80} | UNMEASURED,
            ),
            given="the width of the shared covariance",
        ),
    ]


def ledger(claims: list[ClaimEntry]) -> Ledger:
    spent = tuple(
        LedgerEntry(one.id, found.regime, found.instance, purpose, 2.5e-5)
        for one in claims
        for found in one.regimes
        if one.kind in ("probability", "expectation", "law")
        for purpose in ("reject", "certify")
    )
    return Ledger(1e-3, 2.5e-5 * len(spent) / 2, 0.01, spent)


def algorithm(claims: list[ClaimEntry], **changes: Any) -> AlgorithmEntry:
    """The UCBlvd of the sample, with other claims."""
    verdicts = Counter(one.verdict for one in claims)
    sizes = {"S": 15, "A": 4, "d": 5, "m": 5, "H": 5, "K": 1000}
    told: dict[str, Any] = {
        "name": "ucblvd",
        "title": "UCBlvd: lifelong RL with few planning calls",
        "paper": "Provably efficient lifelong RL with linear representation, ICLR 2023",
        "plugin": "verifier_ucblvd",
        "version": "0.1.0",
        "source_hash": "3f9a1c2b77d0e4aa",
        "settings": {
            "setting": "lifelong",
            "delta": 0.01,
            "lambda": 1,
            "regimes": ["published", "scaled(0.1)", "oracle"],
        },
        "instances": (
            InstanceEntry("onehot", "orthonormal contexts", "Figure 1a", sizes | {"delta": 0.1, "tasks": "iid"}, {}),
            InstanceEntry("lock", "tabular chain with a decoy reward", "", sizes | {"S": 7, "H": 6}, {}),
            InstanceEntry("mixture", "contexts inside the simplex", "", sizes, FAILED["mixture"]),
            InstanceEntry("corridor", "dependent contexts", "", sizes, FAILED["corridor"]),
            InstanceEntry("rotation", "many contexts on a circle", "", sizes, {}),
        ),
        "claims": tuple(claims),
        "clauses_total": 34,
        "clauses_checked": 31,
        "clauses_unchecked": (
            ClauseEntry("L20", "Lemma 20", "log N <= d log(1 + 4z/eps)", "a covering number; no run could contradict it"),
            ClauseEntry(
                "F1",
                "Figure 1",
                "UCBlvd and Lifelong-LSVI earn the same",
                "the paper does not say how S, A and phi are drawn",
            ),
            ClauseEntry("B5", "B.5", "O(n A H K log K) evaluations of V", "the plugin does not count them"),
        ),
        "counts": {"selected": len(claims), "evaluated": len(claims)} | {verdict: verdicts[verdict] for verdict in VERDICTS},
        "ledger": ledger(claims),
        "errors": (),
        "trials_planned": 128,
        "trials_finished": 128,
        "trials_reused": 24,
        "budget_exhausted": False,
        "errata": (
            ErratumEntry(
                "potential-index",
                "eq. 15",
                "sum_k min(1, ||phi_h^k||^2) <= 2 log(det Lambda^K / det Lambda^1)",
                "the matrix on the right lacks the last episode: 1 <= 0 at K = 1",
                "the same with Lambda^{K+1}",
                "proof step false",
            ),
        ),
    }
    return AlgorithmEntry(**(told | changes))


def record(*algorithms: AlgorithmEntry, **changes: Any) -> Record:
    """A record of a quick check."""
    told: dict[str, Any] = {
        "verifier": "0.1.0",
        "command": ("verifier", "check", "ucblvd", "--seed", str(SEED)),
        "seed": SEED,
        "started": "2025-03-01T12:00:00+00:00",
        "finished": "2025-03-01T12:00:28+00:00",
        "seconds": 28.41,
        "environment": {"python": "3.11.7", "numpy": "2.1.0", "scipy": "1.14.1", "platform": "Linux-x86_64"},
        "profile": {"name": "quick", "trials": 8, "seconds": 30.0},
        "exit_code": int(exit_code(algorithms, strict="--strict" in changes.get("command", ()))),
        "algorithms": algorithms,
    }
    return Record(**(told | changes))


TIMEOUT = ErrorEntry(
    "timeout",
    "ucblvd on rotation, oracle, trial 5",
    "the trial ran longer than 20 s; an instance this large needs more: choose a longer profile or a smaller instance",
    'Traceback (most recent call last):\n  File "verifier_ucblvd/plan.py", line 88, in distil\n    f()\nTimeoutError\n',
)
LOAD = ErrorEntry(
    "load",
    "entry point 'mine' (my_plugin)",
    "ModuleNotFoundError: No module named 'my_plugin'; install the package that provides it or remove the entry point",
)


def sample() -> Record:
    """Every verdict at once."""
    return record(algorithm(sample_claims(), errors=(TIMEOUT, replace(TIMEOUT, where="ucblvd on rotation, oracle, trial 6"))))


def clean_sample() -> Record:
    """The same plugin with nothing wrong."""
    good = [one for one in sample_claims() if one.verdict not in ("violated", "error")]
    return record(algorithm(good, trials_reused=0))


def diagnosed() -> Record:
    """A broken line, what fails because of it, and what can no longer be relied on."""
    line = identity("value-formula", "eq. 7", "Q_h = [r_h + <xi_h, psi> + 2 L beta ||phi||]^+", 1.0, 1e-9)
    below = ("value-formula",)
    claims = [
        assumption("linear-mdp", "Assumption 1", "P_h(s'|s,a) = <phi(s,a), mu_h(s')>", {}),
        identity("gram-matrix", "eq. 5", "Lambda_h = lambda I + sum_t phi_t phi_t'", 3.1e-14, 2e-9),
        line,
        replace(broken_lemma(), broken_by=below),
        replace(lemma("optimism", "Lemma 7", "Q_h^k(s,a,w) >= Q*_h(s,a,w)", -8e-11, 0.0), broken_by=below),
        replace(empty_bound("regret", "Theorem 2", "R_K <= 8 H L beta sqrt(2dK log(1+K))", 2.13e6, 1.2e9), broken_by=below),
    ]
    proof = {
        "linear-mdp": (),
        "gram-matrix": ("pseudo-code",),
        "value-formula": ("pseudo-code", "gram-matrix"),
        "distillation-error": ("value-formula", "linear-mdp"),
        "potential": ("gram-matrix",),
        "optimism": ("distillation-error",),
        "regret": ("optimism", "potential"),
    }
    missing = ("optimism", "potential", "distillation-error", "value-formula")
    support = (SupportEntry("regret", 5, 1, missing, "oracle"),)
    return record(
        algorithm(claims, proof=proof, first_broken=below, support=support, theorem=TheoremEntry("regret", "Theorem 2"))
    )


def odd_records() -> dict[str, Record]:
    """Records at the edge of what can happen, by name."""
    long = "a-very-long-name-" * 12
    odd = [
        entry("odd", "oracle@onehot", "violated", INF, 2.0, ratio=INF, violations=3, margin=-INF),
        entry("odd", "oracle@lock", "violated", NAN, 2.0, ratio=NAN, violations=1, margin=NAN),
        entry("odd", "oracle@corridor", "violated", 2.1 + 1e-9, 2.1, violations=1),
        entry("odd", "published@onehot", "conforms", -3.0, -2.0, ratio=-1.5),
        entry("odd", "published@lock", "conforms", 0.0, 0.0, ratio=0.0),
    ]
    one = claim("odd", "eq. 1", "", "x | y <= z `w`", "always", *odd)
    hostile = claim(
        long,
        long,
        long,
        "\x1b[31m red\nnew line\ttab \ud800 漢字 " * 9,
        "given",
        replace(odd[0], regime=long, instance=long, replay=long * 3),
    )
    broken_identity = identity("off", "eq. 2", "x = y", 0.5, 1e-9)
    tie = claim("tie", "eq. 3", "Theorem 1", "x <= y", "always", odd[2])
    nothing = claim("nothing", "eq. 4", "Theorem 1", "x <= y", "given")
    return {
        "first broken": diagnosed(),
        "no algorithms": record(),
        "no claims": record(algorithm([], ledger=Ledger(1e-3, 0.0, 0.01, ()), instances=(), trials_planned=0, trials_finished=0)),
        "only errors": record(algorithm([], errors=(LOAD, TIMEOUT), clauses_total=0, clauses_checked=0, clauses_unchecked=())),
        "many errors": record(algorithm([], errors=(LOAD,) * 30)),
        "odd numbers": record(algorithm([one, broken_identity, tie, nothing])),
        "hostile text": record(algorithm([hostile], name=long, title=long, paper=long)),
        "means": record(algorithm(means())),
        "cut short": record(
            algorithm([nothing], trials_finished=7, budget_exhausted=True, counts={"selected": 2, "evaluated": 1})
        ),
        "two algorithms": record(algorithm(sample_claims()[:4]), algorithm(sample_claims()[9:12], name="lifelong-lsvi")),
        "many of everything": record(
            algorithm(
                [replace(broken_lemma(), id=f"ucblvd/violated-{number}") for number in range(9)]
                + [replace(empty_bound("x", "T", "x", 2e4, None), id=f"ucblvd/vacuous-{number}") for number in range(9)]
            )
        ),
    }
