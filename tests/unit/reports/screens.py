"""Records for the first screen of a check, one for each way a run can end."""

from __future__ import annotations

from dataclasses import replace

from verifier.record import AlgorithmEntry, BugsEntry, ClaimEntry, Record, SupportEntry, TheoremEntry

from .entries import claim, entry
from .sample import algorithm, clean_sample, diagnosed, record, sample

TOPICS = {
    "Confidence": ("confidence-event", "concentration", "martingale", "regression-error", "self-consistency"),
    "Optimism": ("optimism", "distillation-error", "distillation-error-half"),
    "Potential": ("elliptical-potential", "stale-determinant"),
    "Switching": ("planning-calls", "planning-calls-enough"),
    "Regret": ("bellman-recursion", "pathwise-regret", "regret", "misspecified-regret", "reward-free-error"),
}
WITNESS = """ucblvd/value-formula is violated on a drawn instance (eq. 7, as printed, identity)
  Q_h = [r_h + <xi_h, psi> + 2 L beta ||phi||]^+

The instance (s, a counted from 0; h and episodes from 1):
  S = 1, A = 1, H = 1, K = 1
  s a P(0) r
  0 0 1 1/2
"""


def told(found: ClaimEntry, **changes: object) -> ClaimEntry:
    """A claim with its topic and, where it is undecided, with what it needs."""
    topic = next((topic for topic, names in TOPICS.items() if found.name in names), "")
    needed = 48 if found.kind == "probability" and found.verdict == "inconclusive" else 0
    entries = tuple(replace(one, needed=needed) for one in found.regimes)
    return replace(found, topic=topic, regimes=entries, decisive=None, **changes)


def topical(given: Record) -> Record:
    """A record whose claims have topics."""
    return replace(given, algorithms=tuple(replace(one, claims=tuple(map(told, one.claims))) for one in given.algorithms))


def passed() -> AlgorithmEntry:
    """An algorithm of which everything conforms, with a theorem and what is known of planted bugs."""
    good = [one for one in topical(clean_sample()).algorithms[0].claims if one.verdict == "conforms"]
    support = (
        SupportEntry("pathwise-regret", 9, 8, ("martingale",), "published"),
        SupportEntry("pathwise-regret", 9, 9, (), "oracle"),
    )
    theorem = TheoremEntry("pathwise-regret", "Theorem 2")
    known = BugsEntry(50, 49, "2025-02-28T09:00:00+00:00", "quick")
    return algorithm(good, trials_reused=0, bugs=known, support=support, theorem=theorem)


def broken() -> Record:
    """A broken line with a sentence, a smallest instance and consequences; and a second one, which has nothing to do with it."""
    given = topical(diagnosed()).algorithms[0]
    other = told(claim("martingale", "A.1", "Theorem 2", "x <= y", "always", entry("x", "oracle@lock", "violated", 2.1, 2.0)))
    claims = [
        replace(one, counterexample=WITNESS, difference="Everywhere: 0.500 times the formula.")
        if one.name == "value-formula"
        else one
        for one in given.claims
    ]
    return record(replace(given, claims=(*claims, other), first_broken=(*given.first_broken, "martingale")))


def interrupted() -> Record:
    """What Ctrl-C leaves."""
    cut = "7 of 12 pairs of instance and regime had no trial: interrupted"
    return record(replace(passed(), unfinished=cut, trials_finished=40, bugs=None), exit_code=130)


def several() -> Record:
    """A pass, a violation, an error."""
    wrong = replace(broken().algorithms[0], name="lifelong-lsvi")
    return record(passed(), wrong, replace(sample().algorithms[0], name="sharing", claims=(), power=None))


SCREENS = {
    "clean": record(passed()),
    "violation": broken(),
    "inconclusive": topical(clean_sample()),
    "several": several(),
    "interrupted": interrupted(),
}
