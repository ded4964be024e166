"""Sentences about a record that the screen and the page share."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Protocol

from verifier.base import replaying
from verifier.base.difference import Comparison
from verifier.record import AlgorithmEntry, ClaimEntry, Record, RegimeEntry
from verifier.record.decisive import telling
from verifier.record.replaying import needs_record
from verifier.record.sentence import DRAWN
from verifier_reports.numbers import (
    comparison,
    duration,
    margin,
    numeral,
    over_trials,
    place,
    plural,
    short_ratio,
    sides,
    visible_error,
)
from verifier_reports.summary import VERDICTS, several, sharpest, tally, where, worst_violation

_COUNTED = re.compile(r"fails in \d+ of \d+ trials?")
"""A reason that says what the counts of an entry say."""


def fold(names: Sequence[str], limit: int | None, separator: str = ", ") -> str:
    """``a, b, c and 7 more``; everything when there is no limit, and never `and 1 more`."""
    if limit is None or len(names) <= limit + 1:
        return separator.join(names)
    return separator.join(names[:limit]) + f" and {len(names) - limit} more"


class Replayable(Protocol):
    """Entry that can be shown again: of a claim, a kill, a finding of the gate."""

    @property
    def replay(self) -> str:
        """The id of the trial."""

    @property
    def project(self) -> str:
        """The folder of the plugin's project, if that is not installed."""

    @property
    def record(self) -> str:
        """The file of the record, where that is needed and there is one."""


def replay(found: Replayable) -> str:
    """The command that reruns a trial, quoted for a shell; empty when there is none."""
    return replaying.command(found.replay, found.project, found.record)


def lacks_record(record: Record) -> bool:
    """Whether something violated can be replayed from a record alone, elsewhere than here, and none was written."""
    violated = (entry for one in record.algorithms for c in one.claims for entry in c.regimes if entry.verdict == "violated")
    return any(needs_record(entry.replay) and not entry.record for entry in violated)


def command(record: Record) -> str:
    """The command line the record comes from."""
    return shlex.join(record.command)


_ENDING = ("-x", "--exitfirst")
"""Options that end a command before all is looked at."""


def continuing(record: Record) -> str:
    """The command that goes on where an unfinished one stopped, with more of the budget if that was given; empty if none does.

    Finished trials are kept and cost nothing, so each call gets further.
    """
    words = [word for word in record.command if word not in _ENDING]
    if not any(algorithm.can_go_on for algorithm in record.algorithms) or words[:1] != ["verifier"]:
        return ""
    if record.firm and any(algorithm.budget_exhausted for algorithm in record.algorithms):
        kept = [word for at, word in enumerate(words) if word != "--budget" and words[at - 1 : at] != ["--budget"]]
        words = [*(word for word in kept if not word.startswith("--budget=")), "--budget", f"{math.ceil(2 * record.budget)}s"]
    return shlex.join(words)


def before_continuing(record: Record) -> str:
    """Sentence before the command that continues a run."""
    kept = "--no-store" not in record.command
    return "Finished trials are kept. To continue:" if kept else "Nothing is kept, because of --no-store. To run it again:"


def plain(value: object) -> str:
    """A free-form setting as text."""
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def paper_and_plugin(algorithm: AlgorithmEntry) -> str:
    """``verifier_ucblvd 0.1.0 (source 3f9a1c2b)``."""
    source = algorithm.source_hash[:8]
    return f"{algorithm.plugin} {algorithm.version}" + (f" (source {source})" if source else "")


def trials(algorithm: AlgorithmEntry) -> str:
    """Numbers of trials that were run, reused, and cut off."""
    planned, finished, reused = algorithm.trials_planned, algorithm.trials_finished, algorithm.trials_reused
    most = "" if algorithm.budget_exhausted or algorithm.errors else "at most "
    text = plural(finished, "trial") if finished == planned else f"{finished} of {most}{plural(planned, 'trial')}"
    if algorithm.instances:
        text += f" on {plural(len(algorithm.instances), 'instance')}"
    searched = {entry.regime: entry.trials for claim in algorithm.claims for entry in claim.regimes if entry.instance == "drawn"}
    if searched:
        text += f", and on {sum(searched.values())} small drawn ones"
    if reused:
        text += f", {reused} of them from the store"
    if algorithm.budget_exhausted:
        text += "; the budget ran out"
    return text


def source(claim: ClaimEntry) -> str:
    """``Lemma 7``, ``Lemma 18, corrected``, ``ours``."""
    status = "" if claim.status in ("as printed", claim.source) else claim.status
    return ", ".join(str(part) for part in (claim.source, status) if part)


def broken_comparison(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """``oracle@mixture, at episode 17, h 2: 3.21 <= 2.10 is false (1.53 times the bound)``."""
    text = comparison(claim, entry)
    times = short_ratio(claim, entry)
    if text.endswith("is false") and times not in ("", "inf", "-inf", "nan") and entry.ratio > 1.005:
        text += f" ({times} times the bound)"
    return f"{where(entry)}: {text}" if not entry.witness else f"{where(entry)}, at {text}"


def first_failure(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """``first at plan 2, h 1, s 3, a 0: 0.50 instead of 1.00; worst at plan 7, h 1, s 0, a 0: ...``, both with their signs."""
    found = entry.difference
    if found is None or found.raised:
        return ""
    first = f"first{_compared(claim, found.first)}"
    return first if found.first == found.worst else f"{first}; worst{_compared(claim, found.worst)}"


def _compared(claim: ClaimEntry, found: Comparison) -> str:
    left, right = sides(found.left, found.right)
    at = f" at {place(found.place)}" if found.place else ""
    return f"{at}: {left} instead of {right}" if claim.kind == "identity" else f"{at}: {left} <= {right} is false"


_ESTIMATED = {"probability": "failure rate", "expectation": "mean", "scaling": "exponent"}


def extent(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """Extent of the failure in an entry: comparisons and trials."""
    parts = []
    if over_trials(claim):
        parts.append(f"over {plural(entry.comparisons, 'trial')}")
    elif entry.violations and claim.kind != "scaling":
        parts.append(f"{entry.violations} of {plural(entry.comparisons, 'comparison')} false")
    if entry.failures and entry.instance == DRAWN:
        parts.append(f"found on 1 of {plural(entry.trials, 'random instance')}, then shrunk")
    elif entry.failures:
        parts.append(f"failed in {entry.failures} of {plural(entry.trials, 'trial')}")
    if entry.interval is not None:
        low, high = (numeral(end, 2) for end in entry.interval)
        parts.append(f"{_ESTIMATED.get(claim.kind, 'estimate')} between {low} and {high}")
    return "; ".join(parts)


def further(entry: RegimeEntry) -> str:
    """The reason of a verdict where it says more than in how many trials a claim has failed, which `extent` does."""
    return "" if entry.failures and _COUNTED.fullmatch(entry.reason) else entry.reason


def also(claim: ClaimEntry, first: RegimeEntry, limit: int | None) -> str:
    """The other places where a claim has the verdict of its decisive entry."""
    return fold([where(entry) for entry in telling(claim.regimes, first.verdict) if entry is not first], limit)


def emptiness(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """Reason why a pass is vacuous, and the size from which on it would not be."""
    if claim.kind == "scaling" or not entry.bound > entry.trivial:
        return entry.reason or "no comparison made there could have failed"
    return f"the bound is {numeral(entry.bound)}, {beyond_reach(entry)}"


CAVEAT_MEANS = (
    "most comparisons there are left out by the premise, could not have failed, "
    "or are about a value function that is constant in the state"
)


def left_out(entry: RegimeEntry) -> str:
    """Number of comparisons that a premise left out, and what else most do not show; empty when there is nothing to tell."""
    few = 0 < entry.excluded <= entry.comparisons
    return "; ".join((*([f"{entry.excluded} left out by the premise"] if few else []), *entry.caveats))


def holds_at(claim: ClaimEntry) -> str:
    """Number of instances on which an assumption holds; empty for other claims and for a single instance."""
    total = len(claim.regimes)
    if claim.kind != "assumption" or total < 2:
        return ""
    fails = sum(entry.verdict == "not applicable" for entry in claim.regimes)
    return f"{total - fails} of {total}" if fails else "everywhere"


def beyond_reach(entry: RegimeEntry) -> str:
    """``above the trivial bound 788; not before K = 1.7e9``."""
    text = f"above the trivial bound {numeral(entry.trivial)}"
    size = entry.nonvacuous_from
    if size is None:
        return text
    if numeral(size) in ("inf", "nan"):
        return f"{text}; no size would change that"
    return f"{text}; not before {entry.unit or 'size'} = {numeral(size, 2)}"


def _earliest(claim: ClaimEntry) -> RegimeEntry | None:
    """Entry at which the bound of a vacuous claim would first say something; None where that is not known of all places."""
    return min(_by_size(claim), key=_size, default=None)


def _size(entry: RegimeEntry) -> float:
    return entry.nonvacuous_from or 0.0


def _by_size(claim: ClaimEntry) -> list[RegimeEntry]:
    """The places where the claim is vacuous; none where it is not known of all of them when its bound would say something."""
    entries = [entry for entry in claim.regimes if entry.verdict == "vacuous"]
    known = [entry for entry in entries if entry.nonvacuous_from is not None and not math.isnan(entry.nonvacuous_from)]
    if claim.kind == "scaling" or not known or len(known) < len(entries):
        return []
    return known


def horizon(claim: ClaimEntry) -> str:
    """Sizes from which on a vacuous claim would say something: ``before K = 1.6e5 to 1.2e8, by instance``.

    ``at any size`` where it never would; empty where that is not known of all instances, or where the claim is not vacuous.
    """
    entries = sorted(_by_size(claim), key=_size) if claim.verdict == "vacuous" else []
    if not entries:
        return ""
    least, most = _size(entries[0]), _size(entries[-1])
    if not math.isfinite(least):
        return "at any size"
    first, last = numeral(least, 2), numeral(most, 2) if math.isfinite(most) else "any size"
    return f"before {entries[0].unit or 'size'} = {first}" + (f" to {last}, by instance" if first != last else "")


def vacuity(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """Reason why a claim is vacuous at its cited entry, and where its bound would first say something if that is elsewhere.

    So the size of `horizon`, which figures and the first screen show, stands beside that of the entry.
    """
    text, first = emptiness(claim, entry), _earliest(claim)
    if first is None or first.nonvacuous_from is None or entry.nonvacuous_from is None or not entry.bound > entry.trivial:
        return text
    smaller = numeral(first.nonvacuous_from, 2) != numeral(entry.nonvacuous_from, 2)
    return f"{text}, on {first.instance} not before {numeral(first.nonvacuous_from, 2)}" if smaller else text


def caught(entry: RegimeEntry) -> str:
    """Sentence on what a pass would have caught: ``would have caught a failure rate of 0.18``; empty when nothing is known."""
    kind, value = entry.detectable.kind, entry.detectable.value
    if kind == "difference":
        return f"would have caught a difference above {numeral(value, 2)}"
    if kind == "factor" and value >= 1.005:
        return f"would have caught a left side {numeral(value)} times as large"
    if kind == "factor" and visible_error(entry) > 0:
        return f"would have caught an error above {numeral(visible_error(entry), 2)}"
    if kind == "mean":
        return f"would have caught a mean of {numeral(value, 2)}"
    if kind == "runs":
        return f"would catch the law it names in {numeral(value)} run{'s' if value > 1 else ''}"
    return f"would have caught a failure rate of {numeral(value, 2)}" if kind == "rate" else ""


def counts(algorithm: AlgorithmEntry) -> str:
    """``36 selected = 36 evaluated: 2 violated, 24 conforms, ...``: nothing was skipped silently."""
    each = each_verdict(tally(algorithm))
    return looked_at(algorithm) + (f": {each}" if each else "")


def looked_at(algorithm: AlgorithmEntry) -> str:
    """``36 selected = 36 evaluated``, without the verdicts."""
    selected, evaluated = algorithm.selected, algorithm.evaluated
    if selected != evaluated:
        return f"{selected} selected, but only {evaluated} evaluated, which makes this run an error"
    return f"{selected} selected = {evaluated} evaluated"


def each_verdict(numbers: Mapping[str, int]) -> str:
    """``2 violated, 1 in error, 24 conform``: the verdicts that occur, worst first."""
    return ", ".join(f"{numbers[verdict]} {several(verdict, numbers[verdict])}" for verdict in VERDICTS if numbers[verdict])


def clauses(algorithm: AlgorithmEntry) -> str:
    """Share of the paper that is covered."""
    total, checked = algorithm.clauses_total, algorithm.clauses_checked
    if not total:
        return "the plugin lists no statements of the paper"
    silent = total - checked - len(algorithm.clauses_unchecked)
    rest = f"; {silent} more {'has' if silent == 1 else 'have'} claims that were not evaluated in this run" if silent > 0 else ""
    return f"{checked} of the paper's {plural(total, 'statement')} checked in this run{rest}"


def chance(algorithm: AlgorithmEntry) -> str:
    """The error budget, how it was spent, and what it means."""
    ledger = algorithm.ledger
    budget, tests = ledger.budget, sum(entry.purpose == "reject" for entry in ledger.entries)
    if not tests:
        return "no statistical test was needed: a violation here is no matter of chance, but the check can be wrong"
    share = ledger.spent / budget if budget > 0 else float("nan")
    percent = f"{100 * share:.0f}%" if share == share and abs(share) < 100 else "?"
    text = (
        f"false-alarm probability of this report at most {numeral(budget, 2)}; {plural(tests, 'test')} here took {percent} of it"
    )
    if any(entry.scaling for claim in algorithm.claims for entry in claim.regimes):
        text += "; for scaling rates this is nominal, as their intervals are exact for Gaussian exponents only"
    return text


def worst_line(algorithm: AlgorithmEntry) -> tuple[str, str, RegimeEntry] | None:
    """The worst violation, or else the sharpest pass: a label, a sentence, the entry to replay."""
    found = worst_violation(algorithm)
    if found is not None:
        claim, entry = found
        return "worst", f"{claim.id}, {broken_comparison(claim, entry)}", entry
    found = sharpest(algorithm)
    if found is None:
        return None
    claim, entry = found
    seen = f"an error above {numeral(visible_error(entry), 2)} would be seen"
    return "sharpest", f"{claim.id}, {where(entry)}: {margin(entry)}; {seen}", entry


def profile(record: Record) -> str:
    """The name of the profile."""
    return record.profile_name


def elapsed(record: Record) -> str:
    """Total time."""
    return duration(record.seconds)


def untested(claim: ClaimEntry) -> str:
    """``no comparison depends on H``, of a claim that conforms; empty where every part of its formula counted somewhere."""
    return f"no comparison depends on {' or '.join(claim.untested)}" if claim.untested else ""
