"""What a plugin changes of modules it shares with the harness is found and put back; what libraries do by themselves is not."""

from __future__ import annotations

import ast
import builtins
import importlib
import math
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import verifier.trials.trial
from verifier.base import folders, profile
from verifier.base.errors import ContractError
from verifier.model import measurement
from verifier.model.width import Width
from verifier.plugins.shared import CHANGING, Shared, nothing_replaced
from verifier.trials import trial
from verifier_settings import elliptical
from verifier_ucblvd.ucblvd.claims import CLAIMS

HARNESS = Path(verifier.__file__ or "").parent


def other(*given: Any) -> None:
    """Something else than was there."""


def _code() -> Callable[[], object]:
    before = measurement.measure.__code__
    measurement.measure.__code__ = other.__code__
    return lambda: measurement.measure.__code__ is before


def _defaults() -> Callable[[], object]:
    before = elliptical.gram_norm.__defaults__
    elliptical.gram_norm.__defaults__ = (np.eye(2),)
    return lambda: elliptical.gram_norm.__defaults__ is before


def _replaced(owner: Any, name: str, value: object = other) -> Callable[[], object]:
    before = vars(owner).get(name)
    setattr(owner, name, value)
    return lambda: vars(owner).get(name) is before


def _removed(owner: Any, name: str) -> Callable[[], object]:
    before = vars(owner)[name]
    delattr(owner, name)
    return lambda: vars(owner)[name] is before


def _in_a_table() -> Callable[[], object]:
    before = dict(profile.PROFILES)
    profile.PROFILES["quick"] = profile.PROFILES["standard"]
    return lambda: before == profile.PROFILES


def _in_a_declaration() -> Callable[[], object]:
    before = CLAIMS[0].statement
    object.__setattr__(CLAIMS[0], "statement", "0 <= 1")
    return lambda: CLAIMS[0].statement is before


def _in_a_declaration_of_a_declaration() -> Callable[[], object]:
    before = CLAIMS[0].property.function
    object.__setattr__(CLAIMS[0].property, "function", other)
    return lambda: CLAIMS[0].property.function is before


def _module() -> Callable[[], object]:
    before = sys.modules["verifier.model.measurement"]
    sys.modules["verifier.model.measurement"] = types.ModuleType("verifier.model.measurement")
    return lambda: sys.modules["verifier.model.measurement"] is before


TAMPERINGS: dict[str, Callable[[], Callable[[], object]]] = {
    "verifier.model.measurement.measure": lambda: _replaced(measurement, "measure"),
    "verifier.trials.trial.measure": lambda: _replaced(trial, "measure"),
    "verifier.trials.trial.len": lambda: _replaced(trial, "len"),
    "verifier.trials.trial.run_trial": lambda: _removed(trial, "run_trial"),
    "verifier.model.width.Width.take": lambda: _replaced(Width, "take"),
    "verifier.model.width.Width.__call__": lambda: _replaced(Width, "__call__"),
    "verifier.model.width.Width.__getattribute__": lambda: _replaced(Width, "__getattribute__", object.__getattribute__),
    "verifier.base.profile.PROFILES": _in_a_table,
    "verifier_ucblvd.ucblvd.claims.CLAIMS.statement": _in_a_declaration,
    "verifier_properties.lifelong.assumptions.transition_kernel.function": _in_a_declaration_of_a_declaration,
    "sys.modules['verifier.model.measurement']": _module,
    "verifier.model.measurement.measure (code)": _code,
    "verifier_settings.elliptical.gram_norm (defaults)": _defaults,
    "numpy.linalg.solve": lambda: _replaced(np.linalg, "solve"),
    "numpy.random.default_rng": lambda: _replaced(np.random, "default_rng", None),
    "numpy.pi": lambda: _replaced(np, "pi", 3.0),
    "numpy.random.SeedSequence": lambda: _removed(np.random, "SeedSequence"),
    "scipy.linalg.solve": lambda: _replaced(scipy.linalg, "solve"),
    "math.sqrt": lambda: _replaced(math, "sqrt"),
    "builtins.abs": lambda: _replaced(builtins, "abs"),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", TAMPERINGS)
def test_what_was_changed_is_named_and_put_back(name: str) -> None:
    shared = Shared()
    restored = TAMPERINGS[name]()
    assert shared.changes() == [name.partition(" ")[0]]
    assert restored()
    assert shared.changes() == []


def test_code_of_a_plugin_in_a_module_that_is_imported_late_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was changed before it could be looked at; there is nothing to put back, and its worker is not used again."""
    late = types.ModuleType("scipy.late")
    late.solve = types.FunctionType(other.__code__, {"__name__": "__main__"}, "solve")  # type: ignore[attr-defined]  # made here
    shared = Shared()
    monkeypatch.setitem(sys.modules, "scipy.late", late)
    assert shared.changes() == ["scipy.late.solve"]


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
    assert shared.changes() == []


def test_the_names_the_harness_changes_itself_are_those_that_its_sources_declare_global() -> None:
    declared: dict[str, set[str]] = {}
    for file in HARNESS.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Global):
                module = ".".join(("verifier", *file.relative_to(HARNESS).with_suffix("").parts))
                declared.setdefault(module, set()).update(node.names)
    tables = {"verifier.base.folders": {"_held", "_own"}}
    assert declared | tables == {module: set(names) for module, names in CHANGING.items()}


def test_a_change_is_told_whatever_the_code_has_raised_itself() -> None:
    def tampering() -> None:
        with nothing_replaced(Shared()):
            np.linalg.solve = other  # type: ignore[assignment]  # the offence
            raise ValueError("something else")

    with pytest.raises(ContractError, match=r"replaced numpy\.linalg\.solve"):
        tampering()
    assert np.linalg.solve is not other
