"""`verifier errata`: statements that are false, or not implied, as printed, with the counterexamples run on the spot."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from verifier.base.errors import ContractError, PluginError, UsageError, nearest
from verifier.model.erratum import Erratum, Refutation
from verifier.plugins.guard import GuardedError, guarded
from verifier.plugins.registry import Registry

WIDTH = 100
LABEL = 16


@dataclass(frozen=True)
class Errata:
    """Errata with their counterexamples, run.

    Parameters
    ----------
    papers : mapping of str to tuple of Erratum
        By title of the paper.
    text : str
        Statements, corrections and numbers, in lines of at most 100 characters.
    confirmed : bool
        Whether every counterexample refutes the printed form and satisfies the corrected one.
    """

    papers: Mapping[str, tuple[Erratum, ...]]
    text: str
    confirmed: bool

    def __repr__(self) -> str:
        return self.text.rstrip()


def errata(registry: Registry, paper: str | None = None, only: str | None = None) -> Errata:
    """The errata of a paper, or of all, with their counterexamples run.

    Parameters
    ----------
    registry : Registry
    paper : str or None
        Name of a group (or of an algorithm or plugin); None for all.
    only : str or None
        Name of one erratum.

    Raises
    ------
    UsageError
        If there is no such paper or erratum.
    PluginError
        If every algorithm of the paper failed to load.
    """
    papers = collect(registry, paper)
    if only is not None:
        papers = _select(papers, only)
    lines: list[str] = []
    confirmed: list[bool] = []
    for title, found in papers.items():
        number = "1 statement" if len(found) == 1 else f"{len(found)} statements"
        lines += [*textwrap.wrap(title, WIDTH), f"{number} false, or not implied, as printed", ""]
        for erratum in found:
            shown, right = _erratum(erratum)
            lines += [*shown, ""]
            confirmed.append(right)
    if not confirmed:
        return Errata(papers, "No errata are declared" + (f" for {paper}.\n" if paper else ".\n"), True)
    lines.append(f"{sum(confirmed)} of {len(confirmed)} counterexamples refute what is printed and satisfy what is corrected.")
    return Errata(papers, "\n".join(_cut(line) for line in lines) + "\n", all(confirmed))


def collect(registry: Registry, paper: str | None = None) -> dict[str, tuple[Erratum, ...]]:
    """The errata of the algorithms of a group, by title of the paper.

    What several algorithms declare is listed once.

    Raises
    ------
    UsageError
        If there is no such paper.
    PluginError
        If every algorithm of the paper failed to load.
    """
    names, broken = registry.resolve(paper if paper is not None else "all")
    if not names and broken and paper is not None:
        raise PluginError(f"the errata of {paper!r} cannot be shown: {broken[0].message}")
    papers: dict[str, dict[str, Erratum]] = {}
    for guarantees in map(registry.guarantees_of, names):
        for erratum in guarantees.errata:
            papers.setdefault(guarantees.algorithm.paper, {}).setdefault(erratum.name, erratum)
    return {title: tuple(found.values()) for title, found in papers.items()}


def _select(papers: dict[str, tuple[Erratum, ...]], only: str) -> dict[str, tuple[Erratum, ...]]:
    """The errata of one name."""
    found = {title: tuple(item for item in errata if item.name == only) for title, errata in papers.items()}
    found = {title: errata for title, errata in found.items() if errata}
    if not found:
        known = {item.name for errata in papers.values() for item in errata}
        raise UsageError(f"no erratum is called {only!r}. {nearest(only, known)}")
    return found


def _erratum(erratum: Erratum) -> tuple[list[str], bool]:
    """One erratum with its counterexample, and whether this refutes and satisfies what it should."""
    lines = [f"{erratum.name}  ({erratum.source})"]
    lines += _field("printed", erratum.statement) + _field("why", erratum.why) + _field("corrected", erratum.corrected)
    lines += _field("checked by", ", ".join(erratum.claims) or "no claim of the suite")
    try:
        with guarded("the counterexample failed"):
            refutation = erratum.counterexample()
            if not isinstance(refutation, Refutation):
                raise ContractError(f"it returned a {type(refutation).__name__}, expected verifier.model.erratum.Refutation")
            refutes, satisfies = not refutation.printed_holds, bool(refutation.corrected_holds)
            return lines + _numbers(refutation, refutes, satisfies), refutes and satisfies
    except GuardedError as error:  # it refutes nothing
        return [*lines, *_field("error", str(error))], False


def _numbers(refutation: Refutation, refutes: bool, satisfies: bool) -> list[str]:
    lines = ["  instance"]
    for line in refutation.instance.splitlines():
        lines += (
            textwrap.wrap(line, WIDTH, initial_indent="    ", subsequent_indent="    ")
            if len(line) > WIDTH - 4
            else [f"    {line}"]
        )
    lines += _field("as printed", f"{'FALSE' if refutes else 'holds (NOT REFUTED)'}: {refutation.printed}")
    return lines + _field("as corrected", f"{'true' if satisfies else 'FAILS'}: {refutation.corrected}")


def _field(label: str, text: str) -> list[str]:
    head = f"  {label:<{LABEL - 2}}"
    return textwrap.wrap(
        " ".join(text.split()), WIDTH, initial_indent=head, subsequent_indent=" " * LABEL, break_on_hyphens=False
    )


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


def problems(errata: Iterable[Erratum], claims: Iterable[str]) -> list[str]:
    """What is wrong with a declaration: names used twice, claims that do not exist.

    Parameters
    ----------
    errata : iterable of Erratum
        Of one paper.
    claims : iterable of str
        Ids of all claims, ``algorithm/claim``.
    """
    known, seen, found = set(claims), set[str](), []
    for erratum in errata:
        if erratum.name in seen:
            found.append(f"erratum {erratum.name!r} is declared twice")
        seen.add(erratum.name)
        found += [
            f"erratum {erratum.name!r} names claim {claim!r}. {nearest(claim, known)}"
            for claim in erratum.claims
            if claim not in known
        ]
    return found
