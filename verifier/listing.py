"""`verifier list`: what is installed, broken plugins included."""

from __future__ import annotations

import textwrap

from verifier.registry import Registry

NONE = ["  none"]


def listing(registry: Registry, instances: bool = False) -> str:
    """The installed algorithms, settings and report formats as text of at most 100 columns."""
    lines = ["Algorithms"]
    for name, algorithm in registry.algorithms.items():
        plugin, version = registry.plugin_of[name]
        lines.append(f"  {name:<20} {algorithm.title}; {len(algorithm.claims)} claims; plugin {plugin} {version}")
        lines.append(f"  {'':<20} {algorithm.paper}")
    lines += [] if registry.algorithms else NONE
    groups = {group: names for group, names in registry.groups().items() if names and group not in registry.algorithms}
    lines += ["", "Groups"] + ([f"  {group:<20} {', '.join(names)}" for group, names in groups.items()] or NONE)
    lines += ["", "Settings"] + ([] if registry.settings else NONE)
    for setting in registry.settings.values():
        lines.append(f"  {setting.name:<20} {setting.description}; {len(setting.catalogue())} instances")
        if instances:
            lines += [f"    {scenario.name:<26} {scenario.description}" for scenario in setting.catalogue()]
    formats = [f"  {writer.name:<20} {writer.description}" for writer in registry.writers.values()]
    lines += ["", "Report formats"] + (formats or NONE)
    if registry.broken:
        lines += ["", "Broken (not usable; everything else is)"]
        for item in registry.broken:
            about = f"{item.plugin} ({item.origin}): {item.cause}"
            text = " ".join(about.split())
            lines += textwrap.wrap(text, 100, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
    return "\n".join(line if len(line) <= 100 else line[:99] + "…" for line in lines) + "\n"
