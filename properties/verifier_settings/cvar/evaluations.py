"""Assignment of Monte Carlo evaluations to policies, whatever the order they were made in.

Policies are compared by what they do where they can come to (`augmented.ways`): the rest of a table cannot matter. Batches of
episodes with one table are one evaluation until it has T2 episodes; a table that several rounds made has several, one after
the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.cvar.simulator import Evaluation


def merged(ways: Sequence[bytes], evaluations: Sequence[Evaluation], T2: int) -> dict[bytes, list[Evaluation]]:
    """The evaluations of each policy, batches put together."""
    found: defaultdict[bytes, list[Evaluation]] = defaultdict(list)
    for way, batch in zip(ways, evaluations, strict=True):
        known = found[way]
        unfinished = [i for i, one in enumerate(known) if one.n < T2 and np.array_equal(one.policy, batch.policy)]
        if unfinished:
            known[unfinished[0]] = known[unfinished[0]].with_more(batch)
        else:
            known.append(batch)
    return dict(found)


def unmatched(played: Sequence[bytes], found: dict[bytes, list[Evaluation]]) -> int:
    """Policies played that have no evaluation of their own, and evaluations of other policies."""
    wanted, made = Counter(played), Counter({way: len(known) for way, known in found.items()})
    return (wanted - made).total() + (made - wanted).total()


def own_values(played: Sequence[bytes], found: dict[bytes, list[Evaluation]], bonus: Array, reported: Array) -> Array:
    """(n,) the estimate of each policy played that follows from its episodes; NaN where it has none.

    Rounds that made the same policy may have been evaluated in any order: among them the least estimate reported is that of
    the evaluation of the least value, and so on.
    """
    out = np.full(len(played), np.nan)
    for way in dict.fromkeys(played):
        places = np.array([t for t, other in enumerate(played) if other == way])
        values = np.sort([evaluation.value(bonus) for evaluation in found.get(way, [])])[: len(places)]
        out[places[np.argsort(reported[places], kind="stable")][: len(values)]] = values
    return out
