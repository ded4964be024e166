"""`verifier list`: what is installed, broken plugins included."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from verifier.model.setting import Setting
from verifier.plugins.guard import GuardedError, guarded
from verifier.plugins.registry import Broken, Registry

Line: TypeAlias = tuple[str, str, str]
"""A text, what stands before it, and what before the lines it continues on."""

T = TypeVar("T")

# More names than these in a row are only counted: nobody reads them, and they stand above.
FEW = 12

EMPTY: Line = ("", "", "")
NONE: list[Line] = [("none", "  ", "")]


def listing(registry: Registry, instances: bool = False, width: int = 100) -> str:
    """The installed algorithms, settings and report formats as text of at most so many columns."""
    return "\n".join(text for line in _lines(registry, instances) for text in _wrapped(line, width)) + "\n"


def _lines(registry: Registry, instances: bool) -> list[Line]:
    groups = {group: names for group, names in registry.groups().items() if names and group not in registry.guarantees}
    indented = [f"  {name}" for name in registry.guarantees]
    column = max(map(len, [*indented, *groups, *registry.settings, *registry.writers]), default=0)
    lines = [_title("Algorithms")]
    for paper, names in _grouped({name: item.algorithm.paper for name, item in registry.guarantees.items()}).items():
        lines += [(paper, "  ", "    ")]
        for name in names:
            guarantees = registry.guarantees[name]
            lines += _item(f"  {name}", f"{guarantees.algorithm.title}; {len(guarantees.claims)} claims", column)
    lines += [] if registry.guarantees else NONE
    plugins = _grouped(registry.plugin_of).items()
    lines += _section("Plugins", (_item(name, f"{version}; {_few(names)}", column) for (name, version), names in plugins))
    lines += _section("Groups", (_item(group, _few(names), column) for group, names in groups.items()))
    lines += [EMPTY, _title("Settings")]
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
        ("Claims declared wrong (these are errors; all others are checked)", faults),
    ):
        lines += [EMPTY, _title(title)] if items else []
        lines += [(about, "  ", "      ") for about in items]
    return lines


def _grouped(of: Mapping[str, T]) -> dict[T, list[str]]:
    """Names by what each has, in the order in which that comes first."""
    groups: dict[T, list[str]] = {}
    for name, common in of.items():
        groups.setdefault(common, []).append(name)
    return groups


def _few(names: Sequence[str]) -> str:
    """Names in a row, or how many they are."""
    return ", ".join(names) if len(names) <= FEW else f"{len(names)} algorithms"


def _about(item: Broken) -> str:
    return f"{item.plugin} ({item.origin}): {item.cause}"


def _instances(setting: Setting[Any, Any]) -> list[Line]:
    """The named instances of a setting, and its families in every size."""
    items = [(scenario.name, scenario.description) for scenario in setting.catalogue]
    items += [(f"{family.name}[{family.symbol}=...]", f"family: {family.description}") for family in setting.families]
    longest = max((len(name) for name, _ in items), default=0)
    return [line for name, description in items for line in _item(f"  {name}", description, longest + 2)]


def _title(text: str) -> Line:
    return text, "", ""


def _section(title: str, items: Iterable[list[Line]]) -> list[Line]:
    return [EMPTY, _title(title), *([line for item in items for line in item] or NONE)]


def _item(name: str, text: str, column: int) -> list[Line]:
    return [(text, f"  {name:<{column}}  ", " " * (column + 4))]


def _wrapped(line: Line, width: int) -> list[str]:
    """Lines of a text, cut at blanks; no name is cut at its dashes."""
    text, first, later = line
    text = " ".join(text.split())
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=later, break_on_hyphens=False) or [""]
