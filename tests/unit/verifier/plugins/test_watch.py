"""What is shared with plugins is watched, and nothing that changes by itself."""

from __future__ import annotations

import hashlib
import random

import numpy as np
import pytest

from verifier.plugins.watch import tampered, watched_rng


def test_a_replaced_function_is_named_and_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    original = np.linalg.solve
    monkeypatch.setattr(np.linalg, "solve", lambda *arguments: original(*arguments))
    assert "numpy.linalg.solve" in tampered()
    assert np.linalg.solve is original
    assert tampered() == ""


def test_what_a_library_fills_in_later_is_no_tampering(monkeypatch: pytest.MonkeyPatch) -> None:
    """From Python 3.13 on `random` imports a hash function when it is first seeded with a string."""
    monkeypatch.setattr(random, "_sha512", lambda data: hashlib.sha512(data), raising=False)
    with watched_rng("x") as used:
        assert not used()
    assert tampered() == ""
