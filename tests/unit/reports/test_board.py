"""The board of published code: what its page says, and who is on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verifier import Guarantees
from verifier.base.errors import NothingSelectedError
from verifier.commands.board import adapters
from verifier.plugins.provided import Broken
from verifier.plugins.registry import Registry
from verifier_reports.board import BoardWriter
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
            assert f"✓ `{short_name(claim)}`" in text
    assert text.index("### ") < text.index("### What conforms")


def test_the_overview_counts() -> None:
    record, text = sample(), page()
    row = next(line for line in text.splitlines() if line.startswith(f"| `{record.algorithms[0].name}`"))
    counted = [str(len(with_verdict(record.algorithms[0], verdict))) for verdict in ("violated", "conforms", "inconclusive")]
    assert [cell.strip() for cell in row.split("|")][3:6] == counted


def test_what_could_not_be_loaded_is_on_it_with_what_to_do() -> None:
    record = sample()
    broken = replace(record.algorithms[0], claims=())
    text = BoardWriter().render(replace(record, algorithms=(broken,)))
    assert "not checked" in text


def test_adapters_are_the_algorithms_with_libraries_installed_or_missing() -> None:
    adapter = type("Adapter", (Drawer,), {"name": "theirs", "libraries": ("click",)})
    missing = Broken("other", "other", "needs a library", names=("absent",), optional=True)
    failed = Broken("failed", "failed", "does not load", names=("failed",))
    known = Registry({"drawer": Guarantees(Drawer), "theirs": Guarantees(adapter)}, broken=[missing, failed])
    assert adapters(known) == ("theirs", "absent")
    with pytest.raises(NothingSelectedError, match="no adapter of another library is installed"):
        adapters(Registry({"drawer": Guarantees(Drawer)}))
