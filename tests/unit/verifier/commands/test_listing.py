"""What `verifier list` imports, which is nearly all the time it takes, and what it does without."""

from __future__ import annotations

import gc
import subprocess
import sys
from importlib import metadata

import pytest
from packaging.requirements import Requirement

from verifier import record, statistics
from verifier.base.extras import install
from verifier.base.version import DISTRIBUTION
from verifier.plugins.loading import Installed

PROGRAM = """
import sys
from verifier.cli.main import main
for command in ("--help", "list"):
    main.main([command], standalone_mode=False)
    print("\\nIMPORTED", *sys.modules)
"""

UNUSED = {
    *("verifier.campaign", "verifier.trials", "verifier.statistics.rate", "verifier.record.entries", "verifier.base.reading"),
    *("verifier_reports.json_report", "verifier_reports.terminal", "verifier_reports.page", "rich", "jinja2", "matplotlib"),
    *("numpy.random", "scipy", "cvxpy", "hypothesis", "pebble", "sqlite3", "packaging", "jsonschema", "tomllib"),
}
"""What runs trials, reaches verdicts, keeps and renders."""


def test_a_list_imports_nothing_that_runs_decides_or_renders_and_help_no_numpy() -> None:
    shown = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    helped, listed = ({*line.split()} for line in shown.splitlines() if line.startswith("IMPORTED "))
    assert "verifier.cli.main" in helped
    assert {"numpy", "verifier.model"} & helped == set()
    assert {"numpy", "verifier_reports.formats", "verifier_ucblvd.ucblvd.claims"} <= listed
    assert listed & UNUSED == set()


def test_what_an_extra_takes_is_what_a_reader_of_any_condition_finds() -> None:
    stated = [Requirement(text) for text in metadata.requires(DISTRIBUTION) or ()]
    for extra in ("docs", "distributed", "gymnasium", "rlberry"):
        found = [f"{each.name}{each.specifier}" for each in stated if each.marker and each.marker.evaluate({"extra": extra})]
        assert found, extra
        assert install(extra).replace("'", "") == " ".join(["pip", "install", *found])
    assert install("unheard-of") == f"pip install '{DISTRIBUTION}[unheard-of]'"


def test_all_that_a_package_offers_is_there_when_it_is_asked_for() -> None:
    for package in (record, statistics):
        assert all(getattr(package, name) is not None for name in package.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Recrod'"):
        record.Recrod  # noqa: B018  # that it is looked up is the test


@pytest.mark.parametrize("before", [True, False])
def test_garbage_is_collected_again_once_plugins_are_imported(before: bool) -> None:
    found, during = Installed(), list[bool]()
    collecting = gc.isenabled()
    try:
        (gc.enable if before else gc.disable)()
        with pytest.raises(KeyError):
            found.until(lambda: during.append(gc.isenabled()) or {}["stop"])  # appends, and then raises
        assert (during, gc.isenabled()) == ([False], before)
    finally:
        (gc.enable if collecting else gc.disable)()
