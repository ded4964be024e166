"""Files that nobody meant: each is refused with its name, the reason and what to do, and none with a traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from verifier.base.documents import DEEPEST, DIGITS, Form, load, modest
from verifier.base.errors import UsageError

DEEP = 100_000
NOT_MEANT: dict[str, tuple[Form, bytes, str]] = {
    "no JSON": ("JSON", b"[1", "is not valid JSON: Expecting"),
    "no TOML": ("TOML", b"a = ", "is not valid TOML: Invalid value"),
    "no UTF-8": ("JSON", b'"\xff"', "not encoded in UTF-8"),
    "a null byte": ("TOML", b"a = 1\0", "is not valid TOML"),
    "deep JSON": ("JSON", b"[" * DEEP + b"]" * DEEP, f"nested more than {DEEPEST} levels deep"),
    "deep JSON that Python reads": ("JSON", b"[" * 400 + b"]" * 400, f"nested more than {DEEPEST} levels deep"),
    "deep TOML": ("TOML", b"a = " + b"[" * DEEP + b"]" * DEEP, f"nested more than {DEEPEST} levels deep"),
    "a long name in TOML": ("TOML", b".".join([b"a"] * 400) + b" = 1", f"nested more than {DEEPEST} levels deep"),
    "400 digits": ("JSON", b'{"seed": [' + b"9" * 400 + b"]}", f"more than {DIGITS} digits"),
    "5000 digits": ("JSON", b"9" * 5000, "Exceeds the limit"),
    "5000 digits in TOML": ("TOML", b"a = " + b"9" * 5000, "Exceeds the limit"),
    "a key twice": ("JSON", b'{"a": {"b": 1, "b": 2}}', "the key 'b' stands twice"),
}


@pytest.mark.parametrize("name", NOT_MEANT)
def test_what_is_not_meant_is_refused(name: str, tmp_path: Path) -> None:
    form, content, reason = NOT_MEANT[name]
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load(tmp_path / "file", form, "the file", "make it readable", "correct it")
    assert str(caught.value).startswith("the file is not valid")
    assert reason in str(caught.value)
    assert str(caught.value).endswith("; correct it")


@pytest.mark.parametrize("path", ["none", ".", "null\0byte", "\udcff"])
def test_what_cannot_be_read_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^the file cannot be read: .*; make it readable$"):
        load(tmp_path / path, "JSON", "the file", "make it readable", "correct it")


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text('{"a": [1, 2.5, "x", null, true, NaN]}')
    assert repr(load(tmp_path / "file", "JSON", "", "", "")) == "{'a': [1, 2.5, 'x', None, True, nan]}"


def test_the_limits_are_those_stated() -> None:
    def nested(levels: int) -> Any:
        return [nested(levels - 1)] if levels else 0

    modest(nested(DEEPEST - 1))
    modest(10**DIGITS - 1)
    for data in (nested(DEEPEST), 10**DIGITS, -(10**DIGITS)):
        with pytest.raises(ValueError, match="more than"):
            modest(data)
