"""The rooms of `verifier/`: few, each a noun, and no two of them import each other, not even through others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from ..modules import import_statements

ROOT = Path(__file__).parents[2]
HARNESS = ROOT / "verifier"

BELOW: dict[str, set[str]] = {
    "base": set(),
    "formulas": {"base"},
    "model": {"base", "formulas"},
    "statistics": {"base", "model"},
    "record": {"base", "statistics"},
    "plugins": {"base", "model", "record"},
    "trials": {"base", "formulas", "model", "statistics", "plugins"},
    "campaign": {"base", "formulas", "model", "statistics", "record", "plugins", "trials"},
    "commands": {"base", "model", "statistics", "record", "plugins", "trials", "campaign"},
    "adapters": {"base", "model", "record", "plugins", "trials", "campaign", "commands"},
    "cli": {"base", "record", "plugins", "trials", "commands"},
}
"""What each room may import, itself aside."""


def imports(file: Path) -> Iterator[str]:
    """Modules a file imports, at its top or inside a function."""
    for node in import_statements(file):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def arrows(root: Path) -> Iterator[tuple[str, str, str]]:
    """Room, room it imports, and where."""
    for file in sorted(root.rglob("*.py")):
        room = file.relative_to(root).parts[0]
        for module in imports(file):
            parts = module.split(".")
            if parts[0] == "verifier" and (root / parts[1]).is_dir() and parts[1] != room:
                yield room, parts[1], f"{file.relative_to(root.parent)} imports {module}"


def test_the_rooms_are_few_and_all_are_known() -> None:
    entries = {path.name for path in HARNESS.iterdir() if not path.name.startswith("__")} - {"py.typed", "settings.py"}
    assert entries == set(BELOW)
    assert len(entries) <= 12


def test_no_room_imports_one_above_it() -> None:
    wrong = [where for room, other, where in arrows(HARNESS) if room in BELOW and other not in BELOW[room]]
    assert wrong == []


def test_the_order_of_the_rooms_has_no_cycle() -> None:
    done: set[str] = set()
    while len(done) < len(BELOW):
        free = {room for room, below in BELOW.items() if room not in done and below <= done}
        assert free, f"a cycle among {sorted(set(BELOW) - done)}"
        done |= free


def test_every_arrow_that_is_allowed_is_used() -> None:
    used = {(room, other) for room, other, _ in arrows(HARNESS)}
    assert [(room, other) for room, below in BELOW.items() for other in sorted(below) if (room, other) not in used] == []


def test_an_arrow_upwards_is_found(tmp_path: Path) -> None:
    for room, text in (("base", "def f():\n    from verifier.cli import main\n"), ("cli", "import verifier.base.errors\n")):
        (tmp_path / "verifier" / room).mkdir(parents=True)
        (tmp_path / "verifier" / room / "a.py").write_text(text)
    found = list(arrows(tmp_path / "verifier"))
    assert [arrow[:2] for arrow in found] == [("base", "cli"), ("cli", "base")]
    assert found[0][2] == "verifier/base/a.py imports verifier.cli.main"


def test_blind_mode_and_the_cluster_stand_behind_the_runner_alone() -> None:
    """Another way to run trials needs no change elsewhere; the two of them do not import each other either."""
    packages = {name: HARNESS / "trials" / name for name in ("blind", "cluster")}
    importing = {
        (name, str(file.relative_to(HARNESS)))
        for file in HARNESS.rglob("*.py")
        for module in imports(file)
        for name, folder in packages.items()
        if f"{module}.".startswith(f"verifier.trials.{name}.") and folder not in file.parents
    }
    assert importing == {(name, "trials/runner.py") for name in packages}
