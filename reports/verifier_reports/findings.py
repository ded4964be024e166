"""The sections below the table of claims: violated, broken, at the paper's sizes, empty, undecided, not applicable."""

from __future__ import annotations

from typing import Any

from verifier.base.replaying import beginning
from verifier.record import AlgorithmEntry, ClaimEntry, ErrorEntry, Scaling
from verifier.record.decisive import telling
from verifier_reports import wording
from verifier_reports.applicability import idle, nowhere, outside
from verifier_reports.diagnosis import because, violated
from verifier_reports.numbers import plural
from verifier_reports.scaling import COLUMNS, facts, place, rows, scaled, sizes_of
from verifier_reports.screen import Screen, clean, clip
from verifier_reports.showcase import showcases
from verifier_reports.summary import (
    grouped,
    mark,
    short_name,
    silent,
    where,
    why,
    with_verdict,
)

_ITEMS = 5
_NAMES = 6
_PLACES = 3
_RESULTS = 3
_LONG = 60
_LABEL, _CELL = 33, 9


def findings(screen: Screen, algorithm: AlgorithmEntry, verbose: bool) -> None:
    """Draw every section that has something to say.

    Parameters
    ----------
    screen : Screen
        What to draw on.
    algorithm : AlgorithmEntry
    verbose : bool
        Unfold long lists and show tracebacks.
    """
    for section in (_violated, errors, _scaling, _showcases, _vacuous, _observed, _undecided, _inapplicable):
        section(screen, algorithm, verbose)
        screen.blank()


def _limit(number: int, verbose: bool) -> int | None:
    return None if verbose else number


def _heading(screen: Screen, text: str, number: int | None = None) -> None:
    screen.line((text, "heading"), (f" ({number})" if number is not None else "", "dim"))


def _rest(screen: Screen, left_out: int) -> None:
    if left_out > 0:
        screen.line((f"  and {left_out} more: --verbose", "dim"))


def _shown(items: list[Any], verbose: bool, number: int = _ITEMS) -> list[Any]:
    return items if verbose or len(items) <= number + 1 else items[:number]


def errors(screen: Screen, algorithm: AlgorithmEntry, verbose: bool) -> None:
    """Section on crashes, hangs and broken contracts, and on the claims that have no verdict for that."""
    failed, broken = algorithm.errors, with_verdict(algorithm, "error")
    if not failed and not broken:
        return
    _heading(screen, "What went wrong", len(failed) or None)
    groups = list(grouped(failed, lambda error: (error.kind, error.cause)).items())
    shown = _shown(groups, verbose)
    for (kind, message), errors in shown:
        places = wording.fold([error.where for error in errors], _limit(_PLACES, verbose), "; ")
        screen.text(f"{kind}: {places}", 2, "error", ((f"{mark('error')} ", "error"),), 4)
        screen.text(message, 4)
        _traceback(screen, errors[0], verbose)
    _rest(screen, len(groups) - len(shown))
    told = {error.message for error in failed}
    for reason, claims in grouped(broken, lambda claim: "" if why(claim) in told else why(claim)).items():
        names = wording.fold([short_name(claim) for claim in claims], _limit(_NAMES, verbose))
        screen.text(f"no verdict on {names}" + (f": {reason}" if reason else ""), 2, hang=4)


def _traceback(screen: Screen, error: ErrorEntry, verbose: bool) -> None:
    lines = [line for line in error.traceback.splitlines() if line.strip()]
    if lines and not verbose:
        last = "" if clean(lines[-1]) in clean(error.message) else f"{clean(lines[-1])} "
        screen.text(f"{last}(traceback: --verbose)", 4, "dim")
    for line in lines if verbose else ():
        screen.line(("    | " + " " * (len(line) - len(line.lstrip(" "))) + clean(line), "dim"))


def _violated(screen: Screen, algorithm: AlgorithmEntry, verbose: bool) -> None:
    claims = violated(algorithm)
    if not claims:
        return
    _heading(screen, "First broken" if algorithm.first_broken else "What is violated", len(claims))
    shown = _shown(claims, verbose)
    for number, (claim, consequences) in enumerate(shown):
        _violation(screen, claim, verbose, tables=verbose or number == 0)
        if consequences:
            screen.text(because(consequences, _limit(_NAMES, verbose)), 4, "violated", hang=6)
    _rest(screen, len(claims) - len(shown))
    resting = [claim for _, consequences in claims for claim in consequences]
    if verbose and resting:
        _heading(screen, "What fails because of it", len(resting))
        for claim in resting:
            _violation(screen, claim, verbose)


def _violation(screen: Screen, claim: ClaimEntry, verbose: bool, tables: bool = True) -> None:
    lead = ((f"{mark('violated')} ", "violated"), (clip(clean(claim.id), _LONG), "violated"), ("  ", ""))
    screen.text(wording.source(claim), 2, "dim", lead, 4)
    screen.text(claim.statement, 4, "strong", hang=6)
    if claim.given:
        screen.text(f"given {claim.given}", 4, "dim", hang=6)
    entry = claim.deciding
    if entry is None:
        screen.text(claim.reason, 4, hang=6)
        return
    if claim.difference:
        screen.text(claim.difference, 4, "violated", hang=6)
    if claim.code:
        screen.text(f"see {claim.code}", 4, hang=6)
    screen.text(wording.broken_comparison(claim, entry), 4, hang=6)
    if first := wording.first_failure(claim, entry):
        screen.text(first, 4, hang=6)
    screen.text(wording.extent(claim, entry) or entry.reason, 4, hang=6)
    others = wording.also(claim, entry, _limit(_PLACES, verbose))
    if others:
        screen.text(f"also at {others}", 4, "dim", hang=6)
    if claim.why:
        screen.text(claim.why, 4, "dim", hang=6)
    if tables:
        _tables(screen, claim)
    if entry.replay and not (tables and entry.replay in claim.counterexample):  # which ends with the command for it
        screen.text(wording.replay(entry), 4, "command", hang=4)


def _tables(screen: Screen, claim: ClaimEntry) -> None:
    """The smallest instance on which the search saw the claim fail, as tables whose columns stay aligned, and its command."""
    if not claim.counterexample:
        return
    screen.line(("    the smallest instance found:", "dim"))
    for line in claim.counterexample.partition("\n\n")[2].splitlines():
        aligned = " ".join(clean(part) for part in line.split(" "))
        indent = 4 + len(aligned) - len(aligned.lstrip(" "))
        if "  " in aligned.strip() or not aligned:
            screen.line((clip(f"    {aligned}".rstrip(), screen.width), ""))
        else:
            screen.text(aligned, indent, "command" if aligned.startswith(beginning()) else "", hang=indent + 2)


def _showcases(screen: Screen, algorithm: AlgorithmEntry, verbose: bool) -> None:
    for found in showcases(algorithm):
        _heading(screen, f"At the paper's sizes ({clip(clean(found.label), _LONG)})")
        screen.text(f"{found.instance}: {found.sizes}", 2, "dim", hang=4)
        shown = _shown(list(found.results), verbose, _RESULTS)
        for result in shown:
            lead = (f"{mark(result.verdict)} {clip(clean(result.name), _LONG)}", result.verdict)
            screen.text(result.statement, 2, "", (lead, ("  ", "")), 4)
            for numbers in result.numbers:
                screen.text(numbers, 4, "dim", hang=6)
        _rest(screen, len(found.results) - len(shown))


def _scaling(screen: Screen, algorithm: AlgorithmEntry, verbose: bool) -> None:
    found = scaled(algorithm)
    if not found:
        return
    _heading(screen, "Scaling")
    for claim, entry, scaling in found:
        lead = (f"{mark(entry.verdict)} {clip(clean(short_name(claim)), _LONG)}", entry.verdict)
        screen.text(claim.statement, 2, "", (lead, ("  ", "")), 4)
        screen.text(place(entry, scaling), 4, "dim", hang=6)
        _numbers(screen, scaling, verbose)
        for label, text in facts(entry, scaling, verbose):
            screen.text(text, 4, "", ((f"{label:<10}", "dim"),), 14)
        if entry.replay and verbose:
            screen.text(wording.replay(entry), 14, "command", hang=14)


def _numbers(screen: Screen, scaling: Scaling, verbose: bool) -> None:
    """The table of one entry, in several where it is wider than the screen."""
    sizes = sizes_of(scaling, None if verbose else COLUMNS)
    most = max(min(COLUMNS, (screen.width - _LABEL - 4) // _CELL), 1)
    for start in range(0, len(sizes), most):
        for row in rows(scaling, sizes[start : start + most]):
            label = clip(clean(row.label), _LABEL).ljust(_LABEL)
            screen.line(("    " + label, "dim"), ("".join(cell.rjust(_CELL) for cell in row.cells), ""))


def _vacuous(screen: Screen, algorithm: AlgorithmEntry, verbose: bool) -> None:
    claims, elsewhere = with_verdict(algorithm, "vacuous"), silent(algorithm)
    if not claims and not elsewhere:
        return
    _heading(screen, "Holds, but could not have failed", len(claims) or None)
    shown = _shown(claims, verbose)
    for claim in shown:
        entry, places = claim.deciding, sum(entry.verdict == "vacuous" for entry in claim.regimes)
        lead = ((f"{mark('vacuous')} {clip(clean(short_name(claim)), _LONG)}", "vacuous"), (" ", ""))
        everywhere = "everywhere, e.g. " if places > 1 else ""
        text = f"({everywhere}{where(entry)}): {wording.vacuity(claim, entry)}" if entry else claim.reason
        screen.text(text, 2, "", lead, 4)
    _rest(screen, len(claims) - len(shown))
    for regime, names in elsewhere.items():
        text = f"is vacuous for {plural(len(names), 'claim')} decided in another regime: "
        title = ((f"{mark('vacuous')} {clip(clean(regime), _LONG) or 'no regime'} ", "vacuous"),)
        screen.text(text + wording.fold(names, _limit(_NAMES, verbose)), 2, "", title, 4)


def _observed(screen: Screen, algorithm: AlgorithmEntry, verbose: bool) -> None:
    claims = with_verdict(algorithm, "observed")
    if not claims:
        return
    _heading(screen, "Observed, promised by no theorem", len(claims))
    shown = _shown(claims, verbose)
    for claim in shown:
        lead = ((f"{mark('observed')} {clip(clean(short_name(claim)), _LONG)}", "observed"), (" ", ""))
        screen.text(f"({_places(claim, 'observed', verbose)}): {why(claim)}", 2, "", lead, 4)
    _rest(screen, len(claims) - len(shown))


def _undecided(screen: Screen, algorithm: AlgorithmEntry, verbose: bool) -> None:
    claims = with_verdict(algorithm, "inconclusive")
    if not claims:
        return
    _heading(screen, "Undecided", len(claims))
    groups = list(grouped(claims, lambda claim: (why(claim), _places(claim, "inconclusive", verbose))).items())
    shown = _shown(groups, verbose)
    for (reason, places), members in shown:
        names = wording.fold([short_name(claim) for claim in members], _limit(_NAMES, verbose))
        text = f"{names} ({places})" + (f": {reason}" if reason else "")
        screen.text(text, 2, "", ((f"{mark('inconclusive')} ", "inconclusive"),), 4)
    _rest(screen, sum(len(members) for _, members in groups) - sum(len(members) for _, members in shown))


def _places(claim: ClaimEntry, verdict: str, verbose: bool) -> str:
    found = [where(entry) for entry in telling(claim.regimes, verdict)]
    return wording.fold([clean(place) for place in found], _limit(1, verbose)) or "nowhere evaluated"


def _inapplicable(screen: Screen, algorithm: AlgorithmEntry, verbose: bool) -> None:
    beyond, without, unused = outside(algorithm), idle(algorithm, verbose), nowhere(algorithm)
    claims = with_verdict(algorithm, "not applicable")
    if not beyond and not without and not claims:
        return
    _heading(screen, "Not applicable", len(claims) or None)
    for names, instances in beyond.items():
        for instance, reason in instances.items():
            screen.text(reason, 2, "", ((f"{mark('not applicable')} {clip(clean(instance), _LONG)}: ", "strong"),), 4)
        if names:
            count = plural(len(names), "claim does", "claims do")
            screen.text(f"{count} not apply there: {wording.fold(names, _limit(_NAMES, verbose))}", 4, hang=4)
    for name, text in _shown(without, verbose):
        screen.text(text, 2, "", ((f"{mark('not applicable')} {clip(clean(name), _LONG)}: ", "strong"),), 4)
    _rest(screen, len(without) - len(_shown(without, verbose)))
    for reason, members in unused.items():
        screen.text(f"{wording.fold(members, _limit(_NAMES, verbose))}: {reason}", 2, hang=4)
