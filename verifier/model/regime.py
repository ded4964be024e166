"""Regimes: where the algorithm gets its confidence width from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from verifier.base.errors import UsageError

Source = Literal["published", "scaled", "calibrated", "oracle"]


@dataclass(frozen=True)
class Regime:
    """Way to run an algorithm, named for the source of its width.

    ``published`` uses the paper's width, ``scaled(c)`` multiplies it by c, ``calibrated`` takes one that the setting reads off a
    run of its own by a stated rule, never off the run that is judged, ``oracle`` replaces it by the exact estimation
    error the run realises, step by step, recomputed by the harness from its own transcript.

    ``scaled(c)`` is calibrated on nothing: c is a number of the plugin's, and the width is a formula in what the agent may know,
    so that no error of a run is compared with a multiple of itself.

    Parameters
    ----------
    source : {"published", "scaled", "calibrated", "oracle"}
        Where the width comes from.
    scale : float
        The factor c; 1 unless the source is ``scaled``.
    options : tuple of (str, str)
        Choices the algorithm leaves open, passed to its constructor (e.g. which of several minimisers it takes).

    Examples
    --------
    >>> from verifier import Regime
    >>> Regime.parse("scaled(0.1)")
    Regime(source='scaled', scale=0.1, options=())
    """

    source: Source
    scale: float = 1.0
    options: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """``published``, ``scaled(0.1)``, ``oracle``, ``oracle[minimiser=farthest]``."""
        base = f"scaled({self.scale:g})" if self.source == "scaled" else self.source
        return base + ("[" + ",".join(f"{key}={value}" for key, value in self.options) + "]" if self.options else "")

    @classmethod
    def parse(cls, text: str) -> Regime:
        """Read a regime's name.

        Raises
        ------
        UsageError
            If the text is not a regime.
        """
        match = re.fullmatch(r"(published|calibrated|oracle|scaled\(([0-9.eE+-]+)\))(?:\[([\w=,-]+)\])?", text.strip())
        try:
            if match is None:
                raise ValueError
            options = tuple(tuple(item.split("=")) for item in (match[3] or "").split(",") if item)
            if any(len(option) != 2 for option in options):
                raise ValueError
            scale = float(match[2]) if match[2] else 1.0
            if not 0 < scale < float("inf"):
                raise ValueError
        except ValueError:
            raise UsageError(
                f"regime {text!r} is not known; expected 'published', 'calibrated', 'oracle' or 'scaled(c)' with c > 0, e.g. "
                "'scaled(0.1)'"
            ) from None
        source: Source = "scaled" if match[2] else match[1]  # type: ignore[assignment]  # the pattern admits these words only
        return cls(source, scale, options)
