"""Documents say what the code does."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from verifier.base.version import __version__
from verifier.cli.main import main
from verifier.plugins.registry import registry

from ..power.constants import CHANGES
from ..power.formulas import formulas

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    *("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"),
    *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))),
)


SOURCES = ("pyproject.toml", *(f"{folder}/" for folder in ("verifier", "plugins", "properties", "reports", "tests")))
DOTTED = re.compile(r"`(verifier(?:_[a-z]\w*)?(?:\.[A-Za-z_]\w*)+)(?:\(.*?)?`")
"""A name in backticks, with or without arguments."""

PATH = re.compile(r"`((?:tests|verifier|plugins|properties|reports)/[\w./-]+\.\w+)`")


def texts() -> Iterator[tuple[str, str]]:
    """Documents, configuration and sources, by path."""
    for name in (*DOCUMENTS, *SOURCES):
        files = (
            [ROOT / name]
            if not name.endswith("/")
            else sorted([*(ROOT / name).rglob("*.py"), *(ROOT / name).rglob("*.template")])
        )
        yield from ((str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")) for file in files)


def exists(name: str) -> bool:
    """Whether a dotted name is that of a module, or of something in one; fields of dataclasses without a default included."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: Any = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                return True  # it needs a library that is not installed
            continue
        for part in parts[cut:]:
            if not hasattr(found, part):
                return part in getattr(found, "__dataclass_fields__", {})
            found = getattr(found, part)
        return True
    return False


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_the_same_everywhere() -> None:
    assert tomllib.loads(text_of("pyproject.toml"))["project"]["version"] == __version__


def test_files_that_are_named_exist() -> None:
    named = {(where, path) for where, text in texts() for path in PATH.findall(text)}
    named |= {("pyproject.toml", path) for path in re.findall(r"#.*?\b(\w+/[\w/]+\.py)\b", text_of("pyproject.toml"))}
    assert len(named) > 10
    assert sorted((where, path) for where, path in named if not (ROOT / path).exists()) == []


def test_modules_and_functions_that_are_named_exist() -> None:
    named = {(where, name) for where, text in texts() for name in DOTTED.findall(text)}
    assert len(named) > 50
    assert sorted((where, name) for where, name in named if not exists(name)) == []


def test_what_does_not_exist_is_found() -> None:
    good = (
        "verifier.base",
        "verifier.record.Record.from_json",
        "verifier.model.claim.Claim.source",
        "verifier_properties.any_setting",
    )
    bad = ("verifier.arrays", "verifier.model.claim.Claim.sauce", "verifier_properties.nothing", "verifier_nothing.x")
    assert [exists(name) for name in (*good, *bad)] == [True] * 4 + [False] * 4
    assert DOTTED.findall("`verifier.Width(a, b=1)` `verifier check` ``verifier.base``") == ["verifier.Width", "verifier.base"]


def test_commands_named_in_the_readme_exist() -> None:
    named = set(re.findall(r"verifier (list|check|explain|replay|report|power|errata|scale|new|gate)\b", text_of("README.md")))
    assert {"list", "check", "explain", "replay", "report"} <= named
    assert named <= set(main.commands)


def test_options_named_in_the_readme_exist() -> None:
    known = {option for command in main.commands.values() for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", text_of("README.md"))) <= known | {
        "--help",
        "--verifier",  # of pytest
        *("--port", "--nworkers", "--nthreads"),  # of dask
    }


def test_the_number_of_published_agents_is_that_of_the_page() -> None:
    """Agents are told apart by their name and their version, since what conforms may stand in both tables of the page."""
    tables = text_of("docs/published-code.md").partition("## The arithmetic")[0]
    rows = [line.split(" | ") for line in tables.splitlines() if line.startswith("| ") and "`" in line.partition(" | ")[0]]
    agents = {(re.findall(r"`([^`]+)`", row[0])[0], row[1]) for row in rows}
    for name in ("README.md", "docs/index.md"):
        told = re.search(r"(\d+) agents of\s+22 other packages", text_of(name))
        assert told is not None
        assert int(told[1]) == len(agents)


def test_replay_ids_in_the_readme_name_real_claims() -> None:
    for algorithm, claim in re.findall(r"\b([a-z-]+)/([a-z-]+):[a-z]", text_of("README.md")):
        if algorithm != "my-algorithm":  # what `verifier new` writes
            assert claim in {item.name for item in registry().guarantees[algorithm].claims}


def test_the_readme_runs_the_test_command_of_ci() -> None:
    lines = text_of(".ci/run").splitlines()
    command = " && ".join(next(line for line in lines if line.startswith(word)) for word in ("pip install", "pytest"))
    assert command.replace("--quiet ", "").replace("'", "") in text_of("README.md").replace("'", "")


@pytest.mark.parametrize("name", sorted(registry().guarantees))
def test_every_built_in_algorithm_says_what_it_does_not_check(name: str) -> None:
    guarantees = registry().guarantees[name]
    covered = {claim.clause for claim in guarantees.claims}
    assert {clause.key for clause in guarantees.clauses if not clause.unchecked} == covered
    assert all(len(clause.unchecked) > 10 for clause in guarantees.clauses if clause.unchecked)


@pytest.mark.parametrize("command", sorted(main.commands))
def test_every_command_has_help_that_stands_alone(command: str) -> None:
    text = main.commands[command].help or ""
    assert len(text) > 80


def test_nothing_installed_is_broken() -> None:
    assert [item for item in registry().broken if not item.optional] == []


def test_the_page_on_regimes_says_what_each_oracle_option_hands_over() -> None:
    """They hand over the error itself, from which an agent knows the truth; a page that says it never does would be false."""
    page = (ROOT / "docs/theory.md").read_text(encoding="utf-8")
    options = {name for found in registry().guarantees.values() for name in found.algorithm.regimes if name.startswith("oracle[")}
    assert options == set(re.findall(r"`(oracle\[[\w=]+\])`", page))
    assert "`self.width.error`" in page
    assert "never sees the truth" not in page


def test_the_page_on_checks_says_which_formulas_are_broken_on_purpose() -> None:
    """Private functions and most constants of inequalities are passed over, and the page promised each formula."""
    page = " ".join(text_of("docs/theory.md").split())
    broken = formulas()
    assert not [name for name in broken if any(part.startswith("_") for part in name.split("."))]
    assert "They change the numbers that public functions return." in page
    assert "Private functions, and constants of our own bounds, are not broken themselves" in page
    assert set(CHANGES) == {1.1, 10.0}
    assert "In claims that are equalities, each number is changed by a tenth and by ten" in page


PLANS = ("docs/tutorial.md", "docs/adapting.md", "docs/threat-model.md")
"""Pages that say who copies plans."""
TEMPLATES = ROOT / "verifier" / "commands" / "new" / "templates"


def test_pages_and_templates_agree_on_who_copies_plans() -> None:
    """The harness does, so no agent has to, and what newcomers read and get does not."""
    written = [*(ROOT / page for page in PLANS), TEMPLATES / "episodic" / "src" / "PACKAGE" / "algorithm.py.template"]
    for file in written:
        assert re.search(r"harness\s+copies\s+(plans|them)\s+at\s+once", file.read_text(encoding="utf-8")), file
    assert "copy()" not in (ROOT / PLANS[0]).read_text(encoding="utf-8")
    for file in TEMPLATES.rglob("algorithm.py.template"):
        handed = re.findall(r"(?:Plan\(|return \{)[^)}]*\.copy\(\)", file.read_text(encoding="utf-8"))
        assert not handed, file
