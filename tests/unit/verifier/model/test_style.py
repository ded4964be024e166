"""How code takes apart what an environment returns is read off its source."""

from __future__ import annotations

from typing import Any

import pytest

from verifier.model.style import Style


def three(env: Any) -> None:
    s = env.reset()
    s, _r, _done = env.step(s)


def four(env: Any) -> None:
    s = env.reset()
    s, _r, _done, *_ = env.step(s)


def five(env: Any) -> None:
    s, _ = env.reset()
    s, _r, _terminated, _truncated, _ = env.step(s)


def rest(env: Any) -> None:
    s, _ = env.reset()
    s, _r, *_rest = env.step(s)


@pytest.mark.parametrize(("code", "style"), [(three, (1, 3)), (four, (1, 4)), (five, (2, 5)), (rest, (2, 5)), (len, (2, 5))])
def test_the_source_tells(code: Any, style: tuple[int, int]) -> None:
    found = Style.of(code)
    assert (found.reset, found.step) == style
    assert len(found.stepping(0, 0.0, True)) == found.step
    assert found.stepping(0, 0.0, True)[3 if found.end == "truncated" else 2] is True
