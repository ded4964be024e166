"""The plugins of this repository are made alike: a folder for each algorithm, and one way to write claims."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from verifier.model.discovery import guarantees_in

PLUGINS = Path(__file__).parents[2] / "plugins"
PACKAGES = sorted(path.name for path in PLUGINS.iterdir() if path.is_dir())
FILES = sorted(PLUGINS.rglob("*.py"))
GROUPS = {"Claim": ("claims.py", "_claims"), "ScalingClaim": ("scaling.py", "_scaling")}
"""How files and functions end in which claims of a kind are made."""


@pytest.mark.parametrize("package", PACKAGES)
def test_each_algorithm_has_a_folder_with_all_that_is_declared_of_it(package: str) -> None:
    for guarantees in guarantees_in(package):
        folder, _, file = guarantees.algorithm.__module__.rpartition(".")
        assert (folder.rpartition(".")[0], file) == (package, "algorithm")
        assert import_module(f"{folder}.guarantees").GUARANTEES is guarantees
        assert not guarantees.faults
        claims = import_module(f"{folder}.claims")
        assert (guarantees.claims, guarantees.clauses) == (claims.CLAIMS, claims.CLAUSES)
        for part in ("scaling", "figures", "mutants", "shown"):
            declared = getattr(guarantees, part)
            assert not declared or getattr(import_module(f"{folder}.{part}"), part.upper()) is declared


@pytest.mark.parametrize("package", PACKAGES)
def test_its_types_are_for_others_too(package: str) -> None:
    assert (PLUGINS / package / "py.typed").is_file()


def made(file: Path) -> Iterator[tuple[str, str]]:
    """Which kind of claim a file makes, directly or through `partial`, and the function around it."""
    for outer in ast.parse(file.read_text(encoding="utf-8")).body:
        for node in ast.walk(outer):
            if isinstance(node, ast.Call):
                named = [node.func, *(node.args[:1] if isinstance(node.func, ast.Name) and node.func.id == "partial" else [])]
                for name in named:
                    if isinstance(name, ast.Name) and name.id in GROUPS:
                        yield name.id, outer.name if isinstance(outer, ast.FunctionDef) else ""


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PLUGINS)))
def test_claims_are_made_in_groups(file: Path) -> None:
    """A group is a function in a file of claims; what an algorithm claims is a tuple that lists groups."""
    for kind, function in made(file):
        ending, suffix = GROUPS[kind]
        assert file.name.endswith(ending), kind
        assert function.endswith(suffix), kind
    for statement in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and any(isinstance(to, ast.Name) and to.id == "CLAIMS" for to in statement.targets):
            assert isinstance(statement.value, ast.Tuple)
            assert all(isinstance(item, ast.Starred) and isinstance(item.value, ast.Call) for item in statement.value.elts)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PLUGINS)))
def test_plugins_import_nothing_of_their_own_or_of_the_harness_lazily(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    inside = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)) and node not in tree.body]
    for node in inside:
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        assert not [name for name in names if name.startswith("verifier")], f"line {node.lineno}"


RATES = {"ella", "flat-ch", "knapsack", "moss", "scool-lsvi-ucb", "thompson"}
"""Algorithms whose main theorem no claim states: it is of another algorithm, or a rate without a constant."""


@pytest.mark.parametrize("package", PACKAGES)
def test_each_algorithm_says_what_the_main_theorem_of_its_paper_is(package: str) -> None:
    """A claim about the regret, or the loss, of what is played or returned, from a theorem; where none states it, a clause."""
    for guarantees in guarantees_in(package):
        stated = {claim.name: claim for claim in guarantees.claims}.get(guarantees.theorem)
        assert (stated is None) == (guarantees.algorithm.name in RATES), guarantees.algorithm.name
        if stated is None:
            (clause,) = (clause for clause in guarantees.clauses if clause.key == guarantees.theorem)
            assert clause.unchecked
        else:
            assert stated.source.startswith(("Theorem", "Corollary", "§5.1"))  # §5.1 has Theorem 5.6 for tables
            assert any(word in stated.statement for word in ("R_K", "R_T", "CVaR*", "V*"))
