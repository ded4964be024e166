"""`verifier errata`: statements that are false, or not implied, as printed, with the counterexamples run on the spot."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from verifier.base.errors import ContractError, PluginError, UsageError, nearest
from verifier.commands.shown import Shown
from verifier.model.erratum import Erratum, Grade, Refutation
from verifier.plugins.guard import GuardedError, guarded
from verifier.plugins.registry import Registry
from verifier.record.entries import ErratumEntry, plain
from verifier.record.grades import counted

WIDTH = 100
LABEL = 16


@dataclass(frozen=True)
class Ran:
    """An erratum with its counterexample, run.

    Parameters
    ----------
    erratum : Erratum
    refutation : Refutation or None
        The numbers; None where the counterexample failed.
    error : str
        Why it failed; empty if it did not.
    """

    erratum: Erratum
    refutation: Refutation | None
    error: str = ""

    @property
    def confirmed(self) -> bool:
        """Whether the counterexample meets the hypotheses, refutes the printed form and satisfies the corrected one."""
        found = self.refutation
        return found is not None and not found.unmet and not found.printed_holds and found.corrected_holds


@dataclass(frozen=True, repr=False)
class Errata(Shown):
    """Errata with their counterexamples, run.

    Parameters
    ----------
    ran : mapping of str to tuple of Ran
        By title of the paper.
    text : str
        Statements, corrections and numbers, in lines of at most 100 characters.
    """

    ran: Mapping[str, tuple[Ran, ...]]
    text: str

    @property
    def papers(self) -> Mapping[str, tuple[Erratum, ...]]:
        """Errata by title of the paper."""
        return {title: tuple(item.erratum for item in found) for title, found in self.ran.items()}

    @property
    def confirmed(self) -> bool:
        """Whether every counterexample refutes the printed form and satisfies the corrected one."""
        return all(item.confirmed for found in self.ran.values() for item in found)

    def to_json(self) -> dict[str, Any]:
        """Papers with their errata: what the record has of each, the claims that check it, and the numbers."""
        papers = [{"paper": title, "errata": [_entry(item) for item in found]} for title, found in self.ran.items()]
        return {"confirmed": self.confirmed, "papers": papers}


def _entry(ran: Ran) -> dict[str, Any]:
    erratum = ran.erratum
    declared = {part.name: getattr(erratum, part.name) for part in fields(ErratumEntry)}
    found = {"claims": erratum.claims, "confirmed": ran.confirmed, "refutation": ran.refutation, "error": ran.error}
    data: dict[str, Any] = plain({**declared, **found})
    return data


def errata(registry: Registry, targets: Sequence[str] = (), only: str | None = None) -> Errata:
    """The errata of the papers of some algorithms, or of all, with their counterexamples run.

    Parameters
    ----------
    registry : Registry
    targets : sequence of str
        Names of algorithms, groups or plugins; empty for all.
    only : str or None
        Name of one erratum.

    Raises
    ------
    UsageError
        If there is no such target or erratum.
    PluginError
        If every algorithm of a target failed to load.
    """
    papers = collect(registry, targets)
    if only is not None:
        papers = _select(papers, only)
    ran = {title: tuple(map(run, found)) for title, found in papers.items()}
    nothing = "No errata are declared" + (f" for {', '.join(targets)}.\n" if targets else ".\n")
    return Errata(ran, errata_text(ran) if any(ran.values()) else nothing)


def errata_text(ran: Mapping[str, tuple[Ran, ...]], width: int = WIDTH) -> str:
    """Errata that were run as text, in lines of a width."""
    lines: list[str] = []
    for title, found in ran.items():
        number = "1 statement" if len(found) == 1 else f"{len(found)} statements"
        told = f"{number}: {counted(item.erratum.grade for item in found)}"
        lines += [*textwrap.wrap(title, width), *textwrap.wrap(told, width), ""]
        if len(found) > 1:
            lines += [*_table([item.erratum for item in found], width), ""]
        for item in found:
            lines += [*_lines(item, width), ""]
    confirmed = [item.confirmed for found in ran.values() for item in found]
    summary = f"{sum(confirmed)} of {len(confirmed)} counterexamples refute what is printed and satisfy what is corrected."
    return "\n".join(_cut(line, width) for line in [*lines, *textwrap.wrap(summary, width)]) + "\n"


def collect(registry: Registry, targets: Sequence[str] = ()) -> dict[str, tuple[Erratum, ...]]:
    """The errata of the algorithms of some targets, or of all, by title of the paper.

    What several algorithms declare is listed once.

    Raises
    ------
    UsageError
        If there is no such target.
    PluginError
        If every algorithm of a target failed to load.
    """
    names: dict[str, None] = {}
    for target in targets or ("all",):
        usable, broken = registry.resolve(target)
        if not usable and broken and targets:
            raise PluginError(f"the errata of {target!r} cannot be shown: {broken[0].message}")
        names.update(dict.fromkeys(usable))
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


def run(erratum: Erratum) -> Ran:
    """Run the counterexample of an erratum; one that fails refutes nothing."""
    try:
        with guarded("the counterexample failed"):
            refutation = erratum.counterexample()
            if not isinstance(refutation, Refutation):
                raise ContractError(f"it returned a {type(refutation).__name__}, expected verifier.model.erratum.Refutation")
            printed, corrected = bool(refutation.printed_holds), bool(refutation.corrected_holds)
            met = {name: bool(value) for name, value in refutation.hypotheses.items()}
            return Ran(erratum, replace(refutation, printed_holds=printed, corrected_holds=corrected, hypotheses=met))
    except GuardedError as error:
        return Ran(erratum, None, str(error))


def _table(errata: Sequence[Erratum], width: int) -> list[str]:
    """A row for each entry: name, grade, place in the paper, which continues below itself."""
    names, grades = (max(map(len, column)) for column in zip(*((one.name, str(one.grade)) for one in errata), strict=True))
    below = " " * (names + grades + 6)
    rows = (textwrap.wrap(one.source, width, initial_indent=below, subsequent_indent=below) or [""] for one in errata)
    heads = (f"  {one.name:<{names}}  {one.grade!s:<{grades}}  " for one in errata)
    return [line for head, row in zip(heads, rows, strict=True) for line in (head + row[0][len(below) :], *row[1:])]


def _lines(ran: Ran, width: int) -> list[str]:
    """Lines of one erratum and the numbers of its counterexample."""
    erratum = ran.erratum
    fields = {
        "grade": erratum.grade,
        "printed": erratum.statement,
        "why": erratum.why,
        "corrected": erratum.corrected,
        "checked by": ", ".join(erratum.claims) or "no claim of the suite",
    }
    lines = textwrap.wrap(f"{erratum.name}  ({erratum.source})", width, subsequent_indent="  ")
    lines += [line for label, text in fields.items() for line in _field(label, text, width)]
    if ran.refutation is None:
        return lines + _field("error", ran.error, width)
    return lines + _numbers(erratum.grade, ran.refutation, width)


def _numbers(grade: Grade, refutation: Refutation, width: int) -> list[str]:
    refuted = "DOES NOT FOLLOW" if grade is Grade.NOT_IMPLIED else "FALSE"
    refutes, satisfies = not refutation.printed_holds, refutation.corrected_holds
    lines = ["  instance"]
    for line in refutation.instance.splitlines():
        lines += (
            textwrap.wrap(line, width, initial_indent="    ", subsequent_indent="    ")
            if len(line) > width - 4
            else [f"    {line}"]
        )
    if refutation.unmet:
        lines += _field("hypotheses", f"NOT MET: {'; '.join(refutation.unmet)}", width)
    lines += _field("as printed", f"{refuted if refutes else 'holds (NOT REFUTED)'}: {refutation.printed}", width)
    return lines + _field("as corrected", f"{'true' if satisfies else 'FAILS'}: {refutation.corrected}", width)


def _field(label: str, text: str, width: int) -> list[str]:
    head = f"  {label:<{LABEL - 2}}"
    return textwrap.wrap(
        " ".join(text.split()), width, initial_indent=head, subsequent_indent=" " * LABEL, break_on_hyphens=False
    )


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 1] + "…"


def problems(errata: Iterable[Erratum], claims: Iterable[str]) -> list[str]:
    """Problems of a declaration: names used twice, claims that do not exist.

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
