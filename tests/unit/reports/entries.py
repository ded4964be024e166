"""Claims and their entries, made up to test reports with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier.record import (
    ClaimEntry,
    Detectable,
    RegimeEntry,
)

SEED = 20250301
INF = float("inf")
NAN = float("nan")
NOTHING = Detectable("none", NAN)
UNMEASURED = {"witness": {}, "margin": INF, "ratio": -INF, "value": NAN, "bound": NAN, "trivial": NAN, "replay": ""}
FAILED = {
    "mixture": {"completeness": "1.83 instead of 0 at probe 38, h 3", "realisable": "0.128 instead of 0 at h 0, cell 98"},
    "corridor": {"kronecker": "2 > 0 at pair 3, w 4"},
}
VERDICTS = ("violated", "error", "inconclusive", "conforms", "observed", "vacuous", "not applicable")


def entry(claim: str, place: str, verdict: str, value: float = NAN, bound: float = NAN, **changes: Any) -> RegimeEntry:
    """An entry at ``regime@instance`` (or an instance alone), consistent unless told otherwise."""
    regime, _, instance = place.rpartition("@")
    ratio = value / bound if bound else (INF if value > 0 else min(value, 0.0))
    told: dict[str, Any] = {
        "reason": "",
        "trials": 8 if regime else 1,
        "failures": 0,
        "comparisons": 12_000 if verdict != "not applicable" else 0,
        "powered": 12_000 if verdict in ("conforms", "violated") else 0,
        "excluded": 0,
        "violations": 0,
        "trivial": 5.0,
        "ratio": ratio,
        "margin": bound - value,
        "tolerance": 0.0,
        "unit": "K",
        "witness": {"episode": 212, "h": 2, "s": 3, "a": 1, "w": 0} if regime else {},
        "detectable": Detectable("factor", 1 / ratio) if 0 < ratio < INF and verdict == "conforms" else NOTHING,
        "interval": None,
        "nonvacuous_from": None,
        "replay": f"ucblvd/{claim}:{instance}:{regime}:3:{SEED}" if regime and verdict != "not applicable" else "",
    }
    told |= {"value": value, "bound": bound}
    return RegimeEntry(regime, instance, verdict, **(told | changes))


def claim(name: str, source: str, theorem: str, statement: str, kind: str, *found: RegimeEntry, **changes: Any) -> ClaimEntry:
    """A claim whose verdict follows from its entries."""
    verdicts = {one.verdict for one in found}
    verdict = next((verdict for verdict in VERDICTS if verdict in verdicts), "not applicable")
    told: dict[str, Any] = {
        "status": "as printed",
        "clause": name,
        "given": "",
        "assumes": (),
        "why": "",
        "reason": "",
        "vacuous": any(one.verdict == "vacuous" for one in found),
    }
    return ClaimEntry(
        f"ucblvd/{name}", source, theorem, statement, kind, verdict=verdict, regimes=tuple(found), **(told | changes)
    )


def identity(name: str, source: str, statement: str, value: float, tolerance: float, **changes: Any) -> ClaimEntry:
    """An identity that is checked alike at every regime and instance."""
    found = []
    for number, place in enumerate(("published@onehot", "published@mixture", "oracle@onehot", "oracle@mixture")):
        seen = value * (1 + number / 7)
        holds = seen <= tolerance
        found.append(
            entry(
                name,
                place,
                "conforms" if holds else "violated",
                seen,
                0.5,
                ratio=seen / tolerance,
                tolerance=tolerance,
                margin=-seen,
                violations=0 if holds else 37,
                failures=0 if holds else 8,
                trivial=26.0,
                detectable=Detectable("difference", tolerance) if holds else NOTHING,
            )
        )
    return claim(name, source, "Algorithm 2", statement, "identity", *found, **changes)


def lemma(name: str, source: str, statement: str, value: float, bound: float, **changes: Any) -> ClaimEntry:
    """A claim given the confidence event: vacuous at published, decided in oracle, not applicable on mixture."""
    missing = {"reason": f"completeness fails: {FAILED['mixture']['completeness']}"} | UNMEASURED
    return claim(
        name,
        source,
        "Theorem 2",
        statement,
        "given",
        entry(name, "published@onehot", "vacuous", 4.9 * abs(value), 202.1 * max(bound, 0.1), powered=0),
        entry(name, "published@mixture", "not applicable", **missing),
        entry(name, "oracle@onehot", "conforms", value, bound, margin=bound - value + 1e-11),
        entry(name, "oracle@lock", "conforms", 0.7 * value - 1e-12, bound),
        entry(name, "oracle@mixture", "not applicable", **missing),
        given="the confidence event at the representative contexts",
        assumes=("linear-mdp", "completeness"),
        **changes,
    )


def probable(name: str, source: str, theorem: str, statement: str, trials: int, missing: int, **changes: Any) -> ClaimEntry:
    """A claim that may fail with probability delta, undecided for want of trials."""
    reason = f"0 failures in {trials} trials; {missing} more clean ones would certify"
    places = ("published@onehot", "published@lock")
    found = [
        entry(name, place, "inconclusive", 11.18, 202.1, reason=reason, trials=trials, interval=(0.0, 0.37)) for place in places
    ]
    return claim(name, source, theorem, statement, "probability", *found, **changes)


def assumption(name: str, source: str, statement: str, fails: Mapping[str, float]) -> ClaimEntry:
    """An assumption checked once per instance: a difference that has to be zero."""
    found = []
    for instance in ("onehot", "lock", "mixture", "corridor"):
        value, verdict = (fails[instance], "not applicable") if instance in fails else (2e-14, "conforms")
        reason = f"this instance is outside it: {FAILED[instance][name]}" if instance in fails else ""
        found.append(entry(name, instance, verdict, value, 0.0, comparisons=900, reason=reason, tolerance=1e-9))
    return claim(name, source, "Assumptions", statement, "assumption", *found)


def broken_lemma() -> ClaimEntry:
    name = "distillation-error"
    places = {
        "oracle@onehot": (3.21, 2.1),
        "oracle@lock": (2.4, 2.1),
        "oracle@corridor": (2.2, 2.1),
        "scaled(0.1)@onehot": (2.15, 2.1),
    }
    places |= {"scaled(0.1)@lock": (2.12, 2.1), "scaled(0.1)@corridor": (2.11, 2.1)}
    found = [
        entry(
            name,
            place,
            "violated",
            *numbers,
            violations=12,
            failures=3,
            comparisons=4500,
            witness={"episode": 17, "h": 2, "s": 3, "a": 1, "w": 0},
        )
        for place, numbers in places.items()
    ]
    found.append(entry(name, "published@onehot", "vacuous", 4.1, 404.2))
    return claim(
        name,
        "Lemma 1",
        "Theorem 2",
        "|<xi_h, psi(s,a,w)> - P_h V_{h+1}(s,a,w)| <= 2 L beta ||phi(s,a)||_{Lambda^-1}",
        "given",
        *found,
        given="the confidence event at the representative contexts",
        assumes=("linear-mdp", "completeness"),
    )


def idle(name: str, source: str, statement: str) -> ClaimEntry:
    """A claim with something to compare in one regime at one instance only."""
    nothing = {"reason": "nothing to compare (12000 comparisons left out)", "excluded": 12_000} | UNMEASURED
    places = ("published@onehot", "published@lock", "oracle@onehot", "oracle@lock")
    return claim(
        name,
        source,
        "Theorem 2",
        statement,
        "always",
        *(entry(name, place, "not applicable", **nothing) for place in places),
        entry(name, "published@rotation", "conforms", 2e-15, 0.0, tolerance=1e-9),
    )


def empty_bound(name: str, theorem: str, statement: str, bound: float, needed: float | None, **changes: Any) -> ClaimEntry:
    places = ("published@onehot", "published@lock", "published@corridor", "published@rotation", "published@blocks")
    found = [
        entry(name, place, "vacuous", 901.0 + number, bound * (1 + number), trivial=5000.0, nonvacuous_from=needed)
        for number, place in enumerate(places)
    ]
    return claim(name, theorem, theorem, statement, "probability", *found, **changes)


def means() -> list[ClaimEntry]:
    """Claims in expectation, one of each verdict, and one whose failure probability is a number of its own."""
    one = {"trials": 40, "comparisons": 40, "trivial": 5.0, "witness": {}}
    seen = "mean {} against a bound of {} over 40 seeds"
    told = ("Theorem 2", "Theorem 2", "E[R] <= B", "expectation")

    def made(name: str, verdict: str, value: float, bound: float, end: str, **changes: Any) -> ClaimEntry:
        reason = seen.format(value, bound) + end
        found = {"detectable": NOTHING, "reason": reason, "interval": (value - 0.5, value + 0.5)} | one | changes
        return claim(name, *told, entry(name, "published@onehot", verdict, value, bound, **found))

    caught = Detectable("mean", 3.9)
    return [
        made("too-large", "violated", 3.25, 2.5, ": the mean is above the bound (level 1.0e-04)", powered=40, violations=1),
        made("slack", "conforms", 1.25, 2.5, ": the mean is at most the bound (level 0.01)", powered=40, detectable=caught),
        made("undecided", "inconclusive", 2.6, 2.5, "; more seeds are needed to tell", powered=40, detectable=caught),
        made(
            "unlimited",
            "inconclusive",
            2.6,
            7.5,
            "; nothing limits the value, so no number of seeds would certify it",
            powered=40,
            trivial=INF,
            interval=None,
        ),
        made("empty", "vacuous", 1.25, 12.5, "; more seeds are needed to tell", nonvacuous_from=300.0, unit="N"),
        probable("e-value", "Lemma 9", "Theorem 2", "E_n <= 10", 8, 45),
    ]


def counting() -> list[ClaimEntry]:
    deep = {"trivial": 1000.0, "witness": {"episode": 1000}}
    return [
        claim(
            "planning-calls",
            "Theorem 2",
            "Theorem 2",
            "#{replans} <= d H log(1 + (K-1)/(d lambda))",
            "always",
            entry("planning-calls", "published@onehot", "conforms", 26.0, 133.2, **deep),
            entry("planning-calls", "oracle@onehot", "conforms", 30.0, 133.2, **deep),
            entry("planning-calls", "oracle@lock", "conforms", 41.0, 184.0, **deep),
        ),
        claim(
            "planning-calls-enough",
            "cf. Theorem 2",
            "Theorem 2",
            "#{replans} >= (max_h log det ratio - 1) / (1 + log 2)",
            "always",
            entry("planning-calls-enough", "published@onehot", "conforms", -26.0, -15.0, **deep),
            status="ours",
        ),
        claim(
            "elliptical-potential",
            "eq. 15",
            "Theorem 2",
            "sum_k min(1, ||phi_h^k||^2) <= 2 log(det Lambda^{K+1} / det Lambda^1)",
            "always",
            entry("elliptical-potential", "published@onehot", "conforms", 36.4, 63.9, trivial=1000.0, witness={"h": 4}),
            status="corrected",
            why="printed with Lambda^K, which fails at K = 1: 1 <= 0 is false",
        ),
        claim(
            "planning-calls-growth",
            "Figure 3",
            "Theorem 2",
            "#{replans} grows no faster than log K",
            "scaling",
            entry(
                "planning-calls-growth",
                "published@onehot",
                "inconclusive",
                0.62,
                0.5,
                reason="exponent between -0.02 and 0.24 over K = 125..1000; sizes up to 8000 are in profile deep",
                witness={},
                interval=(-0.02, 0.24),
            ),
        ),
    ]
