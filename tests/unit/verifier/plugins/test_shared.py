"""What a plugin replaces in modules it shares with the harness is found and put back; what libraries do by themselves is not."""

from __future__ import annotations

import builtins
import importlib
import math
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import verifier.trials.trial
from verifier.base import folders
from verifier.base.errors import ContractError
from verifier.model import measurement
from verifier.model.width import Width
from verifier.plugins.shared import Shared, nothing_replaced
from verifier.trials import measured, trial

HARNESS = Path(verifier.__file__ or "").parent


def other(*given: Any) -> None:
    """Something else than was there."""


def _replaced(owner: Any, name: str, value: object = other) -> Callable[[], object]:
    before = vars(owner).get(name)
    setattr(owner, name, value)
    return lambda: vars(owner).get(name) is before


def _removed(owner: Any, name: str) -> Callable[[], object]:
    before = vars(owner)[name]
    delattr(owner, name)
    return lambda: vars(owner)[name] is before


TAMPERINGS: dict[str, Callable[[], Callable[[], object]]] = {
    "verifier.model.measurement.measure": lambda: _replaced(measurement, "measure"),
    "verifier.trials.measured.measure": lambda: _replaced(measured, "measure"),
    "verifier.trials.trial.run_trial": lambda: _removed(trial, "run_trial"),
    "verifier.model.width.Width.take": lambda: _replaced(Width, "take"),
    "verifier.model.width.Width.__call__": lambda: _replaced(Width, "__call__"),
    "numpy.linalg.solve": lambda: _replaced(np.linalg, "solve"),
    "numpy.random.default_rng": lambda: _replaced(np.random, "default_rng", None),
    "numpy.pi": lambda: _replaced(np, "pi", 3.0),
    "numpy.random.SeedSequence": lambda: _removed(np.random, "SeedSequence"),
    "scipy.linalg.solve": lambda: _replaced(scipy.linalg, "solve"),
    "math.sqrt": lambda: _replaced(math, "sqrt"),
    "builtins.abs": lambda: _replaced(builtins, "abs"),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_what_was_changed_is_named_and_put_back(name: str) -> None:
    shared = Shared()
    restored = TAMPERINGS[name]()
    assert shared.restored() == [name]
    assert restored()
    assert shared.restored() == []


def test_what_libraries_and_the_harness_do_by_themselves_is_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("scipy.optimize", "numpy.polynomial"))]:
        monkeypatch.delitem(sys.modules, name)
    shared = Shared()
    importlib.import_module("scipy.optimize")
    importlib.import_module("numpy.polynomial.chebyshev")
    importlib.import_module("verifier.commands.errata")
    monkeypatch.setattr(np, "something_lazy", np.add, raising=False)
    monkeypatch.setattr(scipy.linalg, "_cache", {}, raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        np.array([1.0]) @ np.array([2.0])
    folders.own()
    trial.run_trial.__doc__ = trial.run_trial.__doc__
    assert shared.restored() == []


def test_a_change_is_told_whatever_the_code_has_raised_itself() -> None:
    def tampering() -> None:
        with nothing_replaced(Shared()):
            np.linalg.solve = other  # type: ignore[assignment]  # the offence
            raise ValueError("something else")

    with pytest.raises(ContractError, match=r"replaced numpy\.linalg\.solve"):
        tampering()
    assert np.linalg.solve is not other
