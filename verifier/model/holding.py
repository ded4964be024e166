"""Field of plans that an array of somebody's agent holds, by its shape and its entries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Holding:
    """Field of plans that an array was found to hold.

    Parameters
    ----------
    field : str
        A field of plans.
    axes : str
        Its axes in the order of the array, ``"s h a"``, where that is not the order of the field; empty where it is.
    off : str
        What is wrong with its entries, ``"one more"``; empty where nothing is.
    seen : str
        How that was seen, for a person.
    telling : int
        Of action values: decisions in which not all are equal. Where there are none, any table of one number would do.
    """

    field: str
    axes: str = ""
    off: str = ""
    seen: str = ""
    telling: int = 0

    @property
    def right(self) -> bool:
        """Whether it can be read as it is."""
        return not self.axes and not self.off
