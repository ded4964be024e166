"""The search as part of a check: one task per algorithm and regime, run in a worker like any trial.

The task is a `TrialSpec` whose instance is named ``drawn`` and whose index is the number of examples; its result carries the
examination as JSON text, so it is kept in the store and resumed like a trial.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from verifier import record
from verifier.claim import Claim
from verifier.measurement import Measurement
from verifier.result import TrialError, TrialResult, TrialSpec
from verifier.verdict import Verdict
from verifier.witness import DRAWN, Witness

EXAMPLES = {"quick": 60, "standard": 400, "deep": 3000}
"""Instances drawn per regime, by profile."""

SEARCH_SECONDS = 40.0
"""How long one search may draw; the time limit of a task ends it if the plugin hangs."""


@dataclass(frozen=True)
class Search:
    """What a search of one algorithm in one regime found, as plain data.

    Parameters
    ----------
    regime : str
    examples : int
        Instances drawn.
    powered : mapping of str to int
        By claim, on how many of them some comparison could have failed.
    witnesses : tuple of Witness
    exhausted : bool
        Whether time ran out.
    """

    regime: str
    examples: int
    powered: Mapping[str, int]
    witnesses: tuple[Witness, ...]
    exhausted: bool


def task(spec: TrialSpec) -> TrialResult:
    """Run a search in this process; what a plugin raises becomes an error of the result."""
    from verifier.worker import guarded

    return guarded(_search, spec)


def _search(spec: TrialSpec) -> TrialResult:
    from verifier.regime import Regime
    from verifier.registry import registry
    from verifier.search import examine

    _keep_caches_out_of_the_working_directory()
    algorithm = registry().algorithm(spec.algorithm)
    setting = registry().setting(algorithm.setting)
    started = time.process_time()
    regime = Regime.parse(spec.regime)
    deadline = time.monotonic() + SEARCH_SECONDS
    found = examine(algorithm, setting, algorithm.claims, regime, spec.seed, spec.index, deadline, spec.blind)
    payload = json.dumps(
        {
            "examples": found.examples,
            "powered": dict(found.powered),
            "witnesses": [witness.to_json() for witness in found.witnesses],
            "exhausted": found.exhausted,
        }
    )
    return TrialResult(spec, seconds=time.process_time() - started, payload=payload)


def _keep_caches_out_of_the_working_directory() -> None:
    """Hypothesis would make a folder `.hypothesis` where the user is."""
    import os
    import tempfile
    from pathlib import Path

    from hypothesis.configuration import set_hypothesis_home_dir

    user = os.getuid() if hasattr(os, "getuid") else "user"
    set_hypothesis_home_dir(Path(tempfile.gettempdir()) / f"verifier-hypothesis-{user}")


def specs(algorithm: str, regimes: Sequence[str], profile: str, seed: int) -> Iterator[TrialSpec]:
    """The searches of one algorithm."""
    for regime in regimes:
        yield TrialSpec(algorithm, DRAWN, regime, EXAMPLES.get(profile, EXAMPLES["quick"]), seed)


def read(result: TrialResult) -> Search:
    """The search a result carries."""
    data = json.loads(result.payload)
    witnesses = tuple(Witness.from_json(item) for item in data["witnesses"])
    return Search(result.spec.regime, data["examples"], data["powered"], witnesses, data["exhausted"])


def entries(search: Search, claims: Sequence[Claim]) -> Iterator[tuple[str, record.RegimeEntry]]:
    """The record's entries of a search, by claim."""
    broken = {witness.claim: witness for witness in search.witnesses if witness.claim}
    for claim in claims:
        if claim.name in search.powered:
            yield claim.name, _entry(search, claim.name, broken.get(claim.name))


def errors(search: Search, algorithm: str) -> Iterator[record.ErrorEntry]:
    """The ways in which the plugin itself failed on drawn instances."""
    for witness in search.witnesses:
        if witness.error is not None:
            where = f"{algorithm} on a drawn instance, {search.regime}"
            yield record.ErrorEntry(witness.error.kind, where, witness.error.message, witness.text())


def _entry(search: Search, name: str, witness: Witness | None) -> record.RegimeEntry:
    powered = search.powered[name]
    measurement = (witness.measurement if witness else None) or Measurement(ratio=-math.inf)
    if witness is not None:
        verdict, reason = (
            Verdict.VIOLATED,
            f"fails on a drawn instance (of {search.examples}), shrunk to the smallest that still fails",
        )
    elif powered:
        verdict, reason = (
            Verdict.CONFORMS,
            f"no failure on {search.examples} drawn instances; on {powered} something could have failed",
        )
    elif search.examples:
        verdict, reason = Verdict.VACUOUS, f"on none of {search.examples} drawn instances something could have failed"
    else:
        verdict, reason = Verdict.INCONCLUSIVE, "no instance was drawn in time"
    return record.RegimeEntry(
        regime=search.regime, instance=DRAWN, verdict=verdict.value, reason=reason, trials=search.examples,
        failures=int(witness is not None), comparisons=measurement.comparisons, powered=measurement.powered,
        excluded=measurement.excluded, violations=measurement.violations, value=measurement.value, bound=measurement.bound,
        trivial=measurement.trivial, ratio=measurement.ratio, margin=measurement.margin, tolerance=measurement.tolerance,
        witness=dict(measurement.place), detectable=record.Detectable("none", math.nan), interval=None, nonvacuous_from=None,
        unit="", replay=witness.replay_id if witness else "",
    )  # fmt: skip


def failed(result: TrialResult, algorithm: str) -> record.ErrorEntry | None:
    """The error of a search that gave no result."""
    error: TrialError | None = result.error
    if error is None:
        return None
    return record.ErrorEntry(error.kind, f"{algorithm} on drawn instances, {result.spec.regime}", error.message, error.traceback)


def counterexamples(searches: Sequence[Search]) -> dict[str, str]:
    """The text of the first witness of each claim."""
    texts: dict[str, str] = {}
    for search in searches:
        for witness in search.witnesses:
            if witness.claim:
                texts.setdefault(witness.claim, witness.text())
    return texts
