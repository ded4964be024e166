"""The versioned result of a command; every report is rendered from it alone.

The shape is fixed by `record.schema.json` beside this file. Numbers that are not finite are written as the strings
``"inf"``, ``"-inf"`` and ``"nan"``, because JSON has no such numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from importlib import resources
from typing import Annotated, Any, Literal, TypeAlias

from verifier.base.errors import UsageError
from verifier.base.reading import read
from verifier.record.decisive import decisive
from verifier.record.drawn import DrawnEntry
from verifier.record.figure import FigureEntry
from verifier.record.finding import GateEntry
from verifier.record.given import GivenEntry
from verifier.record.localisation import LocalisationEntry
from verifier.record.regime import RegimeEntry
from verifier.record.tightness import TightnessEntry
from verifier.record.verdict import Verdict
from verifier.statistics.ledger import LedgerEntry

SCHEMA = "verifier.record/1"


@dataclass(frozen=True)
class ClaimEntry:
    """A claim with its verdict over all regimes and instances.

    `counterexample` is the text of the smallest instance on which the search saw it fail: tables to check by hand. `decisive` is
    the index, among `regimes`, of the entry that every report cites and whose reason is that of the claim; None if there are
    no entries. It is chosen here by `verifier.record.decisive.decisive` unless it is given. `unbreakable` is the declared proof
    that no implementation can violate it. `broken_by` are the names of the claims broken first among those that its proof uses:
    where there are any, its own verdict is no evidence. `difference` is the sentence that says where it fails, and how, in
    all trials in which it does. `topic` is what it is about, in a word or two by which reports count claims. `code` is the method
    of the agent that makes what is compared, with its file and line, where it was found. `script` is a program that shows it in
    the words of the library that an adapter runs, and `prints` the last line of what that program prints. `untested` are the
    parts of the formula of a claim that conforms on which no comparison depends: a mistake in them would not have been seen.
    `formula` is what is evaluated, as MathML without its element ``math``; empty where the property is no formula.
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
    verdict: Annotated[str, Verdict]
    reason: str
    vacuous: bool
    regimes: tuple[RegimeEntry, ...]
    counterexample: str = ""
    decisive: int | None = None
    unbreakable: str = ""
    broken_by: tuple[str, ...] = ()
    difference: str = ""
    topic: str = ""
    code: str = ""
    script: str = ""
    prints: str = ""
    untested: tuple[str, ...] = ()
    formula: str = ""

    def __post_init__(self) -> None:
        if self.decisive is None:
            object.__setattr__(self, "decisive", decisive(self.regimes, self.verdict))
        elif not 0 <= self.decisive < len(self.regimes):
            raise ValueError(f"decisive is {self.decisive}, expected the index of one of {len(self.regimes)} regimes")

    @property
    def name(self) -> str:
        """Id without the algorithm."""
        return self.id.partition("/")[2] or self.id

    @property
    def deciding(self) -> RegimeEntry | None:
        """The entry that every report cites; None if the claim was evaluated nowhere."""
        return None if self.decisive is None else self.regimes[self.decisive]


@dataclass(frozen=True)
class InstanceEntry:
    """An instance as it was used: sizes, and the assumptions that fail on it (claim name to reason).

    `showcase` is set on the instance of the paper's own sizes, e.g. ``"Figure 1a"``. `given` is set on one from a file of the
    user, which no catalogue has; None in older records.
    """

    name: str
    description: str
    showcase: str
    parameters: Mapping[str, float | int | str]
    failed_assumptions: Mapping[str, str]
    given: GivenEntry | None = None


@dataclass(frozen=True)
class ErrorEntry:
    """Error: a crash, a hang, or a broken contract."""

    kind: str
    where: str
    message: str
    traceback: str = ""

    @property
    def cause(self) -> str:
        """Message without the place that it may begin with: equal for all places where one cause fails."""
        return self.message.removeprefix(f"{self.where}: ")


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
    """A claim that called a mutant violated, first where; `project` and `record` as in `RegimeEntry`."""

    claim: str
    regime: str
    instance: str
    trials: int
    ratio: float
    replay: str
    project: str = ""
    record: str = ""


MutantOutcome: TypeAlias = Literal["killed", "survived", "equivalent", "error", "not run"]


@dataclass(frozen=True)
class MutantEntry:
    """Outcome of a mutant.

    `outcome` is ``killed``, ``survived``, ``equivalent`` (survived, and declared so, with the reason), ``error``, or
    ``not run`` (the run ended before anything could be said, with the reason). `missed` are the claims expected to catch it that
    did not before the campaign ended. `garbage` is said of agents that learn nothing, which the setting plants in every
    algorithm. The first of `expected` is the claim of the line that the bug breaks; `first_broken` are the violated claims
    that no other one explains, `difference` is the sentence about how that claim (or else the first of these) fails, and
    `differs` what it was declared to say.
    """

    name: str
    description: str
    outcome: MutantOutcome
    reason: str
    expected: tuple[str, ...]
    missed: tuple[str, ...]
    trials: int
    kills: tuple[KillEntry, ...]
    garbage: bool = False
    first_broken: tuple[str, ...] = ()
    difference: str = ""
    differs: str = ""

    @property
    def line(self) -> str:
        """The claim of the line that it breaks, as declared; empty if none is."""
        return self.expected[0] if self.expected and not self.garbage else ""

    @property
    def named(self) -> bool:
        """Whether the claim of that line is among those broken first."""
        return self.line in self.first_broken

    @property
    def told(self) -> bool:
        """Whether, besides, the sentence about the difference says what is declared."""
        return self.named and bool(self.differs) and self.differs.lower() in self.difference.lower()


@dataclass(frozen=True)
class ClaimPowerEntry:
    """Mutant that violated a claim, and where first; no `kill` if none did.

    `unbreakable` is the declared proof that none can; `vacuous` is said where no comparison of any run could have failed.
    """

    claim: str
    mutant: str = ""
    garbage: bool = False
    kill: KillEntry | None = None
    unbreakable: str = ""
    vacuous: bool = False

    @property
    def missing(self) -> bool:
        """Whether the claim has not been seen to fail, though it could."""
        return self.kill is None and not self.unbreakable and not self.vacuous


@dataclass(frozen=True)
class PowerEntry:
    """The kill matrix of an algorithm; `idle` are the claims that killed nothing.

    `by_claim` is set by `verifier power --by-claim`: every claim, those first that no mutant violated; `mutants` are then those
    that were killed until each claim had been violated. `localisation` is None where the algorithm declares no proof.
    """

    mutants: tuple[MutantEntry, ...]
    idle: tuple[str, ...]
    by_claim: tuple[ClaimPowerEntry, ...] = ()
    localisation: LocalisationEntry | None = None


@dataclass(frozen=True)
class ErratumEntry:
    """A statement of the paper that is false, or not implied, as printed; `verifier errata` runs its counterexample.

    `grade` says which: ``false as printed``, ``proof step false`` or ``not implied``; empty in records from before there was one.
    """

    name: str
    source: str
    statement: str
    why: str
    corrected: str
    grade: str = ""


@dataclass(frozen=True)
class SupportEntry:
    """Support of a theorem in one regime: the steps of its proof that conform, with power, and rest on nothing broken.

    `claim` is the theorem, `missing` are the other steps; both are names of claims. Assumptions are no steps, and neither is what
    is proved of every implementation. Regimes are never added up: a step that holds at another width is a step of another run.
    `regime` is empty in records from before there was one for each, where a step counted that conformed in any.
    """

    claim: str
    steps: int
    checked: int
    missing: tuple[str, ...]
    regime: str = ""


@dataclass(frozen=True)
class TheoremEntry:
    """The main theorem of the paper, as declared: the name of its claim, or what a clause says, and why no step of it is checked.

    `unchecked` is empty where it is a claim, whose support is in `AlgorithmEntry.support`.
    """

    name: str
    source: str
    unchecked: str = ""


@dataclass(frozen=True)
class BugsEntry:
    """Result of the last `verifier power` of the same sources: how many planted bugs a violated claim found.

    `planted` are all that the algorithm declares, but those declared equivalent that no claim found; agents that learn nothing,
    which the setting adds, are not counted. `found` is when, in ISO 8601, `profile` the name of the profile.
    """

    planted: int
    killed: int
    found: str
    profile: str


UNCOMPARED = "no comparison with the algorithm it is held against could have failed"
"""Beginning of `AlgorithmEntry.unfinished` where every trial was run, and nothing was learnt."""


@dataclass(frozen=True)
class AlgorithmEntry:
    """Everything found about one algorithm.

    `power` is set by `verifier power`, which checks its mutants instead, and by `verifier gate`, which does both. `unfinished`
    says what was not looked at before the run ended, and why; where it is not empty, nothing has passed. `clauses_checked` counts
    the clauses that a claim evaluated in this run is about. `proof` maps the name of every declared claim to those its proof uses
    (``pseudo-code`` stands for the text of the algorithm); it is empty in older records. `first_broken` are the names of the
    violated claims that no other violated claim explains; the others fail because of them. `bugs` is what the store knows of
    planted bugs, for a check of all claims; None where nothing is known of these sources. `drawn` are the drawn instances on
    which claims fail; it is empty in older records. `tightness` is set by `verifier tight`, which judges no claim.
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
    unfinished: str = ""
    proof: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_broken: tuple[str, ...] = ()
    support: tuple[SupportEntry, ...] = ()
    bugs: BugsEntry | None = None
    theorem: TheoremEntry | None = None
    drawn: tuple[DrawnEntry, ...] = ()
    tightness: TightnessEntry | None = None

    @property
    def setting(self) -> str:
        """The name of its setting; empty if it could not be loaded."""
        return str(self.settings.get("setting", ""))

    @property
    def can_go_on(self) -> bool:
        """Whether the same command gets further."""
        return bool(self.unfinished) and not self.unfinished.startswith(UNCOMPARED)

    @property
    def selected(self) -> int:
        """Number of claims that were selected."""
        return self.counts.get("selected", 0)

    @property
    def evaluated(self) -> int:
        """Number of selected claims that were evaluated; smaller only in a run that is an error."""
        return self.counts.get("evaluated", 0)

    def counted(self, verdict: Verdict) -> int:
        """Number of claims with a verdict."""
        return self.counts.get(verdict.value, 0)


@dataclass(frozen=True)
class Record:
    """The result of one command; `gate` is set by `verifier gate`, `figures` by `verifier scale --figure`."""

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
    figures: tuple[FigureEntry, ...] = ()
    schema: str = field(default=SCHEMA)

    @property
    def profile_name(self) -> str:
        """The name of the profile."""
        return str(self.profile.get("name", "custom"))

    @property
    def budget(self) -> float:
        """Seconds of processor time that trials were given; 0 if a record does not say."""
        given = self.profile.get("budget")
        return float(given) if isinstance(given, (int, float)) else 0.0

    @property
    def firm(self) -> bool:
        """Whether the budget limits the first trial on each instance in each regime, too."""
        return bool(self.profile.get("firm"))

    @property
    def blind(self) -> bool:
        """Whether agents ran in processes that never held the truth."""
        return bool(self.profile.get("blind"))

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON data."""
        data: dict[str, Any] = plain(self)
        return data

    @classmethod
    def from_json(cls, data: Any) -> Record:
        """The record that JSON data stands for.

        Fields that were added after the data was written take their default, and keys that this version does not know are passed
        over: fields may be added without a new name of the schema. In free-form settings, numbers that are not finite stay
        strings.

        Raises
        ------
        UsageError
            If the data has another schema, or a value is missing or of the wrong type; the message names it by its path, e.g.
            ``algorithms[0].claims[3].regimes[1].value``.
        """
        given = data.get("schema") if isinstance(data, dict) else type(data).__name__
        if given != SCHEMA:
            raise UsageError(f"schema is {given!r}, expected {SCHEMA!r}")
        return read(cls, data)


def plain(value: Any) -> Any:
    """Dataclasses, mappings and sequences as JSON data."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def schema() -> dict[str, Any]:
    """The JSON Schema of the record, as shipped with the package."""
    import json

    loaded: dict[str, Any] = json.loads(resources.files("verifier.record").joinpath("record.schema.json").read_text())
    return loaded
