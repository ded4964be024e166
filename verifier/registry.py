"""Discovery of plugins through entry points; a plugin that fails to load is listed with its cause and takes nothing down."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from typing import Any

import pluggy

from verifier import hookspecs
from verifier.algorithm import Algorithm, validate
from verifier.errors import ContractError, PluginError, UsageError, nearest
from verifier.report import Writer
from verifier.setting import Setting

GROUP = "verifier"


@dataclass(frozen=True)
class Broken:
    """A plugin, or one thing in it, that could not be used.

    Parameters
    ----------
    plugin : str
        Entry-point name.
    origin : str
        Distribution and module.
    cause : str
        What happened.
    traceback : str
        Of the failure.
    names : tuple of str
        Names of algorithms that are unusable because of it, as far as known.
    """

    plugin: str
    origin: str
    cause: str
    traceback: str = ""
    names: tuple[str, ...] = ()


@dataclass
class Registry:
    """Everything the installed plugins provide.

    Attributes
    ----------
    algorithms, settings, writers : dict
        By name.
    plugin_of : dict
        Algorithm name to (entry-point name, distribution version).
    broken : list of Broken
    """

    algorithms: dict[str, type[Algorithm]] = field(default_factory=dict)
    settings: dict[str, Setting[Any, Any]] = field(default_factory=dict)
    writers: dict[str, Writer] = field(default_factory=dict)
    plugin_of: dict[str, tuple[str, str]] = field(default_factory=dict)
    broken: list[Broken] = field(default_factory=list)

    def algorithm(self, name: str) -> type[Algorithm]:
        """The algorithm of this name.

        Raises
        ------
        PluginError
            If its plugin failed to load.
        UsageError
            If there is none.
        """
        if name in self.algorithms:
            return self.algorithms[name]
        for item in self.broken:
            if name == item.plugin or name in item.names:
                raise PluginError(f"algorithm {name!r} cannot be used: plugin {item.plugin!r} ({item.origin}): {item.cause}")
        raise UsageError(f"algorithm {name!r} is not installed. {nearest(name, self.targets())} `verifier list` shows all.")

    def setting(self, name: str) -> Setting[Any, Any]:
        """The setting of this name.

        Raises
        ------
        PluginError
            If there is none.
        """
        if name not in self.settings:
            raise PluginError(f"setting {name!r} is not installed. {nearest(name, self.settings)}")
        return self.settings[name]

    def writer(self, name: str) -> Writer:
        """The report writer of this name.

        Raises
        ------
        UsageError
            If there is none.
        """
        if name not in self.writers:
            raise UsageError(f"output format {name!r} is not known. {nearest(name, self.writers)}")
        return self.writers[name]

    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Names that stand for several algorithms: the groups they declare, and ``all``."""
        groups: dict[str, list[str]] = {"all": list(self.algorithms)}
        for name, algorithm in self.algorithms.items():
            for group in algorithm.groups:
                groups.setdefault(group, []).append(name)
        return {group: tuple(names) for group, names in groups.items()}

    def targets(self) -> set[str]:
        """Every name that can be given to `verifier check`."""
        return {*self.algorithms, *self.groups(), *(item.plugin for item in self.broken)}

    def resolve(self, target: str) -> tuple[str, ...]:
        """The algorithm names a target stands for; broken or unknown ones raise as `algorithm` does."""
        if target in self.algorithms:
            return (target,)
        if target in self.groups() and target not in {item.plugin for item in self.broken}:
            return self.groups()[target]
        self.algorithm(target)
        raise UsageError(f"target {target!r} is not known")  # pragma: no cover - algorithm() raised


@cache
def registry() -> Registry:
    """The registry of the installed plugins, loaded once per process."""
    return load(metadata.entry_points(group=GROUP))


def load(entry_points: Iterable[metadata.EntryPoint]) -> Registry:
    """Load plugins in the order of their names; what fails is kept in `Registry.broken`."""
    found = Registry()
    for entry in sorted(entry_points, key=lambda item: (item.name, item.value)):
        version = entry.dist.version if entry.dist is not None else "unknown"
        origin = f"{entry.dist.name if entry.dist is not None else '?'} {version}, {entry.value}"
        try:
            _register(found, entry.name, version, entry.load())
        except ContractError as error:
            found.broken.append(Broken(entry.name, origin, str(error)))
        except BaseException as error:  # a plugin may raise anything at import, SystemExit included
            if isinstance(error, KeyboardInterrupt):
                raise
            cause = f"{type(error).__name__}: {error}"
            found.broken.append(Broken(entry.name, origin, cause, traceback.format_exc(limit=-4)))
    return found


def _register(found: Registry, name: str, version: str, module: object) -> None:
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    try:
        manager.register(module, name)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise ContractError(f"wrong hook: {error}; see verifier.hookspecs for the signatures") from None
    if not manager.get_hookcallers(module):
        raise ContractError(
            "implements no hook; decorate verifier_algorithms(), verifier_settings() or verifier_report_writers() with verifier.hookimpl"
        )
    for setting in _flat(manager.hook.verifier_settings()):
        if not isinstance(setting, Setting):
            raise ContractError(f"verifier_settings() returned {setting!r}, expected instances of verifier.setting.Setting")
        found.settings[setting.name] = setting
    for writer in _flat(manager.hook.verifier_report_writers()):
        if not isinstance(writer, Writer):
            raise ContractError(f"verifier_report_writers() returned {writer!r}, expected objects like verifier.report.Writer")
        found.writers[writer.name] = writer
    for algorithm in _flat(manager.hook.verifier_algorithms()):
        _add_algorithm(found, name, version, algorithm)


def _add_algorithm(found: Registry, plugin: str, version: str, algorithm: type[Algorithm]) -> None:
    """Add one algorithm; a bad one is recorded without hurting the others of its plugin."""
    known = str(getattr(algorithm, "name", ""))
    try:
        validate(algorithm)
        if known in found.algorithms:
            raise ContractError(f"algorithm {known!r} is already provided by plugin {found.plugin_of[known][0]!r}; rename one of them")
    except ContractError as error:
        found.broken.append(Broken(plugin, f"{getattr(algorithm, '__module__', '?')}", str(error), names=(known,)))
        return
    found.algorithms[known] = algorithm
    found.plugin_of[known] = (plugin, version)


def _flat(results: Iterable[Iterable[Any]]) -> Iterable[Any]:
    for result in results:
        yield from result
