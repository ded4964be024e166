"""The board of published code: what its page says, and who is on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verifier import Guarantees
from verifier.base.errors import NothingSelectedError
from verifier.commands.board import adapters
from verifier.plugins.provided import Broken
from verifier.plugins.registry import Registry
from verifier_reports.board import BoardWriter, findings_of
from verifier_reports.board_html import BoardHtmlWriter
from verifier_reports.summary import short_name, with_verdict

from ..verifier.campaign.test_expectation import Drawer
from .sample import sample


def page() -> str:
    record = sample()
    first, *others = record.algorithms
    adapted = replace(first, settings={**first.settings, "libraries": {"their-library": "2.1"}})
    return BoardWriter().render(replace(record, algorithms=(adapted, *others)))


def test_the_page_names_versions_and_date_and_leads_with_what_is_violated() -> None:
    record, text = sample(), page()
    assert "their-library 2.1" in text
    assert f"verifier {record.verifier}" in text
    assert record.finished.partition("T")[0] in text
    for algorithm in record.algorithms:
        for claim in with_verdict(algorithm, "violated"):
            assert claim.id in text
            assert claim.deciding is None or f"verifier replay {claim.deciding.replay}" in text.replace("'", "")
        for claim in with_verdict(algorithm, "conforms"):
            assert f"| `{short_name(claim)}` |" in text
    assert text.index("### Violated") < text.index("### Conforms")


def test_the_overview_counts() -> None:
    record, text = sample(), page()
    row = next(line for line in text.splitlines() if line.startswith(f"| `{record.algorithms[0].name}`"))
    counted = [str(len(with_verdict(record.algorithms[0], verdict))) for verdict in ("violated", "conforms", "inconclusive")]
    assert [cell.strip() for cell in row.split("|")][3:7] == [counted[0], "0", *counted[1:]]


def test_the_head_counts_agents_and_libraries_and_names_what_conforms() -> None:
    record = sample()
    first = record.algorithms[0]
    adapted = replace(first, settings={**first.settings, "libraries": {"their-library": "2.1"}})
    kept = tuple(claim for claim in first.claims if claim.verdict != "violated")
    right = replace(adapted, name="right", title="Their UCB", claims=kept)
    text = BoardWriter().render(replace(record, algorithms=(adapted, right)))
    assert "**2 agents of 1 library: in 1 of them nothing is violated" in text
    assert "and 1 has findings.**" in text
    assert "Nothing is violated in Their UCB." in text
    assert text.index("Nothing is violated") < text.index("| agent |")


def test_what_the_library_documents_is_no_finding() -> None:
    record = sample()
    first, *others = record.algorithms
    violated = with_verdict(first, "violated")
    why = "documented as a choice of its own"
    claims = tuple(replace(claim, why=why) if claim.id == violated[0].id else claim for claim in first.claims)
    text = BoardWriter().render(replace(record, algorithms=(replace(first, claims=claims), *others)))
    row = next(line for line in text.splitlines() if line.startswith(f"| `{first.name}`"))
    assert [cell.strip() for cell in row.split("|")][3:5] == [str(len(violated) - 1), "1"]
    apart = text.partition("### Documented deviations, which are no findings")[2].partition("\n###")[0]
    assert f"✗ `{short_name(violated[0])}`" in apart
    assert f"`{short_name(violated[0])}` |" not in row
    assert "### Documented deviations" not in page()


def violated_claim(**changes: object) -> str:
    """Page of a record whose first violated claim is changed."""
    record = sample()
    first, *others = record.algorithms
    name = with_verdict(first, "violated")[0].id
    claims = tuple(replace(claim, broken_by=(), **changes) if claim.id == name else claim for claim in first.claims)  # type: ignore[arg-type]  # of the fields given
    return BoardWriter().render(replace(record, algorithms=(replace(first, claims=claims), *others)))


def test_the_note_of_the_adapter_leads_and_is_marked_as_argued() -> None:
    text = violated_claim(why="the bonus is stale", difference="Where it fails: no explanation fits all comparisons.")
    assert "- **Argued by hand:** the bonus is stale" in text
    assert "no explanation fits" not in text
    broken = violated_claim(why="theorem broken, Line 6 has a minimum with H: `plan` has none")
    assert "- **Theorem broken:** Line 6 has a minimum with H\n- **Argued by hand:** `plan` has none" in broken
    assert "- **Recognised by the check:** 1/2 of the formula." in violated_claim(why="", difference="1/2 of the formula.")


def test_the_line_the_script_and_what_it_prints_are_there() -> None:
    text = violated_claim(code="lib/agent.py:7: b = 1", script="import lib\nprint(lib.f())\n", prints="reported 2, expected 1")
    assert "- **Line:** `lib/agent.py:7: b = 1`" in text
    assert (
        "```python\nimport lib\nprint(lib.f())\n```\n\nThe last line that it prints:\n\n```text\nreported 2, expected 1\n```"
        in text
    )
    assert "```python" not in violated_claim()


def test_places_are_counted_and_three_are_named() -> None:
    entry = with_verdict(sample().algorithms[0], "violated")[0].deciding
    assert entry is not None
    text = violated_claim(regimes=tuple(replace(entry, instance=f"place-{i}") for i in range(30)), decisive=0)
    assert "`oracle@place-3` and 26 more" in text or "`published@place-3` and 26 more" in text
    assert "place-4`" not in text


def test_what_other_claims_fail_because_of_comes_first() -> None:
    record = sample()
    first, *_ = record.algorithms
    base = replace(with_verdict(first, "violated")[0], broken_by=())
    often = replace(base, id="a/often")
    lemma = replace(base, id="a/lemma")
    resting = replace(base, id="a/resting", broken_by=("custom", "lemma"))
    custom = replace(base, id="a/custom", why="documented as a choice")
    found = findings_of(replace(first, claims=(often, custom, lemma, resting)))
    assert [(claim.name, [each.name for each in rest]) for claim, rest in found] == [("lemma", ["resting"]), ("often", [])]


def test_what_could_not_be_loaded_is_on_it_with_what_to_do() -> None:
    record = sample()
    broken = replace(record.algorithms[0], claims=())
    text = BoardWriter().render(replace(record, algorithms=(broken,)))
    assert "not checked" in text


def test_the_agents_with_more_violated_claims_come_first() -> None:
    record = sample()
    first, *_ = record.algorithms
    clean = replace(first, name="clean", title="Clean", claims=tuple(with_verdict(first, "conforms")))
    missing = replace(first, name="missing", title="Missing", claims=())
    text = BoardWriter().render(replace(record, algorithms=(missing, clean, first)))
    places = [text.index(f"| `{name}` |") for name in (first.name, "clean", "missing")]
    assert places == sorted(places)
    assert text.index("\n## Clean") < text.index("\n## Missing")


def test_the_page_for_a_browser_has_the_same_and_nothing_of_a_record_is_markup() -> None:
    record = sample()
    first, *others = record.algorithms
    text = BoardHtmlWriter().render(replace(record, algorithms=(replace(first, title="<script>x</script>"), *others)))
    assert text.startswith("<!doctype html>")
    assert "<script" not in text
    assert "&lt;script&gt;x" in text
    assert "default-src 'none'" in text
    for claim in with_verdict(first, "violated"):
        assert short_name(claim) in text
    assert text.count("<table>") >= 1 + sum(bool(with_verdict(each, "conforms")) for each in record.algorithms)
    assert "| `" not in text


def test_adapters_are_the_algorithms_with_libraries_installed_or_missing() -> None:
    adapter = type("Adapter", (Drawer,), {"name": "theirs", "libraries": ("click",)})
    missing = Broken("other", "other", "needs a library", names=("absent",), optional=True)
    failed = Broken("failed", "failed", "does not load", names=("failed",))
    known = Registry({"drawer": Guarantees(Drawer), "theirs": Guarantees(adapter)}, broken=[missing, failed])
    assert adapters(known) == ("theirs", "absent")
    with pytest.raises(NothingSelectedError, match="no adapter of another library is installed"):
        adapters(Registry({"drawer": Guarantees(Drawer)}))
