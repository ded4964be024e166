"""`verifier list`: what is installed, broken plugins included."""

from __future__ import annotations

import textwrap

from verifier.registry import Registry


def listing(registry: Registry, instances: bool = False) -> str:
    """The installed algorithms, settings and report formats as text of at most 100 columns."""
    lines = ["Algorithms"]
    for name, algorithm in registry.algorithms.items():
        plugin, version = registry.plugin_of[name]
        lines += [f"  {name:<20} {algorithm.title}; {len(algorithm.claims)} claims", f"  {'':<20} {algorithm.paper}; plugin {plugin} {version}"]
    if not registry.algorithms:
        lines.append("  none")
    groups = {group: names for group, names in registry.groups().items() if group not in registry.algorithms}
    lines += ["", "Groups"] + [f"  {group:<20} {', '.join(names)}" for group, names in groups.items()]
    lines += ["", "Settings"]
    for setting in registry.settings.values():
        lines.append(f"  {setting.name:<20} {setting.description}; {len(setting.catalogue())} instances")
        if instances:
            lines += [f"    {scenario.name:<26} {scenario.description}" for scenario in setting.catalogue()]
    lines += ["", "Report formats"] + [f"  {writer.name:<20} {writer.description}" for writer in registry.writers.values()]
    if registry.broken:
        lines += ["", "Broken (not usable; everything else is)"]
        for item in registry.broken:
            about = f"{item.plugin} ({item.origin}): {item.cause}"
            lines += textwrap.wrap(" ".join(about.split()), 100, initial_indent="  ", subsequent_indent="      ")
    return "\n".join(line if len(line) <= 100 else line[:99] + "…" for line in lines) + "\n"
