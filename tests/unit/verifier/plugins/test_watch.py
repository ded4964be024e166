"""The global generators are watched, and nothing that changes by itself."""

from __future__ import annotations

import hashlib
import random

import pytest

from verifier.plugins.shared import Shared
from verifier.plugins.watch import watched_rng


def test_what_a_library_fills_in_later_is_no_tampering(monkeypatch: pytest.MonkeyPatch) -> None:
    """From Python 3.13 on `random` imports a hash function when it is first seeded with a string."""
    monkeypatch.setattr(random, "_sha512", None, raising=False)
    shared = Shared()
    monkeypatch.setattr(random, "_sha512", lambda data: hashlib.sha512(data), raising=False)
    with watched_rng("x") as used:
        assert not used()
    assert shared.changes() == []
