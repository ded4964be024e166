"""Results of `verifier power` on planted bugs, kept for the reports of later checks of the same sources."""

from __future__ import annotations

from dataclasses import asdict

from verifier import record
from verifier.base import reading
from verifier.base.errors import UsageError
from verifier.commands.notes import key_of
from verifier.plugins.registry import Registry
from verifier.trials.store import NullStore, Store


def remember(store: Store | NullStore, registry: Registry, found: record.AlgorithmEntry, when: str, profile: str) -> None:
    """Keep how many of an algorithm's bugs were found, if all of them were looked at."""
    if found.power is None or found.unfinished:
        return
    outcomes = [mutant.outcome for mutant in found.power.mutants if not mutant.garbage and mutant.outcome != "equivalent"]
    bugs = record.BugsEntry(len(outcomes), outcomes.count("killed"), when, profile)
    store.put_note(key_of("bugs", registry, found.name), asdict(bugs))


def recall(store: Store | NullStore, registry: Registry, name: str) -> record.BugsEntry | None:
    """Results on the bugs of an algorithm with these very sources; None if there are none."""
    note = store.get_note(key_of("bugs", registry, name)) if name in registry.guarantees else None
    try:
        return None if note is None else reading.read(record.BugsEntry, note)
    except UsageError:
        return None
