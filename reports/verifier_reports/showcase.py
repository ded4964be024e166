"""The results of the paper at the paper's own sizes, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from verifier.record import AlgorithmEntry, ClaimEntry, InstanceEntry, RegimeEntry
from verifier.record.decisive import telling
from verifier_reports import wording
from verifier_reports.numbers import comparison, margin, measured, short_comparison
from verifier_reports.summary import grouped, short_name, worst


@dataclass(frozen=True)
class Result:
    """Outcome of one result of the paper.

    Parameters
    ----------
    verdict, name, statement : str
        Of the claim, over all regimes at these sizes.
    numbers : tuple of str
        The two sides of the inequality in each of the regimes that tell most.
    """

    verdict: str
    name: str
    statement: str
    numbers: tuple[str, ...]


@dataclass(frozen=True)
class Showcase:
    """An instance of the paper's sizes and the results there.

    Parameters
    ----------
    label, instance, sizes : str
        ``Figure 1a``, ``paper-size``, ``S = 15, d = H = 5``.
    results : tuple of Result
    """

    label: str
    instance: str
    sizes: str
    results: tuple[Result, ...]


def showcases(algorithm: AlgorithmEntry) -> list[Showcase]:
    """Per instance of the paper's sizes, the claims that are results of the paper and were compared there."""
    found = [
        Showcase(instance.showcase, instance.name, _sizes(instance.parameters), _results(algorithm, instance))
        for instance in algorithm.instances
        if instance.showcase
    ]
    return [one for one in found if one.results]


def _sizes(parameters: Mapping[str, float | int | str]) -> str:
    """``S = 15, d = m = H = 5``: the numbers among the parameters, equal ones together."""
    names: dict[float, list[str]] = {}
    for name, value in parameters.items():
        if not isinstance(value, str):
            names.setdefault(float(value), []).append(name)
    return ", ".join(" = ".join([*same, f"{value:g}"]) for value, same in names.items())


def _results(algorithm: AlgorithmEntry, instance: InstanceEntry) -> tuple[Result, ...]:
    results = [claim for claim in algorithm.claims if _is_result(claim)]
    of_the_paper = {claim.theorem for claim in results if claim.status != "ours"}
    found = (
        (claim, [entry for entry in claim.regimes if entry.instance == instance.name and measured(entry)])
        for claim in results
        if claim.status != "ours" or claim.theorem not in of_the_paper
    )
    return tuple(_result(claim, here) for claim, here in found if here)


def _is_result(claim: ClaimEntry) -> bool:
    """The inequality a theorem is named for: its source opens the heading it stands under.

    One of our own, say with a constant that is not printed, is shown where the paper has none under that heading.
    """
    source, heading = claim.source, claim.theorem
    named = bool(source) and heading.startswith(source) and not heading[len(source) : len(source) + 1].isalnum()
    return named and claim.kind in ("always", "given", "probability", "expectation")


def _result(claim: ClaimEntry, here: list[RegimeEntry]) -> Result:
    verdict = worst(here)
    numbers = tuple(f"{regime}: {_numbers(claim, entry)}" for regime, entry in _telling(claim, here, verdict))
    return Result(verdict, short_name(claim), claim.statement, numbers)


def _telling(claim: ClaimEntry, here: list[RegimeEntry], verdict: str) -> Iterator[tuple[str, RegimeEntry]]:
    """The first regime (the paper's own width), and the one that decides if that is another verdict."""
    by_regime = grouped(here, lambda entry: entry.regime)
    regime, (first, *_) = next(iter(by_regime.items()))
    yield regime, first
    if first.verdict != verdict:
        deciding = telling(here, verdict)[0]
        yield deciding.regime, deciding


def _numbers(claim: ClaimEntry, entry: RegimeEntry) -> str:
    if entry.verdict == "violated":
        return comparison(claim, entry)
    text = short_comparison(claim, entry)
    if entry.verdict == "vacuous":
        large = entry.bound > entry.trivial
        return f"{text}, {wording.beyond_reach(entry)}" if large else f"{text}: {wording.emptiness(claim, entry)}"
    if entry.verdict != "conforms":
        return f"{text}, {entry.reason or entry.verdict}"
    smallest = margin(entry) if claim.kind == "given" else ""
    if text.startswith("slack") and smallest:
        return smallest
    return f"{text}, {smallest}" if smallest else text
