"""Keys under which the store keeps the trials and searches of a campaign."""

from __future__ import annotations

import secrets
from typing import Any

from verifier.campaign.subject import Subject
from verifier.model.result import TrialSpec
from verifier.plugins.source import harness_hash, source_hash, trial_key
from verifier.trials.runner import agents_confined


class Keys:
    """Store keys of the trials of a campaign, and the hashes they are made of."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self._harness = harness_hash()

    def key(self, subject: Subject, spec: TrialSpec) -> str:
        """The key of one trial."""
        parameters: dict[str, Any] = {
            "instance": subject.parameters[spec.instance],
            "claims": sorted(claim.name for claim in subject.guarantees.claims),
            "once": self._once(spec),
        }
        return trial_key(spec, self.source(subject), self._harness, parameters)

    def search_key(self, subject: Subject, spec: TrialSpec) -> str:
        """The key of a search."""
        claims = sorted(claim.name for claim in subject.guarantees.claims)
        parameters = {"instance": "drawn", "claims": claims, "once": self._once(spec)}
        return trial_key(spec, self.source(subject), self._harness, parameters)

    @staticmethod
    def _once(spec: TrialSpec) -> str:
        """A word that no other command has, where an agent could have written what is found under a key; else nothing."""
        return secrets.token_hex() if spec.blind and not agents_confined() else ""

    def source(self, subject: Subject) -> str:
        """The source hash of an algorithm, what is declared of it, and its setting."""
        if subject.name not in self._sources:
            self._sources[subject.name] = source_hash(subject.guarantees, subject.setting)
        return self._sources[subject.name]
