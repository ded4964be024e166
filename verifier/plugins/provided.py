"""Everything that plugins provide, by name, and what of it could not be used."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from verifier.base.errors import PluginError, UsageError, nearest
from verifier.model.guarantees import Guarantees
from verifier.model.mutant import SEPARATOR, planted
from verifier.model.setting import Setting
from verifier.model.validation import validate
from verifier.plugins.projects import as_target, project_of
from verifier.record.writer import Writer


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
    groups : tuple of str
        Groups these belong to, as far as known.
    optional : bool
        Whether only a library is missing that need not be there: ``all`` does not include it then.
    """

    plugin: str
    origin: str
    cause: str
    traceback: str = ""
    names: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    optional: bool = False

    @property
    def place(self) -> str:
        """Name of the plugin, and where it is from."""
        return f"plugin {self.plugin!r} ({self.origin})"

    @property
    def message(self) -> str:
        """Name of the plugin, and the cause."""
        return f"{self.place}: {self.cause}"


@dataclass
class Registry:
    """Everything the installed plugins provide.

    Attributes
    ----------
    guarantees, settings, writers : dict
        By name, of the algorithm, the setting and the format.
    plugin_of : dict
        Algorithm name to (entry-point name, distribution version).
    broken : list of Broken
    given : dict
        By name, the guarantees that were given as objects; no other process finds them by name.
    """

    guarantees: dict[str, Guarantees] = field(default_factory=dict)
    settings: dict[str, Setting[Any, Any]] = field(default_factory=dict)
    writers: dict[str, Writer] = field(default_factory=dict)
    plugin_of: dict[str, tuple[str, str]] = field(default_factory=dict)
    broken: list[Broken] = field(default_factory=list)
    given: dict[str, Guarantees] = field(default_factory=dict)

    def copy(self) -> Registry:
        """Copy of the registry."""
        return Registry(**{name: type(held)(held) for name, held in vars(self).items()})

    def including(self, given: Iterable[Guarantees]) -> Registry:
        """A registry with further algorithms, which come before installed ones of the same names.

        Raises
        ------
        ContractError
            If what is declared of one is wrong.
        """
        added: dict[str, Guarantees] = {}
        for guarantees in given:
            validate(guarantees)
            self.setting(guarantees.algorithm.setting)
            added[guarantees.name] = guarantees
        plugins = {name: (each.algorithm.__module__, "?") for name, each in added.items()}
        return replace(
            self,
            guarantees={**self.guarantees, **added},
            plugin_of={**self.plugin_of, **plugins},
            given={**self.given, **added},
        )

    def is_given(self, name: str) -> bool:
        """Whether an algorithm, or the one it is a mutant of, was given as an object."""
        return name.partition(SEPARATOR)[0] in self.given

    def project_of(self, name: str) -> str:
        """The folder of the project that an algorithm, or the one it is a mutant of, is from; empty where it is installed.

        Of an agent in a file, held against an algorithm, it is the file and the options that say how.
        """
        original = self.given.get(name.partition(SEPARATOR)[0])
        if original is not None and hasattr(original.algorithm, "held"):
            return str(original.algorithm.held.origin)
        plugin, _version = self.plugin_of.get(name.partition(SEPARATOR)[0], ("", ""))
        return project_of(plugin)

    def guarantees_of(self, name: str) -> Guarantees:
        """The guarantees of the algorithm of this name, or of the mutant ``ALGORITHM~MUTANT``.

        Raises
        ------
        PluginError
            If its plugin failed to load.
        UsageError
            If there is none.
        """
        if name in self.guarantees:
            return self.guarantees[name]
        original, separator, mutant = name.partition(SEPARATOR)
        if separator and original in self.guarantees:
            return self.with_garbage(original).mutated(mutant)
        for item in self.broken:
            if name == item.plugin or name in item.names:
                raise PluginError(f"algorithm {name!r} cannot be used: {item.message}")
        raise UsageError(f"algorithm {name!r} is not installed. {nearest(name, self.targets())}{self._hint()}")

    def with_garbage(self, name: str) -> Guarantees:
        """The guarantees of an installed algorithm, whose mutants are its own and the garbage agents of its setting."""
        guarantees = self.guarantees[name]
        setting = self.settings.get(guarantees.algorithm.setting)
        own = {mutant.name for mutant in guarantees.mutants}
        added = tuple(
            replace(agent, algorithm=planted(agent.algorithm, guarantees.algorithm))
            for agent in (setting.garbage if setting else ())
            if agent.name not in own
        )
        return replace(guarantees, mutants=(*guarantees.mutants, *added))

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

    def endings(self) -> Mapping[str, Writer]:
        """The report writer for files of each ending."""
        endings: dict[str, Writer] = {}
        for writer in self.writers.values():
            for ending in getattr(writer, "endings", ()):
                endings.setdefault(ending, writer)
        return endings

    def writer_of(self, path: Path) -> Writer:
        """The report writer for files that end as this one does.

        Raises
        ------
        UsageError
            If there is none.
        """
        endings = self.endings()
        if path.suffix not in endings:
            raise UsageError(f"{path} has no ending that names a format. {nearest(path.suffix, endings)} Or give `format`.")
        return endings[path.suffix]

    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Names that stand for several algorithms: the groups they declare, and ``all``."""
        groups: dict[str, list[str]] = {"all": list(self.guarantees)}
        for name, guarantees in self.guarantees.items():
            for group in guarantees.algorithm.groups:
                groups.setdefault(group, []).append(name)
        return {group: tuple(names) for group, names in groups.items()}

    def plugins(self) -> Mapping[str, tuple[str, ...]]:
        """The algorithms of each plugin that has any."""
        plugins: dict[str, list[str]] = {}
        for name, (plugin, _version) in self.plugin_of.items():
            plugins.setdefault(plugin, []).append(name)
        return {plugin: tuple(names) for plugin, names in plugins.items()}

    def targets(self) -> set[str]:
        """Every name that can be given to `verifier check`."""
        broken = {name for item in self.broken for name in (item.plugin, *item.names)}
        return {*self.guarantees, *self.groups(), *self.plugins(), *broken}

    def resolve(self, target: str) -> tuple[tuple[str, ...], tuple[Broken, ...]]:
        """The names of the usable algorithms a target stands for, and what it stands for that is broken.

        A target is an algorithm, a group, a plugin, or a mutant ``ALGORITHM~MUTANT``, looked up in this order. ``PLUGIN~MUTANT``
        is that of each of its algorithms that has one of this name. A name that is not there is looked up in lower case, too:
        papers write UCBlvd.

        Raises
        ------
        UsageError
            If there is no such target.
        """
        lower, known = target.lower(), {*self.targets()}
        if target != lower and target.partition(SEPARATOR)[0] not in known and lower.partition(SEPARATOR)[0] in known:
            return self.resolve(lower)
        if target in self.guarantees:
            plugin = self.plugin_of[target][0]
            return (target,), tuple(item for item in self.broken if item.plugin == plugin and target in item.names)
        names = self.groups().get(target) or self.plugins().get(target, ())
        broken = [item for item in self.broken if _stands_for(target, item)]
        if not names and not broken and target != "all":
            original, separator, _ = target.partition(SEPARATOR)
            if separator and original in self.guarantees:
                self.guarantees_of(target)
                return (target,), ()
            if separator and original in self.plugins():
                return self._with_bug(target), ()
            if separator and any(original == item.plugin for item in self.broken):
                return self.resolve(original)
            if re.fullmatch(r".+\.py:\w+", target):
                raise UsageError(
                    f"{target!r} is an agent of yours; say which algorithm it should be: --as NAME, of `verifier check` and "
                    "`verifier scale`"
                )
            raise UsageError(
                f"{target!r} is no algorithm, group or plugin. {nearest(target.lower(), self.targets())}{self._hint()}"
            )
        return names, tuple(broken)

    def _with_bug(self, target: str) -> tuple[str, ...]:
        """The mutants ``ALGORITHM~MUTANT`` of a target ``PLUGIN~MUTANT``."""
        plugin, _, bug = target.partition(SEPARATOR)
        planted = {name: [mutant.name for mutant in self.with_garbage(name).mutants] for name in self.plugins()[plugin]}
        found = tuple(f"{name}{SEPARATOR}{bug}" for name, bugs in planted.items() if bug in bugs)
        if not found:
            known = dict.fromkeys(each for bugs in planted.values() for each in bugs)
            raise UsageError(f"no algorithm of plugin {plugin!r} has a planted bug {bug!r}. {nearest(bug, known)}")
        return found

    def _hint(self) -> str:
        failed = [item for item in self.broken if not item.optional]
        if not failed:
            return " `verifier list` shows all."
        causes = {item.plugin: f"{item.plugin} ({item.cause.splitlines()[0]})" for item in failed}
        whole = shlex.quote(as_target(project_of(failed[0].plugin)) or failed[0].plugin)
        return (
            f" `verifier list` shows all. It may belong to a plugin that failed to load: {', '.join(causes.values())}. "
            f"`verifier check {whole} --verbose` shows the traceback."
        )


def _stands_for(target: str, item: Broken) -> bool:
    """Whether a target includes something broken; ``all`` is all that can be expected to be there."""
    return target in (item.plugin, *item.names, *item.groups) or (target == "all" and not item.optional)
