from __future__ import annotations

import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from verifier.record import Record
from verifier_reports.markdown import _PARTS, FITS, FullMarkdownWriter, MarkdownWriter, _cut, page
from verifier_reports.markup import block, code, prose

from .sample import clean_sample, odd_records, sample

RECORDS = {"sample": sample(), "clean": clean_sample(), **odd_records()}
PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")


def shown(html: str) -> str:
    import html as entities

    return entities.unescape(re.sub(r"<[^>]*>", "", html)).replace("\u200b", "").strip()


@pytest.mark.parametrize("name", RECORDS)
def test_every_table_row_has_as_many_cells_as_its_header(name: str) -> None:
    html = PARSER.render(MarkdownWriter().render(RECORDS[name]))
    for found in re.findall(r"<table>.*?</table>", html, re.DOTALL):
        sizes = {len(re.findall(r"<t[hd]\b", row)) for row in re.findall(r"<tr>.*?</tr>", found, re.DOTALL)}
        assert len(sizes) == 1
    assert html.count("<details>") == html.count("</details>")
    assert "| ---" not in shown(html)


def copies(count: int) -> Record:
    """A record of many algorithms like that of the sample, violations included."""
    (given,) = sample().algorithms
    return replace(sample(), algorithms=tuple(replace(given, name=f"{given.name}-{number}") for number in range(count)))


@pytest.mark.parametrize("count", [1, 5, 12])
def test_a_page_fits_in_an_issue_and_says_what_is_left_out(count: int) -> None:
    record = copies(count)
    text, whole = MarkdownWriter().render(record), FullMarkdownWriter().render(record)
    assert len(text) <= FITS < len(whole) or text == whole
    assert ("markdown-full" in text) == (text != whole)
    html = PARSER.render(text)
    assert html.count("<details>") == html.count("</details>")
    assert "| ---" not in shown(html)
    assert shown(html).count("Exit 1.") == 1
    if len(text) < FITS - 1000:  # nothing was cut: what is violated is told of each algorithm
        assert all(f"{item.name}" in text for item in record.algorithms)
        violated = [claim.id for item in record.algorithms for claim in item.claims if claim.verdict == "violated"]
        assert violated
        assert all(name in text for name in violated)


def test_parts_are_left_out_one_after_the_other_and_not_more_than_needed() -> None:
    lengths = [len(page(copies(3), without=list(_PARTS)[:count])) for count in range(len(_PARTS) + 1)]
    assert lengths == sorted(lengths, reverse=True)
    text = MarkdownWriter().render(copies(3))
    assert len(text) == max(length for length in lengths if length <= FITS)


def test_a_text_that_is_cut_closes_what_is_open() -> None:
    text = "<details><summary>x</summary>\n\n````text\n" + "a line\n" * 20_000
    cut = _cut(text)
    assert len(cut) <= FITS
    html = PARSER.render(cut)
    assert html.count("<details>") == html.count("</details>") == 1
    assert "does not fit in an issue" in shown(html.rpartition("</details>")[2])


def test_nothing_is_left_out() -> None:
    whole = sample()
    text = FullMarkdownWriter().render(whole)
    html = shown(PARSER.render(text))
    algorithm = whole.algorithms[0]
    for claim in algorithm.claims:
        assert claim.statement in html
        assert claim.why in html
        for entry in claim.regimes:
            assert entry.replay in html
            assert entry.reason in html
    for clause in algorithm.clauses_unchecked:
        assert clause.reason in html
    for value in (*whole.environment.values(), algorithm.source_hash, "Budget 1e-3"):
        assert value in html


STRINGS = [
    "a | b",
    r"a \| b",
    r"\|x\| <= `y`",
    "``",
    "`x",
    "*a* _b_ __c__ ~~d~~ [e](f) ![g](h)",
    "<b>x</b> & <script>",
    "# title",
    "- item",
    "1. item",
    "$x_1$ {y}",
    "|<xi_h, psi>| <= ||phi||^2_{Lambda^-1}",
    "end \\",
]


@pytest.mark.parametrize("text", STRINGS)
@pytest.mark.parametrize("write", [prose, code])
def test_text_is_shown_as_it_is(text: str, write: object) -> None:
    from verifier_reports.markup import table

    written = write(text)
    html = PARSER.render(table(("x",), [(written,)]))
    cell = re.search(r"<td>(.*?)</td>", html, re.DOTALL)
    assert cell is not None
    expected = text.replace("`y`", "y") if write is prose else text  # what is in backticks is code in prose, too
    assert shown(cell[1]) == expected
    assert shown(PARSER.render(written)) == expected


def test_names_and_numbers_do_not_become_mentions() -> None:
    assert "@octocat" not in prose("ask @octocat about #12")
    assert "#12" not in prose("ask @octocat about #12")


def test_a_block_is_not_ended_by_its_content() -> None:
    assert block("a\n```\n  b").splitlines() == ["````text", "a", "```", "  b", "````"]
