"""The search as part of a check: one task per algorithm and regime, run in a worker like any trial.

The task is a `TrialSpec` whose instance is named ``drawn`` and whose index is the number of examples; its result carries the
examination as JSON text, so it is kept in the store and resumed like a trial.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from verifier.model.result import TrialResult, TrialSpec
from verifier.trials.search.witness import Witness

SEARCH_SECONDS = 40.0
"""Processor time for which one search may draw; the time limit of a task ends it if the plugin hangs."""


@dataclass(frozen=True)
class SearchResult:
    """Result of a search for one algorithm in one regime, as plain data.

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
    from verifier.trials.worker import result_of

    return result_of(_search, spec)


def _search(spec: TrialSpec) -> TrialResult:
    from verifier.model.regime import Regime
    from verifier.plugins.registry import registry
    from verifier.trials.search.hunt import examine
    from verifier.trials.trial import chosen

    keep_caches_out_of_the_working_directory()
    known = registry(spec.algorithm)
    guarantees = known.guarantees_of(spec.algorithm)
    setting = known.setting(guarantees.algorithm.setting)
    started = time.process_time()
    regime = Regime.parse(spec.regime)
    deadline = started + SEARCH_SECONDS
    claims = chosen(guarantees.claims, spec.claims)
    found = examine(guarantees, setting, claims, regime, spec.seed, spec.index, deadline, spec.blind)
    payload = json.dumps(
        {
            "examples": found.examples,
            "powered": dict(found.powered),
            "witnesses": [witness.to_json() for witness in found.witnesses],
            "exhausted": found.exhausted,
        }
    )
    return TrialResult(spec, seconds=time.process_time() - started, payload=payload)


def keep_caches_out_of_the_working_directory() -> None:
    """Hypothesis would make a folder `.hypothesis` where the user is."""
    import os
    import tempfile
    from pathlib import Path

    with _no_plugins_of_hypothesis():
        from hypothesis.configuration import set_hypothesis_home_dir

    user = os.getuid() if hasattr(os, "getuid") else "user"
    set_hypothesis_home_dir(Path(tempfile.gettempdir()) / f"verifier-hypothesis-{user}")


@contextlib.contextmanager
def _no_plugins_of_hypothesis() -> Iterator[None]:
    """Inside, importing hypothesis reads no entry points, which fails where those of any distribution are malformed."""
    import os

    name = "HYPOTHESIS_NO_PLUGINS"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def read(result: TrialResult) -> SearchResult:
    """The search a result carries."""
    data = json.loads(result.payload)
    witnesses = tuple(Witness.from_json(item) for item in data["witnesses"])
    return SearchResult(result.spec.regime, data["examples"], data["powered"], witnesses, data["exhausted"])
