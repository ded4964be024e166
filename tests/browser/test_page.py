"""The HTML page in a real browser, at the widths of a phone and of a screen, in light and in dark."""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib.image
import pytest

from verifier.record import Record
from verifier_reports.page.writer import HtmlWriter

from ..unit.reports.entries import claim, entry
from ..unit.reports.figures import figure_record
from ..unit.reports.gated import with_bugs
from ..unit.reports.kills import power_record
from ..unit.reports.sample import algorithm, odd_records, record, sample
from ..unit.reports.scalings import scaling_record
from .browser import Browser

RECORDS: dict[str, Record] = {
    "check": sample(),
    "scale": scaling_record(),
    "figure": figure_record(),
    "power": power_record(),
    "gate": with_bugs(),
    "hostile": odd_records()["hostile text"],
    "empty": odd_records()["no algorithms"],
}
WIDTHS = (390, 1400)

OVERFLOW = """
const page = document.documentElement.clientWidth;
const inside = (element) => {
  for (let one = element.parentElement; one; one = one.parentElement)
    if (getComputedStyle(one).overflowX !== "visible") return true;
  return false;
};
return Array.from(document.body.querySelectorAll("*"))
  .filter((one) => !one.closest("svg") && !one.closest(".visually-hidden, .skip") && one.checkVisibility())
  .filter((one) => one.getBoundingClientRect().right > page + 1 && !inside(one))
  .map((one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 40)}`);
"""

COLLISIONS = """
const slanted = (text) => {
  const found = /rotate\\((-?[\\d.]+)/.exec(text.closest("[transform]")?.getAttribute("transform") ?? "");
  return found !== null && Number(found[1]) !== 0;
};
const area = (one) => {
  if (one.closest("svg")) return one.getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(one);
  return range.getBoundingClientRect();
};
const texts = Array.from(arguments[0].querySelectorAll("text, .panels a, .panels b, .panels small"))
  .map((one) => [one.textContent, area(one), slanted(one)])
  .filter(([text, box]) => box.width > 0);
const box = arguments[0].getBoundingClientRect();
const found = texts.filter(([, one]) => one.left < box.left - 1 || one.right > box.right + 1 || one.top < box.top - 1 ||
  one.bottom > box.bottom + 1).map(([text]) => `cut: ${text}`);
const straight = texts.filter(([, , rotated]) => !rotated);
for (let i = 0; i < straight.length; i++)
  for (let j = 0; j < i; j++) {
    const [a, b] = [straight[i][1], straight[j][1]];
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1 && down > 0.35 * Math.min(a.height, b.height)) found.push(`${straight[i][0]} over ${straight[j][0]}`);
  }
return found;
"""


CONTRAST = """
const channel = (value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
const behind = (element) => {
  for (let one = element; one; one = one.parentElement) {
    const color = parse(getComputedStyle(one).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
};
return Array.from(document.body.querySelectorAll("*"))
  .filter((one) => !one.closest("svg, .skip") && one.checkVisibility())
  .filter((one) => Array.from(one.childNodes).some((node) => node.nodeType === 3 && node.textContent.trim()))
  .map((one) => {
    const [a, b] = [luminance(parse(getComputedStyle(one).color)), luminance(behind(one))].sort();
    return [(b + 0.05) / (a + 0.05), `${one.className} ${one.textContent.trim().slice(0, 40)}`];
  })
  .filter(([ratio]) => ratio < 4.5).map(([ratio, text]) => `${ratio.toFixed(2)} ${text}`);
"""


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, data in RECORDS.items():
        found[name] = folder / f"{name}.html"
        HtmlWriter().write(data, found[name])
    return found


def column(browser: Browser, number: int, table: str = "table.claims") -> list[str]:
    """The texts of a column, top to bottom, of the rows one can see."""
    script = """
      return Array.from(document.querySelector(arguments[0]).querySelectorAll("tr.claim")).filter((row) => row.checkVisibility())
        .map((row) => row.cells[arguments[1]].querySelector("b, .pill")?.textContent ?? row.cells[arguments[1]].textContent);
    """
    return [str(text).strip() for text in browser.ask(script, table, number)]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", RECORDS)
def test_opens_from_disk_without_a_word_on_the_console_or_a_request(
    browser: Browser, pages: dict[str, Path], screenshots: Path, name: str, width: int
) -> None:
    browser.open(pages[name], width)
    assert browser.one("h1").is_displayed()
    assert browser.console() == []
    assert [url for url in browser.requests() if url != pages[name].absolute().as_uri()] == []
    assert len(browser.screenshot(screenshots / f"{name}-{width}.png")) > 10_000


@pytest.mark.parametrize("width", [*WIDTHS, 820, 1130])
@pytest.mark.parametrize("name", RECORDS)
def test_nothing_sticks_out_even_with_everything_open(browser: Browser, pages: dict[str, Path], name: str, width: int) -> None:
    browser.open(pages[name], width)
    for opened in (False, True):
        if opened:
            browser.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert browser.ask("return document.documentElement.scrollWidth") <= width
        assert browser.ask(OVERFLOW) == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["check", "scale", "power"])
def test_every_plot_is_visible_and_no_text_in_it_is_cut_or_covered(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    browser.open(pages[name], width)
    figures = browser.all("figure.plot")
    assert len(figures) == {"check": 1, "scale": 4, "power": 1}[name]
    for figure in figures:
        shown = [drawing for drawing in figure.find_elements("css selector", "svg, .panels") if drawing.is_displayed()]
        assert len(shown) == 1
        assert shown[0].size["width"] >= 250
        assert shown[0].size["height"] >= 150
        assert shown[0].get_attribute("aria-label")
        browser.ask("arguments[0].scrollIntoView()", shown[0])
        assert browser.ask(COLLISIONS, shown[0]) == []


def test_what_sticks_out_is_cut_or_covered_would_be_seen(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["scale"])
    svg = browser.one("figure.plot svg")
    browser.ask("const one = arguments[0].querySelector('text'); one.parentNode.append(one.cloneNode(true))", svg)
    assert any(" over " in found for found in browser.ask(COLLISIONS, svg))
    browser.ask("arguments[0].querySelector('text').setAttribute('transform', 'translate(-2000 0)')", svg)
    assert any(found.startswith("cut: ") for found in browser.ask(COLLISIONS, svg))
    browser.open(pages["check"])
    panels = browser.one(".panels")
    browser.ask("arguments[0].querySelector('small').style.marginLeft = '-60rem'", panels)
    assert any(found.startswith("cut: ") for found in browser.ask(COLLISIONS, panels))
    browser.ask("arguments[0].querySelectorAll('.axis b').forEach((one) => { one.style.left = '50%'; })", panels)
    assert any(" over " in found for found in browser.ask(COLLISIONS, panels))
    browser.ask("document.querySelector('.finding').insertAdjacentHTML('beforeend', '<p style=\"width: 3000px\">wide</p>')")
    assert any("wide" in found for found in browser.ask(OVERFLOW))
    assert browser.ask("return document.documentElement.scrollWidth") > 1400
    browser.ask("document.querySelector('.lead').style.color = '#aaaaaa'")
    assert browser.ask(CONTRAST) != []


def test_tables_sort_by_number_and_by_text_in_both_directions(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"])
    grouped = column(browser, 1)
    headers = {header.text.split("\n")[0].strip(" ↕"): header for header in browser.all("table.claims thead th")}
    headers["claim"].find_element("css selector", "button").click()
    assert column(browser, 1) == sorted(grouped)
    assert headers["claim"].get_attribute("aria-sort") == "ascending"
    headers["claim"].find_element("css selector", "button").click()
    assert column(browser, 1) == sorted(grouped, reverse=True)
    assert headers["claim"].get_attribute("aria-sort") == "descending"
    headers["verdict"].find_element("css selector", "button").click()
    verdicts = [text.split(" ", 1)[1] for text in column(browser, 0)]
    order = ["violated", "error", "inconclusive", "conforms", "observed", "vacuous", "not applicable"]
    assert verdicts == sorted(verdicts, key=order.index)
    headers["ratio"].find_element("css selector", "button").click()
    ratios = [float(text.replace("<", "").replace("ratio", "")) for text in column(browser, 5) if text]
    assert ratios == sorted(ratios, reverse=True)
    assert [text for text in column(browser, 5) if not text] == column(browser, 5)[len(ratios) :]
    assert not any(heading.is_displayed() for heading in browser.all("table.claims tr.theorem"))
    browser.one('[data-action="group"]').click()
    assert column(browser, 1) == grouped
    assert all(heading.is_displayed() for heading in browser.all("table.claims tr.theorem"))


def test_a_claim_keeps_its_details_when_the_table_is_sorted(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"])
    browser.one("table.claims thead th:nth-child(2) button").click()
    script = """
      return Array.from(document.querySelectorAll("table.claims tr.claim")).every((row) =>
        row.nextElementSibling.matches("tr.more") &&
        row.nextElementSibling.querySelector(".command code").textContent.includes(row.querySelector("b").textContent));
    """
    assert browser.ask(script)


def test_sections_open_and_close(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"])
    details = browser.one("table.claims tr.more details")
    table = details.find_element("css selector", "table.entries")
    assert not table.is_displayed()
    details.find_element("css selector", "summary").click()
    assert table.is_displayed()
    browser.one('[data-action="open"]').click()
    assert all(one.get_attribute("open") for one in browser.all("tr.more > td > details"))
    browser.one('[data-action="close"]').click()
    assert not table.is_displayed()


def test_filters_leave_what_was_asked_for(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"])
    every = column(browser, 1)
    browser.one('.filters [data-verdict="violated"]').click()
    assert column(browser, 1) == ["replan-trigger", "distillation-error"]
    assert browser.one(".found").text == f"2 of {len(every)} claims"
    browser.one(".tools input").send_keys("lemma")
    assert column(browser, 1) == ["distillation-error"]
    browser.one('.filters [data-verdict="violated"]').click()
    browser.one(".tools input").clear()
    browser.one(".tools input").send_keys("nothing like it")
    assert column(browser, 1) == []


def test_a_link_to_a_claim_opens_it(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"])
    browser.one(".finding.violated h4 a").click()
    opened = [one for one in browser.all("tr.more > td > details") if one.get_attribute("open")]
    assert len(opened) == 1
    assert "replan-trigger" in opened[0].text


def test_commands_can_be_copied(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"])
    button = browser.one(".finding .command button")
    button.click()
    browser.ask("return new Promise((resolve) => setTimeout(resolve, 100))")
    assert button.text == "Copied"
    assert browser.console() == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["check", "scale", "power"])
def test_dark_is_dark_and_light_is_light(
    browser: Browser, pages: dict[str, Path], screenshots: Path, name: str, width: int
) -> None:
    brightness = {}
    for scheme in ("light", "dark"):
        browser.open(pages[name], width, scheme)
        data = browser.screenshot(screenshots / f"{name}-{width}-{scheme}.png")
        brightness[scheme] = float(matplotlib.image.imread(io.BytesIO(data), format="png")[..., :3].mean())
        assert browser.console() == []
    assert brightness["dark"] < 0.25
    assert brightness["light"] > 0.85


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["check", "power"])
def test_text_has_the_contrast_accessibility_asks_for(browser: Browser, pages: dict[str, Path], name: str, scheme: str) -> None:
    browser.open(pages[name], 1400, scheme)
    browser.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browser.ask(CONTRAST) == []


def test_works_without_scripts(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"], script=False)
    try:
        assert browser.one("h1").is_displayed()
        assert not browser.one(".tools").is_displayed()
        details = browser.one("table.claims tr.more details")
        details.find_element("css selector", "summary").click()
        assert details.find_element("css selector", "table.entries").is_displayed()
        assert not browser.all("th button, .command button")
    finally:
        browser.open(pages["check"])


def test_print_is_short_unless_all_of_it_is_asked_for(browser: Browser, pages: dict[str, Path]) -> None:
    """At most four sheets, without places of claims, run and glossary; the button asks for all, for one print."""
    browser.open(pages["check"])
    assert browser.printed_pages() <= 4
    assert [each.text for each in browser.all(".contents details > button")] == ["Print all of it"]
    browser.ask("window.print = () => {}; document.querySelector('.contents details > button').click()")
    assert browser.printed_pages() > 4
    assert browser.printed_pages() <= 4


def test_a_report_on_48_claims_prints_on_four_sheets(browser: Browser, tmp_path: Path) -> None:
    """As many as the largest algorithm has, decided at places with long names, which made rows of four lines."""
    places = ("oracle[minimiser=farthest]@late-context", "published@adaptive-regret", "scaled(0.03)@one-feature")
    claims = [
        claim(f"bound-on-something-{at}", f"Lemma {at % 9}, corrected", f"Theorem {at // 6}", "R_K <= 2 H sqrt(T d log(1 + K/d))",
              "always", entry(f"bound-on-something-{at}", places[at % 3], "conforms", 1.9e-9, 9.64e5))
        for at in range(48)
    ]  # fmt: skip
    HtmlWriter().write(record(algorithm(claims)), tmp_path / "long.html")
    browser.open(tmp_path / "long.html")
    assert browser.printed_pages() <= 4
    browser.print_media(True)
    try:
        assert [one.is_displayed() for one in browser.all(".coverage")] == [False], "the count of statements stands above, too"
    finally:
        browser.print_media(False)


def test_print_of_all_shows_what_is_folded_and_nothing_that_needs_a_click(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["check"])
    browser.print_media(True)
    height = "return document.querySelector('table.entries').getBoundingClientRect().height"
    try:
        assert browser.ask(height) == 0
        browser.ask("document.documentElement.classList.add('whole')")
        assert browser.ask(height) > 20
        for hidden in (".contents", ".tools", ".command button"):
            assert not browser.one(hidden).is_displayed()
        assert browser.ask("return getComputedStyle(document.querySelector('.layout')).display") == "block"
    finally:
        browser.print_media(False)
