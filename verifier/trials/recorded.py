"""Trials on an instance that a record holds, in place of the file of its name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from verifier.model.instance_data import instance_of
from verifier.model.result import TrialResult, TrialSpec
from verifier.model.setting import Scenario, Setting
from verifier.trials.worker import result_of


@dataclass(frozen=True)
class OnRecorded:
    """A task that runs trials on one instance, as workers run those on named ones.

    Parameters
    ----------
    name : str
        Of the instance: that of the file which it came from, on which the streams of its trials depend.
    tables : str
        The instance as JSON, see `verifier.model.instance_data.tables`; as text it is the same in every process.
    """

    name: str
    tables: str

    @classmethod
    def of(cls, name: str, tables: Mapping[str, Any]) -> OnRecorded:
        """The task for an instance of a record."""
        return cls(name, json.dumps(tables))

    def __call__(self, spec: TrialSpec) -> TrialResult:
        """Run one trial; an exception of the plugin becomes an error of the result."""
        return result_of(self._run, spec)

    def setting(self, setting: Setting[Any, Any]) -> Setting[Any, Any]:
        """The setting in which the name stands for this instance, whatever files there are.

        Raises
        ------
        UsageError
            If the tables are of no instance of the setting.
        """
        instance = instance_of(json.loads(self.tables), setting.packages)
        scenario = Scenario[Any](self.name, "from a record", lambda rng: instance)
        return replace(setting, sources={self.name: lambda name: scenario, **setting.sources})

    def _run(self, spec: TrialSpec) -> TrialResult:
        from verifier.trials.trial import run_trial

        return run_trial(spec, self.setting)
