"""Runs a real campaign in this process, on algorithms that are installed, or on a class under the guarantees of one that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from verifier import Algorithm, record
from verifier.base.config import Config
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.schedule import Schedule
from verifier.campaign.selection import Selection
from verifier.model.result import TrialResult, TrialSpec
from verifier.model.setting import Setting
from verifier.plugins.registry import Registry, registry, using
from verifier.trials.trial import run_trial

from ..installed import guaranteed


def run(campaign: Campaign, plugins: Registry, explained: bool = True) -> None:
    """Run the trials of a campaign one after the other in this process; with `explained`, say how what fails does.

    Not by the runner for that: it looks after each trial whether the harness has been changed, which takes as long as a small
    trial does, and here it is changed on purpose.
    """

    def execute(specs: Iterator[TrialSpec]) -> Iterator[TrialResult]:
        for spec in specs:
            with using(plugins):
                result = run_trial(spec, explained=explained)
            yield result

    Schedule([campaign], campaign.profile).run(execute)


def checked(
    plugins: Registry,
    name: str,
    instances: tuple[str, ...],
    regimes: tuple[str, ...],
    seed: int,
    trials: int,
    explained: bool = True,
) -> record.AlgorithmEntry:
    """What `verifier check` finds of an algorithm of a registry with at most `trials` per cell.

    Explaining takes a third of the time of a trial in which something fails.
    """
    selection = Selection((name,), regimes=regimes, instances=instances)
    campaign = Campaign(plugins, selection, replace(PROFILES["quick"], budget=1e6, trials=trials), Config(seed=seed))
    run(campaign, plugins, explained)
    (subject,) = campaign.subjects
    return campaign.entry(subject, "tests", "0", "0")


def check(
    algorithm: type[Algorithm],
    instances: tuple[str, ...] = (),
    regimes: tuple[str, ...] = (),
    seed: int = 0,
    trials: int = 2,
    share: float | None = None,
    settings: Mapping[str, Setting[Any, Any]] | None = None,
    explained: bool = True,
) -> record.AlgorithmEntry:
    """Entry of a class that is no planted bug, as `checked` has it: planted bugs are run in `test_planted_bugs`.

    With a share, every instance gets that of the trials, also where the catalogue gives it less.
    """
    assert algorithm not in SHIPPED, algorithm
    plugins = Registry({algorithm.name: guaranteed(algorithm)}, dict(settings or registry().settings))
    if share is not None:
        setting = plugins.settings[algorithm.setting]
        equal = tuple(replace(scenario, share=share) for scenario in setting.catalogue)
        plugins.settings[setting.name] = replace(setting, catalogue=equal)
    return checked(plugins, algorithm.name, instances, regimes, seed, trials, explained)


SHIPPED = {mutant.algorithm for guarantees in registry().guarantees.values() for mutant in guarantees.mutants}
"""The classes with a planted bug."""


def mutant(algorithm: type[Algorithm], name: str) -> type[Algorithm]:
    """A planted bug of an algorithm."""
    return guaranteed(algorithm).mutant(name).algorithm


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
