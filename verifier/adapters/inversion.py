"""Agents that are not generators, turned into an iterator of the plans they make: see `verifier.base.inversion`."""

from verifier.base.inversion import inverted

__all__ = ["inverted"]
