"""Tightness of the bounds of an algorithm, as `verifier tight` measured it: factors, where the proof loses, regret."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from verifier.base.significant import at_least, at_most
from verifier.record import AlgorithmEntry, FactorLine, GrowthEntry, PriceEntry, TightnessEntry
from verifier_reports.markup import code, prose, table
from verifier_reports.numbers import numeral, plural
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
_GROWTH = ("claim", "smallest", "largest", "exponent", "that is")
_NARROW = 80
_LEAST_POWER = 0.01
"""Powers are printed with two digits; less than this is told as none."""
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
    if math.isnan(entry.low):
        return ""
    return f"{numeral(at_most(entry.low))} to {numeral(at_least(entry.high)) if math.isfinite(entry.high) else '?'}"


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
    yield (
        f"{worst.file}: of {worst.examples} different instances that were drawn{cut}, the one on which {worst.claim} needed "
        "most. Its runs here are others than those of the search."
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


def growth_head(found: TightnessEntry) -> str:
    """``How the factor grows on horizons, from H = 2 to 8``; empty where no family was measured."""
    grown = [entry.growth for entry in found.claims if entry.growth]
    if not grown:
        return ""
    first, last = _ends(grown)
    return f"How the factor grows on {grown[0].family}, from {grown[0].symbol} = {first} to {last}"


def _ends(grown: Sequence[GrowthEntry]) -> tuple[int, int]:
    """The smallest and the largest size of those at which the exponents of some claims are measured."""
    sizes = [size for each in grown for size in each.sizes]
    return min(sizes, default=0), max(sizes, default=0)


def argument(growth: GrowthEntry) -> str:
    """What an exponent is a power of: ``H``, ``ln(1/delta)``."""
    return growth.argument or growth.symbol


def of_delta(growth: GrowthEntry) -> bool:
    """Whether the sizes are those of 1/delta: then the quantile differs from one to the next, too."""
    return argument(growth) != growth.symbol


def growth_note(found: TightnessEntry) -> str:
    """Sentences on what the exponents are, for which instances they hold, and which sizes were left out."""
    growth = next((entry.growth for entry in found.claims if entry.growth), None)
    if growth is None:
        return ""
    of = argument(growth)
    if not of_delta(growth):
        return (
            "The factor at the largest size over that at the smallest, as a power of the size; its bounds follow from the "
            f"certified intervals at both ends and hold with their confidence. {of}^0.5 too many: the bound grows at least so "
            f"much faster with {of} than this family needs; other families may need all of it."
        )
    note = (
        "At each delta the algorithm is run at the width for it, and the factor is the quantile that a claim promises at it. The "
        f"factor at the smallest delta over that at the largest, as a power of {of}; its bounds follow from the certified "
        "intervals at both ends and hold with their confidence. Power 0.5 too many: the bound grows at least by that power of "
        f"{of} faster than this instance needs between the two; smaller delta, and other instances, may need all of it."
    )
    if growth.left_out:
        sizes = ", ".join(map(str, growth.left_out))
        note += f" Left out: {growth.symbol} = {sizes}, where {found.runs} runs bound no such quantile from above."
    return note


def grown(found: TightnessEntry) -> Iterator[tuple[str, ...]]:
    """A row for each claim that has a factor on a family: certified at both ends, the exponent, and what that means."""
    for entry in found.claims:
        growth = entry.growth
        if growth is None:
            continue
        by_name = {each.instance: each for each in entry.lines}
        at = (by_name.get(member(growth, size)) for size in (growth.sizes[0], growth.sizes[-1]))
        shown = tuple("" if end is None else certified(end) or numeral(end.largest) for end in at)
        yield entry.claim, *shown, exponent(growth), meaning(growth)


def other_ends(found: TightnessEntry) -> Iterator[str]:
    """A sentence for each claim whose exponent is not between the sizes that the heading names."""
    measured = [(entry, entry.growth) for entry in found.claims if entry.growth]
    ends = _ends([growth for _, growth in measured])
    for entry, growth in measured:
        if (own := (growth.sizes[0], growth.sizes[-1])) != ends:
            yield f"`{entry.claim}`: from {growth.symbol} = {own[0]} to {own[1]}; elsewhere it may fail with probability 1."


def member(growth: GrowthEntry, size: int) -> str:
    """Name of the instance of a size: ``horizons[H=2]``."""
    return f"{growth.family}[{growth.symbol}={size}]"


def exponent(growth: GrowthEntry) -> str:
    """``-1.04 to -0.96``, rounded outwards; of what is not certified the one seen, ``-1.00 seen``."""
    if math.isnan(growth.low) or math.isnan(growth.high):
        return "" if math.isnan(growth.seen) else f"{growth.seen:z.2f} seen"
    return f"{_hundredths(growth.low, math.floor)} to {_hundredths(growth.high, math.ceil)}"


def _hundredths(value: float, rounded: Callable[[float], int]) -> str:
    return f"{rounded(100 * value) / 100:z.2f}" if math.isfinite(value) else "?"


def meaning(growth: GrowthEntry) -> str:
    """Words for an exponent: the bound grows faster than this family needs, or the family needs more and more, or neither."""
    if math.isnan(growth.low) or math.isnan(growth.high):
        return growth.why
    if growth.high <= -_LEAST_POWER:
        power = _hundredths(-growth.high, math.floor)
        return f"power {power} too many" if of_delta(growth) else f"{growth.symbol}^{power} too many here"
    if growth.low >= _LEAST_POWER:
        return "more at smaller delta" if of_delta(growth) else f"more needed at larger {growth.symbol}"
    return growth.why or "cannot tell"


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
            _rows(screen, [_GROWTH[at] for at in part], cells, optional=None, texts=(len(part) - 1, 0) if 4 in part else (0,))
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
        screen.line(("  ", ""), ("  ".join(pad(clean(row[at]), widths[at]) for at in columns), style))


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
            "" if math.isnan(each.low) else f"{numeral(at_most(each.low))} to {numeral(at_least(each.high))}",
            "" if each.broken is None else f"{each.broken} of {each.runs} runs",
        )
        for each in found.lines
    ]


# Markdown and the page --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A table with its heading and what is said before and after it; the columns of names are code, those of numbers right."""

    head: str
    before: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: tuple[int, ...]
    numbers: tuple[int, ...] = ()
    after: tuple[str, ...] = ()


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
        yield Part(head, growth_note(found), _GROWTH, tuple(grown(found)), (0,), after=tuple(other_ends(found)))
    instance, steps = losses(algorithm)
    if steps:
        before = "The largest factor of a run, step by step, and how many times too large the bound was."
        yield Part(f"Where the proof loses, on {instance}", before, _LOSSES, tuple(map(_loss, steps)), (0,), (1, 2))
    if found.price:
        yield Part("What it means for regret", price_line(found.price), _REGRET, tuple(_regret(found.price)), (0,), (1,))


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
