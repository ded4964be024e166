"""Plugins are imported one by one; one that fails is kept with its cause and takes nothing down.

The first to use a name has it, so that no other distribution can put something else in the place of a built-in one.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import pluggy

from verifier.base.errors import ContractError, MissingExtraError, nearest
from verifier.base.importing import garbage_left
from verifier.base.leaving import exit_refused
from verifier.model.guarantees import Guarantees
from verifier.model.hooks import PROJECT
from verifier.model.mutant import SEPARATOR
from verifier.model.setting import Setting
from verifier.model.validation import validate
from verifier.plugins import hookspecs
from verifier.plugins.distributions import entry_points
from verifier.plugins.entry_points import GROUP, HARNESS, distribution, is_own, ordered, top
from verifier.plugins.guard import prints_told
from verifier.plugins.provided import Broken, Registry
from verifier.plugins.shared import Shared, nothing_replaced
from verifier.plugins.surroundings import nothing_disturbed
from verifier.record.writer import Writer


class Installed:
    """The installed plugins, imported as far as they have been asked for.

    Attributes
    ----------
    found : Registry
        What those imported so far provide; it grows.
    preferred : str
        Name of the plugin that is imported right after the settings: the one of all trials of a worker, say.
    """

    def __init__(self) -> None:
        self.found = Registry()
        self.preferred = ""
        self._entries = ordered(entry_points(GROUP))
        self._waiting = list(self._entries)

    def until(self, enough: Callable[[], bool], name: str = "") -> Registry:
        """Import plugins until there is enough: settings, the preferred one, built-in ones, then those of others.

        The one of this name is the first of its kind; so no plugin of others takes a name that a built-in one uses, whichever
        was asked for first.
        """

        def rank(entry: metadata.EntryPoint) -> tuple[bool, ...]:
            return top(entry.module) not in HARNESS, entry.name != self.preferred, not is_own(entry), entry.name != name

        self._waiting.sort(key=rank)
        shared: Shared | None = None
        with garbage_left():
            while self._waiting and not enough():
                entry = self._waiting.pop(0)
                shared = None if is_own(entry) else shared or Shared()
                load(entry, self.found, shared)
                if not self._waiting:
                    _require_settings(self.found)
                    self._sort()
        return self.found

    def having(self, target: str) -> Registry:
        """Import plugins until an algorithm or a plugin of this name is there, with its settings; all of them, if none is.

        A group may have members in any plugin.
        """
        name = target.partition(SEPARATOR)[0]
        return self.until(lambda: self._has(name), name)

    def _has(self, name: str) -> bool:
        found = self.found
        if any(name in (item.plugin, *item.names) for item in found.broken):
            return True
        members = () if name in found.groups() else found.plugins().get(name, ())
        algorithms = [found.guarantees[each].algorithm for each in (*members, name) if each in found.guarantees]
        return bool(algorithms) and all(algorithm.setting in found.settings for algorithm in algorithms)

    def _sort(self) -> None:
        """Bring algorithms into the order of their plugins, whichever was imported first."""
        order = [entry.name for entry in self._entries]
        plugins, algorithms = self.found.plugin_of, self.found.guarantees
        for name in sorted(algorithms, key=lambda name: order.index(plugins[name][0])):
            algorithms[name] = algorithms.pop(name)


def load(entry: metadata.EntryPoint, found: Registry, shared: Shared | None) -> None:
    """Import a plugin and add what it provides; what fails, or changes what all share, is kept in `Registry.broken`.

    What comes with the harness is part of what is shared: there is nothing to compare it with.

    What plugins print while they are imported goes to standard error: standard output belongs to the command.
    """
    name, version = distribution(entry)
    origin = f"{name} {version}, {entry.value}"
    try:
        with prints_told(), exit_refused(), nothing_disturbed(alone=True), nothing_replaced(shared) if shared else nullcontext():
            provided = _Provided.by(entry.name, entry.load())
            grown = found.copy()  # a hook may have asked for an algorithm of another plugin, which has been imported meanwhile
            _register(grown, entry.name, version, provided)
        vars(found).update(vars(grown))
    except MissingExtraError as error:
        found.broken.append(Broken(entry.name, origin, str(error), "", error.names, error.groups, optional=True))
    except ContractError as error:
        found.broken.append(Broken(entry.name, origin, str(error)))
    except BaseException as error:  # a plugin may raise anything at import, SystemExit included
        if isinstance(error, KeyboardInterrupt):
            raise
        cause = f"{type(error).__name__}: {error}"
        found.broken.append(Broken(entry.name, origin, cause, traceback.format_exc(limit=-4)))


def _require_settings(found: Registry) -> None:
    """Set aside the algorithms of settings that no plugin provides; known only when every plugin is loaded."""
    for name, guarantees in list(found.guarantees.items()):
        setting = guarantees.algorithm.setting
        if setting not in found.settings:
            cause = f"setting {setting!r} is not installed. {nearest(setting, found.settings)}"
            _set_aside(found, found.plugin_of.pop(name)[0], found.guarantees.pop(name), cause)


@dataclass(frozen=True)
class _Provided:
    """Settings, report writers and guarantees that the hooks of a module have returned."""

    settings: list[Any]
    writers: list[Any]
    algorithms: list[Any]

    @classmethod
    def by(cls, name: str, module: object) -> _Provided:
        """Call the hooks of a module."""
        manager = pluggy.PluginManager(PROJECT)
        manager.add_hookspecs(hookspecs)
        try:
            manager.register(module, name)
            manager.check_pending()
        except pluggy.PluginValidationError as error:
            raise ContractError(f"wrong hook: {error}; see verifier.plugins.hookspecs for the signatures") from None
        if not manager.get_hookcallers(module):
            raise ContractError(
                "implements no hook; decorate verifier_algorithms(), verifier_settings() or verifier_report_writers() with "
                "verifier.hookimpl"
            )
        hooks = (manager.hook.verifier_settings, manager.hook.verifier_report_writers, manager.hook.verifier_algorithms)
        return cls(*(list(_flat(hook())) for hook in hooks))


def _register(found: Registry, name: str, version: str, provided: _Provided) -> None:
    for setting in provided.settings:
        if not isinstance(setting, Setting):
            raise ContractError(f"verifier_settings() returned {setting!r}, expected instances of verifier.model.setting.Setting")
        if setting.name in found.settings:
            raise ContractError(f"setting {setting.name!r} is already provided by another plugin; rename one of them")
        found.settings[setting.name] = setting
    for writer in provided.writers:
        if not isinstance(writer, Writer):
            raise ContractError(
                f"verifier_report_writers() returned {writer!r}, expected objects like verifier.record.writer.Writer"
            )
        if writer.name in found.writers:
            raise ContractError(f"report format {writer.name!r} is already provided by another plugin; rename one of them")
        found.writers[writer.name] = writer
    for guarantees in provided.algorithms:
        _add_guarantees(found, name, version, guarantees)


def _add_guarantees(found: Registry, plugin: str, version: str, guarantees: Guarantees) -> None:
    """Add the guarantees of one algorithm; bad ones are recorded without hurting the others of their plugin."""
    try:
        validate(guarantees)
        if guarantees.name in found.guarantees:
            other = found.plugin_of[guarantees.name][0]
            raise ContractError(f"algorithm {guarantees.name!r} is already provided by plugin {other!r}; rename one of them")
    except ContractError as error:
        _set_aside(found, plugin, guarantees, str(error))
    except Exception as error:  # what a class declares may be anything at all
        _set_aside(found, plugin, guarantees, f"{type(error).__name__}: {error}", traceback.format_exc(limit=-4))
    else:
        found.guarantees[guarantees.name] = guarantees
        found.plugin_of[guarantees.name] = (plugin, version)


def _set_aside(found: Registry, plugin: str, returned: object, cause: str, trace: str = "") -> None:
    algorithm = returned.algorithm if isinstance(returned, Guarantees) else returned
    name, groups = getattr(algorithm, "name", None), getattr(algorithm, "groups", ())
    names = (name,) if isinstance(name, str) and name else ()
    groups = tuple(groups) if isinstance(groups, (tuple, list)) else ()
    found.broken.append(Broken(plugin, str(getattr(algorithm, "__module__", "?")), cause, trace, names, groups))


def _flat(results: Iterable[Iterable[Any]]) -> Iterable[Any]:
    for result in results:
        yield from result
