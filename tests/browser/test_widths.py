"""The page at six widths, in light and in dark: its first screen, tables that are tables, one algorithm open, how long it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.record import AlgorithmEntry, Record
from verifier_reports.page.writer import HtmlWriter

from ..unit.reports.entries import claim, entry, identity
from ..unit.reports.kills import power_record
from ..unit.reports.sample import algorithm, record, sample_claims
from ..unit.reports.scalings import scaling_record
from .browser import HEIGHT, Browser
from .test_page import CONTRAST, OVERFLOW

WIDTHS = (390, 900, 1120, 1280, 1440, 1920)
TABLES_FROM = 900
LONGEST = 20_000
"""Pixels, of a report on all algorithms, with any of them open."""

CUT = """
return Array.from(document.querySelectorAll(".scroll, .canvas, table"))
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
  .map((one) => `${one.className} ${one.scrollWidth} > ${one.clientWidth}`);
"""
"""What can only be read by scrolling sideways."""

CARDS = """
const layout = (one) => getComputedStyle(one).display;
return Array.from(document.querySelectorAll("table")).filter((table) => table.checkVisibility())
  .flatMap((table) => [table, ...table.tBodies, ...table.rows, ...Array.from(table.rows).flatMap((row) => Array.from(row.cells))])
  .filter((one) => layout(one) === "block" || layout(one) === "grid" || layout(one) === "flex")
  .map((one) => `${one.tagName} ${one.className}`);
"""
"""Parts of tables that are not laid out as such."""

HEIGHTS = """
return Array.from(document.querySelectorAll("details.algorithm")).map((one) => {
  one.open = true;
  return [document.querySelectorAll("details.algorithm[open]").length, document.documentElement.scrollHeight];
});
"""
"""For each algorithm that is opened, how many are open then, and how long the page is."""

ON_SCREEN = """
const box = document.querySelector(arguments[0]).getBoundingClientRect();
return [box.top + scrollY, box.height > 0];
"""


def large(name: str) -> AlgorithmEntry:
    """As many claims as the longest of the plugins has, of all kinds, each at twelve places."""
    places = [(regime, f"instance-{at}") for regime in ("published", "oracle", "oracle[minimiser=farthest]") for at in range(4)]
    text = "V^{pi^k}_1(s) + sum_h ||phi_h||_{Lambda_h^{-1}} <= 2 H sqrt(T d log(1 + K/d)), whatever the adversary does"
    own = sample_claims()[3:]
    claims = [
        claim(f"bound-on-something-{at}", f"Lemma {at}", f"Theorem {at // 8}", text, "always",
              *(entry(f"b{at}", f"{regime}@{instance}", "conforms", 0.1 * at, 9.0) for regime, instance in places))
        for at in range(80 - len(own))
    ]  # fmt: skip
    return algorithm([*own, *claims], name=name)


def whole() -> Record:
    """A report as `check all` writes it: two dozen algorithms, two of them violated, one as large as they get."""
    small = [algorithm([identity("gram", "eq. 5", "x = y", 1e-14, 1e-9)], name=f"agent-{at}") for at in range(20)]
    return record(*small[:9], algorithm(sample_claims(), name="broken"), *small[9:], large("large"))


RECORDS = {"check": whole, "scale": scaling_record, "power": power_record}
FIRST = {"check": ".failures .finding", "scale": "figure.scaling svg", "power": ".failures .finding"}
"""What must be on the first screen."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("widths")
    for name, made in RECORDS.items():
        HtmlWriter().write(made(), folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in RECORDS}


@pytest.mark.parametrize("name", RECORDS)
def test_the_page_is_right_at_every_width_in_light_and_in_dark(
    browser: Browser, pages: dict[str, Path], screenshots: Path, name: str
) -> None:
    browser.open(pages[name], WIDTHS[0])
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            browser.look(width, scheme)
            at = f"{name} {width} {scheme}"
            top, shown = browser.ask(ON_SCREEN, FIRST[name])
            assert shown, at
            assert top < HEIGHT - 150, at
            assert not browser.all("details.legend[open], section.glossary details[open]"), at
            assert browser.ask("return document.documentElement.scrollWidth") <= width, at
            assert browser.ask(OVERFLOW) == [], at
            if width >= TABLES_FROM:
                assert browser.ask(CUT) == [], at
                assert browser.ask(CARDS) == [], at
            if width == WIDTHS[0]:
                assert browser.ask(CONTRAST) == [], at


@pytest.mark.parametrize("width", [TABLES_FROM, 1280])
def test_one_algorithm_is_open_and_the_page_short_whichever_it_is(browser: Browser, pages: dict[str, Path], width: int) -> None:
    browser.open(pages["check"], width)
    assert [one.get_attribute("id") for one in browser.all("details.algorithm[open]")] == ["broken"]
    found = browser.ask(HEIGHTS)
    assert {number for number, _ in found} == {1}
    assert max(height for _, height in found) <= LONGEST


def test_nothing_is_cut_or_a_card_in_what_is_folded_either(browser: Browser, pages: dict[str, Path]) -> None:
    for name in RECORDS:
        browser.open(pages[name], TABLES_FROM)
        browser.ask("document.querySelectorAll('.inside details, #run details').forEach((one) => { one.open = true; })")
        assert browser.ask(CUT) == []
        assert browser.ask(CARDS) == []


def test_what_is_wrong_would_be_seen(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"], TABLES_FROM)
    browser.ask("document.querySelector('details.algorithm[open] table.claims').style.display = 'block'")
    assert browser.ask(CARDS) == ["TABLE claims sortable"]
    browser.ask("document.querySelector('details.algorithm[open] .scroll').style.width = '30px'")
    browser.ask("document.querySelectorAll('.inside details').forEach((one) => { one.open = true; })")
    assert any(found.startswith("scroll") for found in browser.ask(CUT))
    browser.ask("document.querySelectorAll('details.algorithm').forEach((one) => one.removeAttribute('name'))")
    assert browser.ask(HEIGHTS)[-1][0] > 1


def test_a_link_to_an_algorithm_or_to_a_word_opens_it(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"], 1280)
    browser.ask("location.hash = '#large'")
    browser.ask("return new Promise((resolve) => setTimeout(resolve, 50))")
    assert [one.get_attribute("id") for one in browser.all("details.algorithm[open]")] == ["large"]
    browser.one("details[open] .facts-list a.term").click()
    browser.ask("return new Promise((resolve) => setTimeout(resolve, 50))")
    assert browser.one(".glossary dd").is_displayed()


def test_a_claim_of_any_algorithm_is_found_and_opened(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"], 1280)
    search = browser.one(".everywhere input")
    search.send_keys("agent-13 GRAM")
    (hit,) = browser.all(".hits li")
    assert hit.text == "✓ agent-13/gram"
    assert browser.one(".everywhere .found").text.startswith("1 of ")
    browser.one(".hits a").click()
    assert browser.ask("return document.querySelector(location.hash).checkVisibility()")
    search.clear()
    search.send_keys("conforms")
    assert len(browser.all(".hits li")) == 60
    assert "the first 60 are shown" in browser.one(".everywhere .found").text
    search.clear()
    search.send_keys("nothing like it")
    assert not browser.all(".hits li")


def test_algorithms_and_topics_are_a_table(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"], 1280)
    heads = [cell.text for cell in browser.all(".matrix thead th")]
    assert heads[:3] == ["algorithm", "Assumptions", "Pseudo-code"]
    rows = browser.all(".matrix tbody tr")
    assert len(rows) == 22
    assert rows[0].text == "agent-0 ✓ 1 of 1"
    assert rows[9].text.startswith("broken ")
    browser.open(pages["scale"], 1280)
    assert not browser.all(".matrix"), "one or two algorithms need no table"
