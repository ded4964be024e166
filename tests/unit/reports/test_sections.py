"""The sections that gather what stands in many entries: the paper's sizes, applicability, sharpness."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from verifier.record import ClaimEntry, Detectable, InstanceEntry
from verifier.record.sentence import in_words
from verifier_reports.applicability import idle, nowhere, outside
from verifier_reports.markdown import MarkdownWriter
from verifier_reports.page.writer import HtmlWriter
from verifier_reports.showcase import showcases
from verifier_reports.summary import sharpest, tally
from verifier_reports.terminal import TerminalWriter
from verifier_reports.wording import caught

from .entries import FAILED, UNMEASURED, claim, entry
from .sample import algorithm, odd_records, record, sample, sample_claims


def only(*claims: ClaimEntry, **changes: Any) -> Any:
    return record(algorithm(list(claims), **changes)).algorithms[0]


def result(name: str, source: str, theorem: str, kind: str = "always", **changes: Any) -> ClaimEntry:
    return claim(name, source, theorem, "x <= y", kind, entry(name, "published@onehot", "conforms", 26.0, 133.2), **changes)


def test_the_results_a_theorem_is_named_for_are_shown_at_the_sizes_of_the_paper() -> None:
    found = showcases(sample().algorithms[0])
    assert [one.label for one in found] == ["Figure 1a"]
    assert found[0].instance == "onehot"
    assert found[0].sizes == "S = 15, A = 4, d = m = H = 5, K = 1000, delta = 0.1"
    planning = next(one for one in found[0].results if one.name == "planning-calls")
    assert planning.statement == "#{replans} <= d H log(1 + (K-1)/(d lambda))"
    assert planning.numbers == ("published: 26 <= 133.2",)


LEFT_OUT = "the premise left out 1900 of 2000 comparisons"
SATURATED = "60 of 100 compared value functions are constant in the state: a weak test"


def thin(**changes: Any) -> ClaimEntry:
    told = {"comparisons": 100, "powered": 100} | changes
    return claim(
        "x", "Lemma 7", "Lemma 7", "x <= y", "given", entry("x", "oracle@onehot", "conforms", 1.0, 2.0, **told), given="E"
    )


@pytest.mark.parametrize(("changes", "told"), [({"excluded": 1900}, LEFT_OUT), ({"saturated": 60}, SATURATED)])
def test_what_most_comparisons_do_not_show_is_marked_in_every_report(changes: dict[str, int], told: str) -> None:
    data = record(algorithm([thin(**changes)]))
    screen = TerminalWriter().render(data)
    assert "oracle@onehot◐" in screen
    assert "places  ◐ most comparisons there" in screen
    assert told in " ".join(TerminalWriter().render(data, detail="verbose").split())
    markdown = MarkdownWriter().render(data)
    assert "oracle@onehot` ◐" in markdown
    assert told in markdown
    page = HtmlWriter().render(data)
    assert f'title="{told}"' in page
    assert f"; {told}" in page
    assert told in in_words(data.algorithms[0].claims[0])


def test_half_of_the_comparisons_is_no_reason_for_a_mark() -> None:
    data = record(algorithm([thin(excluded=100, saturated=50)]))
    assert data.algorithms[0].claims[0].regimes[0].caveats == ()
    assert "◐" not in TerminalWriter().render(data, detail="verbose") + MarkdownWriter().render(data) + HtmlWriter().render(data)
    assert "100 left out by the premise" in HtmlWriter().render(data)


def test_proof_steps_identities_and_our_own_claims_are_not_results() -> None:
    data = only(
        result("a", "Theorem 2", "Theorem 2: regret"),
        result("b", "Theorem 2, proof", "Theorem 2: regret"),
        result("c", "Theorem 2", "Theorem 21"),
        result("d", "Theorem 2", "Theorem 2: regret", status="ours"),
        result("e", "Theorem 2", "Theorem 2", "identity"),
        result("f", "", ""),
    )
    assert [one.name for one in showcases(data)[0].results] == ["a"]


def test_a_result_with_a_constant_of_our_own_is_shown_where_the_paper_has_no_other() -> None:
    data = only(
        result("a", "Theorem 2", "Theorem 2: planning calls"),
        result("b", "Theorem 2", "Theorem 2: regret", status="ours"),
        result("c", "Theorem 2", "Theorem 2: planning calls", status="ours"),
    )
    assert [one.name for one in showcases(data)[0].results] == ["a", "b"]


def test_a_result_empty_at_the_width_of_the_paper_is_shown_where_it_is_decided() -> None:
    found = (
        entry("x", "published@onehot", "vacuous", 3.09, 45.1, trivial=5.0, nonvacuous_from=44608.0),
        entry("x", "oracle@onehot", "conforms", 0.5, 0.5 + 1e-10),
    )
    text = TerminalWriter().render(record(algorithm([claim("x", "Lemma 7", "Lemma 7: optimism", "Q >= Q*", "given", *found)])))
    assert "    published: 3.09 <= 45.1, above the trivial bound 5; not before K = 44608\n" in text
    assert "    oracle: smallest margin 1e-10 over 12000 comparisons\n" in text


def test_without_an_instance_of_the_sizes_of_the_paper_nothing_is_shown() -> None:
    text = TerminalWriter().render(record(algorithm([result("a", "T", "T")], instances=())))
    assert "At the paper's sizes" not in text


def test_an_assumption_that_fails_is_told_once_with_its_residual() -> None:
    for text in (TerminalWriter().render(sample()), MarkdownWriter().render(sample())):
        section = text.partition("Not applicable")[2].partition("Summary")[0].partition("### Claims")[0]
        assert section.count(FAILED["mixture"]["completeness"]) == 1
        assert "realisable fails too" in section
        assert FAILED["mixture"]["realisable"] not in section


def test_instances_that_lose_the_same_claims_are_listed_together() -> None:
    lost = claim(
        "x", "eq. 1", "T", "x", "given",
        *(entry("x", f"oracle@{name}", "not applicable", **UNMEASURED) for name in "ab"), assumes=("completeness",),
    )  # fmt: skip
    instances = tuple(InstanceEntry(name, "", "", {}, {"completeness": f"{name} > 0"}) for name in "ab")
    told = {"a": "completeness fails: a > 0", "b": "completeness fails: b > 0"}
    assert outside(only(lost, instances=instances)) == {("x",): told}


def test_claims_with_nothing_to_compare_are_counted() -> None:
    data = sample().algorithms[0]
    assert dict(idle(data, False))["backup-combination"] == ("nothing to compare at 2 of 3 instances")
    assert dict(idle(data, False))["computation-sharing"] == "its premise never held at corridor"


def test_a_premise_that_fails_now_and_then_is_told_under_verbose_only() -> None:
    nothing = entry("x", "oracle@lock", "not applicable", **UNMEASURED)
    some = [entry("x", f"oracle@{name}", "conforms", 1.0, 2.0) for name in ("onehot", "rotation")]
    data = only(claim("x", "eq. 1", "T", "x", "given", nothing, *some, given="the event"))
    assert idle(data, False) == []
    assert idle(data, True) == [("x", "its premise never held at lock")]


def test_claims_evaluated_nowhere_are_named_with_the_reason() -> None:
    assert nowhere(odd_records()["cut short"].algorithms[0]) == {"not evaluated": ["nothing"]}


def test_the_sharpest_claim_is_the_one_that_would_have_seen_the_smallest_error() -> None:
    def lemma(name: str, value: float, tolerance: float, kind: str = "given") -> ClaimEntry:
        return claim(name, "eq. 1", "T", "x", kind, entry(name, "oracle@lock", "conforms", value, 0.5, tolerance=tolerance))

    data = only(
        lemma("tight-but-blurred", 0.5 - 1e-12, 1e-3),
        lemma("sharp", 0.5 - 1e-10, 1e-9),
        lemma("equality", 0.5, 1e-15),
        lemma("bookkeeping", 0.5 - 1e-15, 0.0, "always"),
    )
    found = sharpest(data)
    assert found is not None
    assert found[0].id == "ucblvd/sharp"
    text = " ".join(TerminalWriter().render(record(algorithm([lemma("sharp", 0.5 - 1e-10, 1e-9)]))).split())
    assert "sharpest ucblvd/sharp, oracle@lock: smallest margin 1e-10 over 12000 comparisons; an error above 1.1e-9" in text


def test_what_a_pass_would_have_caught() -> None:
    one = record(algorithm([result("x", "T", "T")])).algorithms[0].claims[0].regimes[0]
    assert caught(one) == "would have caught a left side 5.12 times as large"
    assert caught(replace(one, detectable=Detectable("difference", 2e-9))) == "would have caught a difference above 2e-9"
    assert caught(replace(one, detectable=Detectable("rate", 0.18))) == "would have caught a failure rate of 0.18"
    tight = replace(one, value=133.1999, detectable=Detectable("factor", 1.0000001))
    assert caught(tight) == "would have caught an error above 1e-4"
    assert caught(replace(one, detectable=Detectable("none", float("nan")))) == ""


def test_assumptions_tell_on_how_many_instances_they_hold() -> None:
    lines = TerminalWriter().render(sample()).splitlines()
    assert "3 of 4" in next(line for line in lines if " completeness " in line)
    assert "everywhere" in next(line for line in lines if " linear-mdp " in line)


def test_a_place_is_never_cut_before_its_instance() -> None:
    regimes = ("published", "oracle[minimiser=farthest]")
    found = [entry("x", f"{name}@onehot", "conforms", 1.0 + number, 4.0) for number, name in enumerate(regimes)]
    long = replace(claim("x", "a source as long as can be", "T", "x", "always", *found), id="ucblvd/" + "long-name-" * 3)
    text = TerminalWriter().render(record(algorithm([long])))
    assert " 2@onehot " in text


def test_margins_are_not_shown_where_nothing_is_known_of_them() -> None:
    one = entry("x", "oracle@lock", "conforms", 1.0, 2.0, detectable=Detectable("none", float("nan")), margin=float("inf"))
    text = TerminalWriter().render(record(algorithm([claim("x", "eq. 1", "T", "x", "given", one)])))
    assert "margin" not in text


def test_what_is_no_verdict_is_not_passed_over() -> None:
    first, *others = sample_claims()
    data = algorithm([replace(first, verdict="passed"), *others])
    with pytest.raises(ValueError, match="'passed' is not a valid Verdict"):
        tally(data)
