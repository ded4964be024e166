"""The proof map in a real browser: readable on a phone and on a screen, in light and in dark, and in print."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from verifier_reports.page.writer import HtmlWriter

from ..unit.reports.sample import diagnosed
from .browser import Browser
from .test_page import COLLISIONS, OVERFLOW

CROWD = {f"a-claim-number-{i:03d}": tuple(f"a-claim-number-{j:03d}" for j in range(max(0, i - 20), i, 7)) for i in range(90)}
"""A proof as large as those of the plugins, with longer names."""

UNREADABLE = """
const channel = (value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const luminance = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(Number)
  .reduce((sum, value, i) => sum + [0.2126, 0.7152, 0.0722][i] * channel(value / 255), 0);
return Array.from(arguments[0].querySelectorAll(".claim-box")).flatMap((box) => {
  const rect = box.querySelector("rect"), place = rect.getBoundingClientRect();
  return Array.from(box.querySelectorAll("text")).filter((text) => {
    const own = text.getBoundingClientRect();
    const [a, b] = [luminance(getComputedStyle(text).fill), luminance(getComputedStyle(rect).fill)].sort((x, y) => x - y);
    return own.left < place.left || own.right > place.right || own.top < place.top - 1 || own.bottom > place.bottom + 1 ||
      own.height < 9 || (b + 0.05) / (a + 0.05) < 4.5;
  }).map((text) => `${box.getAttribute("class")}: ${text.textContent}`);
});
"""
"""Texts of a map that leave their box, are smaller than nine pixels, or have less contrast than accessibility asks for."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    record = diagnosed()
    (algorithm,) = record.algorithms
    claims = list(algorithm.claims)
    top = replace(claims[-1], broken_by=("value-formula",))
    large = replace(algorithm, claims=(*claims[:-1], top), proof={**CROWD, **algorithm.proof, "regret": ("optimism", *CROWD)})
    path = tmp_path_factory.mktemp("map") / "page.html"
    HtmlWriter().write(replace(record, algorithms=(large,)), path)
    return path


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (390, "light"), (1280, "dark"), (1280, "light")])
def test_a_large_proof_is_readable(browser: Browser, page: Path, width: int, scheme: str) -> None:
    browser.open(page, width, scheme)
    (shown,) = browser.all("svg.proof-map")
    assert len(shown.find_elements("css selector", ".claim-box")) == 96
    assert browser.ask(COLLISIONS, shown) == []
    assert browser.ask(UNREADABLE, shown) == []
    assert browser.ask(OVERFLOW) == []
    assert shown.get_attribute("aria-label").startswith("The proof of ucblvd: ")


def test_what_is_unreadable_would_be_seen(browser: Browser, page: Path) -> None:
    browser.open(page, 1280)
    svg = browser.one("svg.proof-map")
    browser.ask("arguments[0].querySelector('.claim-box.violated text + text').setAttribute('x', 9)", svg)
    browser.ask("arguments[0].querySelector('.claim-box.not-looked-at text').style.fill = '#cccccc'", svg)
    browser.ask("arguments[0].querySelector('.claim-box.assumption text').style.fontSize = '5px'", svg)
    browser.ask("arguments[0].querySelector('.claim-box.violated text + text').style.fontSize = '60px'", svg)
    assert {found.split(" ")[1] for found in browser.ask(UNREADABLE, svg)} == {"line", "step", "assumption"}


def test_a_click_leads_to_the_claim(browser: Browser, page: Path) -> None:
    browser.open(page, 1280)
    browser.ask("document.querySelector('.claim-box.violated.line').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    (opened,) = [one for one in browser.all("tr.more > td > details") if one.get_attribute("open")]
    assert "value-formula" in opened.get_attribute("innerHTML")


def test_it_is_printed_whole(browser: Browser, page: Path) -> None:
    browser.open(page, 720)
    browser.print_media(True)
    try:
        assert browser.ask(COLLISIONS, browser.one("svg.proof-map")) == []
    finally:
        browser.print_media(False)
