"""Factors on the screen and in Markdown, from a made-up record; it fits its schema."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema

from verifier.record import (
    FactorEntry,
    FactorLine,
    GrowthEntry,
    PriceEntry,
    Record,
    RegretLine,
    TightnessEntry,
    WorstEntry,
    schema,
)
from verifier_reports.markdown import MarkdownWriter
from verifier_reports.page.writer import HtmlWriter
from verifier_reports.terminal import TerminalWriter
from verifier_reports.tightness import NO_THEOREM, losses

from ...snapshots import compare
from .sample import algorithm, record

FOLDER = Path(__file__).parent / "snapshots"


def entry(claim: str, kind: str, *lines: FactorLine, none: str = "") -> FactorEntry:
    """A claim with its lines."""
    return FactorEntry(claim, "Lemma 1", "x ≤ y", kind, "delta" if kind == "probability" else "", lines, none)


def made_up(**changes: Any) -> Record:
    """A record with a claim of every sort."""
    few = "an upper bound needs 83 runs"
    found = TightnessEntry(
        confidence=0.99,
        intervals=5,
        runs=100,
        claims=(
            entry("gram", "identity", none="no factor: an identity"),
            entry("noise-law", "law", none="no factor: a law"),
            entry(
                "coverage",
                "probability",
                FactorLine("random", 100, 9.3e-4, "ucblvd/coverage:random:published:91:0", 0.9, low=6.5159e-4, high=8.1026e-4),
                FactorLine("river", 100, 2e-3, "ucblvd/coverage:river:published:9:0", 0.9, low=1e-4, high=1.5e-3),
            ),
            entry("optimism", "given", FactorLine("random", 100, 0.328, "ucblvd/optimism:random:published:0:0")),
            entry("rare-event", "probability", FactorLine("random", 20, 0.2, "", 0.9, low=0.0, high=math.inf, why=few)),
            entry("plays", "expectation", FactorLine("random", 100, 0.5, "", mean=0.02, low=0.0161, high=0.0241)),
            entry("regret", "probability", FactorLine("random", 100, 0.0, "", 0.9, low=0.0, high=0.0)),
        ),
        price=PriceEntry(
            "coverage",
            "random",
            (
                RegretLine("published", 100, 24.84, 22.99, 34.37, 0),
                RegretLine("scaled(0.000811)", 20, 4.56, 4.17, 15.6, 8),
                RegretLine("oracle", 20, 2.55, math.nan, math.nan),
            ),
        ),
    )
    proof = {"coverage": ("gram",), "optimism": ("coverage",), "regret": ("coverage", "optimism", "plays")}
    table = replace(found, **changes)
    made = algorithm([], tightness=table, proof=proof, instances=(), support=(), errata=())
    return record(made, command=("verifier", "tight", "ucblvd"))


def of_a_family() -> Record:
    """A record of one claim with an interval and one without, measured at the sizes of a family."""
    sizes, why = (2, 3, 4, 6, 8), "not certified"
    coverage = entry(
        "coverage", "probability",
        FactorLine("horizons[H=2]", 100, 8.4e-3, "", 0.9, low=4.85e-3, high=8.41e-3),
        FactorLine("horizons[H=8]", 100, 2.8e-3, "", 0.9, low=2.03e-3, high=2.84e-3),
    )  # fmt: skip
    optimism = entry("optimism", "given", FactorLine("horizons[H=2]", 100, 0.8), FactorLine("horizons[H=8]", 100, 0.6))
    claims = (
        replace(coverage, growth=GrowthEntry("horizons", "H", sizes, -0.78, -1.03, -0.38)),
        replace(optimism, growth=GrowthEntry("horizons", "H", sizes, -0.21, why=why)),
    )
    return made_up(claims=claims, price=None, intervals=2)


def test_how_a_factor_grows() -> None:
    jsonschema.Draft202012Validator(schema()).validate(of_a_family().to_json())
    text = TerminalWriter().render(of_a_family())
    assert max(map(len, text.splitlines())) <= 100
    assert "coverage  4.85e-3 to 8.42e-3  2.03e-3 to 2.85e-3  -1.03 to -0.38  H^0.38 too many here" in text
    compare(FOLDER / "tightness-growth.txt", text)
    assert "| `optimism` | 0.800 | 0.600 | -0.21 seen | not certified |" in MarkdownWriter().render(of_a_family())


def of_delta() -> Record:
    """A record of an instance at several delta: nothing random, more at smaller delta, and one that promises nothing at 1/2."""
    of: dict[str, Any] = {"argument": "ln(1/delta)", "left_out": (25, 100)}
    event = entry(
        "confidence-event", "probability",
        FactorLine("random[1/delta=2]", 100, 0.0191, "", 0.5, low=0.0191, high=0.0191),
        FactorLine("random[1/delta=4]", 100, 0.0184, "", 0.75, low=0.0184, high=0.0184),
        FactorLine("random[1/delta=10]", 100, 0.0177, "", 0.9, low=0.0177, high=0.0177),
    )  # fmt: skip
    regret = entry(
        "regret-of-two-events", "probability",
        FactorLine("random[1/delta=2]", 100, 0.3, "", why="it may fail with probability 1 here"),
        FactorLine("random[1/delta=4]", 100, 0.3, "", 0.5, low=0.1, high=0.2),
        FactorLine("random[1/delta=10]", 100, 0.4, "", 0.8, low=0.3, high=0.4),
    )  # fmt: skip
    claims = (
        replace(event, growth=GrowthEntry("random", "1/delta", (2, 4, 10), -0.063, -0.066, -0.061, **of)),
        replace(regret, growth=GrowthEntry("random", "1/delta", (4, 10), 0.56, 0.79, 2.74, **of)),
    )
    return made_up(claims=claims, price=None, intervals=5)


def test_how_a_factor_grows_with_delta() -> None:
    found = of_delta()
    jsonschema.Draft202012Validator(schema()).validate(found.to_json())
    assert Record.from_json(found.to_json()).to_json() == found.to_json()
    for width in (100, 60):
        text = TerminalWriter().render(found, width=width)
        assert max(map(len, text.splitlines())) <= width
        compare(FOLDER / f"tightness-delta-{width}.txt", text)
        assert all(number in text for number in ("-0.07 to -0.06", "0.79 to 2.74", "0.299 to 0.401", "power 0.06 too many"))
    told = " ".join(TerminalWriter().render(found).split())
    assert "from 1/delta = 2 to 10" in told
    assert "regret-of-two-events: from 1/delta = 4 to 10; elsewhere it may fail with probability 1." in told
    assert "Left out: 1/delta = 25, 100, where 100 runs bound no such quantile from above." in told
    markdown = MarkdownWriter().render(found)
    assert "-0.07 to -0.06 | power 0.06 too many |" in markdown
    assert "`regret-of-two-events`: from 1/delta = 4 to 10" in markdown
    assert "regret-of-two-events: from 1/delta = 4 to 10" in HtmlWriter().render(found)


def test_an_older_record_of_a_family_is_read() -> None:
    data = of_a_family().to_json()
    for claim in data["algorithms"][0]["tightness"]["claims"]:
        del claim["growth"]["argument"], claim["growth"]["left_out"]
    assert "H^0.38 too many here" in TerminalWriter().render(Record.from_json(data))


def test_the_page() -> None:
    text = HtmlWriter().render(of_a_family())
    assert "Tightness report" in text
    assert "Factors of 2 claims, 1 of them certified" in text
    assert NO_THEOREM in text
    assert "<td>H^0.38 too many here</td>" in text
    assert "<code>horizons[H=2]</code>" in text
    for of_others in ("Nothing violated", "Small bugs were planted", "0 selected"):
        assert of_others not in text


def test_the_screen() -> None:
    text = TerminalWriter().render(made_up())
    assert max(map(len, text.splitlines())) <= 100
    compare(FOLDER / "tightness-terminal.txt", text)


def test_a_narrow_screen_loses_no_number() -> None:
    text = TerminalWriter().render(made_up(), width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert all(number in text for number in ("6.51e-4 to 8.11e-4", "4.16 to 15.6", "8 of 20 runs", "x1075"))
    compare(FOLDER / "tightness-narrow.txt", text)


def test_every_instance_where_it_is_asked_for() -> None:
    found = TerminalWriter().render(made_up(), detail="verbose")
    assert "river" in found
    assert "river" not in TerminalWriter().render(made_up())


def test_markdown() -> None:
    compare(FOLDER / "tightness.md", MarkdownWriter().render(made_up()))


def test_certified_bounds_are_rounded_outwards() -> None:
    assert "6.51e-4 to 8.11e-4" in TerminalWriter().render(made_up())


def test_what_no_theorem_says_comes_first() -> None:
    for text in (TerminalWriter().render(made_up()), MarkdownWriter().render(made_up())):
        assert text.index(NO_THEOREM) < text.index("coverage")


def test_the_worst_instance_is_the_one_that_certainly_needs_most() -> None:
    found = made_up().algorithms[0].tightness
    assert found is not None
    coverage = found.claims[2]
    assert coverage.worst is not None
    assert coverage.worst.instance == "random"  # the largest run is on the river, but the lower bound is not


def test_steps_rest_on_those_that_have_a_factor() -> None:
    instance, steps = losses(made_up().algorithms[0])
    assert instance == "random"
    assert {step.claim: (step.slack, step.premises) for step in steps}["optimism"] == ("x3.05", ("coverage",))
    assert steps[-1].slack == ""  # a bound of zero would have done


def test_what_cannot_be_compared_has_its_reason() -> None:
    text = TerminalWriter().render(made_up(price=PriceEntry("", "", (), "no claim is about the regret of a run")))
    assert "Not compared: no claim is about the regret of a run." in text


WORST = WorstEntry("coverage", "worst.json", 113, "S = 3, A = 1\ns a r\n0 0 1", "s, a counted from 0")


def told(**changes: Any) -> str:
    """The sentences about an instance that was searched for, on both kinds of pages."""
    found = made_up(worst=replace(WORST, **changes))
    screen = " ".join(TerminalWriter().render(found).split())
    markdown = " ".join(MarkdownWriter().render(found).split())
    assert ("no theorem of this form" in screen) == ("no theorem of this form" in markdown)
    assert all("S = 3, A = 1" in text and "s, a counted from 0" in text for text in (screen, markdown))
    return screen


def test_the_instance_that_was_searched_for_comes_with_what_its_bound_says_of_every_theorem() -> None:
    assert "of 113 different instances that were drawn, the one on which coverage needed most" in told()
    assert "At least 6.51e-4 times the right side of coverage is needed on it (certified): no theorem of this form" in told()
    assert "drawn, where time ran out, the one" in told(exhausted=True)
    assert "of 113 different instances with S = 3, K = 20 that were drawn, the one on which" in told(sizes={"S": 3, "K": 20})


def test_nothing_is_said_of_theorems_where_nothing_is_certified() -> None:
    assert "no theorem of this form" not in told(claim="rare-event")  # its lower bound is 0
    assert "no theorem of this form" not in told(claim="optimism")  # promised under an event alone, so that a run shows nothing


def test_one_run_refutes_what_is_said_of_every_run() -> None:
    sum_of_bonuses = entry("sum-of-bonuses", "always", FactorLine("worst.json", 100, 0.41237, "x"))
    found = made_up(worst=replace(WORST, claim="sum-of-bonuses"), claims=(sum_of_bonuses,))
    assert "At least 0.412 times the right side of sum-of-bonuses is needed on it (one run shows it)" in " ".join(
        TerminalWriter().render(found).split()
    )


def test_the_record_fits_its_schema_and_is_read_again() -> None:
    for found in (made_up(), made_up(worst=WORST), made_up(worst=replace(WORST, sizes={"S": 3, "K": 20}))):
        jsonschema.Draft202012Validator(schema()).validate(found.to_json())
        assert Record.from_json(found.to_json()).to_json() == found.to_json()
