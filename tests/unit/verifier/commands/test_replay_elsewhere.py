"""A replay on another machine than that of the stored result says what differs."""

from __future__ import annotations

from dataclasses import replace

from verifier.base.machine import differences, machine
from verifier.commands.replay import _compared
from verifier.model.measurement import Measurement
from verifier.model.result import TrialResult, TrialSpec

HERE = TrialResult(TrialSpec("a", "i", "oracle", 0, 0), {"c": Measurement(value=1.0, bound=2.0)}, "abc", machine=machine())
OTHER = replace(HERE, measurements={"c": Measurement(value=1.0 + 2**-52, bound=2.0)})


def test_the_same_bits_need_no_word() -> None:
    assert _compared("c", HERE, []) == _compared("c", HERE, [replace(HERE, machine={"numpy": "0"})]) == ""


def test_other_bits_of_another_machine_are_told_with_what_differs() -> None:
    told = _compared("c", HERE, [replace(OTHER, machine={**machine(), "BLAS kernels": "Prescott", "numpy": "1.26.0"})])
    assert f"BLAS kernels was Prescott, is {machine()['BLAS kernels']}; numpy was 1.26.0, is " in told
    assert "python" not in told


def test_other_bits_of_this_machine_are_told_too() -> None:
    assert "plugin or harness have changed" in _compared("c", HERE, [OTHER])
    assert "transcript xyz" in _compared("c", HERE, [replace(HERE, digest="xyz")])


def test_what_is_not_known_of_both_is_no_difference() -> None:
    assert differences({"numpy": "1", "gone": "x"}, {"numpy": "1", "new": "y"}) == ""
