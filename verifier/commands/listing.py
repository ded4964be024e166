"""`verifier list`: what is installed, broken plugins included."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from verifier.model.setting import Setting
from verifier.plugins.guard import GuardedError, guarded
from verifier.plugins.registry import Broken, Registry

WIDTH = 100
NONE = ["  none"]


def listing(registry: Registry, instances: bool = False) -> str:
    """The installed algorithms, settings and report formats as text of at most 100 columns."""
    groups = {group: names for group, names in registry.groups().items() if names and group not in registry.guarantees}
    column = max(map(len, [*registry.guarantees, *groups, *registry.settings, *registry.writers]), default=0)
    lines = ["Algorithms"]
    for name, guarantees in registry.guarantees.items():
        plugin, version = registry.plugin_of[name]
        lines += _item(name, f"{guarantees.algorithm.title}; {len(guarantees.claims)} claims; plugin {plugin} {version}", column)
        lines += _item("", guarantees.algorithm.paper, column)
    lines += [] if registry.guarantees else NONE
    lines += _section("Groups", (_item(group, ", ".join(names), column) for group, names in groups.items()))
    lines += ["", "Settings"]
    for setting in registry.settings.values():
        try:
            with guarded("catalogue"):
                count, named = len(setting.catalogue), _instances(setting) if instances else []
        except GuardedError as error:
            lines += _item(setting.name, f"{setting.description}; instances unknown: {error}", column)
            continue
        lines += [*_item(setting.name, f"{setting.description}; {count} instances", column), *named]
    lines += [] if registry.settings else NONE
    lines += _section("Report formats", (_item(item.name, item.description, column) for item in registry.writers.values()))
    missing = [item for item in registry.broken if item.optional]
    broken = [item for item in registry.broken if not item.optional]
    faults = [fault.message for guarantees in registry.guarantees.values() for fault in guarantees.faults]
    for title, items in (
        ("Not installed", [_about(item) for item in missing]),
        ("Broken (not usable; everything else is)", [_about(item) for item in broken]),
        ("Wrong in what claims follow from (these claims are errors; all others are checked)", faults),
    ):
        lines += ["", title] if items else []
        for about in items:
            lines += _wrapped(about, "  ", "      ")
    return "\n".join(lines) + "\n"


def _about(item: Broken) -> str:
    return f"{item.plugin} ({item.origin}): {item.cause}"


def _instances(setting: Setting[Any, Any]) -> list[str]:
    """The named instances of a setting, and its families in every size."""
    items = [(scenario.name, scenario.description) for scenario in setting.catalogue]
    items += [(f"{family.name}[{family.symbol}=...]", f"family: {family.description}") for family in setting.families]
    longest = max((len(name) for name, _ in items), default=0)
    return [line for name, description in items for line in _item(f"  {name}", description, longest + 2)]


def _section(title: str, items: Iterable[list[str]]) -> list[str]:
    return ["", title, *([line for item in items for line in item] or NONE)]


def _item(name: str, text: str, column: int) -> list[str]:
    return _wrapped(text, f"  {name:<{column}}  ", " " * (column + 4))


def _wrapped(text: str, first: str, later: str) -> list[str]:
    """Lines that are cut at blanks; no name is cut at its dashes."""
    text = " ".join(text.split())
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
