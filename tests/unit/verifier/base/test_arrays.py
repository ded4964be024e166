"""What properties are handed cannot be changed by one of them for the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array, cached_property
from verifier_settings.views import View


@dataclass(eq=False, kw_only=True)
class Seen(View[Any, Any]):
    Q: Array

    @cached_property
    def doubled(self) -> Array:
        """Twice Q."""
        return 2.0 * self.Q

    @cached_property
    def both(self) -> tuple[Array, int]:
        return self.Q + 1.0, 3


def test_no_array_of_a_view_can_be_changed() -> None:
    owned = np.ones(3)
    view = Seen(instance=None, Q=owned)  # type: ignore[arg-type]  # not looked at
    for array in (view.Q, view.doubled, view.both[0]):
        with pytest.raises(ValueError, match="read-only"):
            array -= 1.0
    owned *= 1.0  # whoever made it still may
    assert view.doubled is view.doubled
    assert view.doubled.tolist() == [2.0, 2.0, 2.0]
    assert Seen.doubled.__doc__ == "Twice Q."
