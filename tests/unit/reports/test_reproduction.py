"""Figures of papers that were drawn again: screen, Markdown, page, and the plot itself."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from verifier.record import AlgorithmEntry, Record, schema
from verifier_reports.junit import JunitWriter
from verifier_reports.markdown import MarkdownWriter
from verifier_reports.page.view import bottom_line
from verifier_reports.page.writer import HtmlWriter
from verifier_reports.paper.collect import figure, figures
from verifier_reports.paper.drawing import drawn, file
from verifier_reports.reproduction import measured, wanted
from verifier_reports.sarif import SarifWriter
from verifier_reports.terminal import TerminalWriter

from ...snapshots import compare
from .figures import LOWER, REWARDS, UNKNOWN, differing, figure_record, statement
from .figures import figure as entry
from .scalings import scaling_record

FOLDER = Path(__file__).parent / "snapshots"
RECORDS = {"reproduced": figure_record(), "differs": differing()}


@pytest.mark.parametrize("name", RECORDS)
def test_the_record_fits_its_schema_and_is_read_again(name: str) -> None:
    data = RECORDS[name].to_json()
    jsonschema.Draft202012Validator(schema()).validate(data)
    assert Record.from_json(data).to_json() == data


def test_older_records_have_no_figures() -> None:
    data = RECORDS["reproduced"].to_json()
    del data["figures"]
    assert Record.from_json(data).figures == ()


@pytest.mark.parametrize("width", [60, 100])
@pytest.mark.parametrize("name", RECORDS)
def test_the_screen(name: str, width: int) -> None:
    text = TerminalWriter().render(RECORDS[name], width=width).partition("────")[0]
    assert max(map(len, text.splitlines())) <= width
    compare(FOLDER / f"figure-{name}-{width}.txt", text)


def test_the_verdict_is_on_every_report() -> None:
    for name, data in RECORDS.items():
        words = f"Figure 1a with ucblvd: {name};"
        assert words in TerminalWriter().render(data, detail="quiet")
        assert f"**Figure 1a with ucblvd**: {name};" in MarkdownWriter().render(data)
        assert words in HtmlWriter().render(data)


def test_reports_for_continuous_integration_have_the_verdict() -> None:
    name = "ucblvd:figure-1a"
    right, wrong = (ElementTree.fromstring(JunitWriter().render(RECORDS[each])) for each in ("reproduced", "differs"))
    (passed,), (skipped,) = (root.findall(f".//testcase[@name='{name}']") for root in (right, wrong))
    assert len(passed) == 0
    (told,) = skipped
    assert told.tag == "skipped"
    assert told.attrib["message"].startswith("Figure 1a with ucblvd: differs; 0 of 2 statements hold")
    assert name not in SarifWriter().render(RECORDS["reproduced"])
    results = json.loads(SarifWriter().render(RECORDS["differs"]))["runs"][0]["results"]
    (found,) = (result for result in results if result["ruleId"] == name)
    assert found["kind"] == "review"
    assert "differs" in found["message"]["text"]


def test_markdown() -> None:
    text = MarkdownWriter().render(RECORDS["reproduced"])
    section = text[text.index("## ✓ Figure 1a") : text.index("## ucblvd")]
    compare(FOLDER / "figure-reproduced.md", section)


def test_the_page_leads_with_the_worst_figure_and_shows_each_statement() -> None:
    both = figure_record(entry(REWARDS, verdict="cannot tell"), entry(REWARDS, key="1b"))
    line, style = bottom_line(both)
    assert style == "inconclusive"
    assert line.startswith("Figure 1a with ucblvd: cannot tell; ")
    text = HtmlWriter().render(both)
    assert 'id="figure-1a-ucblvd"' in text
    assert 'href="#figure-1b-ucblvd"' in text
    assert "0.946 (0.921 to 0.973) in episode 51 to 100, the part of 20 closest to a limit" in text
    assert "not printed: S, A, the tasks w<sub>k</sub>." in text
    assert bottom_line(differing())[1] == "violated"


def test_numbers_of_a_statement() -> None:
    assert measured(statement()) == "0.0321 (0.0316 to 0.0326)"
    assert measured(statement(value=1000.0, low=1000.0, high=1000.0)) == "1000"
    assert measured(statement(**UNKNOWN)) == "2 seeds: at least 3 are needed"
    assert wanted(statement()) == "0 to 0.1"
    assert wanted(statement(**UNKNOWN)) == "at most 0.1"
    assert wanted(statement(highest=float("inf"), lowest=999.5)) == "at least 999.5"
    assert measured(statement(**{**vars(REWARDS), **LOWER})).startswith("0.746 (0.721 to 0.773)")


def test_both_algorithms_are_drawn_in_one_plot_with_what_the_paper_states_beside() -> None:
    found = figure(RECORDS["reproduced"], "figure-1a")
    made = drawn(found)
    (axes,) = made.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("episode", "per-episode reward")
    assert axes.get_xscale() == "linear"
    (legend,) = made.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "UCBlvd (32.1 planning calls)",
        "Lifelong-LSVI (1000 planning calls)",
    ]
    assert len({line.get_color() for line in axes.lines if line.get_label() != "_"}) >= 2
    assert found.caption[0].startswith("Figure 1a of Provably efficient lifelong RL")
    assert file(found, "pdf").startswith(b"%PDF-1.")


def test_the_numbers_behind_the_plot() -> None:
    rows = list(csv.DictReader(io.StringIO(figure(RECORDS["reproduced"], "figure-1a").table.csv())))
    assert list(rows[0])[:4] == ["series", "episode", "seeds (number)", "per-episode reward"]
    assert len(rows) == 40
    assert rows[0]["per-episode reward low"] == repr(RECORDS["reproduced"].figures[0].curves[0].points[0].low)


def test_a_figure_without_curves_is_not_drawn() -> None:
    bare = figure_record(entry(statement(**UNKNOWN), curves=()))
    assert "figure-1a" not in [each.short for each in figures(bare)]
    assert "return per episode" not in TerminalWriter().render(bare)


def test_a_size_is_on_a_logarithmic_axis() -> None:
    made = drawn(figure(figure_record(entry(REWARDS, across="episodes K", logarithmic=True)), "figure-1a"))
    assert made.axes[0].get_xscale() == "log"
    assert made.axes[0].get_xlabel() == "episodes $K$"


# Overlays ---------------------------------------------------------------------------------------------------------


def test_what_several_algorithms_have_in_common_is_drawn_in_one_plot() -> None:
    found = figure(RECORDS["reproduced"], "overlay-figure-1a-calls")
    made = drawn(found)
    (legend,) = made.legends
    assert [text.get_text() for text in legend.get_texts()] == ["UCBlvd", "Lifelong-LSVI"]
    assert (made.axes[0].get_xscale(), made.axes[0].get_yscale()) == ("log", "log")
    assert found.name == "overlay-figure-1a-calls-published-paper-size"
    assert any(sentence.startswith("Lifelong-LSVI: conforms: grows like K^0.11") for sentence in found.caption)
    rows = list(csv.DictReader(io.StringIO(found.table.csv())))
    assert {row["series"] for row in rows} == {"UCBlvd", "Lifelong-LSVI"}


def test_widths_of_their_own_are_in_the_legend_and_other_regimes_in_another_plot() -> None:
    data = RECORDS["reproduced"]

    def at(regime: str, which: AlgorithmEntry) -> AlgorithmEntry:
        (claim,) = which.claims
        return replace(which, claims=(replace(claim, regimes=(replace(claim.regimes[0], regime=regime),)),))

    first, second = data.algorithms
    found = figure(replace(data, algorithms=(at("scaled(0.01)", first), at("scaled(0.1)", second))), "overlay-figure-1a-calls")
    assert found.name == "overlay-figure-1a-calls-scaled-paper-size"
    assert [text.get_text() for text in drawn(found).legends[0].get_texts()] == [
        "UCBlvd, scaled(0.01)",
        "Lifelong-LSVI, scaled(0.1)",
    ]
    apart = replace(data, algorithms=(at("published", first), at("scaled(0.1)", second)))
    assert not [each for each in figures(apart) if each.short.startswith("overlay")]


def test_one_algorithm_has_no_overlay() -> None:
    assert not [each for each in figures(scaling_record()) if each.short.startswith("overlay")]


def test_the_page_draws_the_figure_and_several_algorithms_in_one_plot() -> None:
    page = HtmlWriter().render(RECORDS["reproduced"])
    assert page.count('class="plot figure"') == 1
    one = scaling_record()
    (first,) = one.algorithms
    both = HtmlWriter().render(replace(one, algorithms=(first, replace(first, name="other"))))
    assert "<h2>Algorithms in one plot</h2>" in both
    assert 'class="plot overlay"' in both
    assert 'class="plot overlay"' not in HtmlWriter().render(one)
