from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from verifier_reports.markdown import MarkdownWriter
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


def test_nothing_is_left_out() -> None:
    whole = sample()
    text = MarkdownWriter().render(whole)
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
    assert shown(cell[1]) == text
    assert shown(PARSER.render(written)) == text


def test_names_and_numbers_do_not_become_mentions() -> None:
    assert "@octocat" not in prose("ask @octocat about #12")
    assert "#12" not in prose("ask @octocat about #12")


def test_a_block_is_not_ended_by_its_content() -> None:
    assert block("a\n```\n  b").splitlines() == ["````text", "a", "```", "  b", "````"]
