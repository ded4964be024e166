"""What travels through the pipe of blind mode arrives bit for bit; what does not come from the other end's codec is refused."""

from __future__ import annotations

import contextlib
import os
import pickle
import pickletools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from verifier.base.errors import ContractError
from verifier.trials.blind.codec import INSTRUCTIONS, GarbageError, no_reference, pack, unpack
from verifier_settings.lifelong import LifelongPlan


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
        made(CODEC, "_dataclass", "verifier_settings.lifelong.plan", "LifelongPlan", {"Q": 1}),
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


class Environment:
    """Stands for an object of the harness: what a message does to it is noted."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def __setattr__(self, name: str, value: object) -> None:
        vars(self).setdefault("done", []).append(name)

    def __setitem__(self, key: object, value: object) -> None:
        self.done.append("item")

    def append(self, *given: object) -> None:
        self.done.append("append")

    extend = add = __setstate__ = append

    def __hash__(self) -> int:
        self.done.append("hash")
        return 0


REFERENCE = b"\x8c" + bytes([len(CODEC)]) + CODEC.encode() + b"\x8c\x0a_reference\x93K\x00\x85R"
"""Instructions that leave a reference to the environment on the stack."""

ATTACKS = {
    "BUILD": REFERENCE + b"}\x8c\x01PK\x01sb",
    "BUILD with slots": REFERENCE + b"N}\x8c\x01PK\x01s\x86b",
    "SETITEM": REFERENCE + b"\x8c\x01PK\x01s",
    "SETITEMS": REFERENCE + b"(\x8c\x01PK\x01u",
    "APPEND": REFERENCE + b"K\x01a",
    "APPENDS": REFERENCE + b"(K\x01e",
    "ADDITEMS": REFERENCE + b"(K\x01\x90",
    "a key": b"}" + REFERENCE + b"K\x01s",
    "a member": b"\x8f(" + REFERENCE + b"\x90",
    "a frozen member": b"(" + REFERENCE + b"\x91",
    "a call": REFERENCE + b")R",
    "a function": REFERENCE[:-4],
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_instruction_acts_on_what_a_reference_stands_for(attack: str) -> None:
    environment = Environment()
    environment.done.clear()
    with pytest.raises(GarbageError):
        unpack(b"\x80\x05" + ATTACKS[attack] + b".", lambda number: environment)
    assert environment.done == []


ARGUMENTS = {
    "decimalnl_short": b"1\n", "decimalnl_long": b"1L\n", "stringnl": b"'a'\n", "stringnl_noescape": b"a\n", "floatnl": b"1.0\n",
    "stringnl_noescape_pair": b"os\nsystem\n", "unicodestringnl": b"a\n", "string1": b"\x01a", "string4": b"\x01\0\0\0a",
    "bytes1": b"\x01a", "bytes4": b"\x01\0\0\0a", "bytes8": b"\x01\0\0\0\0\0\0\0a", "bytearray8": b"\x01\0\0\0\0\0\0\0a",
    "unicodestring1": b"\x01a", "unicodestring4": b"\x01\0\0\0a", "unicodestring8": b"\x01\0\0\0\0\0\0\0a", "long1": b"\x01\x01",
    "long4": b"\x01\0\0\0\x01", "uint1": b"\x01", "uint2": b"\x01\0", "int4": b"\x01\0\0\0", "uint4": b"\x01\0\0\0",
    "uint8": b"\0\0\0\0\0\0\0\0", "float8": b"\0\0\0\0\0\0\0\0",
}  # fmt: skip
"""By the kind of an instruction's argument: one of its form."""


@pytest.mark.parametrize("opcode", pickletools.opcodes, ids=lambda opcode: opcode.name)
def test_every_instruction_that_packing_does_not_write_is_refused(opcode: pickletools.OpcodeInfo) -> None:
    argument = ARGUMENTS[opcode.arg.name] if opcode.arg else b""
    data = b"\x80\x05" + REFERENCE + b"}(" + opcode.code.encode("latin-1") + argument + b"."
    environment = Environment()
    environment.done.clear()
    if opcode.name in INSTRUCTIONS:
        with contextlib.suppress(GarbageError):  # it may leave the stack in disorder
            unpack(data, lambda number: environment)
    else:
        with pytest.raises(GarbageError, match=f"the instruction {opcode.name}$"):
            unpack(data, lambda number: environment)
    assert environment.done == []


def test_no_more_instructions_are_allowed_than_packing_writes() -> None:
    """But for those of 4 GB, which only their length tells from others."""
    many = [[str(i) for i in range(300)], list(range(70000))]
    shared = [0.5]
    values = [
        None, True, False, 1, 300, 2**20, 2**70, 2**3000, 0.5, "a", "a" * 300, b"a", b"a" * 300, (), (1,), (1, 2), (1, 2, 3),
        (1, 2, 3, 4), [1], [1, 2], {}, {1: 2}, {1: 2, 3: 4}, {1}, frozenset({1}), 1j, shared, shared, many, many[0][299],
    ]  # fmt: skip
    written = {opcode.name for opcode, _, _ in pickletools.genops(pack(values, no_reference))}
    assert INSTRUCTIONS - {"BINUNICODE8", "BINBYTES8"} == written


def test_what_is_shared_or_holds_itself_arrives_so() -> None:
    array, ring = np.arange(3.0), [1.0]
    ring.append(ring)  # type: ignore[arg-type]  # a list in itself
    one, other, back = there_and_back((array, {"again": array}, ring))
    assert one is other["again"]
    assert back[1] is back
