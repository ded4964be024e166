"""Findings of the gate: plain data, part of the record."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Stage = Literal["contract", "claims", "coverage", "determinism", "power", "speed", "baseline"]
STAGES: tuple[Stage, ...] = ("contract", "claims", "coverage", "determinism", "power", "speed", "baseline")

Outcome = Literal["passed", "failed", "error", "unfinished", "accepted", "warning"]

_OUTCOMES: Mapping[str, Outcome] = {"violated": "failed", "error": "error", "conforms": "passed"}


def outcome_of(verdict: str) -> Outcome:
    """Outcome of a claim's verdict for a gate; a verdict that decides nothing is worth a warning."""
    return _OUTCOMES.get(verdict, "warning")


def algorithm_of(finding: str) -> str:
    """The algorithm that a finding is about, from its id."""
    return re.split("[/~:]", finding, maxsplit=1)[0]


@dataclass(frozen=True)
class Finding:
    """Requirement of the gate, and whether it is met.

    Parameters
    ----------
    id : str
        What it is about, stable over runs, e.g. ``mine/optimism``, ``mine~half-bonus``, ``mine:determinism``. A baseline accepts
        findings by it.
    stage : str
        One of `STAGES`.
    outcome : {"passed", "failed", "error", "unfinished", "accepted", "warning"}
        ``failed`` makes the gate red, and so do ``error`` (something could not be found out) and ``unfinished`` (it was not
        looked at before the run ended); ``accepted`` is a failure that the baseline accepts; a ``warning`` changes nothing.
    message : str
        What was found, in one or two sentences; what to do, where that is not plain.
    rule : str
        The sentence of the paper, or of the contract, it is measured by.
    replay : str
        The id to give to `verifier replay`; empty where no single trial shows it.
    because : str
        Of a failure: the id of the finding that is its cause, a claim that is broken first; empty where there is none. Reports
        fold it under that one. It makes the gate red all the same, also where the cause is accepted.
    project : str
        The folder of the plugin's project, for `verifier replay --project`, where that was not installed.
    record : str
        The file of the record, for `verifier replay RECORD ID`, where that is needed and there is one.
    """

    id: str
    stage: Stage
    outcome: Outcome
    message: str
    rule: str = ""
    replay: str = ""
    because: str = ""
    project: str = ""
    record: str = ""


@dataclass(frozen=True)
class Source:
    """Place in a source: a file, relative to the working directory if it lies below, and the line of a class or method."""

    file: str
    line: int


@dataclass(frozen=True)
class GateEntry:
    """The gate's part of a record.

    Parameters
    ----------
    target : str
        What was given: a name, or the path of a project.
    baseline : str
        The path of the baseline it was compared with; empty if there was none.
    findings : tuple of Finding
        In the order of the stages.
    sources : dict
        `Source` of each algorithm that loaded, by name; and of the method that makes what a claim compares, by the claim's id, of
        claims that are broken first.
    within : str
        The working directory, as a path below the top of its git repository; empty where it is the top, or there is none.
    """

    target: str
    baseline: str
    findings: tuple[Finding, ...]
    sources: Mapping[str, Source]
    within: str = ""

    def located(self, finding: str) -> Source | None:
        """Place in the source that a finding is about, as code hosts name files: from the top of the repository, if it is below.

        It is the method, where one is known, or else the algorithm.
        """
        found = self.sources.get(finding.partition("[")[0]) or self.sources.get(algorithm_of(finding))
        return found and Source(posixpath.join(self.within, found.file), found.line)
