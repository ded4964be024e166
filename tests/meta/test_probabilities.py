"""What a paper states with a probability is claimed with that probability, and not on the harness's own event alone.

A claim that is given an event says nothing of how often the event holds: with a width that is far too small it leaves most
comparisons out and conforms. So the event has a claim of its own. Two tables are kept by hand, from the papers; they fail when a
claim is added that they do not know.
"""

from __future__ import annotations

import re

import pytest

from verifier import Claim, Guarantees, Kind, Status
from verifier.plugins.registry import registry

STATED = {
    "ela": {"Lemma E.1": "delta", "Lemma E.2": "delta", "Theorem 4.1": "2 delta"},
    "ella": {"Lemma E.1": "delta", "Lemma E.2": "delta", "Lemma D.1": "delta", "appendix D.1": "delta"},
    "cvar-lsvi": {"Lemma D.1": "delta", "appendix D.1": "delta"},
    "fmdp-ch": {
        "Lemma D.1, (7)": "delta",
        "Lemma D.1, (8)": "delta",
        "Lemma D.1, (9)": "delta",
        "Lemma D.1, (10)": "delta",
        "Lemma D.1, (11)": "delta",
        "Lemma D.1, (12)": "delta",
        "Lemma E.2": "delta",
    },
    "fmdp-bf": {
        "Lemma D.2, (9)": "delta",
        "Lemma D.2, (10)": "delta",
        "Lemma D.2, (13)": "delta",
        "Lemma D.2, (14)": "delta",
        "Lemma D.2, (15)": "delta",
        "Lemma F.9": "delta",
    },
    "flat-ch": {},
    "knapsack": {"Appendix H.2, as Lemma D.2": "delta", "Appendix H.2, as Lemma F.9": "delta"},
    "ravi-ucb-tabular": {"Lemma 5.1": "delta"},
    "ravi-ucb-mixture": {"Lemma 5.4": "delta", "Theorem C.2": "delta"},
    "psrl": {},
    "ucb1": {},
    "moss": {},
    "kl-ucb": {},
    "thompson": {},
    "oful": {"Theorem 1": "delta", "Theorem 2": "delta", "Theorem 3": "delta"},
    "exp3": {},
    "rlsvi": {},
    "mvp": {"Theorem 1": "delta"},
    "ucrl-vtr": {"Theorem 14": "delta", "Theorem 14, §C.1.3": "delta", "Corollary 2": "2 delta"},
    "ucb-bernstein": {"Lemma C.3": "delta", "Lemma C.4, proof": "delta", "Theorem 2": "delta"},
    "ucb-hoeffding": {"Lemma 4.3, proof": "delta", "Theorem 1": "delta"},
    "rf-ucrl": {"Theorem on sample complexity": "delta"},
    "bpi-ucrl": {"Theorem on sample complexity": "delta"},
    "ucrl2": {"Lemma 17": "delta", "Theorem 2": "delta"},
    "ucbvi-ch": {"Appendix B.2": "delta", "Lemma 18": "delta", "Theorem 1": "delta"},
    "ucbvi-bf": {"Appendix B.2": "delta", "Appendix B": "delta", "Theorem 2": "delta"},
    "lsvi-ucb": {"Lemma B.3": "delta", "Lemma B.4": "delta", "Theorem 3.1": "delta"},
    "lsvi-rfe": {
        "Lemma A.6": "delta",
        "Lemma A.11": "delta",
        "Lemma A.12": "delta",
        "Lemma A.13": "3 delta",
        "Lemma A.18": "2 delta",
        "Lemma A.19": "2 delta",
        "Lemma A.20": "delta",
        "Lemma A.21": "delta",
        "Theorem 4.2": "7 delta",
    },
    "lifelong-lsvi": {"Lemma 2": "delta", "Lemma 3": "delta", "Theorem 1": "2 delta"},
    "ucblvd": {"Lemma 5": "delta", "Lemma 6": "delta", "Theorem 2": "2 delta", "Theorem 6": "2 delta"},
    "ucblvd-unknown-rewards": {"Lemma 8": "delta", "Lemma 9": "delta", "Theorem 3": "2 delta", "Theorem 6": "2 delta"},
    "ucblvd-modified": {"Lemma 5": "delta", "Lemma 6": "delta", "Theorem 4": "2 delta", "Theorem 6": "2 delta"},
    "lifelong-lsvi-sharing": {"Lemma 13": "delta", "Lemma 14": "delta", "Theorem 5": "2 delta"},
}
"""By algorithm: what its paper states with a probability, and the probability with which it may fail."""

OF_A_PLAN = ""
EVENTS = {
    r"ζ_k of the truth \(Lemma E\.1\)": "likelihood-event",
    r"norms are concentrated \(Lemma E\.2\)": "norm-concentration",
    r"‖w_h\(i\) − θ_h\(i\)‖_Λ ≤ β": "confidence-event|planner-confidence",
    r"Monte Carlo estimates are within Hoeffding's bound": "evaluation-error",
    r"CB_k": "confidence",
    r"no backup so far was below": "confidence",
    r"harness's bonus covers": "coverage",
    r"F\(V\*_\{h\+1\}\) ≥ r \+ PV\*": "coverage",
    r"true kernel is in the harness's ball": "confidence-event",
    r"θ is in the ellipsoid": "confidence-event",
    r"H‖P̂_h − P_h‖₁/2 is within": "confidence-event",
    r"\|x̄ − μ\| is within": "far-means",
    r"N d⁺\(x̄, μ\) is within the level": "underestimates",
    r"weighted bonuses.* cover the weighted errors": "confidence-event",
    r"no φ_\{h\+1\}\^k is negative": OF_A_PLAN,
    r"cover \|R̂ − R\|": "coverage",
    r"\((7|13)\), \((8|14)\) and \(9\) hold": "value-confidence",
    r"\(15\) holds": "expected-visits",
    r"≤ V\*_\{h\+1\} ≤ V_\{h\+1\} of the plan": OF_A_PLAN,
    r"estimates? (of the targets are|is) within the width": "confidence-event",
    r"ν̂_h is within the width": "confidence-event",
    r"the reward estimate is within its width": "reward-confidence",
    r"realised errors? (are|is) within the radius": "exploration-confidence|both-confidences",
    r"both events": "both-confidences",
    r"bounds of Lemmas A\.11 and A\.12 hold": "planning-confidence-1",
    r"^β_E ≥ β_P": OF_A_PLAN,
    r"V_\{h\+1\} ≥ −H": OF_A_PLAN,
    r"noise makes up for the harness's errors": "failures",
    r"independent ρ|^Assumption 6 holds for this V": OF_A_PLAN,
}
"""Events that claims are given, and the claims about how likely they are; none where the event is of a plan and not of chance."""

UNCLAIMED = {"moss": "PEEL"}
"""Algorithms of which nothing is claimed of how likely such an event is, and the clause that says why."""

BUILT_IN = [guarantees for name, guarantees in registry().guarantees.items() if name in STATED]


def likely(guarantees: Guarantees) -> list[Claim]:
    """The claims of a probability."""
    return [claim for claim in guarantees.claims if claim.kind is Kind.PROBABILITY]


def names(guarantees: Guarantees) -> str:
    return guarantees.name


def test_every_algorithm_of_this_repository_is_in_the_table() -> None:
    assert {guarantees.name for guarantees in BUILT_IN} == set(STATED)
    others = {name for name, known in registry().guarantees.items() if any(c.kind is Kind.GIVEN for c in known.claims)}
    assert others <= set(STATED)


@pytest.mark.parametrize("guarantees", BUILT_IN, ids=names)
def test_what_is_stated_with_a_probability_is_claimed_with_it(guarantees: Guarantees) -> None:
    table = STATED[guarantees.name]
    for source, allowed in table.items():
        assert (source, allowed) in {(claim.source, claim.allowed) for claim in likely(guarantees)}
    for claim in likely(guarantees):
        if claim.status is not Status.OURS:
            assert any(claim.source.startswith(source) for source in table), claim.name


@pytest.mark.parametrize("guarantees", BUILT_IN, ids=names)
def test_an_event_that_a_claim_is_given_has_a_claim(guarantees: Guarantees) -> None:
    own = {claim.name: claim.kind for claim in guarantees.claims}
    for claim in guarantees.claims:
        if claim.kind is Kind.GIVEN:
            events = [event for pattern, event in EVENTS.items() if re.search(pattern, claim.given)]
            assert events, claim.given
            for event in filter(None, events):
                kinds = {own[name] for name in event.split("|") if name in own}
                said = {clause.key for clause in guarantees.clauses if clause.unchecked} & {UNCLAIMED.get(guarantees.name)}
                assert said or kinds & {Kind.PROBABILITY, Kind.EXPECTATION, Kind.ALWAYS}, (claim.name, event)
