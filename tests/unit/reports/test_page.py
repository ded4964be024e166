from __future__ import annotations

import html
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.record import ErratumEntry, InstanceEntry, Record
from verifier_reports.page import view, writer
from verifier_reports.page.text import block, breakable, mathematics, safe, typeset
from verifier_reports.page.writer import HtmlWriter

from .entries import broken_lemma, claim, entry
from .kills import power_record
from .sample import algorithm, clean_sample, odd_records, record, sample, sample_claims
from .scalings import scaling_record
from .screens import SCREENS

RECORDS: dict[str, Record] = {
    "sample": sample(),
    "clean": clean_sample(),
    "scaling": scaling_record(),
    "power": power_record(),
    **odd_records(),
}
VOID = {"meta", "input", "br", "link", "img", "hr", "wbr", "use", "path"}


ENDS_BEFORE = {
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "td": {"td", "th", "tr", "tbody"},
    "th": {"td", "th", "tr", "tbody"},
    "tr": {"tr", "tbody"},
    "thead": {"tbody"},
    "tbody": {"tbody"},
}
"""Elements without end tags, and what ends them; the end of what they are in ends them, too."""


class Page(HTMLParser):
    """What a page consists of, as a browser reads it; complains about tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        while self.open and tag in ENDS_BEFORE.get(self.open[-1], ()):
            self._end(self.open.pop())
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while tag not in VOID and self.open[-1] != tag and self.open[-1] in ENDS_BEFORE:
            self._end(self.open.pop())
        if tag not in VOID:
            self._end(tag)
            assert self.open.pop() == tag

    def _end(self, tag: str) -> None:
        """A cell or an item is a line of its own."""
        self.words.append("\n" if tag in ENDS_BEFORE else "")

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for found, attributes in self.tags if found == tag]


def page(data: Record) -> Page:
    return Page(HtmlWriter().render(data))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", RECORDS)
def test_every_record_is_a_well_formed_page(name: str) -> None:
    found = page(RECORDS[name])
    ids = [attributes["id"] for _, attributes in found.tags if attributes.get("id")]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for attributes in found.all("a")]
    assert {link for link in links if link} <= {f"#{one}" for one in ids}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", RECORDS)
def test_a_page_asks_for_nothing_outside_itself(name: str) -> None:
    text = HtmlWriter().render(RECORDS[name])
    found = Page(text)
    assert not found.all("link")
    assert not found.all("img")
    assert all("src" not in attributes for _, attributes in found.tags)
    assert not re.search(r"@import|url\((?!#)", text)
    assert any("default-src 'none'" in (attributes.get("content") or "") for attributes in found.all("meta"))


def test_text_of_a_record_is_never_markup() -> None:
    attack = "<script>alert(1)</script><img src=x onerror=alert(2)>\" ' & ]]>"
    bad = claim(
        attack, attack, attack, f"x_h <= {attack}", "given", entry(attack, f"oracle@{attack}", "violated", 3.0, 2.0, violations=1)
    )
    data = record(algorithm([bad], name=attack, title=attack, paper=attack))
    found = page(data)
    assert len(found.all("script")) == 1
    assert not found.all("img")
    assert not [1 for _, attributes in found.tags if any(name.startswith("on") for name in attributes)]
    assert "alert(1)" in found.text


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("<mi>b</mi><mo>≤</mo><mn>1</mn>", "<mi>b</mi><mo>≤</mo><mn>1</mn>"),
        ('<mrow onclick="x()"><mi>a\xa0&#124;</mi></mrow>', "<mrow><mi>a\xa0|</mi></mrow>"),
        ("<mi>a &lt; b</mi>", "<mi>a &lt; b</mi>"),
        ("<script>alert(1)</script>", ""),
        ("<mtext><a>b</a></mtext>", ""),
        ("<mi>cut […]", ""),
        ("</math><b>", ""),
        ("only text", ""),
        ("", ""),
    ],
)
def test_a_formula_is_mathml_and_nothing_else_is(formula: str, shown: str) -> None:
    assert str(typeset(formula)) == (f'<math displaystyle="true">{shown}</math>' if shown else "")


def test_claims_have_the_formula_that_is_compared() -> None:
    """Beside the statement, folded in the table and open at a violation; older records have none."""
    bad = claim("bonus", "Line 6", "Theorem 1", "b_k = 2", "identity", entry("s1", "oracle", "violated", 3.0, 2.0, violations=1))
    shown = HtmlWriter().render(record(algorithm([replace(bad, formula="<mi>b</mi><mo>=</mo><mn>2</mn>")])))
    assert shown.count("<mi>b</mi><mo>=</mo><mn>2</mn></math>") == 2
    assert "<math" not in HtmlWriter().render(record(algorithm([bad])))


def test_every_claim_is_there_with_its_statement_and_a_command_that_replays_it() -> None:
    data = RECORDS["sample"]
    text = page(data).text
    for one in data.algorithms[0].claims:
        assert one.id.partition("/")[2] in text
        assert re.sub(r"[_^{}]", "", one.why) in re.sub(r"[_^{}]", "", text)
        assert view.replay_command(data, data.algorithms[0], one) in text
    assert "verifier replay ucblvd/optimism:lock:oracle:3:20250301" in text
    assert "verifier check ucblvd --claim linear-mdp --seed 20250301 --profile quick" in text


def test_the_page_has_what_the_record_has() -> None:
    text = page(RECORDS["sample"]).text
    for part in (
        "claims violated.",
        "What is violated",
        "3.21 <= 2.10 is false (1.53 times the bound)",
        "What went wrong",
        "the trial ran longer than 20 s",
        "At the paper's sizes",
        "How tight each bound is",
        "31 of the paper's 34 statements checked",
        "a covering number; no run could contradict it",
        "printed with LambdaK, which fails at K = 1",
        "Error budget",
        "profile quick",
        "seed 20250301",
        "3f9a1c2b77d0e4aa",
        "numpy",
        "Linux-x86_64",
    ):
        assert part in text, part


def test_errata_of_a_record_are_shown() -> None:
    erratum = ErratumEntry("potential-index", "eq. 15", "S <= log det L^K", "off by one", "L^{K+1}", "not implied")
    text = page(record(algorithm(sample_claims(), errata=(erratum,)))).text
    assert "Corrections to what is printed" in text
    assert "potential-index" in text
    assert "off by one" in text
    assert "What is printed and cannot be relied on: 1 not implied" in text


@pytest.mark.parametrize(
    ("name", "line", "verdict"),
    [
        ("clean", "Nothing violated.", "conforms"),
        ("scaling", "1 of 4 claims violated.", "violated"),
        ("power", "3 of 6 planted bugs found; 1 declared equivalent.", "violated"),
        ("no algorithms", "Nothing was checked.", "inconclusive"),
        ("only errors", "Nothing violated, but 2 errors.", "error"),
    ],
)
def test_the_bottom_line(name: str, line: str, verdict: str) -> None:
    assert view.bottom_line(RECORDS[name]) == (line, verdict)


def test_the_first_view_and_the_window_name_the_finding() -> None:
    data = SCREENS["violation"]
    line = "value-formula (eq. 7): everywhere: 0.500 times the formula."
    assert view.bottom_line(data) == (line, "violated")
    text = HtmlWriter().render(data)
    assert f"<title>✗ {line} · ucblvd · Conformance report</title>" in text
    assert text.count("3 violated") == 2  # in the line below, and in the label of the bar
    many = replace(data, algorithms=tuple(replace(data.algorithms[0], name=f"a{number}") for number in range(4)))
    assert view.window_title(many).endswith(" · 4 algorithms · Conformance report")


def test_the_page_of_a_rate_that_conforms_begins_with_the_rate() -> None:
    (one,) = RECORDS["scaling"].algorithms
    right = replace(one, claims=tuple(each for each in one.claims if each.verdict == "conforms"))
    line, tone = view.bottom_line(replace(RECORDS["scaling"], algorithms=(right,)))
    assert re.fullmatch(r"regret grows like K\^0\.48 \(0\.43 to 0\.53\); .* allows (K\^[\d.]+ here|.*)\.", line), line
    assert tone == "conforms"


def test_large_claims_show_their_worst_places_and_every_regime() -> None:
    places = [
        entry("x", f"{regime}@i{number}", "conforms", 0.1, 1.0) for regime in ("published", "oracle") for number in range(50)
    ]
    places[70] = entry("x", "oracle@bad", "violated", 2.0, 1.0, violations=1)
    places[20] = entry("x", "published@empty", "vacuous", 0.1, 9.0, powered=0)
    data = record(algorithm([claim("x", "Lemma 1", "T", "x <= y", "always", *places)]))
    one = data.algorithms[0].claims[0]
    shown = view.shown_entries(one, 6)
    assert len(shown) == 6
    assert {found.instance for found in shown} >= {"bad", "empty"}
    assert {found.regime for found in shown} == {"published", "oracle"}
    order = [one.regimes.index(found) for found in shown]
    assert order == sorted(order)
    assert view.shown_entries(one, 200) == list(one.regimes)
    assert "the worst and most telling" not in page(data).text


def test_a_record_too_large_for_a_page_says_what_it_leaves_out() -> None:
    places = [entry("x", f"oracle@i{number}", "conforms", 0.1, 1.0) for number in range(300)]
    claims = [claim(f"x{number}", "Lemma 1", "T", "x <= y", "always", *places) for number in range(10)]
    data = record(algorithm(claims))
    assert view.entry_limit(data) == 60
    text = page(data).text
    assert text.count("60 of 300 regimes and instances") == 10
    assert "the worst and most telling of its regimes and instances (the JSON record has them all)" in text


def test_a_page_of_all_algorithms_stays_small_and_draws_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two dozen algorithms with forty claims each have three megabytes: 3,300 characters a claim, and what every page has.

    Instances that several algorithms have are described once; the picture of room needs no drawing library.
    """
    monkeypatch.setattr(writer, "_svg", lambda plot: pytest.fail(f"{plot.name} is drawn"))
    monkeypatch.setattr(view, "entry_limit", lambda whole: 3)  # that of two dozen algorithms
    places = [f"{regime}@instance-{at}" for regime in ("published", "oracle", "oracle[minimiser=farthest]") for at in range(4)]
    found = [
        claim(f"bound-{at}", f"Lemma {at}", f"Theorem {at // 8}", "V^{pi^k}_1(s) <= 2 H sqrt(T d log(1 + K/d))", "always",
              *(entry(f"bound-{at}", place, "conforms", 0.1 * at, 9.0) for place in places))
        for at in range(40)
    ]  # fmt: skip
    names = [one.id.partition("/")[2] for one in found]
    proof = {name: tuple(names[max(0, at - 5) : at]) or ("pseudo-code",) for at, name in enumerate(names)}
    problem = "a problem that is told in a sentence"
    instances = tuple(InstanceEntry(f"instance-{at}", problem, "", {"S": 5}, {}) for at in range(40))
    whole = [replace(algorithm(found, name=f"agent-{at}"), proof=proof, instances=instances) for at in range(4)]
    text = HtmlWriter().render(record(*whole))
    assert len(text.encode()) < 66_000 + 3_300 * len(whole) * len(found)
    assert text.count(problem) == 40
    assert text.count('href="#agent-0-instance-instance-7">as for agent-0</a>') == 3


def test_the_budget_is_told_claim_by_claim() -> None:
    whole = RECORDS["sample"].algorithms[0]
    found = view.spendings(whole)
    assert sum(one.reject for one in found) == pytest.approx(whole.ledger.spent)
    assert [one.reject for one in found] == sorted((one.reject for one in found), reverse=True)


def test_a_violated_algorithm_is_marked_so_everywhere() -> None:
    data = record(algorithm([broken_lemma()]))
    assert view.algorithm_verdict(data.algorithms[0]) == "violated"
    assert "tone-violated" in HtmlWriter().render(data)


@pytest.mark.parametrize(
    ("line", "markup"),
    [
        ("Q_h^k(s,a) ≥ Q*_h", "Q<sub>h</sub><sup>k</sup>(s,a) ≥ Q*<sub>h</sub>"),
        ("Lambda_h^{-1}", "Lambda<sub>h</sub><sup>-1</sup>"),
        ("||x||_{B^-1}", "||x||<sub>B<sup>-1</sup></sub>"),
        ("E_{d_{h+1}}g ≤ V^{π^k}_1", "E<sub>d<sub>h+1</sub></sub>g ≤ V<sup>π<sup>k</sup></sup><sub>1</sub>"),
        ("E_ρf² + E_{η×U}g", "E<sub>ρ</sub>f² + E<sub>η×U</sub>g"),
        ("K^0.48, sqrt_not_this", "K<sup>0.48</sup>, sqrt_not_this"),
        ("V_{h+1}(s'_t, w_j)", "V<sub>h+1</sub>(s&#39;<sub>t</sub>, w<sub>j</sub>)"),
        ("φ_t φ_tᵀ", "φ<sub>t</sub> φ<sub>t</sub>ᵀ"),
        ("K^1.4e-3, K^2.5e+7.", "K<sup>1.4e-3</sup>, K<sup>2.5e+7</sup>."),
        ("n^2. From K^0.5.", "n<sup>2</sup>. From K<sup>0.5</sup>."),
        ("a < b & c_<", "a &lt; b &amp; c_&lt;"),
    ],
)
def test_indices_and_exponents(line: str, markup: str) -> None:
    assert str(mathematics(line)) == markup


@given(st.text())
def test_mathematics_keeps_every_character_but_the_marks_it_reads(line: str) -> None:
    bare = html.unescape(re.sub(r"</?su[bp]>", "", str(mathematics(line))))
    kept = re.sub(r"[_^{}]", "", str(safe(line)).strip())
    assert re.sub(r"[_^{}]", "", bare) == kept


def test_blocks_keep_their_lines_and_indents() -> None:
    assert str(block("a <b>\n  c\x1b[31m")) == "a &lt;b&gt;\n  c�[31m"


def test_places_may_be_broken_after_the_regime() -> None:
    assert str(breakable("oracle@<x>")) == "oracle@<wbr>&lt;x&gt;"


def test_the_mark_of_an_algorithm_stands_apart_from_its_name() -> None:
    text = HtmlWriter().render(RECORDS["clean"])
    assert re.search(r'<span class="mark \w+" aria-hidden="true">.</span> <h2>ucblvd</h2>', text)
    assert str(breakable("scaled(0.03)")) == "scaled<wbr>(0.03)"


def test_printed_text_keeps_the_blanks_around_it() -> None:
    assert safe(", ") == ", "
    assert safe(" \x00x") == " �x"
    assert safe(None) == ""
    assert safe(3) == 3
