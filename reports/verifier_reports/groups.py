"""Claims counted by what they are about, and what the screen says of each group in a line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verifier.base.profile import TIERS
from verifier.model.topic import Topic
from verifier.record import AlgorithmEntry, ClaimEntry, RegimeEntry
from verifier_reports.numbers import numeral, plural
from verifier_reports.summary import VERDICTS, grouped, short_name, worst
from verifier_reports.wording import fold, horizon

_NAMES = 2
_OF_KIND = {"assumption": Topic.ASSUMPTIONS, "identity": Topic.PSEUDO_CODE, "law": Topic.LAWS, "scaling": Topic.RATES}
_ORDER = [topic.value for topic in Topic]
_WORST_FIRST = ("violated", "error", "inconclusive", "vacuous", "observed", "conforms")


@dataclass(frozen=True)
class Group:
    """The claims about one topic.

    Parameters
    ----------
    topic : str
    claims : tuple of ClaimEntry
        In the record's order.
    """

    topic: str
    claims: tuple[ClaimEntry, ...]

    @property
    def verdict(self) -> str:
        """``conforms`` only where all that apply do; else the worst that occurs, and vacuous is worse than conforms.

        Claims that conform, and all rest on what is broken, are no evidence: such a group is vacuous.
        """
        found = {claim.verdict for claim in self.claims}
        worst_verdict = next((verdict for verdict in _WORST_FIRST if verdict in found), "not applicable")
        return "vacuous" if worst_verdict == "conforms" and not self.founded else worst_verdict

    @property
    def founded(self) -> tuple[ClaimEntry, ...]:
        """Claims that conform, and whose proof uses nothing that is violated."""
        return tuple(claim for claim in self.claims if claim.verdict == "conforms" and not claim.broken_by)

    @property
    def count(self) -> str:
        """``5 of 7`` conform, of all that were selected."""
        return f"{len(self.founded)} of {len(self.claims)}"


def groups(algorithm: AlgorithmEntry) -> list[Group]:
    """The claims of an algorithm by topic, in reading order; topics of plugins come last, in the order of the claims."""
    found = grouped(algorithm.claims, _topic)
    return [Group(topic, tuple(found[topic])) for topic in in_order(found)]


def in_order(topics: Iterable[str]) -> list[str]:
    """Topics in reading order; those of plugins last, as they come."""
    return sorted(dict.fromkeys(topics), key=lambda topic: _ORDER.index(topic) if topic in _ORDER else len(_ORDER))


def _topic(claim: ClaimEntry) -> str:
    return claim.topic or _OF_KIND.get(claim.kind, Topic.OTHER).value


def note(group: Group, algorithm: AlgorithmEntry) -> str:
    """Note on a group beside its count: the verdicts that are no pass, worst first, or else how it was tested."""
    told = [text for verdict in VERDICTS if (text := _told(group, verdict, algorithm))]
    return "; ".join(told)


def _told(group: Group, verdict: str, algorithm: AlgorithmEntry) -> str:
    claims = [claim for claim in group.claims if claim.verdict == verdict]
    if not claims:
        return ""
    if verdict == "conforms":
        return _tested(group, algorithm)
    if verdict == "inconclusive":
        return _undecided(claims)
    if verdict == "vacuous":
        return _vacuous(claims)
    names = fold([short_name(claim) for claim in claims], _NAMES)
    words = {"violated": "violated: ", "error": "in error: ", "observed": "observed: ", "not applicable": "not applicable: "}
    return words[verdict] + names


def _undecided(claims: Sequence[ClaimEntry]) -> str:
    """``2 undecided: up to 37 more clean runs, --profile standard``, where what is missing is known of all of them.

    The number is that of the entry that every report cites, which is the one that needs most.
    """
    needed = [claim.deciding.needed if claim.deciding else 0 for claim in claims]
    if not all(needed):
        return f"undecided: {fold([short_name(claim) for claim in claims], _NAMES)}"
    most = max(needed)
    profiles = {entry.enough for claim in claims for entry in claim.regimes if entry.needed}
    advice = f", use --profile {[tier for tier in TIERS if tier in profiles][-1]}" if profiles <= set(TIERS) else ""
    return f"{len(claims)} undecided: {'up to ' if len(set(needed)) > 1 else ''}{plural(most, 'more clean run')}{advice}"


def _vacuous(claims: Sequence[ClaimEntry]) -> str:
    """``vacuous: regret (says nothing before K = 6.7e9), loss``; claims with the same horizon share it."""
    told: list[str] = []
    for until, same in grouped(claims, horizon).items():
        names = [short_name(claim) for claim in same]
        told += [f"{_all_of(names)} ({'say' if len(names) > 1 else 'says'} nothing {until})"] if until else names
    return f"vacuous: {fold(told, _NAMES)}"


def _all_of(names: Sequence[str]) -> str:
    """``a``, ``a and b``, or ``a, b and 3 more``."""
    return " and ".join(names) if len(names) == 2 else fold(names, _NAMES)


def _tested(group: Group, algorithm: AlgorithmEntry) -> str:
    """Ways in which conforming claims were tested, where there is nothing worse to say; how many of them are no evidence."""
    resting = sum(claim.verdict == "conforms" and bool(claim.broken_by) for claim in group.claims)
    parts = [*_ways(group.founded, algorithm)] if group.founded and group.verdict == "conforms" else []
    if resting:
        parts.append(f"{resting} not judged ({'depends' if resting == 1 else 'depend'} on a broken line)")
    return "; ".join(parts)


def _ways(claims: Sequence[ClaimEntry], algorithm: AlgorithmEntry) -> Iterable[str]:
    kinds = {claim.kind for claim in claims}
    if kinds == {"assumption"}:
        yield _outside(algorithm)
        return
    recomputed = sum(claim.kind == "identity" for claim in claims)
    if recomputed:
        yield f"{f'{recomputed} ' * (len(kinds) > 1)}recomputed by another route, equal up to rounding"
    found = tightest(claims)
    if found is not None and not recomputed:
        yield _margin(found)
    certified = sum(claim.kind in ("probability", "expectation") for claim in claims)
    if certified:
        yield f"{certified} certified over seeds"
    silent = sum(_only_elsewhere(claim) for claim in claims)
    if silent:
        yield f"{silent} could not fail at the paper's width"


def _outside(algorithm: AlgorithmEntry) -> str:
    """Number of instances on which all assumptions hold; the others are there on purpose, and are named."""
    names = [instance.name for instance in algorithm.instances if instance.failed_assumptions]
    total = plural(len(algorithm.instances), "instance")
    if not names:
        return f"on {total}" if algorithm.instances else ""
    return f"all hold on {len(algorithm.instances) - len(names)} of {total}, not on {fold(names, _NAMES)}"


def tightest(claims: Iterable[ClaimEntry]) -> tuple[ClaimEntry, RegimeEntry] | None:
    """Inequality with the entry that conforms with the smallest difference of bound and value."""
    found = [
        (claim, entry)
        for claim in claims
        for entry in claim.regimes
        if claim.kind in ("always", "given") and entry.verdict == "conforms" and entry.powered and math.isfinite(entry.margin)
    ]
    return min(found, key=lambda pair: pair[1].margin, default=None)


def _margin(found: tuple[ClaimEntry, RegimeEntry]) -> str:
    _, entry = found
    place = f" ({entry.regime})" if entry.regime else ""
    return f"smallest margin {numeral(entry.margin, 2)}{place}" if entry.margin > 0 else f"tight up to rounding{place}"


def _only_elsewhere(claim: ClaimEntry) -> bool:
    """Whether it could not have failed at the published width anywhere, though it was compared there."""
    found = [entry for entry in claim.regimes if entry.regime.startswith("published")]
    return bool(found) and worst(found) == "vacuous"
