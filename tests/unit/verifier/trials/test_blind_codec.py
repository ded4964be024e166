"""What travels through the pipe of blind mode arrives bit for bit; what does not come from the other end's codec is refused."""

from __future__ import annotations

import contextlib
import os
import pickle
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from verifier.base.errors import ContractError
from verifier.settings.lifelong import LifelongPlan
from verifier.trials.blind.codec import GarbageError, no_reference, pack, unpack


def there_and_back(value: Any) -> Any:
    return unpack(pack(value, no_reference), lambda *reference: None)


@dataclass(frozen=True, slots=True)
class Slotted:
    number: float
    nested: tuple[Any, ...] = ()


@dataclass
class Running:
    code: str
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.log.append("ran")

    def __setstate__(self, state: object) -> None:
        raise AssertionError("code of the class was run")


@pytest.mark.parametrize(
    "value",
    [
        None, True, 7, -(2**200), 0.1, float("inf"), "text ≥ \ud800", b"bytes", (), [1, [2.0]], {"a": (1,), 2: None}, {3, 4},
        frozenset({"x"}), 1j, np.float32(0.1), np.int64(-3), np.bool_(True), Slotted(0.1, (np.float64(2.0), "x")),
    ],
)  # fmt: skip
def test_values(value: Any) -> None:
    back = there_and_back(value)
    assert back == value
    assert type(back) is type(value)


def test_nan_keeps_its_bits() -> None:
    odd = np.array([np.nan, -np.nan, -0.0]).view(np.int64) + np.array([5, 0, 0])
    assert there_and_back(odd.view(np.float64)).tobytes() == odd.tobytes()


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)  # what is slow is a busy machine
@given(arrays.arrays(arrays.scalar_dtypes(), arrays.array_shapes(min_dims=0, max_dims=4, min_side=0)), st.randoms())
def test_arrays_keep_dtype_bits_and_the_order_of_their_axes(array: np.ndarray[Any, Any], random: Any) -> None:
    axes = list(range(array.ndim))
    random.shuffle(axes)
    array = array.transpose(axes).copy(order="K")
    array.flags.writeable = random.random() < 0.5
    back = there_and_back(array)
    assert (back.dtype, back.shape, back.flags.writeable) == (array.dtype, array.shape, array.flags.writeable)
    assert back.tobytes() == array.tobytes()
    if array.size and min(array.shape, default=0) > 1:
        assert np.argsort(back.strides).tolist() == np.argsort(array.strides).tolist()


def test_an_array_of_objects_arrives_as_one_that_checks_refuse() -> None:
    back = there_and_back(np.array([[os.system], [1]], dtype=object))
    assert back.dtype == object
    assert back.shape == (2, 1)
    assert back.ravel().tolist() == [None, None]


def test_a_dataclass_is_rebuilt_without_running_its_code() -> None:
    back = there_and_back(Running("x"))
    assert (back.code, back.log) == ("x", ["ran"])


@pytest.mark.parametrize("value", [os.system, int, object(), open, range(3), type("Local", (), {})(), Ellipsis])
def test_other_objects_are_refused(value: Any) -> None:
    with pytest.raises(ContractError, match="cannot be handed to the harness in blind mode; expected numbers"):
        pack([value], no_reference)


class Bomb:
    def __reduce__(self) -> Any:
        return os._exit, (1,)


def made(module: str, name: str, *arguments: Any) -> bytes:
    """What `pack` would never write: a call of a function of the vocabulary with arguments of one's own."""
    return b"\x80\x05c" + f"{module}\n{name}\n".encode() + pickle.dumps(arguments, 5)[2:-1] + b"R."


CODEC = "verifier.trials.blind.codec"


@pytest.mark.parametrize(
    "data",
    [
        b"", b"garbage", b"\x80\x05", pickle.dumps(Bomb()), pickle.dumps(LifelongPlan), pickle.dumps(np.zeros(3)),
        made("os", "system", "true"), made("builtins", "eval", "1"), made(CODEC, "unpack", b""), made("os", "_array", "<f8"),
        made(CODEC, "_array", "|O", (1,), None, True, b"12345678"), made(CODEC, "_array", "<f8", (2,), None, True, b"12345678"),
        made(CODEC, "_array", "<f8", (1, 1), (0,), True, b"12345678"), made(CODEC, "_scalar", "<f8", b""),
        made(CODEC, "_objects", 2**40), made(CODEC, "_dataclass", "os", "system", {}),
        made(CODEC, "_dataclass", "no_such_module", "Plan", {}),
        made(CODEC, "_dataclass", "verifier.settings.lifelong.plan", "LifelongPlan", {"Q": 1}),
        made(CODEC, "_dataclass", "builtins", "int", {}), b"\x80\x05Nr\x00\x00\x00\x01.", b"\x80\x05Np16777216\n.",
    ],
)  # fmt: skip
def test_garbage_is_refused(data: bytes) -> None:
    """The last two would have room made for 2^24 values; larger numbers would take all memory there is."""
    with pytest.raises(GarbageError):
        unpack(data, lambda *reference: None)


@given(st.binary(max_size=60), st.integers(0, 200))
def test_damaged_messages_are_refused_or_harmless(noise: bytes, at: int) -> None:
    data = pack(("plan", Slotted(1.0, (np.arange(3.0), "x", {"k": [None]}))), no_reference)
    damaged = data[: at % len(data)] + noise + data[at % len(data) + len(noise) :]
    with contextlib.suppress(GarbageError, MemoryError):
        unpack(damaged, lambda *reference: None)
