"""The generated pages of the documentation have everything that is installed; `.ci/run` builds the whole documentation."""

from __future__ import annotations

import re
from importlib import import_module, util
from pathlib import Path
from types import ModuleType

import pytest

from verifier.cli.main import main
from verifier.plugins.registry import registry

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = util.spec_from_file_location("catalogues", ROOT / "docs" / "catalogues.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_everything_installed_has_a_place(generator: ModuleType) -> None:
    pages = dict(generator.catalogues())
    for name, guarantees in registry().guarantees.items():
        page = pages[f"algorithm-{name}.md"]
        assert f"algorithm-{name}.md" in pages["algorithms.md"]
        for kind, items in (("claim", guarantees.claims), ("bug", guarantees.mutants)):
            for item in items:
                assert f'| <a id="{kind}-{item.name}"></a>`{item.name}` |' in page
        for erratum in guarantees.errata:
            assert f"### {erratum.name}" in page
        for clause in guarantees.clauses:
            assert not clause.unchecked or generator.cell(clause.unchecked) in page
    for setting in registry().settings.values():
        assert f"## {setting.name}\n" in pages["settings.md"]
        assert all(f"| `{item.name}` |" in pages["settings.md"] for item in setting.catalogue)
    for name in ("optimism", "gram_matrix(...)", "foresight"):
        assert f"| `{name}` |" in pages["properties.md"]
    assert "\nvacuous\n  it holds, but no comparison could have failed" in pages["glossary.md"]
    assert all(f"## verifier {name}\n" in pages["commands.md"] for name in main.commands)
    assert "--last-failed" in pages["commands.md"]


def test_the_page_tells_how_long_the_declaration_of_an_algorithm_is(generator: ModuleType) -> None:
    folder = ROOT / "plugins" / "verifier_bandits" / "ucb1"
    lengths = {file.name: len(file.read_text(encoding="utf-8").splitlines()) for file in folder.glob("*.py")}
    declared = sum(lengths[f"{name}.py"] for name in ("algorithm", "claims", "guarantees"))
    row = next(line for line in dict(generator.catalogues())["algorithms.md"].splitlines() if "(algorithm-ucb1.md)" in line)
    assert row.endswith(f" | {declared}, {sum(lengths.values())} |")


def test_pages_say_what_whoever_adapts_an_agent_has_to_know(generator: ModuleType) -> None:
    """Widths with what they multiply, what a property is handed, and the module of the claims that can be reused."""
    pages = dict(generator.catalogues())
    for setting in registry().settings.values():
        assert setting.widths, setting.name
        assert all(f"| `{of}` | {generator.cell(text)} |" in pages["settings.md"] for of, text in setting.widths.items())
    for name, guarantees in registry().guarantees.items():
        module = generator.module_of_claims(guarantees.algorithm)
        assert f"`{module}`" in pages[f"algorithm-{name}.md"]
        assert guarantees.claims == import_module(module).CLAIMS
        if "oracle" in guarantees.algorithm.regimes:
            known = registry().setting(guarantees.algorithm.setting).widths
            assert {*guarantees.algorithm.width_names} <= {*known, *guarantees.oracles}
    assert "| `verifier_settings.episodic.phases.Phases` | " in pages["settings.md"]
    assert "`bonus` (plan " in pages["settings.md"]


def test_the_index_of_theorems_leads_to_every_claim(generator: ModuleType) -> None:
    pages = dict(generator.catalogues())
    targets = {tuple(target.split(".html#")) for target in re.findall(r'href="([^"]+)"', pages["theorems.md"])}
    for name, guarantees in registry().guarantees.items():
        assert {(f"algorithm-{name}", f"claim-{claim.name}") for claim in guarantees.claims} <= targets
    for page, place in targets:
        text = pages[f"{page}.md"]
        headings = {
            re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        }
        assert f'<a id="{place}"></a>' in text or place in headings, (page, place)


def test_pages_that_are_no_more_are_removed(generator: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "algorithm-gone.md").write_text("x")
    generator.write_catalogues(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == dict(generator.catalogues()).keys()


def test_cells_mean_what_they_say(generator: ModuleType) -> None:
    assert generator.cell("|x|_2 <= [y](z)\n and `a|b_c` # *") == r"\|x\|\_2 \<= \[y\](z) and `a\|b_c` \# \*"


@pytest.mark.parametrize("name", ["fmdp-bf", "fmdp-ch"])
def test_events_of_factored_mdps_say_that_they_are_printed_with_a_ninth_of_delta(generator: ModuleType, name: str) -> None:
    page = dict(generator.catalogues())[f"algorithm-{name}.md"]
    for section in page.split("### "):
        if "-confidence` |" in section or "-martingale` |" in section or "expected-visits` |" in section:
            assert "δ/9" in section.splitlines()[0]
