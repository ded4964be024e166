"""No algorithm runs the mathematics that checks it: the rule is in ARCHITECTURE.md, under Independence."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import verifier
from verifier.model.discovery import guarantees_in

from ..modules import PACKAGES, PLUGINS, file_of, imports, reached, run_by

MODEL = (
    "verifier.base.arrays",
    "verifier.base.errors",
    "verifier.base.seeds",
    "verifier.adapters.inversion",
    "verifier.adapters.loops",
    "verifier.adapters.randomness",
)
"""Modules an algorithm may import anything of, beside those of `verifier.model`."""

COMMANDS = {"Report", "check", "errata", "power", "replay", "scale", "tight"}
"""Names of the package itself that run something; all others are what plugins are written with."""

NAMES = {
    "verifier": set(verifier.__all__) - COMMANDS,
    "verifier_settings.cvar": {"CVaREnvironment", "CVaRPlan", "Episodes", "Grid", "Public", "Simulator"},
    "verifier_settings.cvar.planning": {"Answer", "PlanningEnvironment", "Public", "Round"},
    "verifier_settings.discounted": {"DiscountedEnvironment", "DiscountedPlan", "Public"},
    "verifier_settings.episodic": {"EpisodicEnvironment", "EpisodicPlan", "Public"},
    "verifier_settings.factored": {"FactoredEnvironment", "FactoredPlan", "Public"},
    "verifier_settings.knapsack": {"KnapsackEnvironment", "KnapsackPlan", "Public"},
    "verifier_settings.reward_free": {"ExplorationPlan", "PlanningPlan", "Public", "RewardFreeEnvironment"},
    "verifier_settings.lifelong": {"LifelongEnvironment", "LifelongPlan", "Public"},
}
"""Names an algorithm may import of these: of the package what plugins are written with; of a setting what describes a problem,
which is what is public, what the environment offers and hands over, and plans."""

CHECKS = ("claims", "scaling")
"""Modules of an algorithm's folder that say what is compared with what."""


def forbidden(module: str, folder: Path = PLUGINS) -> list[str]:
    """What a module of an algorithm imports of the harness, or of the properties, and may not.

    Modules are not imported whole: ``import verifier`` would reach all of them, and so would ``import verifier.model.width``.
    """
    file = file_of(module, folder)
    assert file is not None, module
    return [
        f"{source} {name}".strip()
        for source, name in imports(file)
        if source.split(".")[0] in ("verifier", "verifier_settings", "verifier_properties")
        and not (name and (source in MODEL or source.split(".")[:2] == ["verifier", "model"]))
        and name not in NAMES.get(source, set())
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_algorithms_import_descriptions_of_problems_and_no_mathematics(package: str) -> None:
    modules = set().union(*(run_by(guarantees) for guarantees in guarantees_in(package)))
    assert {module: wrong for module in sorted(modules) if (wrong := forbidden(module))} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_claims_share_no_module_with_the_algorithm_they_check(package: str) -> None:
    """Widths and constants stand twice: where the algorithm computes them, and where the claims do."""
    runs = set().union(*(run_by(guarantees) for guarantees in guarantees_in(package)))
    folders = [guarantees.algorithm.__module__.removesuffix(".algorithm") for guarantees in guarantees_in(package)]
    checks = reached({f"{folder}.{part}" for folder in folders for part in CHECKS if file_of(f"{folder}.{part}")})
    assert checks, "no module of claims was found"
    assert runs & checks == set()


def test_the_names_that_may_be_imported_exist() -> None:
    for module, names in NAMES.items():
        assert names <= set(import_module(module).__all__), module


def test_what_is_forbidden_is_found_through_other_modules(tmp_path: Path) -> None:
    (tmp_path / "plugin").mkdir()
    texts = {
        "__init__": "",
        "algorithm": "from plugin.base import Base\nfrom verifier_settings.lifelong import Public, Phases\n",
        "base": "def f():\n    from plugin import maths\n",
        "maths": "import verifier_properties.any_setting\nfrom verifier_settings.elliptical import bonus\n",
    }
    for name, text in texts.items():
        (tmp_path / "plugin" / f"{name}.py").write_text(text)
    modules = reached({"plugin.algorithm"}, tmp_path)
    assert modules == {"plugin.algorithm", "plugin.base", "plugin.maths"}
    wrong = [item for module in sorted(modules) for item in forbidden(module, tmp_path)]
    assert wrong == [
        "verifier_settings.lifelong Phases",
        "verifier_properties.any_setting",
        "verifier_settings.elliptical bonus",
    ]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("from verifier import Algorithm, Width", []),
        ("from verifier import settings", ["verifier settings"]),
        ("from verifier import check", ["verifier check"]),
        ("from verifier import *", ["verifier *"]),
        ("import verifier", ["verifier"]),
        ("import verifier.model.width", ["verifier.model.width"]),
        ("from verifier.model.width import Width", []),
        ("from verifier.base import config", ["verifier.base config"]),
    ],
)
def test_the_package_is_not_a_way_around(text: str, wrong: list[str], tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(text)
    assert forbidden("plugin", tmp_path) == wrong
