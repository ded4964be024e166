"""Witnesses: small instances on which a claim or the plugin fails, with everything needed to print and to rerun them."""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from verifier.base.reading import read
from verifier.base.replaying import command
from verifier.model.claim import Kind
from verifier.model.measurement import Measurement
from verifier.model.result import TrialError, TrialSpec

DRAWN = "drawn"
"""The instance's name in the trials of a search; random streams depend on it and not on the recipe, so that a shorter
run on a smaller instance is as much as possible the same run."""

WIDTH = 100


@dataclass(frozen=True)
class Witness:
    """A failure on a small instance: plain data, printed and kept without any plugin.

    Parameters
    ----------
    algorithm, claim : str
        Names; no claim where the plugin itself failed.
    setting : str
        Name of the setting that can read the recipe.
    recipe : mapping
        The instance as plain data, see `verifier.model.recipe.Recipe.to_json`.
    regime : str
        In the form `Regime.name`.
    seed, index : int
        Master seed and trial number, from which the streams of the run follow.
    measurement : Measurement, optional
        Of the claim in this run; None where the plugin failed.
    error : TrialError, optional
        How the plugin failed.
    digest : str
        Hash of the transcript.
    source, status, kind, statement, given : str
        Of the claim.
    tables, legend, transcript : str
        The instance, how to read it, and the run.
    """

    algorithm: str
    claim: str
    setting: str
    recipe: Mapping[str, Any]
    regime: str
    seed: int
    index: int
    measurement: Measurement | None = None
    error: TrialError | None = None
    digest: str = ""
    source: str = field(default="", kw_only=True)
    status: str = field(default="", kw_only=True)
    kind: str = field(default="", kw_only=True)
    statement: str = field(default="", kw_only=True)
    given: str = field(default="", kw_only=True)
    tables: str = field(default="", kw_only=True)
    legend: str = field(default="", kw_only=True)
    transcript: str = field(default="", kw_only=True)

    @property
    def id(self) -> str:
        """12 hexadecimal digits that name what was run and what was looked at."""
        parts = [self.algorithm, self.claim, self.setting, dict(self.recipe), self.regime, self.seed, self.index]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]

    @property
    def spec(self) -> TrialSpec:
        """The trial, on an instance named `DRAWN`."""
        return TrialSpec(self.algorithm, DRAWN, self.regime, self.index, self.seed)

    @property
    def replay_id(self) -> str:
        """Replay id, in which the instance is ``drawn-ID``; empty where the plugin failed."""
        return f"{self.algorithm}/{self.claim}:{DRAWN}-{self.id}:{self.regime}:{self.index}:{self.seed}" if self.claim else ""

    @property
    def fails(self) -> bool:
        """Whether a comparison failed, or the plugin."""
        return self.error is not None or (self.measurement is not None and self.measurement.violations > 0)

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back without loss (floats survive exactly; infinities as in Python's json)."""
        data: dict[str, Any] = json.loads(json.dumps(asdict(self)))  # tuples are lists in a record that was read
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Witness:
        """The inverse of `to_json`.

        Raises
        ------
        UsageError
            If the data is not a witness.
        """
        return read(cls, data)

    def text(self, project: str = "", record: str = "") -> str:
        """Text of the witness in lines of at most `WIDTH`: the broken inequality with its place, the instance, and the run.

        The command at the end names the folder of a project and the file of a record, if they are given.
        """
        lines = [
            *self._headline(),
            "",
            f"The instance ({self.legend}):" if self.legend else "The instance:",
            *_indented(self.tables),
            "",
            f"The run (regime {self.regime}, trial {self.index}, seed {self.seed}):",
            *_indented(self.transcript or "did not come to its end"),
        ]
        if self.replay_id:
            lines += ["", command(self.replay_id, project, record)]
        return "\n".join(lines) + "\n"

    def _headline(self) -> Iterator[str]:
        if self.error is not None:
            yield f"{self.algorithm} fails on a drawn instance: {self.error.kind}"
            yield from _wrapped(self.error.message)
            return
        found = "is violated" if self.fails else "holds"
        yield f"{self.algorithm}/{self.claim} {found} on a drawn instance  ({self.source}, {self.status}, {self.kind})"
        yield from _wrapped(self.statement)
        if self.given:
            yield from _wrapped(f"given that {self.given}")
        if self.measurement is not None:
            yield ""
            yield from self._numbers(self.measurement)

    def _numbers(self, found: Measurement) -> Iterator[str]:
        if found.comparisons == 0:
            yield f"  nothing compared: the premise held nowhere ({found.excluded} comparisons left out)"
            return
        place = ", ".join(f"{axis} {index}" for axis, index in found.place.items()) or "the whole run"
        if found.violations:
            yield from _wrapped(f"{found.violations} of {found.comparisons} comparisons fail; the worst at {place}:")
        else:
            yield from _wrapped(f"all {found.comparisons} comparisons hold; the tightest at {place}:")
        value, bound = _pair(found)
        rounding = f"(rounding allowed: {found.tolerance:.1g})"
        if self.kind == Kind.IDENTITY:
            yield f"    |left side - right side| = {value} instead of {bound}  {rounding}"
        else:
            yield f"    left side {value}, bound {bound}  {rounding}"


def _pair(found: Measurement) -> tuple[str, str]:
    """Value and bound with as many digits as tell them apart; what is smaller than the rounding allowed is shown as 0."""
    value, bound = (0.0 if abs(x) <= found.tolerance else x for x in (found.value, found.bound))
    for digits in (6, 9, 12):
        if f"{value:.{digits}g}" != f"{bound:.{digits}g}":
            return f"{value:.{digits}g}", f"{bound:.{digits}g}"
    return repr(value), repr(bound)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _indented(text: str) -> list[str]:
    return ["  " + line for line in text.splitlines()]
