"""The verdicts of the last whole check of an algorithm, kept for the explanation of its proof."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from verifier.base import reading
from verifier.base.errors import StoreError, UsageError
from verifier.commands.notes import key_of
from verifier.plugins.registry import Registry
from verifier.record import AlgorithmEntry, ClaimEntry
from verifier.trials.store import NullStore, Store
from verifier.trials.store_schema import FILE_NAME

_UNITS = (("day", timedelta(days=1)), ("hour", timedelta(hours=1)), ("minute", timedelta(minutes=1)))


@dataclass(frozen=True)
class LastCheck:
    """Result of the last check.

    Parameters
    ----------
    finished : str
        When, in ISO format.
    profile : str
    seed : int
    verdicts : mapping of str to str
        From each claim to its verdict, in words.
    """

    finished: str
    profile: str
    seed: int
    verdicts: Mapping[str, str]

    def told(self, name: str, now: datetime | None = None) -> str:
        """Name and age of the check: ``verdicts of `verifier check ucbvi-ch`, profile quick, seed 0, 2 hours ago``."""
        when = datetime.fromisoformat(self.finished)
        return f"verdicts of `verifier check {name}`, profile {self.profile}, seed {self.seed}, {_age(when, now)}"


def verdict_in_words(claim: ClaimEntry) -> str:
    """``conforms``, ``violated, rests on gram``."""
    return f"{claim.verdict}, rests on {claim.broken_by[0]}" if claim.broken_by else claim.verdict


def remember(store: Store | NullStore, registry: Registry, found: AlgorithmEntry, when: str, profile: str, seed: int) -> None:
    """Keep the verdicts of an algorithm, of which all that was selected was looked at, in place of those of the check before."""
    if found.claims and not found.unfinished:
        verdicts = {claim.name: verdict_in_words(claim) for claim in found.claims}
        store.put_note(key_of("verdicts", registry, found.name), asdict(LastCheck(when, profile, seed, verdicts)))


def recall(store: Store | NullStore, registry: Registry, name: str) -> LastCheck | None:
    """The last check of these very sources; None if the store has none."""
    note = store.get_note(key_of("verdicts", registry, name))
    try:
        return None if note is None else reading.read(LastCheck, note)
    except UsageError:
        return None


def last_check(folder: Path, registry: Registry, name: str) -> LastCheck | None:
    """Last check in the store of a folder; None where the store is absent or cannot be read."""
    if not (folder / FILE_NAME).is_file():
        return None
    with suppress(StoreError), Store(folder) as store:
        return recall(store, registry, name)
    return None


def _age(when: datetime, now: datetime | None) -> str:
    past = (now or datetime.now(UTC)) - when
    for unit, length in _UNITS:
        if (count := past // length) > 0:
            return f"{count} {unit}{'s' * (count > 1)} ago"
    return "less than a minute ago"
