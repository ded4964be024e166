"""Verdicts seen along the proof: the first broken claim, what fails because of it, and how far a theorem is supported."""

from __future__ import annotations

import pytest

from verifier import Algorithm, Claim, Clause, Guarantees, Kind, instance_property, phase_property
from verifier.campaign.diagnosis import diagnose
from verifier.campaign.verdict import claim_entry
from verifier.record import RegimeEntry, TheoremEntry

from ...reports.entries import entry

LINE = "pseudo-code"


@phase_property()
def _anything(view):
    """Nothing."""


@instance_property()
def _of_the_instance(instance):
    """Nothing."""


def _claim(name, *follows, kind=Kind.ALWAYS, **others):
    found = _of_the_instance if kind is Kind.ASSUMPTION else _anything
    return Claim(name, found, "Lemma 1", "Theorem 1", "1 ≤ 1", kind, follows=follows, **others)


CLAIMS = (
    _claim("model", kind=Kind.ASSUMPTION),
    _claim("count", LINE),
    _claim("bonus", LINE, "count"),
    _claim("greedy", LINE, "bonus"),
    _claim("optimism", "bonus", assumes=("model",)),
    _claim("range", "bonus", unbreakable="true of any plan"),
    _claim("sum", "count"),
    _claim("regret", "optimism", "sum", "greedy", "range"),
)


class _Mine(Algorithm):
    name = "mine"


def _diagnosed(claims=CLAIMS, theorem="", **verdicts: str | None):
    """A diagnosis where claims conform unless told otherwise; those that are None were not selected."""
    chosen = [(claim, verdicts.get(claim.name, "conforms")) for claim in claims]
    entries = [claim_entry("mine", claim, _entries(claim, verdict)) for claim, verdict in chosen if verdict is not None]
    return diagnose(Guarantees(_Mine, claims=claims, theorem=theorem), entries)


def _entries(claim: Claim, verdicts: str) -> list[RegimeEntry]:
    """One for each word, such as ``conforms@oracle``; published where no regime is said, but for assumptions."""
    default = "" if claim.kind is Kind.ASSUMPTION else "published"
    spoken = [word.partition("@") for word in verdicts.split(", ")]
    return [entry(claim.name, f"{regime if sign else default}@one", verdict) for verdict, sign, regime in spoken]


def _resting(found) -> dict[str, tuple[str, ...]]:
    return {claim.name: claim.broken_by for claim in found.claims if claim.broken_by}


def test_nothing_is_broken() -> None:
    """No cause, nothing resting on one; all steps are checked. Assumptions and what is proved of all plans are no steps."""
    found = _diagnosed()
    assert (found.first_broken, _resting(found)) == ((), {})
    (support,) = found.support
    assert (support.claim, support.steps, support.checked, support.missing) == ("regret", 5, 5, ())


def test_the_cause_is_the_claim_with_nothing_broken_below() -> None:
    """What fails above it is a consequence, and what holds above it no evidence; a line that holds is evidence of itself."""
    found = _diagnosed(bonus="violated", optimism="violated")
    assert found.first_broken == ("bonus",)
    assert _resting(found) == dict.fromkeys(("optimism", "range", "regret"), ("bonus",))
    (support,) = found.support
    assert (support.checked, set(support.missing)) == (3, {"optimism", "bonus"})


def test_a_line_that_fails_rests_on_the_line_before() -> None:
    """Lines are recomputed from what others did, so that one mistake may show in several."""
    found = _diagnosed(count="violated", bonus="violated")
    assert found.first_broken == ("count",)
    assert _resting(found)["bonus"] == ("count",)


def test_two_mistakes_are_two_causes() -> None:
    """Neither is below the other."""
    found = _diagnosed(bonus="violated", sum="violated", regret="violated")
    assert found.first_broken == ("bonus", "sum")
    assert set(_resting(found)["regret"]) == {"bonus", "sum"}


def test_a_step_between_that_was_not_looked_at_hides_nothing() -> None:
    """The proof leads through claims that were not selected; these are missing in the support of the theorem."""
    found = _diagnosed(count="violated", bonus=None, optimism=None, regret="violated")
    assert found.first_broken == ("count",)
    assert _resting(found)["regret"] == ("count",)
    assert {"bonus", "optimism"} <= set(found.support[0].missing)


@pytest.mark.parametrize("verdict", ["vacuous", "inconclusive", "error", "not applicable"])
def test_only_what_could_have_failed_supports_a_theorem(verdict: str) -> None:
    """And only a violation is broken."""
    found = _diagnosed(sum=verdict)
    assert found.first_broken == ()
    assert found.support[0].missing == ("sum",)


def test_regimes_are_never_added_up() -> None:
    """One step holds at the paper's width and another at the realised error: neither regime has both."""
    found = _diagnosed(optimism="vacuous, conforms@oracle", sum="conforms, vacuous@oracle", count="conforms, conforms@oracle")
    told = [(entry.regime, entry.steps, entry.checked, entry.missing) for entry in found.support]
    assert told == [("published", 5, 4, ("optimism",)), ("oracle", 5, 2, ("sum", "greedy", "bonus"))]


def test_what_is_of_the_instance_holds_in_every_regime() -> None:
    claims = (_claim("size", LINE), _claim("sum", LINE), _claim("regret", "size", "sum"))
    found = _diagnosed(claims, theorem="regret", size="conforms@", sum="conforms, conforms@oracle")
    assert [(entry.regime, entry.checked) for entry in found.support] == [("published", 2), ("oracle", 2)]


def test_the_main_theorem_comes_first_whatever_follows_from_it() -> None:
    """A remark that follows from the theorem is a conclusion of the graph, and not what the paper is about."""
    claims = (*CLAIMS, _claim("uniform-policy", "regret"))
    assert [entry.claim for entry in _diagnosed(claims).support] == ["uniform-policy"]
    found = _diagnosed(claims, theorem="regret")
    assert [entry.claim for entry in found.support] == ["regret", "uniform-policy"]
    assert found.theorem == TheoremEntry("regret", "Lemma 1")


def test_a_theorem_that_is_no_claim_is_not_checked() -> None:
    rate = Clause("RATE", "Theorem 4", "regret grows like √K", "a rate: no constant is named")
    found = diagnose(Guarantees(_Mine, claims=CLAIMS, clauses=(rate,), theorem="RATE"), [])
    assert found.theorem == TheoremEntry("regret grows like √K", "Theorem 4", "a rate: no constant is named")


def test_a_theorem_that_nothing_states_is_told_and_takes_nothing_down() -> None:
    """As where an algorithm that declares a theorem is given other claims."""
    covered = Clause("REGRET", "Theorem 4", "regret")
    for name, told in (("regert", "names no claim and no clause"), ("REGRET", "claims cover it")):
        found = diagnose(Guarantees(_Mine, claims=CLAIMS, clauses=(covered,), theorem=name), [])
        assert found.theorem is not None
        assert told in found.theorem.unchecked
