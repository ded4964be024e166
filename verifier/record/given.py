"""Instances from files of the user in a record: what it takes, beside the plugin, to run a claim on one again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class GivenEntry:
    """An instance that was given as a file.

    `tables` is the instance under the seed of the record as plain data, as `verifier.model.instance_data.tables` returns it. They
    are empty where `missing` says why it could not be kept.
    """

    tables: Mapping[str, Any]
    missing: str = ""
