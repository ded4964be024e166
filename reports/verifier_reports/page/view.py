"""Choice of what the page shows of a record, and how much of it: decisions the templates ask for."""

from __future__ import annotations

import math
import re
import shlex
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from verifier.base.profile import TIERS
from verifier.record import AlgorithmEntry, ClaimEntry, ErrorEntry, InstanceEntry, MutantEntry, Record, RegimeEntry
from verifier.record.grades import counted
from verifier_reports import diagnosis, gate_findings, reproduction, tightness, wording
from verifier_reports.cause import named
from verifier_reports.numbers import place, plural
from verifier_reports.plots.room import Dot, Scale
from verifier_reports.scaling import exponent, scaled
from verifier_reports.screen import clean
from verifier_reports.summary import VERDICTS, grouped, mark, short_name, tally, why, with_verdict, worst

MOST_ENTRIES = 2400
"""Regimes and instances on one page; the worst and most telling of each claim are shown, the record has all."""

_FEWEST, _MOST = 3, 60
_NAMED = 3
"""Names of algorithms in the title of the window."""
_LONGEST = 110


def entry_limit(record: Record) -> int:
    """Number of regimes and instances that are shown of each claim."""
    claims = sum(len(algorithm.claims) for algorithm in record.algorithms)
    total = sum(len(claim.regimes) for algorithm in record.algorithms for claim in algorithm.claims)
    if total <= MOST_ENTRIES:
        return max(total, _FEWEST)
    return min(max(MOST_ENTRIES // max(claims, 1), _FEWEST), _MOST)


def left_out(algorithm: AlgorithmEntry, limit: int) -> bool:
    """Some entries of an algorithm are not on the page."""
    return any(len(claim.regimes) > limit for claim in algorithm.claims)


def shown_entries(claim: ClaimEntry, limit: int) -> list[RegimeEntry]:
    """The entries of a claim that stand on the page, in the record's order.

    One of each regime and verdict first, worst verdicts first, then the next of each, until the limit is reached; the decisive
    one is always among them.
    """
    every = list(claim.regimes)
    if len(every) <= limit:
        return every
    groups = grouped(every, lambda entry: (VERDICTS.index(entry.verdict), entry.regime))
    ordered = [groups[key] for key in sorted(groups, key=lambda key: key[0])]
    chosen: list[int] = [id(claim.deciding)]
    for rank in range(max(map(len, ordered))):
        chosen += [id(group[rank]) for group in ordered if rank < len(group)]
    kept = set(list(dict.fromkeys(chosen))[:limit])
    return [entry for entry in every if id(entry) in kept]


def verdict_class(verdict: str) -> str:
    """The verdict as a CSS class."""
    return verdict.replace(" ", "-")


def sort_number(value: float) -> str:
    """A number as the key of a column that sorts; nothing for what is no number."""
    return "" if math.isnan(value) else f"{min(max(value, -1e308), 1e308):.8g}"


def percent(scale: Scale, ratio: float) -> str:
    """Position of a ratio on a scale, as CSS: ``83.4%``."""
    return f"{100 * scale.fraction(ratio):.3g}%"


def first_decade(scale: Scale) -> float:
    """The first power of ten on a scale."""
    return 10.0 ** math.ceil(math.log10(scale.low))


def dot_class(scale: Scale, dot: Dot) -> str:
    """Class of a mark: ``broken``, ``below`` or ``above`` for one off the scale, ``hollow`` for one without power."""
    if dot.verdict == "violated":
        return "broken"
    off = {"<": "below", ">": "above", "": ""}[scale.outside(dot)]
    return " ".join(word for word in (off, "" if dot.powered else "hollow") if word)


def slug(*parts: object) -> str:
    """An id for links inside the page; a long one is cut, and stays its own by its checksum."""
    name = "-".join(re.sub(r"[^a-z0-9]+", "-", str(part).lower()).strip("-") or "x" for part in parts)
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}-{zlib.crc32(name.encode()):08x}"


def opened(record: Record) -> int:
    """Index of the algorithm that is open at first: the only one, the first that fails, the first with curves; -1 for none."""
    verdicts = [algorithm_verdict(algorithm) for algorithm in record.algorithms]
    if len(verdicts) == 1:
        return 0
    failing = next((verdicts.index(verdict) for verdict in ("violated", "error") if verdict in verdicts), -1)
    return 0 if failing < 0 and any(map(scaled, record.algorithms)) else failing


def algorithm_verdict(algorithm: AlgorithmEntry) -> str:
    """The one verdict an algorithm's name is marked with: the worst that matters, else what most of its claims got."""
    outcomes = {mutant.outcome for mutant in algorithm.power.mutants} if algorithm.power else set()
    counts = tally(algorithm)
    unseen = algorithm.power is not None and any(entry.missing for entry in algorithm.power.by_claim)
    if counts["violated"] or "survived" in outcomes or unseen:
        return "violated"
    if counts["error"] or algorithm.errors or "error" in outcomes:
        return "error"
    if algorithm.unfinished or "not run" in outcomes:
        return "inconclusive"
    if algorithm.tightness:
        return "observed"  # nothing is judged
    if outcomes and not algorithm.claims:
        return "conforms"
    return "conforms" if counts["conforms"] > counts["inconclusive"] else "inconclusive" if counts["inconclusive"] else "vacuous"


def title(record: Record) -> str:
    """Title of the page: the report of a check, of planted bugs, of scaling, of tightness."""
    command = record.command[1] if len(record.command) > 1 else "check"
    kinds = {"power": "Power report", "scale": "Scaling report", "tight": "Tightness report"}
    if record.gate:
        return f"Gate of {record.gate.target}"
    if any(algorithm.power for algorithm in record.algorithms):
        return kinds["power"]
    return kinds.get(command, "Conformance report")


def bottom_line(record: Record) -> tuple[str, str]:
    """The whole record in one sentence, and the verdict it is coloured with."""
    algorithms = record.algorithms
    if record.gate:
        return gate_findings.bottom_line(record.gate, record.exit_code)
    if not algorithms:
        return "Nothing was checked.", "inconclusive"
    by_claim = [entry for algorithm in algorithms if algorithm.power for entry in algorithm.power.by_claim]
    if by_claim:
        missing = sum(entry.missing for entry in by_claim)
        return f"{missing} of {plural(len(by_claim), 'claim')} not seen to fail.", "violated" if missing else "conforms"
    mutants = [mutant for algorithm in algorithms if algorithm.power for mutant in algorithm.power.mutants]
    if mutants:
        return _power_line(mutants)
    late = sum(bool(algorithm.unfinished) for algorithm in algorithms)
    tables = [algorithm.tightness for algorithm in algorithms if algorithm.tightness]
    if tables and not late and not any(algorithm.errors for algorithm in algorithms):
        return tightness.line(*tables).capitalize(), "observed"
    unfinished = f"Unfinished ({late} of {plural(len(algorithms), 'algorithm')}): " if late else ""
    counts = {verdict: sum(tally(algorithm)[verdict] for algorithm in algorithms) for verdict in VERDICTS}
    total, failures = sum(counts.values()), sum(len(algorithm.errors) for algorithm in algorithms)
    if found := _cause(record):
        return found, "violated"
    if counts["violated"]:
        return f"{unfinished}{counts['violated']} of {plural(total, 'claim')} violated.", "violated"
    if unfinished:
        rest = f"; {plural(failures, 'error')}" if failures else ""
        return f"{unfinished}nothing violated so far{rest}.", "error" if failures else "inconclusive"
    if counts["error"] or failures:
        return f"Nothing violated, but {plural(failures or counts['error'], 'error')}.", "error"
    if record.figures:
        return reproduction.bottom_line(record.figures)
    if counts["inconclusive"] > total / 2:
        return f"Nothing violated, but {counts['inconclusive']} of {plural(total, 'claim')} undecided.", "inconclusive"
    return _growth(record) or "Nothing violated.", "conforms"


def _growth(record: Record) -> str:
    """Growth of the first quantity that conforms, of the only algorithm: ``regret grows like K^0.42 (...)``; else nothing."""
    measured = scaled(record.algorithms[0]) if len(record.algorithms) == 1 else []
    for claim, entry, found in measured:
        if entry.verdict == "conforms" and found.exponent is not None and found.interval is not None:
            low, high = map(exponent, found.interval)
            allowed = f"{found.size}^{exponent(found.claimed_exponent)} here" if found.claimed_exponent else found.claimed.label
            return clean(
                f"{found.quantity} grows like {found.size}^{exponent(found.exponent)} ({low} to {high}); "
                f"{_in_brackets(wording.source(claim))} allows {allowed}."
            )
    return ""


def _in_brackets(source: str) -> str:
    """``Theorem 2 (ours)``, which can be the subject of a sentence."""
    name, _, status = source.partition(", ")
    return f"{name} ({status})" if status else name


def _cause(record: Record) -> str:
    """Cause of the first violation of the only algorithm: ``q-formula (eq. 7): everywhere: 0.500 times.``; else nothing."""
    if len(record.algorithms) != 1:
        return ""
    for claim, _ in diagnosis.violated(record.algorithms[0])[:1]:
        return named(claim)
    return ""


def window_title(record: Record) -> str:
    """Title of the window or tab: mark, finding, names of the algorithms, and what kind of report it is."""
    line, tone = bottom_line(record)
    names = [algorithm.name for algorithm in record.algorithms]
    named = plural(len(names), "algorithm") if len(names) > _NAMED else ", ".join(names)
    return " · ".join(filter(None, (f"{mark(tone)} {line}", named, title(record))))


def totals(record: Record) -> str:
    """Numbers of claims by verdict: ``48 claims of 1 algorithm: 2 inconclusive, 46 conform.``; or nothing."""
    checked = [algorithm for algorithm in record.algorithms if algorithm.claims]
    if not checked:
        return ""
    counts = {verdict: sum(tally(algorithm)[verdict] for algorithm in checked) for verdict in VERDICTS}
    claims = plural(sum(counts.values()), "claim")
    return f"{claims} of {plural(len(checked), 'algorithm')}: {wording.each_verdict(counts)}."


def _power_line(mutants: list[MutantEntry]) -> tuple[str, str]:
    outcomes = [mutant.outcome for mutant in mutants]
    killed, equivalent = outcomes.count("killed"), outcomes.count("equivalent")
    rest = f"; {equivalent} declared equivalent" if equivalent else ""
    missing = outcomes.count("not run")
    first = f"Unfinished, {missing} not run: " if missing else ""
    worst_first = {"survived": "violated", "error": "error", "not run": "inconclusive"}
    verdict = next((verdict for outcome, verdict in worst_first.items() if outcome in outcomes), "conforms")
    return f"{first}{killed} of {plural(len(mutants), 'planted bug')} found{rest}.", verdict


def description(instance: InstanceEntry) -> tuple[object, ...]:
    """Description of an instance without its runs; many algorithms have the same ones."""
    return instance.name, instance.description, *map(str, instance.parameters.items())


def described(record: Record) -> dict[tuple[object, ...], str]:
    """The algorithm in whose table an instance is described, the first that has it; the others refer to it."""
    found: dict[tuple[object, ...], str] = {}
    for algorithm in record.algorithms:
        for instance in algorithm.instances:
            found.setdefault(description(instance), algorithm.name)
    return found


def regime_verdicts(claim: ClaimEntry, names: Iterable[str]) -> list[tuple[str, str]]:
    """Per regime its verdict over all instances; empty where the claim is not evaluated."""
    found = grouped(claim.regimes, lambda entry: entry.regime)
    return [(name, worst(found[name]) if name in found else "") for name in names]


def note(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """Note of an entry beside its numbers: why it is not plain, what a pass would have caught, where it is worst."""
    notes = []
    if entry.verdict == "conforms":
        notes.append(wording.caught(entry))
    elif entry.verdict == "vacuous":
        notes.append(wording.emptiness(claim, entry))
    else:
        notes.append(entry.reason)
    notes.append(f"worst at {place(entry.witness)}" if entry.witness else "")
    notes.append(wording.left_out(entry))
    return "; ".join(text for text in notes if text)


def undecided(algorithm: AlgorithmEntry) -> list[tuple[str, list[ClaimEntry]]]:
    """The inconclusive claims by reason."""
    return list(grouped(with_verdict(algorithm, "inconclusive"), why).items())


def error_groups(algorithm: AlgorithmEntry) -> list[tuple[tuple[str, str], list[ErrorEntry]]]:
    """Crashes, by kind and message."""
    return list(grouped(algorithm.errors, lambda error: (error.kind, error.cause)).items())


def sections(lines: str) -> list[tuple[str, str]]:
    """Pairs ``name|title``, one per line."""
    found = (line.partition("|") for line in str(lines).splitlines() if line.strip())
    return [(name.strip(), title.strip()) for name, _, title in found]


def replay_command(record: Record, algorithm: AlgorithmEntry, claim: ClaimEntry) -> str:
    """The command that reruns a claim's decisive comparison, or the claim itself where no single trial decides it."""
    entry = claim.deciding
    if entry is not None and entry.replay:
        return wording.replay(entry)
    if claim.kind == "scaling":
        return wording.command(record)
    given = ["verifier", "check", algorithm.name, "--claim", short_name(claim), "--seed", str(record.seed)]
    profile = wording.profile(record)
    return shlex.join([*given, "--profile", profile] if profile in TIERS else given)


@dataclass(frozen=True)
class Spending:
    """The statistical tests of one claim: how many, and the probability of error they were given in total."""

    claim: str
    tests: int
    reject: float
    certify: float


def spendings(algorithm: AlgorithmEntry) -> list[Spending]:
    """The error budget, claim by claim, those that took most first."""
    by_claim = grouped(algorithm.ledger.entries, lambda entry: entry.claim)
    found = [
        Spending(
            claim,
            sum(entry.purpose == "reject" for entry in tests),
            sum(entry.level for entry in tests if entry.purpose == "reject"),
            max((entry.level for entry in tests if entry.purpose == "certify"), default=math.nan),
        )
        for claim, tests in by_claim.items()
    ]
    return sorted(found, key=lambda one: -one.reject)


def graded(algorithm: AlgorithmEntry) -> str:
    """The errata counted by grade."""
    return counted(erratum.grade for erratum in algorithm.errata)


def corrected(algorithm: AlgorithmEntry) -> list[ClaimEntry]:
    """The claims that stand for something printed wrongly, with what is wrong."""
    return [claim for claim in algorithm.claims if claim.status == "corrected" and claim.why]
