"""Drawn instances in a record: what it takes, beside the plugin, to run a claim on one again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DrawnEntry:
    """A drawn instance on which a claim fails.

    `replay` is the id of the measurement. `witness` is the instance as plain data, with the trial and what it gave, as
    `verifier.trials.search.witness.Witness.to_json` returns it. A store keeps the same, but records are what people send.
    """

    replay: str
    witness: Mapping[str, Any]
