"""Baseline of a project: verdicts that must not get worse, and findings it accepts for a while.

A baseline is a JSON file that `verifier gate --update-baseline` writes. Its list ``accepted`` is written by people: each entry
has the id of a finding, the reason, an owner, and the date (included) until which it is accepted.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from verifier.base import documents, reading
from verifier.base.errors import UsageError, nearest
from verifier.base.profile import Tier
from verifier.record import AlgorithmEntry, Finding, MutantOutcome
from verifier.record.verdict import Verdict

SCHEMA = "verifier.baseline/1"
FILE_NAME = "verifier-baseline.json"

_STRENGTH = {"conforms": 3, "inconclusive": 2, "observed": 1, "vacuous": 1, "not applicable": 0}
"""Weight of a verdict that is no failure."""

_RULE = "what held in the baseline still holds, and is still checked"


@dataclass(frozen=True)
class Accepted:
    """A failure that is accepted for a while.

    Parameters
    ----------
    id : str
        Of the finding.
    reason, owner : str
        Why, and who answers for it.
    expires : str
        The last day, as ``YYYY-MM-DD``.
    """

    id: str
    reason: str
    owner: str
    expires: str

    @property
    def last_day(self) -> date:
        """The last day it is accepted."""
        return date.fromisoformat(self.expires)


@dataclass(frozen=True)
class Standing:
    """Standing of an algorithm when the baseline was written.

    Parameters
    ----------
    plugin : str
        Entry-point name.
    claims, mutants : dict
        Verdict by claim name, outcome by name of the planted bug.
    clauses_checked : int
    work : dict
        Processor time of some trials, in yardsticks; see `verifier.commands.gate.determinism.Repeats`.
    """

    plugin: str
    claims: Mapping[str, Annotated[str, Verdict]]
    mutants: Mapping[str, MutantOutcome]
    clauses_checked: int
    work: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.clauses_checked < 0:
            raise ValueError(f"clauses_checked is {self.clauses_checked}, expected a number of clauses")
        for place, value in self.work.items():
            if not 0 <= value < math.inf:
                raise ValueError(f"work of {place!r} is {value}, expected a number of yardsticks")


@dataclass(frozen=True)
class Baseline:
    """The content of a baseline file."""

    profile: Tier
    seed: int
    algorithms: Mapping[str, Standing]
    accepted: tuple[Accepted, ...] = ()

    def to_text(self) -> str:
        """The file: keys sorted, so that its changes can be read."""
        data = {"schema": SCHEMA, **asdict(self)}
        text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        return text.encode("utf-8", "backslashreplace").decode("utf-8")  # the escape of a lone surrogate is that of JSON


def read(path: Path) -> Baseline:
    """Read a baseline file.

    Raises
    ------
    UsageError
        If it cannot be read, or holds a value that is not acceptable.
    """
    todo = "correct it, or write it again with --update-baseline"
    data = documents.load(path, "JSON", f"baseline {path}", "write one with --update-baseline", todo)
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        given = data.get("schema") if isinstance(data, dict) else type(data).__name__
        raise UsageError(f"baseline {path} has schema {given!r}, expected {SCHEMA!r}; write it again with --update-baseline")
    accepted = data.pop("accepted", [])
    try:
        found = reading.read(Baseline, data)
        _no_other(data, Baseline, "")
        for name, item in data["algorithms"].items():
            _no_other(item, Standing, f"algorithms.{name}: ")
    except UsageError as error:
        raise UsageError(f"baseline {path} is damaged: {error}; compare it with one that --update-baseline writes") from None
    if not isinstance(accepted, list):
        raise UsageError(f"baseline {path}: accepted is {accepted!r}, expected a list")
    return replace(found, accepted=tuple(_accepted(item, path) for item in accepted))


def _no_other(data: Mapping[str, Any], kind: type[Baseline] | type[Standing], where: str) -> None:
    """Refuse keys that are no field: people edit baselines, and a misspelt key would be one that is not compared."""
    names = ["schema", *(entry.name for entry in fields(kind))]
    for key in data:
        if key not in names:
            raise UsageError(f"{where}unknown key {key!r}. {nearest(key, names)}")


def _accepted(item: Any, path: Path) -> Accepted:
    names = [entry.name for entry in fields(Accepted)]
    where = f"baseline {path}, accepted {json.dumps(item, ensure_ascii=False)}"
    if not isinstance(item, dict):
        raise UsageError(f"{where}: expected an object with {', '.join(names)}")
    for key in item:
        if key not in names:
            raise UsageError(f"{where}: unknown key {key!r}. {nearest(key, names)}")
    for name in names:
        if not isinstance(item.get(name), str) or not item[name].strip():
            raise UsageError(f"{where}: {name!r} is missing or empty; every acceptance has {', '.join(names)}")
    entry = Accepted(**item)
    try:
        entry.last_day  # noqa: B018  # to see whether it can be read
    except ValueError:
        raise UsageError(f"{where}: expires = {entry.expires!r}; expected a date such as '2030-01-31'") from None
    return entry


def standing(algorithm: AlgorithmEntry, work: Mapping[str, float]) -> Standing:
    """Standing of an algorithm of a record."""
    mutants = algorithm.power.mutants if algorithm.power else ()
    return Standing(
        plugin=algorithm.plugin,
        claims={claim.id.partition("/")[2]: claim.verdict for claim in algorithm.claims},
        mutants={mutant.name: mutant.outcome for mutant in mutants},
        clauses_checked=algorithm.clauses_checked,
        work={place: float(f"{value:.3g}") for place, value in work.items()},
    )


def compare(name: str, now: Standing, before: Standing) -> Iterator[Finding]:
    """Findings that are worse than before; what is violated, or survives, now is found by its own stage and not repeated."""
    findings = [
        *_claims(name, now.claims, before.claims),
        *(
            Finding(f"{name}~{mutant}:lost", "baseline", "failed", "is not planted any more; the baseline has it", _RULE)
            for mutant in before.mutants
            if mutant not in now.mutants
        ),
    ]
    if now.clauses_checked < before.clauses_checked:
        message = f"{now.clauses_checked} clauses are checked; in the baseline {before.clauses_checked} were"
        findings.append(Finding(f"{name}:clauses-lost", "baseline", "failed", message, _RULE))
    yield from findings or [Finding(f"{name}:baseline", "baseline", "passed", "nothing is worse than in the baseline", _RULE)]


def _claims(name: str, now: Mapping[str, str], before: Mapping[str, str]) -> Iterator[Finding]:
    for claim, verdict in before.items():
        key = f"{name}/{claim}:lost"
        if claim not in now:
            yield Finding(key, "baseline", "failed", f"is not claimed any more; in the baseline it was: {verdict}", _RULE)
        elif _STRENGTH.get(now[claim], 9) < _STRENGTH.get(verdict, 0):
            outcome: Any = "warning" if now[claim] == "inconclusive" else "failed"
            yield Finding(key, "baseline", outcome, f"says less than in the baseline: {now[claim]}, was {verdict}", _RULE)


def news(findings: Iterable[Finding], before: Mapping[str, Standing]) -> list[Finding]:
    """The findings, those of claims that are violated now and were not in the baseline with a word about it."""
    known = {f"{name}/{claim}": verdict for name, item in before.items() for claim, verdict in item.claims.items()}
    return [
        replace(item, message=f"{item.message}; new: in the baseline it was {known[item.id]}")
        if item.outcome == "failed" and known.get(item.id, "violated") != "violated"
        else item
        for item in findings
    ]


def accept(findings: Sequence[Finding], accepted: Sequence[Accepted], today: date, where: str) -> list[Finding]:
    """Apply what is accepted, and report entries that are stale, unknown, or not needed any more.

    Only failures are accepted: an error means that nothing is known.
    """
    entries = {entry.id: entry for entry in accepted}
    result = [_applied(item, entries.get(item.id), today) for item in findings]
    outcomes: dict[str, set[str]] = {}
    for item in findings:
        outcomes.setdefault(item.id, set()).add(item.outcome)
    for entry in accepted:
        if entry.id not in outcomes:
            message = f"{where} accepts {entry.id!r}, which is no finding. {nearest(entry.id, outcomes)} Remove or correct it."
        elif not outcomes[entry.id] & {"failed", "error"}:
            message = f"{where} accepts {entry.id!r}, which does not fail any more; remove the entry ({entry.owner})"
        else:
            continue
        result.append(Finding(f"baseline:{entry.id}", "baseline", "warning", message, "what is accepted is needed"))
    return result


def _applied(item: Finding, entry: Accepted | None, today: date) -> Finding:
    if entry is None or item.outcome not in ("failed", "error"):
        return item
    if item.outcome == "error":
        return replace(item, message=f"{item.message}; an error cannot be accepted, it means that nothing is known")
    if entry.last_day < today:
        return replace(item, message=f"{item.message}; it was accepted until {entry.expires} ({entry.owner}: {entry.reason})")
    return replace(
        item, outcome="accepted", message=f"{item.message}; accepted until {entry.expires} ({entry.owner}: {entry.reason})"
    )
