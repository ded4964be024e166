"""Runs a real campaign in this process, on an algorithm class that is not installed under the guarantees of one that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from verifier import Algorithm, record
from verifier.base.profile import Profile
from verifier.campaign.campaign import Campaign
from verifier.campaign.selection import Selection
from verifier.model.result import TrialResult, TrialSpec
from verifier.plugins.registry import Registry, registry
from verifier.trials.trial import run

from ..installed import guaranteed

QUICK_TRIALS = 32


def check(
    algorithm: type[Algorithm],
    instances: tuple[str, ...] = (),
    regimes: tuple[str, ...] = (),
    seed: int = 0,
    trials: int = 2,
    share: float | None = None,
) -> record.AlgorithmEntry:
    """What `verifier check --profile quick` finds, without its worker processes and with at most `trials` per cell.

    With a share, every instance gets that of the trials, also where the catalogue gives it less.
    """
    settings, guarantees = dict(registry().settings), guaranteed(algorithm)
    if share is not None:
        setting = settings[algorithm.setting]
        equal = tuple(replace(scenario, share=share) for scenario in setting.catalogue)
        settings[setting.name] = replace(setting, catalogue=equal)
    known = Registry(guarantees={algorithm.name: guarantees}, settings=settings)
    selection = Selection((algorithm.name,), regimes=regimes, instances=instances)
    profile = Profile("quick", 1e6, trials)
    campaign = Campaign(known, selection, profile, seed, 1e-3, 0.01)

    def execute(specs: Iterator[TrialSpec]) -> Iterator[TrialResult]:
        return (run(spec, guarantees, settings[algorithm.setting]) for spec in specs)

    campaign.run(execute)
    (subject,) = campaign.subjects
    return campaign.entry(subject, "tests", "0", "0")


def mutant(algorithm: type[Algorithm], name: str) -> type[Algorithm]:
    """A planted bug of an algorithm."""
    return {item.name: item.algorithm for item in guaranteed(algorithm).mutants}[name]


def violated(entry: record.AlgorithmEntry) -> set[str]:
    """The names of the claims called violated."""
    return {claim.id.split("/")[1] for claim in entry.claims if claim.verdict == "violated"}


def violated_in(entry: record.AlgorithmEntry, regime: str) -> set[str]:
    """The names of the claims violated in one regime."""
    return {
        claim.id.split("/")[1]
        for claim in entry.claims
        for item in claim.regimes
        if item.regime == regime and item.verdict == "violated"
    }
