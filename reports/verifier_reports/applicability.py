"""Claims that do not apply: instances outside an assumption, and premises that held nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from verifier.record import AlgorithmEntry, ClaimEntry, InstanceEntry, RegimeEntry
from verifier_reports.numbers import plural
from verifier_reports.summary import grouped, short_name


def outside(algorithm: AlgorithmEntry) -> dict[tuple[str, ...], dict[str, str]]:
    """Instances on which an assumption fails.

    Returns
    -------
    dict
        From the names of the claims that do not apply to the instances where that is so, each with the reason.
    """
    result: dict[tuple[str, ...], dict[str, str]] = {}
    shown = any(claim.kind == "assumption" for claim in algorithm.claims)
    for instance in algorithm.instances:
        failed = instance.failed_assumptions
        claims = [claim for claim in algorithm.claims if _lost(claim, instance)]
        if failed and (claims or shown):
            needed = {name for claim in claims for name in claim.assumes}
            names = tuple(short_name(claim) for claim in claims)
            result.setdefault(names, {})[instance.name] = _failures(failed, needed)
    return result


def _lost(claim: ClaimEntry, instance: InstanceEntry) -> bool:
    """The claim was selected there, and does not apply because of an assumption."""
    evaluated = any(entry.instance == instance.name for entry in claim.regimes)
    return evaluated and bool(set(claim.assumes) & set(instance.failed_assumptions))


def _failures(failed: Mapping[str, str], needed: set[str]) -> str:
    """The assumptions that cost claims, with reasons; the names alone of those that only fail along with them."""
    causes = [name for name in failed if name in needed] or list(failed)
    text = "; ".join(f"{name} fails: {failed[name]}" if failed[name] else f"{name} fails" for name in causes)
    others = [name for name in failed if name not in causes]
    return text + (f" ({', '.join(others)} fails too)" if others else "")


def idle(algorithm: AlgorithmEntry, everywhere: bool) -> list[tuple[str, str]]:
    """Claims that apply but found nothing to compare, with how often that was so.

    Parameters
    ----------
    algorithm : AlgorithmEntry
    everywhere : bool
        Also those that were compared at half of their instances or more, and at least once in each regime.
    """
    failed = {instance.name: set(instance.failed_assumptions) for instance in algorithm.instances}
    result = []
    for claim in algorithm.claims:
        assumed = set(claim.assumes)
        apply = [entry for entry in claim.regimes if not failed.get(entry.instance, set()) & assumed]
        empty = [entry for entry in apply if entry.verdict == "not applicable"]
        if claim.kind != "assumption" and empty and (everywhere or _matters(apply, empty)):
            result.append((short_name(claim), _extent(claim, apply, empty)))
    return result


def _instances(found: Iterable[RegimeEntry]) -> list[str]:
    return list(dict.fromkeys(entry.instance for entry in found))


def _regimes(found: Iterable[RegimeEntry]) -> list[str]:
    return list(dict.fromkeys(entry.regime for entry in found))


def _matters(apply: list[RegimeEntry], empty: list[RegimeEntry]) -> bool:
    compared = [entry for entry in apply if entry.verdict != "not applicable"]
    half = len(_instances(apply)) / 2
    return len(_instances(empty)) > half or set(_regimes(apply)) > set(_regimes(compared))


def _extent(claim: ClaimEntry, apply: list[RegimeEntry], empty: list[RegimeEntry]) -> str:
    places, of = _instances(empty), len(_instances(apply))
    beyond = " where it applies" if of < len(_instances(claim.regimes)) else ""
    text = "its premise never held" if claim.given else "nothing to compare"
    text += f" at {places[0]}" if len(places) == 1 else f" at {len(places)} of {plural(of, 'instance')}{beyond}"
    regimes = _regimes(empty)
    return text + (f" ({', '.join(regimes)})" if len(regimes) < len(_regimes(apply)) else "")


def nowhere(algorithm: AlgorithmEntry) -> dict[str, list[str]]:
    """Claims that were evaluated nowhere, by reason."""
    found = [claim for claim in algorithm.claims if not claim.regimes]
    groups = grouped(found, lambda claim: claim.reason or "not evaluated")
    return {reason: [short_name(claim) for claim in claims] for reason, claims in groups.items()}
