"""Search for counterexamples on drawn instances, after the trials of a check."""

from __future__ import annotations

from dataclasses import replace

from verifier.base.config import Config
from verifier.campaign import searches
from verifier.campaign.campaign import Campaign, violation_line
from verifier.campaign.drawn import failed
from verifier.campaign.schedule import FOUND
from verifier.campaign.subject import Subject
from verifier.commands.keys import Keys
from verifier.commands.progress import Progress, Step, counts, silent
from verifier.model.result import TrialResult, TrialSpec
from verifier.trials.runner import runner
from verifier.trials.search import drawn
from verifier.trials.store import NullStore, Store


def search_drawn(
    campaign: Campaign,
    config: Config,
    store: Store | NullStore,
    budget: float,
    progress: Progress = silent,
    exit_first: bool = False,
) -> None:
    """Search for counterexamples on drawn instances, for every algorithm of which nothing has failed to run.

    Witnesses are kept in the store, so that `verifier replay` finds them.

    Parameters
    ----------
    campaign : Campaign
    config : Config
    store : Store or NullStore
    budget : float
        Seconds of processor time, charged in the order of the searches. Those from the store cost nothing.
    progress : callable
        Told each `verifier.commands.progress.Step`.
    """
    subjects = {subject.name: subject for subject in campaign.subjects if not (subject.failed or subject.ended)}
    specs = [
        replace(spec, blind=config.blind) for spec in searches.planned(subjects.values(), campaign.profile.examples, config.seed)
    ]
    keys, spent, taken = Keys(), 0.0, 0
    why = f"the budget of {budget:g} s of processor time for that is spent"

    def keep(result: TrialResult) -> None:
        store.put(keys.search_key(subjects[result.spec.algorithm], result.spec), result)

    def known(spec: TrialSpec) -> TrialResult | None:
        found = store.get(keys.search_key(subjects[spec.algorithm], spec))
        return None if found is None else replace(found, seconds=0.0)

    def tell(found: tuple[str, ...] = ()) -> None:
        """The search that is waited for."""
        waited = f"{specs[taken].algorithm} on small drawn instances, {specs[taken].regime}" if taken < len(specs) else ""
        done = sum(cell.consumed for cell in campaign.cells)
        progress(Step(done, campaign.planned, max(budget - spent, 0.0), waited, found, *counts(subjects.values())))

    if not specs:  # also where what ran the trials is lost, which no other runner could use
        return
    tell()
    with runner(config, campaign.registry, drawn.task, longer=drawn.SEARCH_SECONDS, algorithms=subjects) as running:
        for result in running.map(iter(specs), on_result=keep, known=known):
            if spent >= budget:
                break
            spent, taken = spent + result.seconds, taken + 1
            subject = subjects[result.spec.algorithm]
            news = _take_search(subject, result, store, campaign.registry.project_of(subject.name))
            tell(news)
            if exit_first and news:
                why = FOUND
                break
    for spec in specs[taken:]:
        subjects[spec.algorithm].undrawn = why


def _take_search(subject: Subject, result: TrialResult, store: Store | NullStore, project: str) -> tuple[str, ...]:
    """Take in a search, or how it failed; what it found violated first."""
    failure = failed(result, subject.name)
    if failure is not None:
        subject.other_errors.append(failure)
        return ()
    found = drawn.read(result)
    subject.searches.append(found)
    for witness in found.witnesses:
        store.put_witness(witness)
    new = [witness for witness in found.witnesses if witness.claim not in subject.told]
    subject.told.update(witness.claim for witness in new)
    regime = result.spec.regime
    return tuple(violation_line(subject.name, each.claim, "a drawn instance", regime, each.replay_id, project) for each in new)
