"""How fast the regret grows."""

from __future__ import annotations

SCALING = ()
