"""The first broken line and what fails because of it, as every report says it; nothing where no proof is declared."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.record import AlgorithmEntry, ClaimEntry, SupportEntry
from verifier.record.regime import verdict_of
from verifier_reports.numbers import plural
from verifier_reports.summary import grouped, short_name, with_verdict
from verifier_reports.wording import fold, source

_SHOWN = 3


def causes(algorithm: AlgorithmEntry) -> list[ClaimEntry]:
    """The violated claims that no other violated claim explains."""
    return [claim for claim in algorithm.claims if short_name(claim) in algorithm.first_broken]


def violated(algorithm: AlgorithmEntry) -> list[tuple[ClaimEntry, list[ClaimEntry]]]:
    """The violated claims that are broken first, each with those that fail because of it.

    A claim that rests on several of them is told once, under the one it rests on most directly. Where no proof is declared, each
    violated claim stands for itself.
    """
    found = with_verdict(algorithm, "violated")
    resting = grouped((claim for claim in found if claim.broken_by), lambda claim: claim.broken_by[0])
    return [(claim, resting.get(short_name(claim), [])) for claim in found if not claim.broken_by]


def unfounded(algorithm: AlgorithmEntry, verdict: str) -> list[ClaimEntry]:
    """The claims with a verdict that rest on a broken one: no evidence any more."""
    return [claim for claim in with_verdict(algorithm, verdict) if claim.broken_by]


def first_broken(algorithm: AlgorithmEntry) -> str:
    """``First broken: q-formula (eq. 7). Everywhere: 0.500 times the formula.``; empty where nothing is, or without a proof."""
    return named(algorithm) + differences(causes(algorithm)[:_SHOWN])


def named(algorithm: AlgorithmEntry) -> str:
    """``First broken: q-formula (eq. 7). ``, without how; empty where nothing is broken, or without a proof."""
    found = [f"{short_name(claim)} ({source(claim)})" for claim in causes(algorithm)]
    return f"First broken: {fold(found, _SHOWN)}. " if found else ""


def differences(claims: Sequence[ClaimEntry]) -> str:
    """Differences of these claims, as far as they are known: one sentence for each, with its name where there are several."""
    names = [f"{short_name(claim)}: " if len(claims) > 1 else "" for claim in claims]
    return "".join(f"{name}{claim.difference} " for name, claim in zip(names, claims, strict=True) if claim.difference)


def because(consequences: Sequence[ClaimEntry], limit: int | None) -> str:
    """Sentence on the claims that fail because of a broken claim; empty if none does."""
    names = fold([short_name(claim) for claim in consequences], limit)
    return f"{plural(len(consequences), 'claim fails', 'claims fail')} because of it: {names}" if consequences else ""


def supports(algorithm: AlgorithmEntry) -> list[list[SupportEntry]]:
    """Support of each theorem: its entries, one for each regime, the main theorem first."""
    return list(grouped(algorithm.support, lambda entry: entry.claim).values())


def support(algorithm: AlgorithmEntry, entries: Sequence[SupportEntry], limit: int | None) -> str:
    """``regret (Theorem 2), steps checked with power: 8 of 9 at published, 9 of 9 at oracle; not supported ...: sum (vacuous)``.

    `entries` are those of one theorem. What is missing is told of the first regime.
    """
    known = {short_name(claim): claim for claim in algorithm.claims}
    first = entries[0]
    theorem = known.get(first.claim)
    title = f"{first.claim} ({source(theorem)})" if theorem else first.claim
    counts = [f"{entry.checked} of {entry.steps} {_at(entry.regime)}" for entry in entries]
    found = [f"{name} ({_why_not(known.get(name), first.regime)})" for name in first.missing]
    missing = f"; not supported {_at(first.regime)}: {fold(found, limit)}" if found else ""
    return f"{title}, steps checked with power: {', '.join(counts)}{missing}"


def _at(regime: str) -> str:
    return f"at {regime}" if regime else "in some regime"


def main_theorem(algorithm: AlgorithmEntry, limit: int | None) -> str:
    """Support of the paper's main theorem, or why it was not checked; empty where nothing below it was looked at."""
    theorem = algorithm.theorem
    if theorem is None:
        return "not said: no main theorem is declared" if algorithm.proof else ""
    if theorem.unchecked:
        return f"{theorem.source}: not checked: {theorem.unchecked.partition(':')[0]}"
    own = [entries for entries in supports(algorithm) if entries[0].claim == theorem.name]
    return support(algorithm, own[0], limit) if own else ""


def _why_not(claim: ClaimEntry | None, regime: str) -> str:
    if claim is None:
        return "not looked at"
    if claim.broken_by:
        return f"rests on {claim.broken_by[0]}"
    there = [entry for entry in claim.regimes if entry.regime in (regime, "")]
    return "not looked at there" if regime and not there else verdict_of(there or claim.regimes).value
