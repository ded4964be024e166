"""What stands only by its ties is no answer beside what does the same in every decision."""

from __future__ import annotations

import pytest

from verifier.commands.identified import FEWEST, Candidate, Identified
from verifier.plugins.registry import registry

MANY = 2 * FEWEST
ANY = registry("ucb1").guarantees_of("ucb1").algorithm


class Followed(Identified):
    """Answer about an agent of many decisions."""

    decisions = 100 * FEWEST


def candidate(name: str, other: int = 0, followed: int = MANY, telling: int = MANY) -> Candidate:
    """One that no decision refutes."""
    return Candidate(name, "", ANY, telling=telling, other=other, followed=followed)


def answer(*candidates: Candidate) -> set[str]:
    """Names in the answer."""
    return {each.name for each in Followed("agent", (), candidates).answer}


def test_a_bug_that_is_the_agent_only_where_its_ties_fall_so_is_left_out() -> None:
    found = Followed("agent", (), (candidate("it~same"), candidate("it~tied", other=FEWEST)))
    assert [each.name for each in found.answer] == ["it~same"]
    assert [each.name for each in found.by_ties] == ["it~tied"]
    assert f"Only by its ties: it~tied ({FEWEST})" in found.text()
    assert "Hardly asked" not in found.text()


@pytest.mark.parametrize(
    ("tied", "why"),
    [
        (candidate("it", other=MANY), "an algorithm as it is published may break its ties in any way"),
        (candidate("it~few", other=FEWEST - 1), "too few decisions are not its own"),
        (candidate("it~last", other=MANY, followed=FEWEST - 1), "it may be the same bug that takes the last of its best actions"),
    ],
)
def test_what_may_be_the_agent_with_ties_of_its_own_is_kept(tied: Candidate, why: str) -> None:
    assert answer(candidate("it~same"), tied) == {"it~same", tied.name}, why


def test_where_nothing_does_the_same_everywhere_all_are_kept() -> None:
    assert answer(candidate("it~nearly", other=1), candidate("it~tied", other=FEWEST)) == {"it~nearly", "it~tied"}


def test_what_hardly_has_a_say_leaves_out_nothing() -> None:
    quiet = candidate("it~quiet", other=1, telling=FEWEST - 1)
    assert answer(quiet, candidate("it~tied", other=FEWEST)) == {"it~tied"}
