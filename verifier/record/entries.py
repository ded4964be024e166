"""The versioned result of a command; every report is rendered from its JSON form alone.

The shape is fixed by `record.schema.json` beside this file. Numbers that are not finite are written as the strings
``"inf"``, ``"-inf"`` and ``"nan"``, because JSON has no such numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import resources
from typing import Any

from verifier.record.finding import GateEntry
from verifier.record.scaling import Scaling
from verifier.statistics.detectable import Detectable
from verifier.statistics.ledger import LedgerEntry

SCHEMA = "verifier.record/1"


@dataclass(frozen=True)
class RegimeEntry:
    """A claim in one regime on one instance, over all trials.

    `value`, `bound`, `trivial`, `ratio`, `tolerance` and `witness` belong to the worst comparison of all trials; `replay`
    reruns it. `margin` is the smallest difference of bound and value. `powered` of the `comparisons` could have failed;
    `excluded` were left out because the premise did not hold there. For claims of kind expectation, `value` and `bound` are the
    means over the trials, `ratio` and `margin` compare them, `violations` is 1 where that comparison is called false, and
    `replay` reruns the trial with the largest ratio; for claims of kind law they are the evidence of all trials and what would
    refute the law. `interval` is a confidence interval of the failure rate, for claims of kind probability, or of the mean of
    the value, for claims of kind expectation. `nonvacuous_from` is the size (in `unit`, e.g. K) from which the bound would drop
    below the trivial one, at this regime's constants, if known. `regime` is empty for assumptions, which are of the instance
    alone.

    For claims of kind scaling `instance` is a family, `value` the local exponent, `interval` its limits, `bound` the largest that
    counts as claimed, `trivial` the exponent of what anything meets, and `scaling` has everything else; null for other kinds.
    """

    regime: str
    instance: str
    verdict: str
    reason: str
    trials: int
    failures: int
    comparisons: int
    powered: int
    excluded: int
    violations: int
    value: float
    bound: float
    trivial: float
    ratio: float
    margin: float
    tolerance: float
    witness: Mapping[str, int]
    detectable: Detectable
    interval: tuple[float, float] | None
    nonvacuous_from: float | None
    unit: str
    replay: str
    scaling: Scaling | None = None


@dataclass(frozen=True)
class ClaimEntry:
    """A claim with its verdict over all regimes and instances.

    `counterexample` is the text of the smallest instance on which the search saw it fail: tables to check by hand.
    """

    id: str
    source: str
    theorem: str
    statement: str
    kind: str
    status: str
    clause: str
    given: str
    assumes: tuple[str, ...]
    why: str
    verdict: str
    reason: str
    vacuous: bool
    regimes: tuple[RegimeEntry, ...]
    counterexample: str = ""


@dataclass(frozen=True)
class InstanceEntry:
    """An instance as it was used: sizes, and the assumptions that fail on it (claim name to reason).

    `showcase` is set on the instance of the paper's own sizes, e.g. ``"Figure 1a"``.
    """

    name: str
    description: str
    showcase: str
    parameters: Mapping[str, float | int | str]
    failed_assumptions: Mapping[str, str]


@dataclass(frozen=True)
class ErrorEntry:
    """Something that crashed, hung, or broke its contract."""

    kind: str
    where: str
    message: str
    traceback: str = ""


@dataclass(frozen=True)
class ClauseEntry:
    """A clause of the paper no claim covers, and why."""

    key: str
    source: str
    statement: str
    reason: str


@dataclass(frozen=True)
class Ledger:
    """The error budget and how it was spent."""

    budget: float
    spent: float
    certify_level: float
    entries: tuple[LedgerEntry, ...]


@dataclass(frozen=True)
class KillEntry:
    """A claim that called a mutant violated, first where."""

    claim: str
    regime: str
    instance: str
    trials: int
    ratio: float
    replay: str


@dataclass(frozen=True)
class MutantEntry:
    """What became of a mutant.

    `outcome` is ``killed``, ``survived``, ``equivalent`` (survived, and declared so, with the reason) or ``error``.
    `missed` are the
    claims expected to catch it that did not before the campaign ended.
    """

    name: str
    description: str
    outcome: str
    reason: str
    expected: tuple[str, ...]
    missed: tuple[str, ...]
    trials: int
    kills: tuple[KillEntry, ...]


@dataclass(frozen=True)
class PowerEntry:
    """The kill matrix of an algorithm; `idle` are the claims that killed nothing."""

    mutants: tuple[MutantEntry, ...]
    idle: tuple[str, ...]


@dataclass(frozen=True)
class ErratumEntry:
    """A statement of the paper that is false, or not implied, as printed; `verifier errata` runs its counterexample."""

    name: str
    source: str
    statement: str
    why: str
    corrected: str


@dataclass(frozen=True)
class AlgorithmEntry:
    """Everything found about one algorithm.

    `power` is set by `verifier power`, which checks its mutants instead, and by `verifier gate`, which does both.
    """

    name: str
    title: str
    paper: str
    plugin: str
    version: str
    source_hash: str
    settings: Mapping[str, Any]
    instances: tuple[InstanceEntry, ...]
    claims: tuple[ClaimEntry, ...]
    clauses_total: int
    clauses_checked: int
    clauses_unchecked: tuple[ClauseEntry, ...]
    counts: Mapping[str, int]
    ledger: Ledger
    errors: tuple[ErrorEntry, ...]
    trials_planned: int
    trials_finished: int
    trials_reused: int
    budget_exhausted: bool
    power: PowerEntry | None = None
    errata: tuple[ErratumEntry, ...] = ()


@dataclass(frozen=True)
class Record:
    """The result of one command; `gate` is set by `verifier gate`."""

    verifier: str
    command: tuple[str, ...]
    seed: int
    started: str
    finished: str
    seconds: float
    environment: Mapping[str, Any]
    profile: Mapping[str, Any]
    exit_code: int
    algorithms: tuple[AlgorithmEntry, ...]
    gate: GateEntry | None = None
    schema: str = field(default=SCHEMA)

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON data."""
        data: dict[str, Any] = _plain(asdict(self))
        return data


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def number(value: Any) -> float:
    """A number of a JSON record, with the strings for non-finite ones read back."""
    return float(value)


def schema() -> dict[str, Any]:
    """The JSON Schema of the record, as shipped with the package."""
    import json

    loaded: dict[str, Any] = json.loads(resources.files("verifier.record").joinpath("record.schema.json").read_text())
    return loaded
