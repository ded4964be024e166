"""Tightness of the bounds of an algorithm, as `verifier tight` measured it: factors, where the proof loses, regret."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verifier.base.significant import at_most
from verifier.record import AlgorithmEntry, FactorLine, PriceEntry, TightnessEntry
from verifier_reports.factor_growth import GROWTH_HEADS, grown, growth_head, growth_note, other_ends
from verifier_reports.markup import code, prose, table
from verifier_reports.numbers import numeral, outwards, plural
from verifier_reports.screen import Screen, clean, pad

NO_THEOREM = "A factor is never evidence that a smaller constant is a theorem."
"""First sentence of everything that shows factors."""

MEANING = (
    "The factor of a run is the least multiple of the whole right side of a claim with which each of its comparisons would have "
    "held, at the published width, on these instances; it says nothing of others."
)

_HEADS = ("claim", "kind", "worst on", "certified", "largest")
_LOSSES = ("claim", "factor", "slack", "rests on")
_REGRET = ("width", "mean", "interval", "event failed")
_NARROW = 80
_LEAST = 8


@dataclass(frozen=True)
class Loss:
    """Step of the proof: the largest factor of a run, how many times too large the bound was, and the steps it rests on."""

    claim: str
    factor: float
    premises: tuple[str, ...]

    @property
    def slack(self) -> str:
        """``x1073``; nothing where a bound of zero would have done."""
        return f"x{numeral(1.0 / self.factor)}" if 0.0 < self.factor < math.inf else ""


def line(*found: TightnessEntry) -> str:
    """The bottom line: ``factors of 11 claims, 5 of them certified; 100 runs on each instance``."""
    told = [entry for each in found for entry in each.claims if entry.lines]
    certified = sum(any(math.isfinite(each.high) for each in entry.lines) for entry in told)
    return f"factors of {plural(len(told), 'claim')}, {certified} of them certified; {found[0].runs} runs on each instance."


def certified(entry: FactorLine) -> str:
    """``9.74e-3 to 0.0148``, rounded outwards; ``?`` where there is no upper bound; nothing where none is meant."""
    return outwards(entry.low, entry.high)


def confidence(found: TightnessEntry) -> str:
    """Sentences on what the intervals are of, and with which confidence they hold."""
    if not found.intervals:
        return "No claim here is one of probability or in expectation, so that nothing is certified."
    each = "its interval is" if found.intervals == 1 else f"all {found.intervals} intervals of this table hold together"
    return (
        f"certified: bounds on the quantile that the claim promises (1 - delta), or on the mean; {each} "
        f"{'right ' if found.intervals == 1 else ''}with confidence {found.confidence:.0%}, after Bonferroni over claims and "
        f"instances. {found.runs} runs on each instance, fixed before. largest: of all runs, no bound on further ones."
    )


def searched(found: TightnessEntry) -> Iterator[str]:
    """Sentences on the instance that was searched for, and what its lower bound says of every theorem of this form."""
    worst = found.worst
    if worst is None:
        return
    cut = ", where time ran out" if worst.exhausted else ""
    fixed = ", ".join(f"{name} = {size}" for name, size in worst.sizes.items())
    kind = f"different instances with {fixed}" if fixed else "different instances"
    yield (
        f"{worst.file}: of {worst.examples} {kind} that were drawn{cut}, the one on which {worst.claim} needed most. Its runs "
        "here are others than those of the search."
    )
    entry = next((entry for entry in found.claims if entry.claim == worst.claim), None)
    measured = None if entry is None else entry.worst
    if entry is None or measured is None:
        return
    # What is said of every run is refuted by one; of the other kinds without an interval a run says nothing.
    least, why = (measured.largest, "one run shows it") if entry.kind == "always" else (measured.low, "certified")
    if least > 0.0:
        yield (
            f"At least {numeral(at_most(least))} times the right side of {worst.claim} is needed on it ({why}): no theorem of "
            "this form for all instances has a smaller constant."
        )


def without(found: TightnessEntry) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Reasons why claims have no factor, each with the claims."""
    reasons: dict[str, list[str]] = {}
    for entry in found.claims:
        if not entry.lines:
            reasons.setdefault(entry.none, []).append(entry.claim)
    for reason, claims in reasons.items():
        yield reason, tuple(claims)


def losses(algorithm: AlgorithmEntry) -> tuple[str, tuple[Loss, ...]]:
    """The instance on which the steps of the proof are compared, and the steps in the order in which they are declared.

    It is the instance on which the regret is compared, else the one on which most steps have a factor.
    """
    found = algorithm.tightness
    if found is None:
        return "", ()
    by_instance: dict[str, dict[str, float]] = {}
    for entry in found.claims:
        for each in entry.lines:
            by_instance.setdefault(each.instance, {})[entry.claim] = each.largest
    instance = found.price.instance if found.price and found.price.instance else ""
    instance = instance or max(by_instance, key=lambda name: len(by_instance[name]), default="")
    factors = by_instance.get(instance, {})
    steps = (Loss(claim, value, _below(algorithm, claim, factors)) for claim, value in factors.items())
    return instance, tuple(steps)


def _below(algorithm: AlgorithmEntry, claim: str, among: dict[str, float]) -> tuple[str, ...]:
    return tuple(name for name in algorithm.proof.get(claim, ()) if name in among)


# The screen -----------------------------------------------------------------------------------------------------


def screen_section(screen: Screen, algorithm: AlgorithmEntry, verbose: bool) -> None:
    """Draw the tables of an algorithm; with `verbose` every instance."""
    found = algorithm.tightness
    assert found is not None
    screen.line(("How tight the bounds are", "heading"))
    screen.text(f"{NO_THEOREM} {MEANING}", 0, "strong")
    screen.blank()
    _rows(screen, _HEADS, list(_factors(found, verbose)), optional=1, texts=(2, 0))
    screen.text(confidence(found), 0, "dim")
    if head := growth_head(found):
        screen.blank()
        screen.line((clean(head), "heading"))
        rows = list(grown(found))
        # a narrow screen has no room for all the numbers of a claim side by side
        for part in [(0, 1, 2), (0, 3, 4)] if screen.width < _NARROW else [(0, 1, 2, 3, 4)]:
            cells = [tuple(row[at] for at in part) for row in rows]
            _rows(
                screen, [GROWTH_HEADS[at] for at in part], cells, optional=None, texts=(len(part) - 1, 0) if 4 in part else (0,)
            )
        screen.text(growth_note(found), 0, "dim")
        for sentence in other_ends(found):
            screen.text(sentence.replace("`", ""), 2, "dim", hang=4)
    if found.worst:
        screen.blank()
        for sentence in searched(found):
            screen.text(sentence, 0)
        for text in (found.worst.legend, *found.worst.tables.splitlines()):
            screen.line(("  ", ""), (clean(text), "dim"))
    for entry in found.claims:
        for each in entry.lines:
            if each.why and (verbose or each is entry.worst):
                screen.text(f"{entry.claim} on {each.instance}: {each.why}", 2, "dim", hang=4)
    for reason, claims in without(found):
        screen.text(f"{reason}: {', '.join(claims)}", 2, "dim", hang=4)
    instance, steps = losses(algorithm)
    if steps:
        screen.blank()
        screen.line((clean(f"Where the proof loses, on {instance}: the largest factor of a run, step by step"), "heading"))
        _rows(screen, _LOSSES, [_loss(step) for step in steps], optional=3, texts=(3, 0))
    if found.price:
        screen.blank()
        screen.line(("What it means for regret", "heading"))
        screen.text(price_line(found.price), 0)
        _rows(screen, _REGRET, _regret(found.price), optional=None, texts=(0,))
    screen.blank()


def _rows(screen: Screen, heads: Sequence[str], rows: list[tuple[str, ...]], optional: int | None, texts: Sequence[int]) -> None:
    """Draw a table; on a narrow screen without an optional column, and with columns of texts that give way in this order."""
    if not rows:
        return
    columns = [at for at in range(len(heads)) if at != optional or screen.width >= _NARROW]
    widths = {at: max(len(row[at]) for row in (tuple(heads), *rows)) for at in columns}
    room = screen.width - 2 - 2 * (len(columns) - 1)
    for at in texts:
        excess = sum(widths.values()) - room
        if excess > 0 and at in widths:
            widths[at] = max(_LEAST, widths[at] - excess)
    for row, style in ((tuple(heads), "dim"), *((row, "") for row in rows)):
        *first, last = columns
        lead = "".join(f"{pad(clean(row[at]), widths[at])}  " for at in first)
        if last in texts:  # names are wrapped and not cut
            screen.text(row[last], 2, style, ((lead, style),), 2 + len(lead))
        else:
            screen.line(("  ", ""), (lead + pad(clean(row[last]), widths[last]), style))


def _factors(found: TightnessEntry, verbose: bool) -> Iterator[tuple[str, ...]]:
    for entry in found.claims:
        worst = entry.worst
        for each in (worst, *(entry.lines if verbose else ())):
            if each is not None:
                name = entry.claim if each is worst else ""
                yield name, entry.kind if each is worst else "", each.instance, certified(each), numeral(each.largest)
            if verbose and len(entry.lines) == 1:
                break


def _loss(step: Loss) -> tuple[str, ...]:
    return step.claim, numeral(step.factor), step.slack, ", ".join(step.premises)


def price_line(found: PriceEntry) -> str:
    """Sentences on what is compared, or why nothing is."""
    if found.missing:
        return f"Not compared: {found.missing}."
    return (
        f"On {found.instance}, at the certified factor of {found.claim} (its upper bound) beside the published width and the "
        "error of the run. Means over runs, intervals together with confidence 99%. Other data are gathered at a smaller width, "
        "so that the event may fail more often there: its failures are counted."
    )


def _regret(found: PriceEntry) -> list[tuple[str, ...]]:
    return [
        (
            each.regime,
            numeral(each.mean),
            outwards(each.low, each.high),
            "" if each.broken is None else f"{each.broken} of {each.runs} runs",
        )
        for each in found.lines
    ]


# Markdown and the page --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A table with its heading and what is said before and after it; the columns of names are code, those of numbers right.

    `figure` is the kind of the figures that belong to it.
    """

    head: str
    before: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: tuple[int, ...]
    numbers: tuple[int, ...] = ()
    after: tuple[str, ...] = ()
    figure: str = ""


def parts(algorithm: AlgorithmEntry) -> Iterator[Part]:
    """The tables of an algorithm: factors, how they grow, where the proof loses, what it means for regret."""
    found = algorithm.tightness
    assert found is not None
    factors = tuple(
        (entry.claim, entry.kind, worst.instance, certified(worst), numeral(worst.largest), worst.replay)
        for entry in found.claims
        if (worst := entry.worst) is not None
    )
    reasons = tuple(f"{reason}: {', '.join(f'`{claim}`' for claim in claims)}" for reason, claims in without(found))
    yield Part("How tight the bounds are", MEANING, (*_HEADS, "replay"), factors, (0, 2, 5), (4,), (confidence(found), *reasons))
    if head := growth_head(found):
        yield Part(
            head,
            growth_note(found),
            GROWTH_HEADS,
            tuple(grown(found)),
            (0,),
            after=tuple(other_ends(found)),
            figure="factor-growth",
        )
    instance, steps = losses(algorithm)
    if steps:
        before = "The largest factor of a run, step by step, and how many times too large the bound was."
        yield Part(f"Where the proof loses, on {instance}", before, _LOSSES, tuple(map(_loss, steps)), (0,), (1, 2))
    if found.price:
        before, rows = price_line(found.price), tuple(_regret(found.price))
        yield Part("What it means for regret", before, _REGRET, rows, (0,), (1,), figure="price")


def markdown_section(algorithm: AlgorithmEntry) -> str:
    """The tables of an algorithm."""
    found = algorithm.tightness
    assert found is not None
    lines = []
    for number, part in enumerate(parts(algorithm)):
        before = prose(part.before) if number else f"**{NO_THEOREM}** {prose(part.before)}"
        lines.append(f"{'####' if number else '###'} {prose(part.head)}\n\n{before}\n")
        if part.rows:
            rows = [[code(cell) if at in part.names else cell for at, cell in enumerate(row)] for row in part.rows]
            lines.append(table(part.heads, rows, right=part.numbers))
        lines += [f"{prose(sentence)}\n" for sentence in part.after]
        if number == 0 and found.worst:
            lines += [f"{prose(sentence)}\n" for sentence in searched(found)]
            lines.append(f"```text\n{found.worst.legend}\n{found.worst.tables}\n```\n")
    return "\n".join(lines)
