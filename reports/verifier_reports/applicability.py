"""Where claims do not apply: instances outside an assumption, and premises that held nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier_reports.figures import plural
from verifier_reports.summary import grouped, short_name

Data = Mapping[str, Any]


def outside(algorithm: Data) -> dict[tuple[str, ...], dict[str, str]]:
    """Instances on which an assumption fails.

    Returns
    -------
    dict
        From the names of the claims that do not apply to the instances where that is so, each with the reason.
    """
    result: dict[tuple[str, ...], dict[str, str]] = {}
    shown = any(claim["kind"] == "assumption" for claim in algorithm["claims"])
    for instance in algorithm["instances"]:
        failed = instance["failed_assumptions"]
        claims = [claim for claim in algorithm["claims"] if _lost(claim, instance)]
        if failed and (claims or shown):
            needed = {name for claim in claims for name in claim["assumes"]}
            names = tuple(short_name(claim) for claim in claims)
            result.setdefault(names, {})[instance["name"]] = _failures(failed, needed)
    return result


def _lost(claim: Data, instance: Data) -> bool:
    """The claim was selected there, and does not apply because of an assumption."""
    evaluated = any(entry["instance"] == instance["name"] for entry in claim["regimes"])
    return evaluated and bool(set(claim["assumes"]) & set(instance["failed_assumptions"]))


def _failures(failed: Mapping[str, str], needed: set[str]) -> str:
    """The assumptions that cost claims, with reasons; the names alone of those that only fail along with them."""
    causes = [name for name in failed if name in needed] or list(failed)
    text = "; ".join(f"{name} fails: {failed[name]}" if failed[name] else f"{name} fails" for name in causes)
    others = [name for name in failed if name not in causes]
    return text + (f" ({', '.join(others)} fails too)" if others else "")


def idle(algorithm: Data, everywhere: bool) -> list[tuple[str, str]]:
    """Claims that apply but found nothing to compare, with how often that was so.

    Parameters
    ----------
    algorithm : mapping
        An algorithm of the JSON record.
    everywhere : bool
        Also those that were compared at half of their instances or more, and at least once in each regime.
    """
    failed = {instance["name"]: set(instance["failed_assumptions"]) for instance in algorithm["instances"]}
    result = []
    for claim in algorithm["claims"]:
        assumed = set(claim["assumes"])
        apply = [entry for entry in claim["regimes"] if not failed.get(entry["instance"], set()) & assumed]
        empty = [entry for entry in apply if entry["verdict"] == "not applicable"]
        if claim["kind"] != "assumption" and empty and (everywhere or _matters(apply, empty)):
            result.append((short_name(claim), _extent(claim, apply, empty)))
    return result


def _distinct(found: list[Data], key: str) -> list[str]:
    return list(dict.fromkeys(str(entry[key]) for entry in found))


def _matters(apply: list[Data], empty: list[Data]) -> bool:
    compared = [entry for entry in apply if entry["verdict"] != "not applicable"]
    half = len(_distinct(apply, "instance")) / 2
    return len(_distinct(empty, "instance")) > half or set(_distinct(apply, "regime")) > set(_distinct(compared, "regime"))


def _extent(claim: Data, apply: list[Data], empty: list[Data]) -> str:
    places, of = _distinct(empty, "instance"), len(_distinct(apply, "instance"))
    beyond = " where it applies" if of < len(_distinct(claim["regimes"], "instance")) else ""
    text = "its premise never held" if claim["given"] else "nothing to compare"
    text += f" at {places[0]}" if len(places) == 1 else f" at {len(places)} of {plural(of, 'instance')}{beyond}"
    regimes = _distinct(empty, "regime")
    return text + (f" ({', '.join(regimes)})" if len(regimes) < len(_distinct(apply, "regime")) else "")


def nowhere(algorithm: Data) -> dict[str, list[str]]:
    """Claims that were evaluated nowhere, by reason."""
    found = [claim for claim in algorithm["claims"] if not claim["regimes"]]
    groups = grouped(found, lambda claim: str(claim["reason"] or "not evaluated"))
    return {reason: [short_name(claim) for claim in claims] for reason, claims in groups.items()}
