"""Instances as plain data: what is read back is what was written, and nothing else is made."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import UsageError
from verifier.model import instance_data
from verifier.model.instance_data import UnkeptError, instance_of, tables
from verifier.plugins.registry import with_settings
from verifier_settings.episodic import EPISODIC, make

HOME = EPISODIC.packages
FUNCTIONS = {"factored": ("bandits", "one-state"), "reward-free": ("hard",)}
"""Instances, by setting, that hold a function, which draws what each trial is about."""


def travelled(value: Any) -> Any:
    """A value after a journey as text."""
    return instance_of(json.loads(json.dumps(tables(value, HOME), allow_nan=False)), HOME)


@pytest.mark.parametrize("name", list(with_settings().settings))
def test_every_instance_of_the_catalogues_is_read_back_bit_for_bit(name: str) -> None:
    setting = with_settings().settings[name]
    for scenario in setting.catalogue:
        if scenario.name in FUNCTIONS.get(name, ()):
            continue
        instance = scenario.draw(3)
        data = tables(instance, setting.packages)
        again = instance_of(json.loads(json.dumps(data, allow_nan=False)), setting.packages)
        assert type(again) is type(instance)
        assert tables(again, setting.packages) == data
        assert setting.parameters(again) == setting.parameters(instance)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.arange(6.0).reshape(2, 3).T,
        np.broadcast_to(np.arange(3.0), (4, 3)),
        np.broadcast_to(np.arange(3.0)[:, None], (3, 0)),
        np.array([np.nan, -np.inf, -0.0, 1e-320, 0.1]),
        np.array([2**63], dtype=np.uint64),
        np.array([[True], [False]]),
        np.array(["a", "bc"]),
        np.array(2.5),
        np.zeros((2, 0, 3)),
    ],
    ids=repr,
)
def test_arrays_keep_bits_layout_and_whether_they_can_be_changed(array: Any) -> None:
    for given in (array, array.copy(order="K")):
        found = travelled(given)
        assert (found.dtype, found.shape, found.flags.writeable) == (given.dtype, given.shape, given.flags.writeable)
        assert found.tobytes() == given.tobytes()
        if 1 not in given.shape and given.size:
            assert found.strides == given.strides


def test_containers_and_numbers_keep_their_types() -> None:
    value = {"a": (1, 2.5, None), 3: [True, frozenset({"x"})], "nan": float("inf"), "s": np.float64(0.1), "d": {"array": 3}}
    found = travelled(value)
    assert found == value
    assert pickle.dumps(found["s"]) == pickle.dumps(value["s"])


@dataclass
class Foreign:
    """A class of nobody's package."""

    x: int = 0


def test_what_cannot_be_kept_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnkeptError, match=r"an object of type builtins\.function"):
        tables((lambda: 0,), HOME)
    with pytest.raises(UnkeptError, match=r"an object of type .*Foreign"):
        tables(Foreign(), HOME)
    with pytest.raises(UnkeptError, match="an array of complex128"):
        tables(np.zeros(2, complex), HOME)
    monkeypatch.setattr(instance_data, "LARGEST", 9)
    tables([np.arange(9.0), np.arange(9.0)], HOME)  # the same twice is written once
    with pytest.raises(UnkeptError, match="more than 9 numbers"):
        tables([np.arange(9.0), np.arange(1.0)], HOME)


ONE = {"shape": [1], "once": [1], "order": [0], "fixed": True, "values": [0]}


@pytest.mark.parametrize(
    "damaged",
    [
        {},
        {"instance": {"array": 0}, "arrays": []},
        {"instance": {"class": ["subprocess", "Popen"], "fields": {}}, "arrays": []},
        {"instance": {"class": ["verifier.base.config", "Config"], "fields": {"store": 1}}, "arrays": []},
        {"instance": {"class": ["verifier_settings.episodic.instance", "make"], "fields": {}}, "arrays": []},
        {"instance": {"class": [__name__, "Foreign"], "fields": {"x": 1}}, "arrays": []},
        {"instance": {"call": "print"}, "arrays": []},
        {"instance": {"array": 0}, "arrays": [{**ONE, "type": "O"}]},
        {"instance": {"array": 0}, "arrays": [{**ONE, "type": "<f8", "once": [2]}]},
    ],
)  # fmt: skip
def test_damaged_data_make_nothing(damaged: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="the record is damaged: its tables make no instance"):
        instance_of(damaged, HOME)


def test_an_instance_that_was_changed_afterwards_is_kept_as_it_is() -> None:
    """`make` is not called again: what a function returned may be what `make` does not."""
    instance = make(np.eye(2), np.zeros(2), H=2, K=3)
    assert travelled(replace(instance, start=np.array([0.5, 0.5]))).start.tolist() == [0.5, 0.5]
