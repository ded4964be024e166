"""Algorithms by what their claims are about: a table with a cell for each algorithm and topic."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.record import AlgorithmEntry, Record
from verifier_reports.groups import Group, groups, in_order

FEWEST = 3
"""Algorithms from which on they are compared in a table."""


@dataclass(frozen=True)
class Matrix:
    """The claims of several algorithms by topic.

    Parameters
    ----------
    topics : tuple of str
        In reading order; those of plugins last.
    rows : tuple of (AlgorithmEntry, tuple of Group or None)
        For each algorithm with claims the groups of the topics, None where it has no claim.
    """

    topics: tuple[str, ...]
    rows: tuple[tuple[AlgorithmEntry, tuple[Group | None, ...]], ...]


def matrix(record: Record) -> Matrix | None:
    """The matrix of a record; None where it has too few algorithms with claims."""
    found = [(algorithm, {group.topic: group for group in groups(algorithm)}) for algorithm in record.algorithms]
    found = [(algorithm, known) for algorithm, known in found if known]
    if len(found) < FEWEST:
        return None
    topics = tuple(in_order(topic for _, known in found for topic in known))
    return Matrix(topics, tuple((algorithm, tuple(map(known.get, topics))) for algorithm, known in found))
