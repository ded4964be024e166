"""The graph of a proof: what is checked when a plugin is loaded, and what is broken first."""

from __future__ import annotations

import re

import pytest

from verifier import PSEUDO_CODE, Claim, Guarantees, Kind, instance_property, phase_property, run_property
from verifier.model import proof

LINE = ("pseudo-code",)


@phase_property()
def _anything(view):
    """Nothing."""


@run_property()
def _of_the_run(view):
    """Nothing."""


@instance_property()
def _of_the_instance(instance):
    """Nothing."""


def _claim(name, *follows, kind=Kind.ALWAYS, assumes=(), **others):
    found = {Kind.ASSUMPTION: _of_the_instance, Kind.LAW: _of_the_run}.get(kind, _anything)
    return Claim(name, found, "Lemma 1", "Theorem 1", "1 ≤ 1", kind, follows=follows, assumes=assumes, **others)


MODEL = _claim("model", kind=Kind.ASSUMPTION)
COUNT = _claim("count", *LINE, kind=Kind.IDENTITY)
BONUS = _claim("bonus", *LINE, "count", kind=Kind.IDENTITY)
OPTIMISM = _claim("optimism", "bonus", kind=Kind.GIVEN, given="an event", assumes=("model",))
SUM = _claim("sum", "count")
REGRET = _claim("regret", "optimism", "sum", kind=Kind.PROBABILITY, failure_probability=1.0)
CLAIMS = (MODEL, COUNT, BONUS, OPTIMISM, SUM, REGRET)
GRAPH = proof.graph_of(CLAIMS)


def test_premises_are_what_a_claim_follows_from_and_what_it_assumes() -> None:
    """An assumption is not named twice."""
    assert GRAPH["optimism"] == ("bonus", "model")
    assert proof.below("regret", GRAPH) == ("optimism", "sum", "bonus", "model", "count", "pseudo-code")
    assert proof.conclusions(GRAPH) == ("regret",)


def _complaints(*claims):
    """From the claims of each fault to its message."""
    return {fault.claims: fault.message for fault in proof.faults(claims, "mine")}


def test_all_claims_say_what_they_follow_from() -> None:
    """Those that do not are named together, with what to write; assumptions alone are a proof of nothing."""
    assert not _complaints(MODEL)
    message = _complaints(MODEL, COUNT, _claim("sum"))[("sum",)]
    assert message.startswith("mine: claim 'sum' does not say what the proof uses; add `follows=PSEUDO_CODE`")
    ((silent, message),) = _complaints(MODEL, *(_claim(str(number)) for number in range(15))).items()
    assert silent == tuple(map(str, range(15)))
    assert re.match(r"mine: claims '0', '1', .*'11' and 3 more do not say what the proof uses", message)


def test_a_line_that_uses_no_other_costs_one_word() -> None:
    """A lone name is a tuple of one."""
    line = Claim("count", _anything, "Lemma 1", "Theorem 1", "1 ≤ 1", Kind.IDENTITY, follows=PSEUDO_CODE)
    assert line == COUNT
    assert not _complaints(line)


def test_a_whole_proof_is_accepted() -> None:
    """Down to the pseudo-code, and where chance has a part to the assumptions; a fact about the algorithm alone needs none."""
    assert not _complaints(*CLAIMS)


def test_what_no_implementation_can_break_may_stand_alone() -> None:
    """A fact about all runs rests on no line."""
    assert not _complaints(*CLAIMS, _claim("azuma", kind=Kind.PROBABILITY, chance=0.1, unbreakable="of any run"))


@pytest.mark.parametrize(
    ("wrong", "complaint", "concerned"),
    [
        (
            _claim("sum", "cuont", "bonsu"),
            "claim 'sum' follows from 'cuont', which is no claim of this algorithm. Did you mean 'count'?",
            {"sum"},
        ),
        (_claim("sum", "sum"), "the proof goes in a circle: sum → sum", {"sum"}),
        (_claim("sum", "regret"), "the proof goes in a circle: sum → regret → sum", {"sum", "regret"}),
        (_claim("sum", "model"), "claim 'sum' has no path to the pseudo-code: it follows from model", {"sum"}),
        (
            _claim("sum", "count", kind=Kind.PROBABILITY, chance=0.1),
            "claim 'sum' of kind 'probability' has no path to an assumption",
            {"sum"},
        ),
        (_claim("model", "count", kind=Kind.ASSUMPTION), "assumption 'model' follows from 'count'", {"model"}),
    ],
)
def test_what_is_wrong_is_named_and_concerns_no_other_claim(wrong, complaint: str, concerned: set[str]) -> None:
    """Unknown names, circles, and claims that hang in the air; not what rests on them, which has a proof once they are mended."""
    claims = tuple(wrong if claim.name == wrong.name else claim for claim in CLAIMS)
    found = Guarantees(type("Mine", (), {"name": "mine"}), claims=claims)
    assert f"mine: {complaint}" in found.faults[0].message
    assert found.faulty.keys() == concerned
    assert found.faulty[wrong.name] == found.faults[0].message


def test_each_cause_is_told_once() -> None:
    """Two circles, also with a claim in common; and no missing path where a circle or an unknown name is in the way."""
    circles = (_claim("one", "two", *LINE), _claim("two", "one", "three"), _claim("three", "two"), _claim("last", "three"))
    assert [fault.claims for fault in proof.faults(circles, "mine")] == [("one", "two"), ("two", "three")]
    assert [fault.claims for fault in proof.faults((_claim("sum", "cuont"), _claim("last", "sum")), "mine")] == [("sum",)]


def test_the_graph_keeps_what_can_be_used() -> None:
    """No name that does not exist, nothing within a circle, and everything else: what breaks below is still found."""
    claims = (MODEL, COUNT, _claim("one", "two", "count"), _claim("two", "one", "cuont"), _claim("last", "one"))
    graph = proof.graph_of(claims)
    assert graph == {"model": (), "count": LINE, "one": ("count",), "two": (), "last": ("one",)}
    assert proof.first_broken("last", {"last", "count"}, graph) == ("count",)


LAW = _claim("draws", *LINE, kind=Kind.LAW, wrong_law="other draws")
MEAN = _claim("mean", "draws", kind=Kind.PROBABILITY, chance=0.1)


def test_what_is_likely_under_a_law_that_is_checked_needs_no_other_assumption() -> None:
    """The law of what the algorithm draws is a model, and a line of the pseudo-code."""
    assert not _complaints(MODEL, LAW, MEAN)


def test_a_law_is_a_line_or_follows_from_an_assumption() -> None:
    """It is decided over many runs like what is likely: without the pseudo-code it hangs in the air."""
    found = _complaints(MODEL, _claim("draws", "model", kind=Kind.LAW, wrong_law="other draws"))
    assert "'draws' has no path to the pseudo-code" in found[("draws",)]
    found = _complaints(MODEL, COUNT, LAW, _claim("mean", "count", kind=Kind.PROBABILITY, chance=0.1))
    assert "'mean' of kind 'probability' has no path to an assumption" in found[("mean",)]


def test_a_broken_law_is_broken_before_what_is_likely_under_it() -> None:
    """In whatever order the claims stand."""
    graph = proof.graph_of((MODEL, MEAN, LAW))
    assert proof.first_broken("mean", {"mean", "draws"}, graph) == ("draws",)
    assert proof.first_broken("draws", {"mean", "draws"}, graph) == ()


def test_a_circle_is_printed_from_claim_to_claim() -> None:
    """A long one, entered from outside."""
    claims = (_claim("first", "one"), _claim("one", "two"), _claim("two", "three"), _claim("three", *LINE, "one"))
    (message,) = _complaints(*claims).values()
    assert "circle: one → two → three → one;" in message


def test_premises_are_a_tuple_of_names() -> None:
    """And nothing else is taken for one; the text of the algorithm is no claim."""
    for wrong in (["count"], ("count", 1), "", None):
        made = Claim("sum", _anything, "Lemma 1", "Theorem 1", "1 ≤ 1", Kind.ALWAYS, follows=wrong)
        assert re.search(r"claim 'sum': follows is .*, expected a tuple of names of claims, or one name", made.wrong)
    assert "stands for the text of the algorithm" in _claim("pseudo-code", "count").wrong


@pytest.mark.parametrize(
    ("violated", "first"),
    [
        ({"regret"}, ()),
        ({"bonus", "regret"}, ("bonus",)),
        ({"count", "bonus", "optimism", "regret"}, ("count",)),
        ({"bonus", "sum", "regret"}, ("sum", "bonus")),
    ],
)
def test_the_first_broken_claims_below_a_claim_have_nothing_broken_below(violated: set[str], first: tuple[str, ...]) -> None:
    """Over claims that hold, or that nobody looked at."""
    assert proof.first_broken("regret", violated, GRAPH) == first
