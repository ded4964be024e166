"""The first screen of a check: snapshots at two widths, and the definition of every figure it prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from verifier.record import BugsEntry, ClaimEntry, Ledger, LedgerEntry
from verifier_reports.cause import cause
from verifier_reports.first_screen import alarm, asked_of, bugs, clauses
from verifier_reports.groups import groups, note, tightest
from verifier_reports.numbers import short_comparison
from verifier_reports.screen import Screen
from verifier_reports.summary import MARKS
from verifier_reports.terminal import TerminalWriter

from ... import snapshots
from .entries import NAN, assumption, claim, empty_bound, entry, identity, probable
from .sample import algorithm, record, sample
from .screens import SCREENS, passed, told

FOLDER = Path(__file__).parent / "snapshots"


def first(name: str, width: int = 100, **options: Any) -> str:
    return TerminalWriter().render(SCREENS[name], width=width, **{"detail": "first", **options})


@pytest.mark.parametrize("name", SCREENS)
@pytest.mark.parametrize("width", [60, 100])
def test_first_screens(name: str, width: int) -> None:
    snapshots.compare(FOLDER / f"first-{name}-{width}.txt", first(name, width))


@pytest.mark.parametrize("width", [60, 100])
def test_a_line_for_each_algorithm_and_no_cause_is_cut(width: int) -> None:
    text = first("several", width, detail="quiet")
    assert sum(not line.startswith("    ") for line in text.splitlines()) == 3
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    snapshots.compare(FOLDER / f"quiet-{width}.txt", text)


@pytest.mark.parametrize("folders", ["shared", "shared/by/all/of/them"])
def test_a_path_in_the_code_is_broken_nowhere_or_behind_a_slash(folders: str) -> None:
    path = f"verifier_reference/{folders}/ucbvi_mutants.py:27"
    found = replace(SCREENS["violation"].algorithms[0].claims[0], code=f"bonus() in {path}")
    screen = Screen(60)
    cause(screen, found, [])
    told = [line.strip() for line in screen.render(color=False).splitlines()]
    at = next(number for number, line in enumerate(told) if line.startswith("verifier_reference/"))
    assert told[at] == path or (told[at].endswith("/") and told[at] + told[at + 1] == path)


def test_the_table_at_60_columns_keeps_verdicts_names_and_numbers() -> None:
    snapshots.compare(FOLDER / "table-60.txt", first("violation", 60, detail="table"))


def test_a_clean_run_is_told_in_a_screen_and_no_fact_twice() -> None:
    text = first("clean")
    assert len(text.splitlines()) <= 20
    for fact in ("seed 20250301", "128 trials", "planted bugs", "statistical", "statements", "violated"):
        assert text.lower().count(fact) == 1, fact


def test_what_is_broken_first_comes_before_everything_else() -> None:
    lines = first("violation").splitlines()
    text = "\n".join(lines)
    assert lines[2].startswith("  ✗ value-formula (eq. 7)  Everywhere: 0.500 times")
    parts = [
        "Everywhere: 0.500 times",
        "off by 1.43",
        "verifier replay ucblvd/value-formula",
        "  First broken: value-formula (eq. 7), martingale (A.1).",
        "Pseudo-code ",
    ]
    assert sorted(parts, key=text.index) == parts
    assert text.index("✗ martingale (A.1)") < text.index("Pseudo-code ")


def test_the_first_five_lines_name_cause_and_lines_of_paper_and_code() -> None:
    given = SCREENS["violation"]
    (one,) = given.algorithms
    place = "value() in mine/algorithm.py:88"
    claims = tuple(replace(c, code=place) if c.name == "value-formula" else c for c in one.claims)
    shown = replace(given, algorithms=(replace(one, claims=claims),))
    lines = "\n".join(TerminalWriter().render(shown, width=100, detail="first").splitlines()[:5])
    assert all(text in lines for text in ("Everywhere: 0.500 times", "(eq. 7)", "Q_h = [r_h + <xi_h, psi>", place))


def test_the_cause_comes_before_a_long_list_of_where_it_shows() -> None:
    given = SCREENS["violation"]
    (one,) = given.algorithms
    difference = "From plan 49 on, only at h = H, only at a = 0: K for T in L."
    claims = tuple(replace(c, difference=difference) if c.name == "value-formula" else c for c in one.claims)
    shown = replace(given, algorithms=(replace(one, claims=claims),))
    text = TerminalWriter().render(shown, width=100, detail="first")
    assert "  K for T in L.\n" in text
    assert "    where          from plan 49 on, only at h = H, only at a = 0\n" in text


# Each figure ----------------------------------------------------------------------------------------------------------


def of(*claims: ClaimEntry, topic: str = "Optimism", **changes: Any) -> tuple[str, str, str]:
    """Mark, count and note of the group of these claims."""
    data = algorithm([replace(one, topic=topic) for one in claims], **changes)
    (group,) = groups(data)
    assert group.topic == topic
    return MARKS[group.verdict], group.count, note(group, data)


def inequality(name: str, *found: tuple[str, str, float, float], **changes: Any) -> ClaimEntry:
    entries = [entry(name, place, verdict, value, bound) for place, verdict, value, bound in found]
    return claim(name, "eq. 1", "Theorem 1", "x <= y", "given", *entries, **changes)


PASS = inequality("a", ("published@lock", "vacuous", 1.0, 9.0), ("oracle@lock", "conforms", 1.0, 1.5))
SLACK = inequality("b", ("oracle@lock", "conforms", 1.0, 1.25), ("oracle@onehot", "conforms", 1.0, 3.0))


def test_a_group_counts_what_conforms_of_all_its_claims_and_passes_only_if_all_do() -> None:
    assert of(PASS, SLACK)[:2] == ("✓", "2 of 2")
    assert of(PASS, empty_bound("e", "T", "x", 2e4, None))[:2] == ("○", "1 of 2")
    assert of(PASS, probable("p", "L", "T", "x", 8, 48))[:2] == ("?", "1 of 2")
    assert of(PASS, inequality("f", ("oracle@lock", "error", 1.0, 2.0)), probable("p", "L", "T", "x", 8, 48))[0] == "!"
    assert of(PASS, inequality("v", ("oracle@lock", "violated", 3.0, 2.0)))[:2] == ("✗", "1 of 2")
    assert of(inequality("n", ("oracle@lock", "not applicable", NAN, NAN)))[:2] == ("–", "0 of 1")


def test_what_rests_on_a_broken_claim_is_not_counted_as_a_pass() -> None:
    mark, count, said = of(PASS, replace(SLACK, broken_by=("x",)))
    assert (mark, count) == ("✓", "1 of 2")
    assert said.endswith("1 not judged (depends on a broken line)")


def test_no_tick_stands_over_none() -> None:
    """On the screen, too: all that conforms rests on a broken line."""
    resting = [replace(one, broken_by=("x",), topic="Optimism") for one in (PASS, SLACK)]
    assert of(*resting) == ("○", "0 of 2", "2 not judged (depend on a broken line)")
    text = TerminalWriter().render(record(algorithm(resting)), detail="first")
    assert "○  0 of 2" in text
    assert "✓  0 of" not in text


@pytest.mark.parametrize("width", [60, 100])
def test_assumptions_say_on_how_many_instances_they_hold(width: int) -> None:
    inside, outside = sample().algorithms[0].instances[0], sample().algorithms[0].instances[2]
    instances = (inside, *(replace(outside, name=f"outside-{at}") for at in range(26)))
    held = [replace(assumption(name, "Assumption 1", "x", {}), topic="Assumptions") for name in "abc"]
    text = TerminalWriter().render(record(algorithm(held, instances=instances)), detail="first", width=width)
    assert "3 of 3 all hold on 1 of 27 instances, not on outside-0, outside-1 and 24 more" in " ".join(text.split())


def test_an_undecided_claim_has_one_number() -> None:
    """Where instances need different numbers of runs, screen and table say the largest."""
    made = probable("confidence-event", "Lemma 5", "T", "x", 8, 48)
    (one, *_) = made.regimes
    entries = tuple(
        replace(one, instance=name, needed=needed, ratio=ratio, reason=f"undecided; {needed} more clean trials")
        for name, needed, ratio in (("lock", 21, 0.9), ("blocks", 52, 0.1))
    )
    claim_ = replace(made, regimes=entries, decisive=None, topic="Confidence")
    assert claim_.deciding == entries[1]
    texts = [TerminalWriter().render(record(algorithm([claim_])), detail=detail) for detail in ("first", "table")]
    assert "1 undecided: 52 more clean runs" in texts[0]
    assert not any("21 more" in text for text in texts)


def test_the_margin_is_the_smallest_difference_of_bound_and_value_and_names_its_regime() -> None:
    assert of(PASS, SLACK)[2] == "smallest margin 0.25 (oracle); 1 could not fail at the paper's width"
    assert of(inequality("c", ("published@lock", "conforms", 1.0, 1.5)))[2] == "smallest margin 0.50 (published)"
    assert of(inequality("d", ("oracle@lock", "conforms", 1.5, 1.5)))[2] == "tight up to rounding (oracle)"
    found = tightest([PASS, SLACK])
    assert found is not None
    assert (found[0].name, found[1].instance) == ("b", "lock")


def test_entries_without_power_have_no_margin() -> None:
    idle = entry("a", "oracle@lock", "conforms", 1.0, 1.1, powered=0)
    assert tightest([claim("a", "", "T", "x", "given", idle)]) is None


def test_clean_runs_that_are_missing_are_the_most_that_any_claim_needs_anywhere() -> None:
    one, two = (told(probable(name, "Lemma 5", "T", "x", 8, 48)) for name in ("confidence-event", "concentration"))
    assert of(one, topic="Confidence")[2] == "1 undecided: 48 more clean runs"
    assert of(one, two, topic="Confidence")[2] == "2 undecided: 48 more clean runs"
    less = replace(two, regimes=tuple(replace(each, needed=5) for each in two.regimes))
    assert of(one, less, topic="Confidence")[2] == "2 undecided: up to 48 more clean runs"
    unknown = replace(two, regimes=tuple(replace(each, needed=0) for each in two.regimes))
    assert of(one, unknown, topic="Confidence")[2] == "undecided: confidence-event, concentration"


def test_clean_runs_that_are_missing_come_with_the_profile_that_runs_them_if_one_does() -> None:
    claims = [told(probable(name, "Lemma 5", "T", "x", 8, 48)) for name in ("confidence-event", "concentration")]

    def said(*profiles: str) -> str:
        found = [
            replace(claim, regimes=tuple(replace(each, enough=name) for each in claim.regimes))
            for claim, name in zip(claims, profiles, strict=True)
        ]
        return str(of(*found, topic="Confidence")[2])

    assert said("standard", "standard") == "2 undecided: 48 more clean runs, use --profile standard"
    assert said("deep", "standard") == "2 undecided: 48 more clean runs, use --profile deep"
    assert said("standard", "") == said("standard", "elsewhere") == "2 undecided: 48 more clean runs"


def test_a_bound_says_something_from_sizes_that_differ_by_instance() -> None:
    def bound(*sizes: float | None) -> ClaimEntry:
        found = [entry("r", f"published@i{at}", "vacuous", 1.0, 9.0, nonvacuous_from=size) for at, size in enumerate(sizes)]
        return claim("r", "Theorem 2", "Theorem 2", "x", "given", *found)

    assert of(bound(6.7e9, 1.2e12))[2] == "vacuous: r (says nothing before K = 6.7e9 to 1.2e12, by instance)"
    assert of(bound(6.7e9, 6.7e9))[2] == "vacuous: r (says nothing before K = 6.7e9)"
    assert of(bound(6.7e9, float("inf")))[2] == "vacuous: r (says nothing before K = 6.7e9 to any size, by instance)"
    assert of(bound(float("inf"), float("inf")))[2] == "vacuous: r (says nothing at any size)"
    assert of(bound(6.7e9, None))[2] == "vacuous: r"
    assert of(bound(6.7e9, NAN))[2] == "vacuous: r"


def test_identities_are_said_to_be_recomputed_and_only_they() -> None:
    assert of(identity("g", "eq. 5", "x = y", 1e-14, 1e-9))[2] == "recomputed by another route, equal up to rounding"
    both = of(identity("g", "eq. 5", "x = y", 1e-14, 1e-9), SLACK)
    assert both[2].startswith("1 recomputed by another route")


def test_instances_outside_the_assumptions_are_folded_into_one_line() -> None:
    held = assumption("linear-mdp", "Assumption 1", "x", {})
    assert of(held, topic="Assumptions")[2] == "all hold on 3 of 5 instances, not on mixture, corridor"
    assert of(held, topic="Assumptions", instances=sample().algorithms[0].instances[:2])[2] == "on 2 instances"


def test_groups_are_in_reading_order_and_topics_of_plugins_last() -> None:
    claims = [replace(PASS, topic=topic) for topic in ("Regret", "Luck", "Pseudo-code", "")]
    assert [group.topic for group in groups(algorithm(claims))] == ["Pseudo-code", "Regret", "Other claims", "Luck"]


def test_clauses_are_those_with_a_claim_that_was_evaluated_of_all_the_paper_has() -> None:
    assert clauses(passed()) == "31 of the paper's 34 statements were checked."
    assert clauses(replace(passed(), clauses_total=0)) == ""


def test_planted_bugs_are_told_with_the_command_the_profile_and_the_day() -> None:
    assert bugs(passed()) == "49 of 50 planted bugs were found (verifier power ucblvd, quick, 2025-02-28)"
    assert bugs(replace(passed(), bugs=BugsEntry(1, 1, "2025-03-01T00:00:00+00:00", "deep"))).startswith("1 of 1 planted bug was")
    assert bugs(replace(passed(), bugs=None)) == ""
    assert "not measured yet: verifier power ucblvd" in first("interrupted")


def test_a_false_alarm_is_as_likely_as_the_error_budget_of_the_whole_report_says() -> None:
    tested = Ledger(1e-3, 5e-4, 0.01, (LedgerEntry("ucblvd/a", "published", "lock", "reject", 5e-4),))
    assert alarm(record(replace(passed(), ledger=tested))) == "at most 1 in 1000 for this report"
    assert alarm(record(replace(passed(), ledger=replace(tested, budget=0.003)))) == "at most 3e-3 for this report"
    assert alarm(record(replace(passed(), ledger=replace(tested, budget=5e-324)))).startswith("at most 4.9e-324")
    assert (
        alarm(record(replace(passed(), ledger=replace(tested, entries=())))) == "none by chance: no statistical test was needed"
    )


def test_a_violation_without_a_test_is_not_by_chance_but_the_check_can_be_wrong() -> None:
    (broken,) = SCREENS["violation"].algorithms
    untested = replace(broken, ledger=replace(broken.ledger, entries=()))
    assert alarm(record(untested)) == (
        "none by chance: no statistical test was needed; "
        "violations of what always holds are no matter of chance, but the check can be wrong"
    )
    by_chance = replace(broken, claims=tuple(replace(claim, kind="probability") for claim in broken.claims))
    assert "wrong" not in alarm(record(by_chance))


def test_commands_name_what_can_be_asked_for() -> None:
    assert asked_of(SCREENS["violation"].algorithms[0]) == "ucblvd/value-formula"
    assert asked_of(algorithm([PASS, SLACK])) == "ucblvd/b"
    assert asked_of(algorithm([])) == ""
    planted = record(replace(passed(), name="ucblvd~half-bonus"))
    assert "verifier power" not in TerminalWriter().render(planted, detail="first")
    python = replace(SCREENS["clean"], command=("verifier.check",))
    assert "\n  Next" not in TerminalWriter().render(python, detail="first")


def test_a_narrow_screen_leaves_out_nothing_that_is_copied_or_read() -> None:
    """Commands stay whole words, and sizes of the smallest instance are not cut."""
    sizes = "S = 12, A = 11, H = 10, K = 123456, d = 13, W = 14"
    id_ = f"ucblvd~half-bonus/value-formula:drawn-{'0' * 12}:oracle:0:0"
    (one, *_) = (claim for claim in SCREENS["violation"].algorithms[0].claims if claim.counterexample)
    entries = (*one.regimes, replace(one.regimes[0], replay=id_))
    tables = f"The instance (s, a counted from 0):\n  {sizes}, delta = 1/10\n\nverifier replay {id_}\n"
    shown = Screen(60)
    cause(shown, replace(one, regimes=entries, counterexample=tables), [])
    text = shown.render(color=False)
    assert f"smallest case {sizes}: " in " ".join(text.split())
    assert f"'{id_}'" in text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "the same command with --table or --output html=report.html"),
        (("--table",), "the same command with --output html=report.html"),
        (("--output", "html=mine.html"), "the same command with --table"),
        (("--output=html=mine.html", "--table"), ""),
    ],
)
def test_what_was_asked_for_is_not_proposed(words: tuple[str, ...], told: str) -> None:
    found = replace(SCREENS["clean"], command=("verifier", "check", "ucblvd", *words))
    text = " ".join(TerminalWriter().render(found, detail="first").split())
    assert text.partition("Next verifier explain ucblvd/")[2].removeprefix("backup-combination").strip(" ·") == told


def test_a_narrow_table_cuts_no_number_of_the_worst_case() -> None:
    """A comparison that its column has no room for stands on a line of its own."""
    (algorithm, *_) = SCREENS["clean"].algorithms
    (claim, *others) = (one for one in algorithm.claims if one.kind == "given")
    entry = replace(claim.regimes[0], value=-1.2345e-11, bound=-1.1e-123, margin=1.2345e-11, tolerance=0.0)
    long = replace(claim, regimes=(entry,), decisive=0)
    found = replace(SCREENS["clean"], algorithms=(replace(algorithm, claims=(long, *others)),))
    wide, narrow = (TerminalWriter().render(found, detail="table", width=width) for width in (100, 60))
    worst = short_comparison(long, entry)
    assert len(worst) > 15
    assert worst in wide
    assert f"  {worst}" in narrow


def test_what_is_proposed_can_be_pasted_where_the_record_is_kept() -> None:
    text = TerminalWriter().render(SCREENS["clean"], detail="first", again="verifier report --last")
    assert "· verifier report --last --table\n" in text.replace("\n" + " " * 25, " ")
    assert "the same command" not in text


def test_an_interrupted_run_tells_what_was_finished_and_how_to_go_on() -> None:
    text = " ".join(first("interrupted").split())
    assert "unfinished, 40 trials" in text
    assert "Unfinished: 7 of 12 pairs of instance and regime had no trial: interrupted. Nothing violated so far." in text
    assert "To continue verifier check ucblvd --seed 20250301" in text


def test_one_order_of_verdicts() -> None:
    """Worst first, as in the rule by which a claim takes its verdict from its parts."""
    text = TerminalWriter().render(sample(), detail="table")
    for told_so in (
        "2 violated, 1 in error; 4 inconclusive, 21 conform, 3 vacuous, 2 not",
        "2 violated, 1 error, 4",
    ):
        assert told_so in " ".join(text.split())


@pytest.mark.parametrize("option", ["-x", "--exitfirst"])
def test_a_run_that_the_first_violation_ended_is_continued_without_that_option(option: str) -> None:
    found = replace(SCREENS["interrupted"], command=("verifier", "check", option, "ucblvd"))
    assert "To continue verifier check ucblvd " in " ".join(TerminalWriter().render(found, detail="first").split())
