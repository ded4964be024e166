"""The store of a command that can do without one: what goes wrong with it once trials are run is a warning, and ends nothing.

A plugin, or another program, can lock, fill or delete the file while a command runs. What was computed until then is worth more
than the store. A store that cannot be used at all, because it is damaged or no store, is an error at once: the user has named it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from verifier.base.errors import StoreError
from verifier.model.result import TrialResult
from verifier.trials.search.witness import Witness
from verifier.trials.store import NullStore, Store
from verifier.trials.store_schema import BusyStoreError

T = TypeVar("T")

_log = logging.getLogger(__name__)


def lenient(path: str | Path) -> Store | NullStore:
    """The store in a directory, or one that keeps nothing where another process has locked it.

    Raises
    ------
    StoreError
        If it cannot be used for any other reason.
    """
    try:
        return LenientStore(path)
    except BusyStoreError as error:
        _log.warning("verifier: %s. This run goes on without it: nothing is reused, and nothing is kept", error)
        return NullStore()


class WitnessStore(NullStore):
    """Store that keeps witnesses of searches alone, so that they can be replayed; it is opened where there is one.

    Parameters
    ----------
    path : str or Path
        Directory of the store.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path

    def put_witness(self, witness: Witness) -> None:
        """Keep a witness, see `Store.put_witness`; where the store cannot be used, with a warning instead."""
        try:
            with lenient(self._path) as store:
                store.put_witness(witness)
        except StoreError as error:
            _log.warning("verifier: %s. The drawn instance is not kept; --output json=record.json has it", error)


def is_kept(store: Store | NullStore) -> bool:
    """Whether what was put into a store is there: it keeps results, and was not given up."""
    return isinstance(store, Store) and not (isinstance(store, LenientStore) and store.given_up())


class LenientStore(Store):
    """A store that is given up, with one warning, when it can no longer be read or written.

    Attributes
    ----------
    lost : bool
        Whether it was given up.
    """

    def __init__(self, path: str | Path) -> None:
        self.lost = False
        super().__init__(path)
        self._place = self._identified()

    def get(self, key: str) -> TrialResult | None:
        """Result under a key, see `Store.get`; None where the store is lost."""
        return self._unless_lost(lambda: super(LenientStore, self).get(key), None)

    def put(self, key: str, result: TrialResult) -> None:
        """Keep a result, see `Store.put`."""
        self._require_its_file()
        self._unless_lost(lambda: super(LenientStore, self).put(key, result), None)

    def put_witness(self, witness: Witness) -> None:
        """Keep a witness, see `Store.put_witness`."""
        self._unless_lost(lambda: super(LenientStore, self).put_witness(witness), None)

    def get_witness(self, witness_id: str) -> Witness | None:
        """Witness of an id, see `Store.get_witness`; None where the store is lost."""
        return self._unless_lost(lambda: super(LenientStore, self).get_witness(witness_id), None)

    def put_note(self, key: str, note: dict[str, Any]) -> None:
        """Keep a note, see `Store.put_note`."""
        self._unless_lost(lambda: super(LenientStore, self).put_note(key, note), None)

    def get_note(self, key: str) -> Any:
        """Note under a key, see `Store.get_note`; None where the store is lost."""
        return self._unless_lost(lambda: super(LenientStore, self).get_note(key), None)

    def close(self) -> None:
        """Close the store, see `Store.close`; a warning where the file is gone by now."""
        self._require_its_file()
        super().close()

    def given_up(self) -> bool:
        """Whether the store is lost; that the file is gone is noticed now, too."""
        self._require_its_file()
        return self.lost

    def _require_its_file(self) -> None:
        """Give the store up where its file is another one: SQLite would go on writing to the one that nobody can find."""
        if not self.lost and self._identified() != self._place:
            self._lose(f"the store {self.file} was deleted, moved or replaced while it was in use")

    def _unless_lost(self, work: Callable[[], T], otherwise: T) -> T:
        if self.lost:
            return otherwise
        try:
            return work()
        except StoreError as error:
            self._lose(str(error))
            return otherwise

    def _lose(self, why: str) -> None:
        self.lost = True
        _log.warning("verifier: %s. This run goes on without it: what it finds is not kept", why)

    def _identified(self) -> tuple[int, int] | None:
        """Device and inode of the file, which differ from those of another file of its name; None where there is none."""
        try:
            found = self.file.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino
