"""The figures that a record has for a paper, in its order, and one of them by its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from verifier.base.errors import UsageError, nearest
from verifier.record import AlgorithmEntry, Record
from verifier_reports.paper import factor_growth, factors, kill_matrix, looseness, overlay, price, reproduced, scaling
from verifier_reports.paper.figure import PaperFigure
from verifier_reports.scaling import scaled

NONE = (
    "the report has no figure: `verifier scale` measures growth, `verifier power` the claims that find planted bugs, `verifier "
    "tight` factors, and `verifier check` how close claims with a bound come to it"
)


def figures(record: Record) -> list[PaperFigure]:
    """All figures of a record; no two have the same file name."""
    made: list[PaperFigure] = []
    seen = Counter[str]()
    for figure in _every(record):
        seen[figure.name] += 1
        number = seen[figure.name]
        made.append(figure if number == 1 else replace(figure, name=f"{figure.name}-{number}"))
    return made


def names(record: Record) -> tuple[str, ...]:
    """A name to ask for each figure by: the short one, or that of its file where others have the short one, too."""
    made = figures(record)
    short = Counter(figure.short for figure in made)
    return tuple(figure.short if short[figure.short] == 1 else figure.name for figure in made)


def figure(record: Record, name: str) -> PaperFigure:
    """The figure of a name: of its file, of a claim with or without the algorithm, or what `names` has.

    Raises
    ------
    UsageError
        If there is none, or more than one, with the names there are.
    """
    made = figures(record)
    if not made:
        raise UsageError(NONE)
    fitting = [each for each in made if name == each.name] or [each for each in made if name in (each.short, each.claim)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(
            f"{len(fitting)} figures are called {name!r}: {', '.join(each.name for each in fitting)}; give one of these"
        )
    listed = names(record)
    raise UsageError(f"the report has no figure {name!r}. {nearest(name, listed)} There are: {', '.join(listed)}")


def _every(record: Record) -> Iterator[PaperFigure]:
    """Figures of papers that were drawn again, those of each algorithm, and those of several in one plot."""
    yield from filter(None, map(reproduced.figure, record.figures))
    for algorithm in record.algorithms:
        yield from _of(algorithm)
    yield from overlay.overlays(record)


def _of(algorithm: AlgorithmEntry) -> Iterator[PaperFigure]:
    if power := kill_matrix.figure(algorithm):
        yield power
    for one in scaled(algorithm):
        yield scaling.figure(algorithm, one)
    if room := looseness.figure(algorithm):
        yield room
    if tight := factors.figure(algorithm):
        yield tight
    if growth := factor_growth.figure(algorithm):
        yield growth
    if regret := price.figure(algorithm):
        yield regret
